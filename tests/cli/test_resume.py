"""A killed run goes on from its finished slabs and gives the same volume, bit by bit."""

import json
import re
import time
import unittest

from support import GantryTest, start


class Resume(GantryTest):
    SCAN = ["--views", 90]

    # One thread of the plain back-projector takes long enough to be killed in between.
    REQUEST = ["--kernel", "reference", "--voxels", "130x130x121", "--threads", 1]

    def memory_for_slabs(self):
        """A limit of memory under which the volume is made in a few slabs."""
        whole = self.document("plan", self.scan, *self.REQUEST)["memoryBytes"]
        said = self.fail_with(1, ["one slice"], "plan", self.scan, *self.REQUEST, "--memory", "1M")
        least = float(re.search(r"needs ([0-9.]+) MB", said)[1]) * 1e6
        return str(round(least + (whole - least) / 4))

    def test_killed_run(self):
        memory = self.memory_for_slabs()
        words = ["reconstruct", self.scan, *self.REQUEST, "--memory", memory]
        self.succeed(*words, "--out", "whole.mha", cwd=self.folder)

        process = start(*words, "--out", "killed.mha", cwd=self.folder)
        checkpoint = self.folder / "killed.mha.job/checkpoint.json"
        while not checkpoint.exists():
            self.assertIsNone(process.poll(), "it ended before it could be killed")
            time.sleep(0.01)
        process.kill()
        process.communicate()
        self.assertFalse((self.folder / "killed.mha").exists())
        slabs_done = json.loads(checkpoint.read_text())["slabsDone"]
        self.assertGreaterEqual(slabs_done, 1)

        done = self.document("worker", "killed.mha.job", cwd=self.folder)
        self.assertEqual(done["slabsResumed"], slabs_done)
        whole = (self.folder / "whole.mha").read_bytes()
        self.assertEqual((self.folder / "killed.mha").read_bytes(), whole)
        self.assertFalse(checkpoint.exists())
        self.assertEqual([p.name for p in self.folder.iterdir() if p.suffix == ".part"], [])

    def test_slabs_and_threads_do_not_change_the_volume(self):
        self.succeed("reconstruct", self.scan, *self.REQUEST, "--out", "a.mha", cwd=self.folder)
        memory = self.memory_for_slabs()
        self.succeed("reconstruct", self.scan, *self.REQUEST, "--memory", memory, "--threads", 3,
                     "--batch", 7, "--out", "b.mha", cwd=self.folder)
        done = self.document("timeline", "b.mha.job", cwd=self.folder)
        self.assertGreater([s["spans"] for s in done["stages"] if s["stage"] == "load"][0], 26)
        figures = self.document("compare", "b.mha", "a.mha", cwd=self.folder)
        self.assertLess(figures["relativeRmse"], 1e-6)


if __name__ == "__main__":
    unittest.main()
