"""Whole jobs are measured as an operator runs them."""

import unittest

from support import GantryTest


class BenchJobs(GantryTest):
    SMALL = ["bench", "jobs", "--engine", "cpu", "--detector", 32, "--views", 24, "--runs", 1]

    def test_a_job_stands_beside_its_forecast(self):
        document = self.document(*self.SMALL, "--only", "32-half", "--only", "32-short", "--folder",
                                 self.folder)
        self.assertEqual([job["problem"] for job in document["jobs"]], ["32-half", "32-short"])
        half, short = document["jobs"]
        self.assertEqual(half["voxels"][0], 16)
        self.assertGreater(short["voxels"][0], 25)
        for job in document["jobs"]:
            self.assertEqual((job["gpus"], job["kernel"]), (0, "columns"))
            self.assertEqual(job["kernelGups"], 0)
            self.assertGreater(job["gups"], 0)
            self.assertGreaterEqual(job["wallOverLongestStage"], 1)
            stages = {stage["stage"]: stage for stage in job["stages"]}
            for stage in ("load", "prepare", "filter", "back-project", "store"):
                self.assertGreater(stages[stage]["seconds"], 0)
                self.assertGreater(stages[stage]["forecastSeconds"], 0)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_it_is_shown_as_tables(self):
        shown = self.succeed(*self.SMALL, "--only", "32-region", "--folder", self.folder)
        for words in ("32² × 24, region off the axis, half the pitch  (32-region)",
                      "forecast / measured", "back-project", "columns"):
            self.assertIn(words, shown)

    def test_wrong_wishes(self):
        self.fail_with(2, ["--only", "teapot", "1k-default", "1k-rolled"], "bench", "jobs", "--only",
                       "teapot")
        self.fail_with(2, ["--detector is 4", "16 to 8192"], "bench", "jobs", "--detector", 4)
        self.fail_with(2, ["--views is 0", "8 to"], "bench", "jobs", "--views", 0)
        self.fail_with(2, ["--runs is 0", "1 to"], "bench", "jobs", "--runs", 0)
        self.fail_with(2, ["no/such"], *self.SMALL, "--folder", self.folder / "no/such")
        # What the job itself refuses is said as the job says it.
        self.fail_with(2, ["memory does not suffice", "1.00 kB"], *self.SMALL, "--memory", "1k", "--folder", self.folder)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
