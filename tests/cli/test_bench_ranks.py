"""Uniform and measured shares of ranks of which one is slowed down, side by side."""

import shutil
import unittest

import test_ranks  # noqa: F401 (what Open MPI needs to be told)
from support import GantryTest, run


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
class BenchRanks(GantryTest):
    def test_every_grid_has_its_times_beside_their_forecast(self):
        if run("reconstruct", "--help").stdout.find("--ranks") < 0:
            self.skipTest("this build has no ranks")
        files, jobs = self.folder / "files", self.folder / "jobs"
        files.mkdir()
        figures = self.document("bench", "ranks", "--grids", "--quick", "--engine", "cpu",
                                "--folder", files, "--keep-jobs", jobs)
        grids = [(one["rows"], one["columns"], one["exchange"]) for one in figures["grids"]]
        self.assertEqual(grids[:4],
                         [(0, 0, ""), (2, 1, "rows"), (2, 1, "gather"), (1, 2, "rows")])
        self.assertEqual([one["isChosen"] for one in figures["grids"]], [False] * 4 + [True])
        self.assertEqual(grids[4][0] * grids[4][1], 2)
        for one in figures["grids"]:
            self.assertGreater(one["wallSeconds"], 0)
            self.assertGreater(one["forecastSeconds"], 0)
            stages = {stage["stage"]: stage for stage in one["stages"]}
            self.assertEqual("gather" in stages and stages["gather"]["seconds"] > 0,
                             one["exchange"] == "gather")
            self.assertEqual("reduce" in stages and stages["reduce"]["seconds"] > 0,
                             one["columns"] > 1)
            self.assertGreater(stages["back-project"]["forecastSeconds"], 0)
            self.assertGreater(one["overlapFactor"], 0)
            self.assertAlmostEqual(sum(stage["seconds"] for stage in one["stages"]),
                                   one["overlapFactor"] * one["wallSeconds"],
                                   delta=0.1 * one["wallSeconds"])
            self.assertLess(one["beginSeconds"] + one["endSeconds"], one["wallSeconds"])
        self.assertEqual(list(files.iterdir()), [])
        self.assertEqual(sorted(job.name for job in jobs.iterdir()),
                         ["1x2-rows", "2x1-gather", "2x1-rows", "chosen", "one-process"])
        timeline = self.document("timeline", jobs / "2x1-gather")
        self.assertIn("gather", {stage["stage"] for stage in timeline["stages"]})

    def test_each_case_has_its_times_and_the_papers_tables_stand_beside(self):
        if run("reconstruct", "--help").stdout.find("--ranks") < 0:
            self.skipTest("this build has no ranks")
        figures = self.document("bench", "ranks", "--quick", "--folder", self.folder)
        self.assertEqual([case["speed"] for case in figures["cases"]], [1, 0.5, 0.25, 0.25])
        for case in figures["cases"]:
            for time in ("idealSeconds", "uniformSeconds", "measuredSeconds"):
                self.assertGreater(case[time], 0)
            self.assertAlmostEqual(sum(case["shares"]), 1)
        self.assertEqual(figures["cases"][0]["idealSeconds"],
                         figures["cases"][0]["uniformSeconds"])
        self.assertEqual(len(figures["paper"]), 16)
        for row in figures["paper"]:
            for printed, ours in zip(row["printedPercent"], row["percent"]):
                self.assertAlmostEqual(printed, ours, delta=0.05)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
