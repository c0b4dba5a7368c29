"""Pixels are averaged before anything else, for a quick look at a large scan."""

import json
import unittest

from support import GantryTest, allow_ranks_here

allow_ranks_here()


class Bin(GantryTest):
    # 63 × 49 pixels: with 2 a row and a column are left over.

    def test_a_volume_of_larger_voxels(self):
        fine = self.document("plan", self.scan)
        plan = self.document("plan", self.scan, "--bin", 2)
        self.assertAlmostEqual(plan["pitchMm"][0] / fine["pitchMm"][0], 2, places=6)
        done = self.document("reconstruct", self.scan, "--bin", 2, "--out", "v.mha",
                             cwd=self.folder)
        self.assertIn("each 2 × 2 pixels were averaged", " ".join(done["notes"]))
        self.assertNotIn("pitch", " ".join(done["notes"]))
        job = json.loads((self.folder / "v.mha.job/job.json").read_text())
        self.assertEqual(job["prep"]["bin"], 2)
        self.assertEqual(job["volume"]["voxels"], plan["voxels"])
        record = (self.folder / "v.mha.provenance.json").read_text()
        self.assertIn("each 2 × 2 pixels were averaged", record)
        report = (self.folder / "v.mha.job/report.html").read_text()
        self.assertIn("31 × 24 pixels", report)

    def test_the_volume_is_that_of_a_detector_with_larger_pixels(self):
        for pixels, pitch, words in (("62x48", 5, ["--bin", 2]), ("31x24", 10, [])):
            scan = self.simulate("--detector", pixels, "--pitch-mm", pitch,
                                 out=self.folder / pixels)
            self.succeed("reconstruct", scan, *words, "--out", pixels + ".mha", cwd=self.folder)
        figures = self.document("compare", "62x48.mha", "31x24.mha", cwd=self.folder)
        # Edges differ: larger pixels of the simulator have few rays each.
        self.assertLess(figures["relativeRmse"], 0.06)

    def test_with_other_corrections_and_by_ranks_of_which_one_reads(self):
        words = ["reconstruct", self.scan, "--bin", 3, "--rings", "sorting", "--ring-width", 5,
                 "--zingers", 1.5]
        self.succeed(*words, "--out", "one.mha", cwd=self.folder)
        self.succeed(*words, "--ranks", 2, "--io", "single", "--out", "two.mha",
                     cwd=self.folder)
        figures = self.document("compare", "one.mha", "two.mha", cwd=self.folder)
        self.assertLess(figures["relativeRmse"], 1e-5)

    def test_numbers_that_cannot_be(self):
        for word in ("0", "17", "2.5", "-1", "two"):
            with self.subTest(word=word):
                self.fail_with(2, ["--bin", word], "reconstruct", self.scan, f"--bin={word}",
                               "--out", "v.mha", cwd=self.folder)
        few = self.simulate("--detector", "63x12", out=self.folder / "few")
        self.fail_with(2, ["prep.bin is 13 pixels; the detector has 63 × 12 pixels", "1 to 12"],
                       "reconstruct", few, "--bin", 13, "--out", "v.mha", cwd=self.folder)


if __name__ == "__main__":
    unittest.main()
