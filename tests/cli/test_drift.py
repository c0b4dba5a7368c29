"""Reference views tell how a scan drifted, and with their shifts its volume is sharp again."""

import json
import math
import shutil
import unittest

from support import GantryTest

PITCH = 4.0  # mm
OBJECT = ["--detector", "101x95", "--pitch-mm", PITCH, "--phantom-scale-mm", 75,
          "--phantom-center-mm", "9,-6,4"]


class Drift(GantryTest):
    SCAN = ["--views", 90, *OBJECT, "--noise", 20000, "--drift-px", "3,-2.1"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Every tenth view again.
        cls.reference = cls.simulate("--views", 9, *OBJECT, "--noise", 20000, "--seed", 2,
                                     out=cls.home / "reference")

    def error_of(self, scan):
        volume = self.folder / f"{scan.parent.name}-{scan.stem}.mha"
        # The same voxels for all, which poses would place elsewhere by themselves.
        self.succeed("reconstruct", scan, "--voxels", "80x80x56", "--pitch-mm", 2.2, "--center-mm",
                     "0,0,0", "--out", volume)
        return self.document("compare", volume, "--phantom", "shepp-logan", "--phantom-scale-mm",
                             75, "--phantom-center-mm", "9,-6,4")["rmse"]

    def test_the_shifts_are_those_of_the_truth(self):
        out = self.scan / "größer 'n \"still\".json"
        found = self.document("align", self.scan / "scan.json", "--reference", self.reference,
                              "--out", out)
        truth = json.loads((self.scan / "truth.json").read_text())["viewShiftsPx"]
        self.assertTrue(found["drifted"])
        self.assertEqual(len(found["viewShiftsPx"]), 90)
        last = max(p["view"] for p in found["references"])
        self.assertEqual(last, 80)
        for view, (shift, true) in enumerate(zip(found["viewShiftsPx"], truth)):
            for axis in (0, 1):
                # Behind the last reference view the shift stays.
                expected = truth[min(view, 80)][axis]
                self.assertAlmostEqual(shift[axis], expected, delta=0.1)
        self.assertEqual([p["referenceView"] for p in found["references"]], list(range(9)))
        written = json.loads(out.read_text())
        self.assertIn(str(self.reference), written["name"])
        self.assertEqual(len(written["trajectory"]["poses"]), 90)
        self.fail_with(2, [out, "hold the shifts already"], "align", out, "--reference",
                       self.reference)

    def test_the_volume_is_nearly_as_without_drift(self):
        still = self.simulate("--views", 90, *OBJECT, "--noise", 20000, out=self.folder / "still")
        best = self.error_of(still)
        for px, worse in ((0.5, 1.15), (3, 2.5), (12, 4)):
            with self.subTest(px):
                scan = self.simulate("--views", 90, *OBJECT, "--noise", 20000, "--drift-px",
                                     f"{px},{-0.7 * px}", out=self.folder / f"drift{px}")
                aligned = scan.parent / "aligned.json"
                self.succeed("align", scan, "--reference", self.reference, "--out", aligned)
                self.assertGreater(self.error_of(scan), worse * best)
                # The shifts of the views behind the last reference view are not known: 0.4 px of 12.
                self.assertLess(self.error_of(aligned), 1.1 * best)

    def test_a_scan_without_drift_stays_as_it_is(self):
        still = self.simulate("--views", 90, *OBJECT, "--noise", 20000, out=self.folder / "still")
        out = still.parent / "aligned.json"
        text = self.succeed("align", still, "--reference", self.reference, "--out", out)
        self.assertIn("Nothing is to be corrected", text)
        self.assertEqual(json.loads(out.read_text()), json.loads(still.read_text()))

    def test_what_is_printed(self):
        text = self.succeed("align", self.scan / "scan.json", "--reference", self.reference)
        self.assertRegex(text, r"shift along u +[+-]0\.0\d to \+2\.9\d px, [+-]0\.\d+ to "
                               r"\+11\.\d+ mm on the detector")
        self.assertRegex(text, r"shift along v +-2\.0\d to [+-]0\.0\d px")
        self.assertIn("9 of 9 comparisons", text)
        self.assertIn("Give --out FILE", text)

    def copied_reference(self):
        copy = self.folder / "reference"
        shutil.copytree(self.reference.parent, copy)
        return copy

    def test_blank_reference_views_are_left_out_and_named(self):
        copy = self.copied_reference()
        # Open beam, and a file that was never written.
        shutil.copy(sorted((copy / "flat").iterdir())[0], copy / "proj" / "proj_0003.tif")
        (copy / "proj" / "proj_0005.tif").write_bytes(b"")
        text = self.succeed("align", self.scan / "scan.json", "--reference", copy / "scan.json")
        self.assertIn("Reference view 3 at 120° is left out: it shows another picture than view 30",
                      text)
        self.assertIn("Reference view 5 at 200° is left out: it holds no image", text)
        self.assertIn("7 of 9 comparisons", text)

    def test_the_scans_fields_may_serve_the_reference(self):
        # Views of the scan itself.
        copy = self.folder / "reference"
        (copy / "proj").mkdir(parents=True)
        for i, view in enumerate((0, 30, 60)):
            shutil.copy(self.scan / "proj" / f"proj_{view:04}.tif", copy / "proj" / f"{i}.tif")
        document = json.loads((self.scan / "scan.json").read_text())
        document["trajectory"].update(views=3)
        for field in ("dark", "flat"):
            document["projections"][field] = str(self.scan / document["projections"][field])
        (copy / "scan.json").write_text(json.dumps(document))
        found = self.document("align", self.scan / "scan.json", "--reference", copy / "scan.json")
        self.assertFalse(found["drifted"])
        for point in found["references"]:
            # Pixels are the same, so the search settles at once.
            self.assertLess(math.hypot(*point["shiftPx"]), 1e-3)

    def test_wrong_requests(self):
        scan = self.scan / "scan.json"
        small = self.simulate("--views", 9, *OBJECT, "--detector", "90x95",
                              out=self.folder / "small")
        self.fail_with(2, [small, "detector.columns", 90, 101], "align", scan, "--reference", small)
        aside = self.simulate("--views", 9, *OBJECT, "--start-deg", 90, "--arc-deg", 40,
                              out=self.folder / "aside")
        half = self.simulate("--views", 30, *OBJECT, "--arc-deg", 80, out=self.folder / "half")
        self.fail_with(2, ["0 of 9", "at least 2", "View 0 at 90°"], "align", half, "--reference",
                       aside)
        copy = self.copied_reference()
        (copy / "proj" / "proj_0008.tif").unlink()
        self.fail_with(2, ["9 views", "8 images"], "align", scan, "--reference",
                       copy / "scan.json")
        self.fail_with(2, ["nowhere.json"], "align", scan, "--reference", "nowhere.json")
        self.fail_with(2, ["--centre-only", "--reference"], "align", scan, "--reference",
                       self.reference, "--centre-only")
        self.fail_with(2, ["--out", "beside"], "align", scan, "--reference", self.reference,
                       "--out", self.folder / "aligned.json")
        parallel = self.simulate("--beam", "parallel", *OBJECT, out=self.folder / "parallel")
        self.fail_with(2, ["parallel", "one by one"], "align", parallel, "--reference", parallel)


if __name__ == "__main__":
    unittest.main()
