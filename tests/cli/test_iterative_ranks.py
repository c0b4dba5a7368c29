"""Iterative methods on several ranks of MPI: the same volume as one process makes, also after
a kill, a cancellation or a stop."""

import json
import os
import signal
import unittest

from iterative_jobs import IterativeTest
from rank_jobs import RankTest, voxels
from support import start

SMALL = ["--voxels", "21x23x17", "--threads", 2]
# Some ten milliseconds an iteration: it can be killed in between.
SLOW = ["--voxels", 40, "--threads", 2]
LONG = ["--iterations", 100000]


class IterativeRanks(IterativeTest, RankTest):
    SCAN = ["--views", 24, "--noise", 20000, "--offset-mm", "3,1"]

    def make(self, out, *words):
        return self.document("reconstruct", self.scan, *words, "--out", out, cwd=self.folder)

    def differ(self, one, other):
        return self.document("compare", one, other, cwd=self.folder)["relativeRmse"]

    def test_ranks_make_the_volume_of_one_process(self):
        for method, ranks in (("sirt", 3), ("tv", 2)):
            words = [*SMALL, "--method", method, "--iterations", 4, "--photons", 20000, "--mask",
                     "cylinder"]
            alone = self.make("alone.mha", *words)
            done = self.make("ranks.mha", *words, "--ranks", ranks)
            self.assertLess(self.differ("ranks.mha", "alone.mha"), 1e-5)
            self.assertEqual(done["invalidPixels"], alone["invalidPixels"])
            self.assertEqual(done["smallest"], 0)
            for one, other in zip(done["iterations"], alone["iterations"], strict=True):
                self.assertAlmostEqual(one["residual"] / other["residual"], 1, delta=1e-5)
                self.assertAlmostEqual(one["change"] / other["change"], 1, delta=1e-4)
            self.assertEqual(len(self.events("ranks.mha.job", "iteration")), 4)
            record = json.loads((self.folder / "ranks.mha.provenance.json").read_text())
            self.assertIn(f"Made by {ranks} ranks", " ".join(record["notes"]))
            self.assertEqual(len(record["iterations"]), 4)
            self.make("again.mha", *words, "--ranks", ranks)
            self.assertEqual(voxels(self.folder / "again.mha"), voxels(self.folder / "ranks.mha"))

    def test_start_and_files_of_one_rank(self):
        self.make("two.mha", *SMALL, "--method", "sirt", "--iterations", 2, "--ranks", 2)
        words = [*SMALL, "--method", "os-sart", "--iterations", 2, "--start", "two.mha", "--mask",
                 "two.mha"]
        self.make("alone.mha", *words)
        self.make("ranks.mha", *words, "--ranks", 2, "--io", "split")
        self.assertLess(self.differ("ranks.mha", "alone.mha"), 1e-5)

    def test_killed_job_resumes_to_the_same_volume(self):
        words = [*SLOW, "--method", "cgls", "--iterations", 60, "--ranks", 2]
        self.make("whole.mha", *words)
        process = self.begin(*words)
        job = self.folder / "v.mha.job"
        self.wait_for(process, (job / "iterations.bin").exists)
        os.kill(self.ranks_of(job)[-1], signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertFalse((self.folder / "v.mha").exists())
        done = self.document("worker", "v.mha.job", "--ranks", 2, cwd=self.folder)
        self.assertEqual([one["iteration"] for one in done["iterations"]],
                         list(range(1, len(done["iterations"]) + 1)))
        log = self.events("v.mha.job", "log")
        self.assertTrue(any("Continues after iteration" in one["text"] for one in log))
        self.assertEqual(voxels(self.folder / "v.mha"), voxels(self.folder / "whole.mha"))
        self.assertFalse((job / "iterations.bin").exists())

    def test_stopped_job_keeps_its_volume_and_cancelled_one_its_state(self):
        process = self.begin(*SLOW, "--method", "sirt", *LONG, "--ranks", 2)
        self.wait_for(process, (self.folder / "v.mha.job/iterations.bin").exists)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertFalse((self.folder / "v.mha").exists())
        # Another number of ranks may go on.
        resumed = start("worker", "v.mha.job", "--ranks", 3, cwd=self.folder)
        self.addCleanup(resumed.communicate)
        self.addCleanup(resumed.kill)
        self.wait_for(resumed, lambda: any("Continues" in one["text"]
                                           for one in self.events("v.mha.job", "log")))
        self.succeed("stop", "v.mha", cwd=self.folder)
        _, said = resumed.communicate(timeout=60)
        self.assertEqual(resumed.returncode, 0, said)
        record = json.loads((self.folder / "v.mha.provenance.json").read_text())
        self.assertIn("as it was asked to", " ".join(record["notes"]))

    def test_what_one_rank_finds_ends_all(self):
        # The last slices are those of the last rank.
        self.make("start.mha", *SMALL, "--method", "sirt", "--iterations", 1)
        path = self.folder / "start.mha"
        content = path.read_bytes()
        path.write_bytes(content[:-4] + b"\x00\x00\xc0\x7f")
        self.fail_with(2, ["start.mha has voxels that are NaN or infinite"], "reconstruct",
                       self.scan, *SMALL, "--method", "sirt", "--start", "start.mha", "--ranks",
                       2, "--out", "v.mha", cwd=self.folder)
        self.assertFalse((self.folder / "v.mha").exists())

    def test_wrong_requests_are_refused(self):
        asked = ["reconstruct", self.scan, *SMALL, "--method", "sirt", "--out",
                 self.folder / "v.mha"]
        for parts, words in (
                (["18 ranks cannot share 17 slices"], ["--ranks", 18]),
                (["--grid-rows has no effect with --method sirt"],
                 ["--ranks", 4, "--grid-rows", 2]),
                (["--exchange has no effect"], ["--ranks", 2, "--exchange", "gather"]),
                (["--weights has no effect"], ["--ranks", 2, "--weights", "uniform"])):
            with self.subTest(words=words):
                self.fail_with(2, parts, *asked, *words)
        self.fail_with(1, ["slices of rank", "and a rank may use 25.0 MB"], *asked, "--ranks", 2,
                       "--memory", "50M")
        self.assertFalse((self.folder / "v.mha").exists())

    def test_plan_counts_a_ranks_part(self):
        words = ["--voxels", 60, "--threads", 2, "--method", "cgls"]
        alone = self.document("plan", self.scan, *words)
        plan = self.document("plan", self.scan, *words, "--ranks", 2)
        volumes = 13 * 60 * 60 * 60 * 4  # result, direction and gradients
        for rank in plan["ranks"]:
            # MPI's library takes 25 MB, and messages to the other rank a little.
            self.assertLess(rank["memoryBytes"], alone["memoryBytes"] + 30e6 - 0.4 * volumes)
        self.assertGreater(plan["forecast"]["seconds"]["project"], 0)


if __name__ == "__main__":
    unittest.main()
