"""Simulated scans of every kind can be reconstructed, and say what they are."""

import json
import unittest

from support import GantryTest


class Simulate(GantryTest):
    def test_formats_hold_the_same_scan(self):
        self.succeed("reconstruct", self.scan, "--voxels", 40, "--out", "truth.mha",
                     cwd=self.folder)
        for words in (["--format", "multipage"], ["--compression", "deflate"],
                      ["--format", "multipage", "--compression", "deflate"]):
            scan = self.simulate(*words, out=self.folder / "-".join(words).replace("--", ""))
            self.succeed("reconstruct", scan, "--voxels", 40, "--out", "v.mha", cwd=self.folder)
            figures = self.document("compare", "v.mha", "truth.mha", cwd=self.folder)
            self.assertEqual(figures["maxError"], 0)

    def test_counts_match_line_integrals_to_the_quantisation(self):
        ideal = self.simulate("--kind", "attenuation", out=self.folder / "ideal")
        for scan, name in ((self.scan, "counts.mha"), (ideal, "ideal.mha")):
            self.succeed("reconstruct", scan, "--voxels", 40, "--out", name, cwd=self.folder)
        figures = self.document("compare", "counts.mha", "ideal.mha", cwd=self.folder)
        # Counts are at least some 5000 here, so a line integral is off by up to 1e-4 of about 2.
        self.assertLess(figures["relativeRmse"], 3e-4)

    def test_dead_pixels_are_listed_and_leave_no_trace(self):
        scan = self.simulate("--dead-pixels", 20, out=self.folder / "dead")
        self.assertIn("badPixels", scan.read_text())
        done = self.document("reconstruct", scan, "--voxels", 40, "--out", "v.mha",
                             cwd=self.folder)
        self.assertEqual(done["invalidPixels"]["bad"], 20 * 48)
        figures = self.document("compare", "v.mha", "--phantom", "shepp-logan", cwd=self.folder)
        for region in figures["regions"]:
            self.assertLess(abs(region["errorPercent"]), 3)

    def test_noise_is_the_same_for_the_same_seed(self):
        def pixels(name, *words):
            self.simulate("--noise", 5000, *words, out=self.folder / name)
            return (self.folder / name / "proj/proj_0007.tif").read_bytes()
        one = pixels("a", "--seed", 3, "--threads", 1)
        self.assertEqual(one, pixels("b", "--seed", 3, "--threads", 2))
        self.assertNotEqual(one, pixels("c", "--seed", 4))

    def test_short_and_offset_scans_say_their_weights(self):
        short = self.simulate("--arc-deg", 240, "--clockwise", out=self.folder / "short")
        facts = self.document("inspect", short)
        self.assertEqual(facts["geometry"]["redundancy"]["kind"], "shortScan")
        offset = self.simulate("--offset-mm", "90,0", out=self.folder / "offset")
        facts = self.document("inspect", offset)
        self.assertEqual(facts["geometry"]["redundancy"]["kind"], "offsetDetector")
        done = self.document("reconstruct", offset, "--voxels", 40, "--out", "v.mha",
                             cwd=self.folder)
        self.assertIn("Wang", " ".join(done["notes"]))

    def test_center_of_rotation_error_is_taken_out_by_the_offset(self):
        scan = self.simulate("--center-of-rotation-error-mm", 3, "--source-offset-mm=0,0",
                             out=self.folder / "off")
        self.assertEqual(json.loads(scan.read_text())["detector"]["offsetMm"], [0, 0])

        def psnr(*words):
            self.succeed("reconstruct", scan, "--voxels", 48, *words, "--out", "v.mha",
                         cwd=self.folder)
            return self.document("compare", "v.mha", "--phantom", "shepp-logan",
                                 cwd=self.folder)["psnrDb"]
        # The axis' projection lies 3 mm · 1100/600 further right: the detector is that far left.
        self.assertGreater(psnr("--offset-mm=-5.5,0"), psnr() + 2)

    def test_faults_are_made_and_their_truth_is_beside(self):
        self.assertFalse((self.scan / "truth.json").exists())
        out = self.folder / "faults"
        made = self.document("simulate", "--views", 12, "--detector", "33x25", "--flux", "1,0.9",
                             "--flat-drift", 0.1, "--stripes", "4,0.02", "--module-step=-0.03",
                             "--shift-px", 0.5, "--stuck-pixels", 3, "--zingers", "30,20000",
                             "--lag", "0.02,3", "--out", out)
        self.assertEqual(made["truth"], str(out / "truth.json"))
        truth = json.loads((out / "truth.json").read_text())
        self.assertEqual((len(truth["flux"]), len(truth["viewShiftsPx"])), (12, 12))
        self.assertEqual((len(truth["stripes"]), len(truth["stuckPixels"])), (4, 3))
        self.assertEqual(truth["moduleStep"]["gain"], 0.97)
        self.assertEqual(truth["lag"], {"share": 0.02, "views": 3})
        self.assertEqual(truth["flatAfter"], {"gainAtLeftEdge": 0.9, "gainAtRightEdge": 1.1})
        self.assertEqual((truth["zingers"]["counts"], len(truth["zingers"]["pixels"])),
                         (20000, 30))
        scan = json.loads((out / "scan.json").read_text())
        self.assertEqual(scan["projections"]["flatAfter"], "flat-after/*.tif")
        done = self.document("reconstruct", out, "--voxels", 20, "--out", "v.mha", cwd=self.folder)
        self.assertEqual(done["invalidPixels"]["bad"], 3 * 12)

    def test_a_folder_with_something_in_it_is_kept(self):
        kept = self.folder / "mine"
        kept.mkdir()
        (kept / "thesis.txt").write_text("x")
        self.fail_with(2, [kept], "simulate", "--views", 8, "--out", kept, "--force")
        self.assertEqual([p.name for p in kept.iterdir()], ["thesis.txt"])
        scan = self.simulate(out=self.folder / "again")
        self.fail_with(2, ["--force"], "simulate", "--views", 8, "--out", scan.parent)
        self.simulate("--views", 20, "--force", out=scan.parent)
        self.assertEqual(json.loads(scan.read_text())["trajectory"]["views"], 20)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["again", "mine"])

    def test_wrong_requests(self):
        out = self.folder / "s"
        for words, part in ((["--views", "0"], "trajectory.views"),
                            (["--views", "many"], "--views"),
                            (["--detector", "64"], "--detector"),
                            (["--pitch-mm", "-1"], "detector.pitchMm"),
                            (["--sdd-mm", "400"], "400"),
                            (["--phantom", "teapot"], "--phantom"),
                            (["--flat-counts", "70000"], "70000"),
                            (["--phantom-scale-mm", "0"], "scale"),
                            (["--noise", "nan"], "--noise"),
                            (["--bogus"], "--bogus"),
                            (["--stripes", "1.5,0.1"], "--stripes: the number in front"),
                            (["--zingers", "5,70000"], "0 to 65535, and 70000"),
                            (["--lag", "0.6,1"], "(--lag) must be 0 to 0.5, and 0.6"),
                            (["--kind", "attenuation", "--zingers", "5,9"], "--kind counts"),
                            (["--views", "900000", "--detector", "30000x30000"], "are free")):
            code = 1 if part == "are free" else 2
            self.fail_with(code, [part], "simulate", *words, "--out", out)
            self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
