"""Installs the packages that are its arguments into /workspace/env and tells what came.

bawn runs this in a sandbox of its own, whose network leads to the package index alone.  Wheels only: what would have
to be built would run code of the package's.  What it tells, and what it leaves in env, is checked outside."""
import importlib.util, json, os, shutil, subprocess, sys, sysconfig

if importlib.util.find_spec("pip") is None:
    sys.exit(127)
work = "/workspace/tmp"  # on the file system of env, so that pip moves what it unpacked there and does not copy it
os.mkdir(work)
pip = [sys.executable, "-m", "pip", "install", "--only-binary", ":all:", "--no-cache-dir", "--no-input", "--retries", "1", "--quiet", "--progress-bar", "off",
       "--target", "/workspace/env", "--report", "/workspace/pip.json", "--", *sys.argv[1:]]
code = subprocess.run(pip, env={**os.environ, "TMPDIR": work}).returncode
if code != 0:
    sys.exit(code if code < 126 else 1)
with open("/workspace/pip.json", "rb") as f:
    report = json.load(f)
strength = ("sha512", "sha384", "sha256", "sha224", "sha1", "md5")  # an index gives one of them, seldom two
packages = []
for item in report["install"]:
    info = item["download_info"].get("archive_info", {})
    hashes = dict([info["hash"].split("=", 1)] if "=" in info.get("hash", "") else [], **info.get("hashes") or {})
    best = min(hashes, key=lambda a: strength.index(a) if a in strength else len(strength), default="")
    packages.append({"name": item["metadata"]["name"], "version": item["metadata"]["version"], "hash": f"{best}:{hashes.get(best, '')}", "url": item["download_info"]["url"]})
with open("/workspace/report.json", "w") as f:
    json.dump({"interpreter": f"{sys.implementation.cache_tag} {sys.version.split()[0]} {sysconfig.get_platform()}", "tool": "pip " + report["pip_version"], "packages": packages}, f)
os.unlink("/workspace/pip.json")
shutil.rmtree(work)
