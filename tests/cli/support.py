"""Runs the gantry program whose path is in the environment variable GANTRY."""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

GANTRY = os.environ["GANTRY"]
SANITIZED = "GANTRY_SANITIZED" in os.environ  # its jobs take several times as long


def run(*words, cwd=None, **more):
    """The finished process of `gantry WORDS`; output as text."""
    return subprocess.run([GANTRY, *map(str, words)], cwd=cwd, capture_output=True, text=True,
                          timeout=200, **more)


def start(*words, **how):
    """`gantry WORDS`, still running."""
    return subprocess.Popen([GANTRY, *map(str, words)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **how)


def cpu_seconds_of(process):
    """What a running process has taken of its processors."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def allow_ranks_here():
    """Root and few cores are what MPI's launchers refuse by default."""
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      OMPI_MCA_rmaps_base_oversubscribe="1",
                      PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")


def without_boxes(text):
    """Without what MPI's launcher says of its own in a frame, which that of Open MPI 5 always does
    when a rank has failed."""
    return re.sub(r"^-{20,}\n.*?^-{20,}\n+", "", text, flags=re.M | re.S)


class GantryTest(unittest.TestCase):
    """Each test has a folder of its own, self.folder, and all of a class share a scan, self.scan."""

    SCAN = []  # how the shared scan differs from simulate()'s

    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="gantry-cli-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.scan = cls.simulate(*cls.SCAN, out=cls.home / "scan").parent

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.home))

    @classmethod
    def simulate(cls, *words, out):
        """Makes a small scan with odd sizes; returns its scan.json."""
        done = run("simulate", "--views", 48, "--detector", "63x49", "--sdd-mm", 1100, "--frames",
                   2, *words, "--out", out)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return out / "scan.json"

    def succeed(self, *words, **more):
        done = run(*words, **more)
        self.assertEqual(done.returncode, 0, done.stderr or done.stdout)
        return done.stdout

    def document(self, *words, **more):
        """What `gantry WORDS --json` prints, parsed strictly."""
        def refuse(word):
            raise AssertionError(word + " is not JSON")
        return json.loads(self.succeed(*words, "--json", **more), parse_constant=refuse)

    def fail_with(self, code, parts, *words, **more):
        """It exits with `code` and one line on stderr that holds each of `parts`."""
        done = run(*words, **more)
        self.assertEqual(done.returncode, code, done.stderr or done.stdout)
        lines = [line for line in done.stderr.splitlines() if line.startswith("gantry:")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertEqual(lines[0], without_boxes(done.stderr).splitlines()[-1])
        for part in parts:
            self.assertIn(str(part), lines[0])
        return lines[0]

    def assert_cancelled(self, process, begun, left):
        """Ctrl+C, as soon as the path `begun` is there, cancels it and leaves only the files named
        `left` in the test's folder."""
        limit = time.monotonic() + 120
        while not begun.exists() and time.monotonic() < limit:
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        worked = -cpu_seconds_of(process)
        earlier = resource.getrusage(resource.RUSAGE_CHILDREN)
        _, said = process.communicate(timeout=120)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        worked += ended.ru_utime + ended.ru_stime - earlier.ru_utime - earlier.ru_stime
        self.assertEqual(process.returncode, 130, said)
        self.assertLess(worked, 3)  # of its processors; a busy machine lets processes wait
        self.assertEqual(said.splitlines()[-1], "gantry: cancelled.")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), left)

    def edited_scan(self, change, name="edited.json"):
        """A copy of the scan's description, beside it, as `change` leaves the document."""
        document = json.loads((self.scan / "scan.json").read_text())
        change(document)
        path = self.scan / name
        path.write_text(json.dumps(document))
        self.addCleanup(path.unlink)
        return path
