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
packages = []
for item in report["install"]:
    info = item["download_info"].get("archive_info", {})
    digest = info.get("hashes", {}).get("sha256") or info.get("hash", "").partition("sha256=")[2]
    packages.append({"name": item["metadata"]["name"], "version": item["metadata"]["version"], "hash": "sha256:" + digest, "url": item["download_info"]["url"]})
with open("/workspace/report.json", "w") as f:
    json.dump({"interpreter": f"{sys.implementation.cache_tag} {sys.version.split()[0]} {sysconfig.get_platform()}", "tool": "pip " + report["pip_version"], "packages": packages}, f)
os.unlink("/workspace/pip.json")
shutil.rmtree(work)
