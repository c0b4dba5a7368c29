"""What a reconstruction would take on a cluster."""

import unittest

from support import GantryTest

PAPER = ("--problem", "2048x2048x4096:8192x8192x8192")


class ClusterPlan(GantryTest):
    def test_the_papers_largest_run_takes_under_two_minutes(self):
        plan = self.document("plan", "--cluster", "abci", "--ranks", 2048, *PAPER, "--exchange",
                             "gather")
        (gather,) = plan["exchanges"]
        self.assertEqual((gather["rows"], gather["columns"]), (256, 8))
        self.assertLess(gather["wallSeconds"], 120)
        self.assertEqual(gather["boundingStage"], "store")
        self.assertLess(abs(gather["forecastSeconds"]["back-project"] / 10.4 - 1), 0.1)

    def test_both_exchanges_stand_side_by_side(self):
        text = self.succeed("plan", "--cluster", "abci", "--ranks", 128, *PAPER)
        self.assertIn("gather", text)
        self.assertIn("rows", text)
        self.assertIn("fastest by", text)

    def test_smaller_voxels_take_less_storing(self):
        def stored(kind):
            plan = self.document("plan", "--cluster", "h200", "--ranks", 64, "--type", kind, *PAPER)
            return plan["exchanges"][0]["forecastSeconds"]["store"]
        self.assertAlmostEqual(stored("uint8"), stored("float32") / 4, 9)

    def test_a_scan_at_hand_can_be_planned(self):
        plan = self.document("plan", self.scan, "--voxels", 40, "--cluster", "abci", "--ranks", 6)
        for exchange in plan["exchanges"]:
            self.assertEqual(exchange["rows"] * exchange["columns"], 6)

    def test_the_simulated_run_is_a_timeline(self):
        run = self.folder / "a run"
        plan = self.document("plan", "--cluster", "abci", "--ranks", 128, *PAPER, "--exchange",
                             "gather", "--timeline", run)
        timeline = self.document("timeline", run)
        self.assertEqual(timeline["state"], "done")
        self.assertAlmostEqual(timeline["wallSeconds"], plan["exchanges"][0]["simulatedSeconds"],
                               3)
        self.assertGreater(timeline["overlapFactor"], 1)
        self.assertIn("rank 64 gather", [lane["lane"] for lane in timeline["lanes"]])
        self.fail_with(2, ["events.jsonl", "already"], "plan", "--cluster", "abci", "--ranks", 128,
                       *PAPER, "--timeline", run)

    def test_wrong_words_are_named(self):
        for words, said in (
                (["--cluster", "nowhere", "--ranks", 4, *PAPER], "abci"),
                (["--cluster", "abci", *PAPER], "--ranks is 0"),
                (["--cluster", "abci", "--ranks", 4, "--problem", "12"], "--problem"),
                (["--cluster", "abci", "--ranks", 4, "--problem", "1x2x3:0x1x1"], "--problem"),
                (["--cluster", "abci", "--ranks", 4, "--grid-rows", 3, *PAPER], "divide"),
                (["--cluster", "abci", "--ranks", 4], "scan"),
                ([], "scan")):
            self.fail_with(2, [said], "plan", *words)


if __name__ == "__main__":
    unittest.main()
