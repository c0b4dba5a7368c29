"""A scan's own views tell in which conventions it is written."""

import json
import math
import struct
import unittest

from support import GantryTest


class Doctor(GantryTest):
    SCAN = ["--views", 90, "--detector", "65x57", "--pitch-mm", 4, "--phantom", "spheres",
            "--phantom-scale-mm", 55, "--offset-mm", "9,-20"]

    def doctor(self, change):
        return self.document("doctor", self.edited_scan(change))

    def test_a_right_scan_stays_as_it_is(self):
        scan = self.scan / "scan.json"
        before = scan.read_bytes()
        text = self.succeed("doctor", scan)
        self.assertIn("Directions, flips, signs and the order of the views are right as they are "
                      "(sure).\nOpposite views put the centre of rotation within 1 px of where it "
                      "is declared", text)
        self.assertIn("rotated by 180° about the axis", text)
        self.assertNotIn("--out", text)
        self.assertEqual(scan.read_bytes(), before)

    def test_a_shifted_axis_is_told_beside_right_conventions(self):
        scan = self.simulate("--views", 90, "--detector", "65x57", "--pitch-mm", 4, "--phantom",
                             "spheres", "--phantom-scale-mm", 55, "--offset-mm", "11.2,-20",
                             out=self.folder / "shifted")
        shifted = json.loads(scan.read_text())
        shifted["detector"]["offsetMm"] = [0, -20]  # mm, 2.8 pixels from where it was
        scan.write_text(json.dumps(shifted))
        text = self.succeed("doctor", scan)
        self.assertIn("the order of the views are right as they are", text)
        self.assertRegex(text, r"centre of rotation about 2\.[789] px from where it is declared: "
                         r"Align \(gantry align\) finds it")
        centre = self.document("doctor", scan)["centre"]
        self.assertTrue(centre["off"])
        self.assertAlmostEqual(centre["offPx"], 2.8, delta=0.2)
        self.assertIn(centre["sentence"], text)
        align = self.document("align", scan)
        self.assertAlmostEqual(abs(align["centrePx"]["change"]), centre["offPx"], delta=0.2)

    def test_wrong_conventions_are_named_and_mended(self):
        def reverse(document):
            document["trajectory"]["arcDeg"] *= -1
            document["detector"]["firstRow"] = "bottom"
        wrong = self.edited_scan(reverse)
        before = wrong.read_bytes()
        text = self.succeed("doctor", wrong)
        self.assertRegex(text, r"The scan fits with: rotation reversed, images upside down")
        self.assertIn("trajectory.arcDeg", text)
        self.assertIn("-360 → 360", text)
        self.assertEqual(wrong.read_bytes(), before)

        picture = self.folder / "readings.png"
        out = self.scan / "größer 'n \"mended\".json"
        found = self.document("doctor", wrong, "--out", out, "--picture", picture)
        self.assertEqual(found["certainty"], "sure")
        best = found["readings"][0]
        self.assertEqual(best["number"], 1)
        self.assertEqual([change["field"] for change in best["changes"]],
                         ["trajectory.arcDeg", "detector.firstRow"])
        right = json.loads((self.scan / "scan.json").read_text())
        self.assertEqual(json.loads(out.read_text()), right)
        width, height = struct.unpack(">II", picture.read_bytes()[16:24])
        self.assertGreater(width, 3 * 96)
        self.assertGreater(height, 2 * 96)

    def test_another_reading_can_be_taken(self):
        out = self.scan / "other.json"
        scan = self.scan / "scan.json"
        found = self.document("doctor", scan)
        self.assertTrue(found["asDeclared"])
        same = next(same for same in found["readings"][0]["sameViews"]
                    if same["reading"].startswith("start on the opposite side"))
        self.assertIn("?", same["question"])
        self.succeed("doctor", scan, "--out", out, "--reading", same["number"])
        self.assertEqual(json.loads(out.read_text())["trajectory"]["startDeg"], 180)

    def test_mirrored_images_are_read_mirrored(self):
        mended = self.edited_scan(lambda document: document["detector"].update(mirrored=True))
        found = self.document("doctor", mended)
        self.assertFalse(found["asDeclared"])
        self.assertEqual(found["readings"][0]["reading"], "images mirrored left to right")

    def test_a_scan_that_cannot_be_reconstructed(self):
        def to_radians(document):
            document["trajectory"]["arcDeg"] = 2 * math.pi
        found = self.doctor(to_radians)
        self.assertEqual(found["readings"][0]["reading"], "angles in radians instead of degrees")
        self.assertIn("arc", found["whyUnusable"])

        def shorten(document):
            document["trajectory"]["arcDeg"] = 100
        self.fail_with(2, ["arc"], "doctor", self.edited_scan(shorten, "short.json"))

    def test_wrong_requests(self):
        scan = self.scan / "scan.json"
        self.fail_with(2, ["--out", "beside"], "doctor", scan, "--out", self.folder / "other.json")
        self.assertFalse((self.folder / "other.json").exists())
        self.fail_with(2, ["nowhere.json"], "doctor", "nowhere.json")
        self.fail_with(2, ["--reading", "1 to"], "doctor", scan, "--reading", 999, "--out",
                       self.scan / "none.json")
        self.fail_with(2, ["--reading", "from 1"], "doctor", scan, "--reading", 0)
        self.fail_with(2, ["--reading 2", "--out"], "doctor", scan, "--reading", 2)
        self.assertFalse((self.scan / "none.json").exists())
        broken = self.scan / "broken.json"
        broken.write_text(scan.read_text()[:200])
        self.fail_with(2, ["broken.json"], "doctor", broken)

        def lose(document):
            document["projections"]["files"] = "nowhere/*.tif"
        self.fail_with(2, ["nowhere"], "doctor", self.edited_scan(lose))


if __name__ == "__main__":
    unittest.main()
