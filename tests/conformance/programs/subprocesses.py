import os, signal, subprocess, sys

r = subprocess.run(["sh", "-c", "cat; echo err >&2; exit 4"], input="in", capture_output=True, text=True)
assert (r.returncode, r.stdout, r.stderr) == (4, "in", "err\n"), r
with subprocess.Popen(["sort", "-n"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as p:
    assert p.communicate("10\n9\n")[0] == "9\n10\n"
assert subprocess.check_output([sys.executable, "-c", "print(6*7)"]) == b"42\n"
p = subprocess.Popen(["sleep", "60"], start_new_session=True)
p.send_signal(signal.SIGTERM)
assert p.wait() == -signal.SIGTERM
try:
    subprocess.run(["sleep", "60"], timeout=0.1)
    raise AssertionError("no timeout")
except subprocess.TimeoutExpired:
    pass
assert os.popen("echo $((6*7))").read() == "42\n"
pid = os.fork()
if pid == 0:
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
print("ok")
