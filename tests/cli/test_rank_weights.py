"""By what ranks share the work, and slabs that move from a rank that is slower than was thought."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest

import test_ranks
from support import GANTRY, GantryTest, run


def slices_of(plan, row):
    return sum(end - begin for slab in plan["grid"]["slabs"] if slab["row"] == row
               for begin, end in [slab["slices"]])


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
class RankWeights(GantryTest):
    VOLUME = ["--voxels", "45x38x81", "--engine", "cpu"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if run("reconstruct", "--help").stdout.find("--ranks") < 0:
            raise unittest.SkipTest("this build has no ranks")

    @staticmethod
    def plan_in(job):
        return json.loads((pathlib.Path(job) / "plan.json").read_text())

    def plan_of(self, result):
        return self.plan_in(result["job"])

    def test_work_is_shared_as_it_is_weighed(self):
        # The ranks of one machine are one node and share alike.
        for weights, percent in (("2,1,1", [50, 25, 25]), ("uniform", [100 / 3] * 3),
                                 (socket.gethostname() + ":7", [100 / 3] * 3),
                                 ("logistic-planes", [100 / 3] * 3),
                                 ("0.6*gpus + 0.4*min(multiprocessors, 3)", [100 / 3] * 3)):
            with self.subTest(weights=weights):
                result = self.document("reconstruct", self.scan, *self.VOLUME, "--ranks", 3,
                                       "--grid-rows", 3, "--exchange", "rows", "--threads", 3,
                                       "--weights", weights, "--out", self.folder / "v.mha")
                plan = self.plan_of(result)
                self.assertFalse(plan["grid"]["moves"])
                for row, share in enumerate(percent):
                    self.assertAlmostEqual(100 * plan["grid"]["shares"][row], share)
                    self.assertAlmostEqual(slices_of(plan, row), 0.81 * share, delta=1)
                self.assertTrue(any("Shares of the work: " in note for note in result["notes"]))
                job = json.loads((pathlib.Path(result["job"]) / "job.json").read_text())
                self.assertEqual(job["weights"], weights)

    def test_wrong_weights_are_refused(self):
        words = ["reconstruct", self.scan, *self.VOLUME, "--ranks", 2, "--out",
                 self.folder / "v.mha", "--weights"]
        for weights, parts in (("fastest", ["'fastest' is no parameter", "logistic-planes"]),
                               ("1,0", ["not above 0"]), ("exp(gpus)", ["no function"])):
            self.fail_with(2, ["weights are '" + weights, *parts], *words, weights)
        self.assertEqual(list(self.folder.iterdir()), [])
        self.fail_with(2, ["weights are for 3 ranks", "has 2"], *words, "2,1,1")
        self.fail_with(2, ["name no machine"], *words, "elsewhere:2")
        job = self.folder / "v.mha.job"
        text = (job / "job.json").read_text()
        (job / "job.json").write_text(text.replace("elsewhere:2", "elsewhere"))
        self.fail_with(2, ["job.json", "weights are 'elsewhere'"], "worker", job)

    def test_a_plan_by_ranks_forecasts_what_they_exchange(self):
        for rows, exchange, stage in ((2, "gather", "gather"), (1, "rows", "reduce")):
            plan = self.document("plan", self.scan, *self.VOLUME, "--ranks", 2, "--grid-rows",
                                 rows, "--exchange", exchange)
            self.assertEqual((plan["grid"]["rows"], len(plan["ranks"])), (rows, 2))
            self.assertGreater(plan["forecast"]["seconds"][stage], 0)
            self.assertGreater(plan["forecast"]["wallSeconds"], 0)
        shown = self.succeed("plan", self.scan, *self.VOLUME, "--ranks", 2, "--weights", "3,1")
        self.assertIn("Made by 2 ranks, a grid of ", shown)
        self.assertIn("Shares of the work: 75.0, 25.0 %", shown)
        self.assertIn(" in total, bound by ", shown)
        self.fail_with(2, ["--grid-rows is 3", "divide the 2 ranks"], "plan", self.scan, "--ranks",
                       2, "--grid-rows", 3)

    @staticmethod
    def process_of(job, rank):
        for process in test_ranks.Ranks.ranks_of(job):
            words = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
            if f"OMPI_COMM_WORLD_RANK={rank}".encode() in words:
                return process
        raise AssertionError(f"there is no rank {rank}")

    @staticmethod
    def moves_of(job):
        return (job / "events.jsonl").read_text().count("had not begun move to")

    def wait_for(self, what, seconds):
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    @staticmethod
    def hold_until(process, what):
        """Lets it stand still until then. One that tells nothing for 25 s would be given up, so on
        a busy machine it goes on for a second in between."""
        for _ in range(8):
            os.kill(process, signal.SIGSTOP)
            end = time.monotonic() + 18
            while time.monotonic() < end:
                if what():
                    return
                time.sleep(0.05)
            os.kill(process, signal.SIGCONT)
            time.sleep(1)
        raise AssertionError("nothing came of it that a process stood still")

    def wait_until_same(self, value, seconds):
        """Until it has not changed for a second and a half."""
        end = time.monotonic() + seconds
        before, since = value(), time.monotonic()
        while time.monotonic() < min(end, since + 1.5):
            time.sleep(0.05)
            if value() != before:
                before, since = value(), time.monotonic()

    def test_what_a_rank_that_stands_still_has_not_begun_goes_to_others(self):
        # Many slabs, of several batches each: of the next one views are read ahead.
        words = ["reconstruct", self.scan, "--voxels", "200x200x1200", "--engine", "cpu", "--kernel",
                 "reference", "--batch", 4]
        alone = self.folder / "alone.mha"
        self.succeed(*words, "--out", alone)
        for ranks, rows in ((2, 2), (4, 2)):
            with self.subTest(ranks=ranks):
                out = self.folder / f"{ranks}.mha"
                job = pathlib.Path(str(out) + ".job")
                process = subprocess.Popen(
                    [GANTRY, *map(str, words), "--ranks", str(ranks), "--threads", str(ranks),
                     "--grid-rows", str(rows), "--exchange", "rows", "--out", str(out), "--json"],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.addCleanup(process.communicate)
                self.addCleanup(process.kill)
                self.wait_for(lambda: test_ranks.Ranks.slabs_done(job) >= 1, 60)
                # On a busy machine slabs may have moved already.
                moves = self.moves_of(job)
                planned = slices_of(self.plan_in(job), 0)
                last = self.process_of(job, ranks - 1)
                try:
                    self.hold_until(last, lambda: self.moves_of(job) > moves)
                    end = time.monotonic() + 5
                    # Later some may go back.
                    self.wait_for(lambda: slices_of(self.plan_in(job), 0) > planned, 3)
                    self.wait_until_same(lambda: test_ranks.Ranks.slabs_done(job),
                                         end - time.monotonic())
                finally:
                    os.kill(last, signal.SIGCONT)
                shown, complaint = process.communicate(timeout=100)
                self.assertEqual(process.returncode, 0, complaint)
                result = json.loads(shown)
                plan = self.plan_of(result)
                made = [part["slab"] for rank in plan["ranks"][::ranks // rows]
                        for part in rank["assignments"]]
                self.assertEqual(sorted(made), list(range(len(plan["grid"]["slabs"]))))
                # The row is named where a rank stood still because it waited for others of its row.
                named = f"Rank {ranks - 1} on " if ranks == rows else f"Row {rows - 1} of the grid"
                self.assertTrue(any(named in note and "had not begun move to" in note
                                    for note in result["notes"]), result["notes"])
                self.assertIn(named, (job / "report.html").read_text())
                # Where more moved on a busy machine, another may have been slower in the end.
                if ranks == rows and self.moves_of(job) == moves + 1:
                    self.assertTrue(any(named in note and
                                        "slower than its share of the work" in note
                                        for note in result["notes"]), result["notes"])
                # Slabs are summed in single precision as those of one process are.
                self.assertLess(self.document("compare", out, alone)["relativeRmse"], 1e-6)
                if ranks == 2:
                    test_ranks.Ranks.assert_repeats(self, job, out, ranks)


if __name__ == "__main__":
    unittest.main()
