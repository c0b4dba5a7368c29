"""A part of the detector is used, for a detail or without a damaged margin."""

import json
import unittest

from support import GantryTest


class Crop(GantryTest):
    # 63 × 49 pixels.

    def test_rows_about_a_detail_give_the_slices_of_the_whole(self):
        plan = self.document("plan", self.scan)
        words = ["--voxels", "x".join(str(n) for n in [*plan["voxels"][:2], 5]),
                 "--pitch-mm", plan["pitchMm"][0], "--center-mm", "0,0,2"]
        self.succeed("reconstruct", self.scan, *words, "--out", "whole.mha", cwd=self.folder)
        done = self.document("reconstruct", self.scan, *words, "--crop", "0,15,63,40", "--out",
                             "part.mha", cwd=self.folder)
        self.assertIn("columns 0 to 62 and rows 15 to 39 were taken", " ".join(done["notes"]))
        figures = self.document("compare", "whole.mha", "part.mha", cwd=self.folder)
        self.assertLess(figures["relativeRmse"], 1e-5)
        job = json.loads((self.folder / "part.mha.job/job.json").read_text())
        self.assertEqual(job["prep"]["crop"], [0, 15, 63, 40])

    def test_the_fitted_volume_is_what_the_part_sees(self):
        whole = self.document("plan", self.scan)
        part = self.document("plan", self.scan, "--crop", "0,15,63,35")
        self.assertEqual(part["voxels"][0], whole["voxels"][0])
        self.assertLess(part["voxels"][2], whole["voxels"][2] / 2)
        self.assertAlmostEqual(part["pitchMm"][0], whole["pitchMm"][0], places=6)

    def test_before_larger_pixels(self):
        plan = self.document("plan", self.scan, "--crop", "2,4,62,44", "--bin", 2)
        whole = self.document("plan", self.scan)
        self.assertAlmostEqual(plan["pitchMm"][0] / whole["pitchMm"][0], 2, places=6)

    def test_parts_that_cannot_be(self):
        for part, words in (("0,0,64,49", ["prep.crop is 0, 0, 64, 49", "63 × 49 pixels"]),
                            ("0,0,63", ["prep.crop", "4"]), ("9,0,9,49", ["prep.crop"]),
                            ("a,b,c,d", ["--crop"])):
            with self.subTest(part=part):
                self.fail_with(2, words, "reconstruct", self.scan, f"--crop={part}", "--out",
                               "v.mha", cwd=self.folder)


if __name__ == "__main__":
    unittest.main()
