#!/usr/bin/python3
"""The Python package: every test of sdk/python/tests, run by pytest, one line each."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *
try:
    import hypothesis, pytest
except ImportError as e:
    skip_all(f"{e}; tools/setup test installs it")


class Tap:
    """pytest's reports as TAP; a test that cannot be set up or torn down has failed, too."""

    def pytest_configure(self, config):
        config.option.verbose = 0  # asked for when assertions are explained, and else set by what prints

    def pytest_runtest_logreport(self, report):
        name = report.nodeid[report.nodeid.index("test_"):].replace("#", " ")
        if report.skipped:
            skip(name, report.longrepr[2] if isinstance(report.longrepr, tuple) else "skipped")
        elif report.failed or report.when == "call":
            ok(report.passed, name) or diag(report.longreprtext)

    def pytest_collectreport(self, report):
        if report.failed:
            ok(False, f"{report.nodeid} can be read")
            diag(report.longreprtext)


code = pytest.main([os.path.join(ROOT, "sdk/python/tests"), "-p", "no:terminal", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[Tap()])
ok(code == 0, "all of them passed")
done()
