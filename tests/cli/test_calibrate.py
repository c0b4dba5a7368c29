"""Views of a phantom with small balls calibrate the geometry that they were taken in."""

import json
import unittest

from support import GantryTest

TRUE = {"sourceToDetectorMm": 1000, "sourceToIsocenterMm": 600, "offsetUMm": 5, "offsetVMm": -4,
        "rollDeg": 0.6, "tiltDeg": 0.8, "slantDeg": -0.7}


class Calibrate(GantryTest):
    SCAN = ["--phantom", "ball-helix", "--views", 60, "--detector", "275x261", "--pitch-mm", 1.2,
            "--phantom-scale-mm", 105, "--phantom-center-mm", "4,-3,2", "--noise", 20000,
            "--sod-mm", TRUE["sourceToIsocenterMm"], "--sdd-mm", TRUE["sourceToDetectorMm"],
            "--offset-mm", "5,-4", "--roll-deg", TRUE["rollDeg"], "--tilt-deg", TRUE["tiltDeg"],
            "--slant-deg", TRUE["slantDeg"], "--clockwise"]

    def declared(self):
        """The scan as a person would have written it, who knows little of it."""
        def change(document):
            document["trajectory"]["sourceToIsocenterMm"] = 610
            document["trajectory"]["sourceToDetectorMm"] = 985
            document["detector"]["offsetMm"] = [0, 0]
            for angle in ("rollDeg", "tiltDeg", "slantDeg"):
                document["detector"].pop(angle, None)
        return self.edited_scan(change, "declared.json")

    def expect_true(self, found, but=()):
        self.assertLess(found["rmsPx"], 0.2)
        for name, value in TRUE.items():
            number = found["numbers"][name]
            if name in but:
                continue
            self.assertTrue(number["found"], number)
            if name.startswith("source"):
                # The limit is a share of the distance; the simulated detector's pixels see single rays, which moves
                # small balls by some hundredths of a pixel.
                self.assertLess(abs(number["value"] / value - 1), 0.001, name)
            elif name.endswith("Deg"):
                self.assertLess(abs(number["value"] - value), 0.05, name)

    def test_known_places(self):
        scan = self.declared()
        out = self.scan / "größer 'n \"calibrated\".json"
        text = self.succeed("calibrate", scan, "--balls", self.scan / "phantom.json", "--out", out)
        self.assertRegex(text, r"balls +17 found, all of the list; \d+ images of \d+ used")
        self.assertRegex(text, r"residual +0\.\d+ px rms; worst in view \d+, 0\.\d+ px")
        self.assertRegex(text, r"source–detector distance +(999|1000)\.\d+ mm +\d\.\d+ mm +985\.0")
        before = json.loads(scan.read_text())
        after = json.loads(out.read_text())
        self.assertAlmostEqual(after["detector"]["rollDeg"], TRUE["rollDeg"], delta=0.05)
        self.assertEqual(after["projections"], before["projections"])
        # Once more from there: nothing is left to find.
        again = self.document("calibrate", out, "--balls", self.scan / "phantom.json")
        self.expect_true(again)
        for number in again["numbers"].values():
            self.assertLess(abs(number["value"] - number["before"]),
                            0.2 * number["uncertainty"] + 1e-6, number)

    def test_one_length_and_the_places_for_the_next_time(self):
        scan = self.declared()
        # Balls 1 and 17 of the phantom are 1.44 units apart in height, and half a turn round.
        length = 105 * (1.44 ** 2 + 1.2 ** 2) ** 0.5
        places = self.folder / "balls.csv"
        found = self.document("calibrate", scan, "--distance", f"1,17,{length}", "--balls-out",
                              places)
        # Places that taper look like a tilt: it is told as uncertain, and kept.
        self.expect_true(found, but=["tiltDeg"])
        tilt = found["numbers"]["tiltDeg"]
        self.assertFalse(tilt["found"])
        self.assertGreater(tilt["uncertainty"], 0.05)
        self.assertRegex(tilt["reason"], r"tell it to ±0\.\d+° only")
        self.assertEqual(len(places.read_text().splitlines()), 18)
        again = self.document("calibrate", scan, "--balls", places)
        self.expect_true(again, but=["tiltDeg"])
        self.assertEqual([ball["knownBall"] for ball in again["balls"]], list(range(1, 18)))
        # Without any length the scale is the scan's.
        text = self.succeed("calibrate", scan)
        self.assertRegex(text, r"source–object distance is kept: views alone tell no scale")
        self.assertRegex(text, r"places follow the tilt that is kept")
        self.assertEqual(json.loads(scan.read_text())["trajectory"]["sourceToIsocenterMm"], 610)

    def test_a_pose_a_view(self):
        scan = self.simulate("--phantom", "ball-rings", "--views", 50, "--detector", "275x261",
                             "--pitch-mm", 1.2, "--phantom-scale-mm", 105, "--jitter-mm", 0.4,
                             "--jitter-deg", 0.1, "--noise", 20000, "--sod-mm", 600, "--sdd-mm",
                             1000, out=self.folder / "jitter")
        def circular(document):
            document["trajectory"] = {"type": "circular-cone", "sourceToIsocenterMm": 600,
                                      "sourceToDetectorMm": 1000, "startDeg": 0, "arcDeg": 360,
                                      "views": 50}
            document["detector"]["pitchMm"] = [1.2, 1.2]
        document = json.loads(scan.read_text())
        circular(document)
        start = scan.parent / "circle.json"
        start.write_text(json.dumps(document))
        out = scan.parent / "poses.json"
        found = self.document("calibrate", start, "--balls", scan.parent / "phantom.json",
                              "--model", "poses", "--out", out)
        self.assertGreater(found["circleRmsPx"], 0.25)
        # 0.08 px are of single rays for pixels of which a ball is six wide, without any noise.
        self.assertLess(found["rmsPx"], 0.12)
        self.assertEqual(found["viewsWithPose"], 50)
        self.assertEqual(len(json.loads(out.read_text())["trajectory"]["poses"]), 50)

    def test_a_length_is_a_number_of_mm_above_zero(self):
        scan = self.scan / "scan.json"
        for option in ("--ball-diameter-mm", "--ring-distance-mm"):
            for value in (0, -3, "-0.0", "-1e-9"):
                line = self.fail_with(2, [f"{option} is ", "a number of mm greater than 0"],
                                      "calibrate", scan, option, value)
                found = line.split(f"{option} is ")[1].split(";")[0]
                self.assertEqual(float(found), float(value), line)
            for value in ("two", "nan", "inf", "2mm", ""):
                self.fail_with(2, [f"{option} is '{value}'", "must be a number"], "calibrate",
                               scan, option, value)
            self.fail_with(2, [option, "MM"], "calibrate", scan, option)
        self.fail_with(2, ["--distance is 0;", "a number of mm greater than 0"], "calibrate", scan,
                       "--distance", "1,2,0")

    def test_wrong_requests(self):
        scan = self.scan / "scan.json"
        balls = self.folder / "balls.csv"
        self.fail_with(2, ["nowhere.json"], "calibrate", "nowhere.json")
        self.fail_with(2, ["--out", "beside"], "calibrate", scan, "--out", self.folder / "a.json")
        self.fail_with(2, ["--balls-out", "needs a scale"], "calibrate", scan, "--balls-out", balls)
        self.fail_with(2, ["--distance 1,2.5,30", "no number of a ball"], "calibrate", scan,
                       "--distance", "1,2.5,30")
        self.fail_with(2, ["give one"], "calibrate", scan, "--ring-distance-mm", 3,
                       "--ball-diameter-mm", 2)
        self.fail_with(2, ["no rings"], "calibrate", scan, "--ring-distance-mm", 3)
        for text, parts in (("xMm,yMm\n1,2\n", ["line 1", "zMm is missing"]),
                            ("xMm,yMm,zMm\n1,2,3\n4,nan,6\n", ["line 3", "yMm is 'nan'"]),
                            ("xMm,yMm,zMm\n1,2\n", ["line 2", "2 values for 3 columns"]),
                            ("xMm,yMm,zMm\n1,2,3\n", ["has 1 balls"]),
                            ("", ["holds no balls"])):
            balls.write_text(text)
            self.fail_with(2, [balls, *parts], "calibrate", scan, "--balls", balls)
        balls.write_text("xMm,yMm,zMm\n" + "".join(f"{i},{i * i},{i * 7 % 5}\n" for i in range(9)))
        self.fail_with(2, ["17 balls were found", f"9 of {balls}"], "calibrate", scan, "--balls",
                       balls)
        empty = self.simulate("--phantom", "spheres", "--views", 12, "--detector", "64x60",
                              "--pitch-mm", 2, "--phantom-scale-mm", 40, "--sod-mm", 600,
                              "--sdd-mm", 1000, out=self.folder / "empty")
        self.fail_with(2, ["projections: the views show no balls"], "calibrate", empty)


if __name__ == "__main__":
    unittest.main()
