"""Ranks that a launcher or the shell has bound use the cores that they see, and say so."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from rank_jobs import RankTest, same_again
from support import GANTRY

CORES = sorted(os.sched_getaffinity(0))


@unittest.skipIf(len(CORES) < 2, "one core cannot be shared")
class RankBinding(RankTest):
    VOLUME = ["--voxels", "45x38x41", "--engine", "cpu"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = json.loads(subprocess.run(
            [GANTRY, "reconstruct", cls.scan, *cls.VOLUME, "--ranks", "2", "--json", "--out",
             cls.home / "v.mha"], capture_output=True, text=True, check=True).stdout)
        cls.job, cls.volume = pathlib.Path(made["job"]), pathlib.Path(made["volume"])

    def bindings(self, *launcher):
        """What each rank of a job says of its threads and cores, when a launcher has started it."""
        again = same_again(self.job, self.volume, self.folder / f"job{'-'.join(launcher)}".replace(
            "/", ""))
        done = subprocess.run([*launcher, GANTRY, "worker", again, "--json"], capture_output=True,
                              text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = []
        for log in ("events.jsonl", "events.rank1.jsonl"):
            found = re.search(r"Rank \d works with (\d+) threads? (bound to|on) cores? ([-0-9,]+)"
                              r"(?: of \d+)?, which (no other rank sees|2 ranks see)",
                              (again / log).read_text())
            said.append(found.groups() if found else None)
        return said

    def test_a_core_for_each(self):
        first, second = self.bindings("taskset", "-c", f"{CORES[0]},{CORES[1]}", "mpirun", "-n", "2",
                                      "--bind-to", "core")
        for one in (first, second):
            self.assertEqual((one[0], one[3]), ("1", "no other rank sees"), one)
        self.assertNotEqual(first[2], second[2])

    def test_not_bound(self):
        share = str(len(CORES) // 2)
        for one in self.bindings("mpirun", "-n", "2", "--bind-to", "none"):
            self.assertEqual((one[0], one[3]), (share, "2 ranks see"), one)

    def test_one_core_for_both(self):
        core = str(CORES[1])
        for one in self.bindings("taskset", "-c", core, "mpirun", "-n", "2", "--bind-to", "none"):
            self.assertEqual(one[:1] + one[2:], ("1", core, "2 ranks see"), one)


if __name__ == "__main__":
    unittest.main()
