"""A scan's own views tell where its rotation axis is and how its detector is mounted."""

import json
import unittest

from support import GantryTest

PITCH = 4.0  # mm
AXIS_ERROR = 7.0  # mm, seen at a magnification of 1100/600


class Align(GantryTest):
    SCAN = ["--views", 90, "--detector", "101x95", "--pitch-mm", PITCH, "--phantom-scale-mm", 75,
            "--noise", 10000, "--center-of-rotation-error-mm", AXIS_ERROR]
    EXPECTED = AXIS_ERROR * 1100 / 600 / PITCH

    def test_the_centre_is_found_and_written(self):
        scan = self.scan / "scan.json"
        found = self.document("align", scan)
        self.assertTrue(found["centrePx"]["found"], found["centrePx"]["reason"])
        self.assertAlmostEqual(found["centrePx"]["change"], self.EXPECTED, delta=0.1)
        self.assertLess(found["centrePx"]["uncertainty"], 0.1)
        self.assertEqual(found["declaredColumn"], 50)
        self.assertEqual(len(found["centrePx"]["tried"]), len(found["centrePx"]["scores"]))

        out = self.scan / "größer 'n \"aligned\".json"
        text = self.succeed("align", scan, "--centre-only", "--out", out)
        self.assertRegex(text, r"column 53\.\d\d ± 0\.0\d, \+3\.[12]\d px")
        self.assertNotIn("roll", text)
        before = json.loads(scan.read_text())
        after = json.loads(out.read_text())
        self.assertAlmostEqual(after["detector"]["offsetMm"][0],
                               before["detector"]["offsetMm"][0] - self.EXPECTED * PITCH, delta=0.4)
        self.assertEqual(after["projections"], before["projections"])
        # Once more from there: nothing is left to find.
        again = self.document("align", out, "--centre-only")
        self.assertLess(abs(again["centrePx"]["change"]), 0.1)
        self.assertNotIn("rollDeg", again)

    def test_wrong_requests(self):
        scan = self.scan / "scan.json"
        self.fail_with(2, ["--out", "beside"], "align", scan, "--centre-only", "--out",
                       self.folder / "aligned.json")
        self.assertFalse((self.folder / "aligned.json").exists())
        self.fail_with(2, ["nowhere.json"], "align", "nowhere.json")
        self.fail_with(2, ["--range-px", "-3"], "align", scan, "--range-px", -3)


if __name__ == "__main__":
    unittest.main()
