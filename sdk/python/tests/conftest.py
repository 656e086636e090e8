"""What the tests of the Python package share: a world of its own for each, with the real library and sandbox.

tests/integration/python.t runs them for `prove`; by hand: /usr/bin/python3 -m pytest sdk/python/tests"""
import atexit
import os
import shutil
import sys
import tempfile

import hypothesis
import hypothesis.configuration
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "tests", "integration"), os.path.dirname(HERE)]
os.environ.setdefault("BAWN_LIB", os.path.join(os.environ.get("BAWN_BUILD", os.path.join(ROOT, "build")), "libbawn.so.0"))
for name in ("BAWN_STATE", "BAWN_CONFIG"):
    os.environ.pop(name, None)

import bawn  # noqa: E402
import bawntest  # noqa: E402

home = tempfile.mkdtemp(prefix="bawn-hypothesis-")  # not the tree
atexit.register(shutil.rmtree, home, True)
hypothesis.configuration.set_hypothesis_home_dir(home)
# The machine may be busy: how long an example takes says nothing.  And the examples are the same each time.
hypothesis.settings.register_profile("bawn", deadline=None, database=None, derandomize=True, max_examples=60, print_blob=True,
                                     suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("bawn")

#: what policy says where the requester's own word is enough
SELF = "overrides:\n  minimum: self\n  acknowledge_risk: true\n"


class World(bawntest.World):
    """A state directory, the command in it, and a Client for it."""

    def client(self, config=None):
        return bawn.Client(state=self.state, config=config)

    def script(self, text, *args, **kw):
        """A Python program of its own with this package, in this world; returns (exit code, stdout, stderr)."""
        import subprocess
        env = {**self.env, "PYTHONPATH": os.path.dirname(HERE), "BAWN_LIB": os.environ["BAWN_LIB"],
               "PYTHONDONTWRITEBYTECODE": "1", **kw.pop("env", {})}
        p = subprocess.run([sys.executable, "-c", text, *args], env=env, cwd=self.dir, capture_output=True, text=True,
                           timeout=300, **kw)
        return p.returncode, p.stdout, p.stderr


@pytest.fixture
def world(monkeypatch):
    w = World()
    for name in ("HOME", "XDG_CONFIG_HOME", "BAWN_STATE"):  # also where nobody gave a Client
        monkeypatch.setenv(name, w.env[name])
    return w


@pytest.fixture
def client(world):
    return world.client()
