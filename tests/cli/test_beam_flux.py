"""Views whose beam is not that of the flat fields are normalised by the air beside the object."""

import unittest

from support import GantryTest


class BeamFlux(GantryTest):
    # Some 15 columns on either side show air.
    SCAN = ["--phantom-scale-mm", 70]

    def made(self, scan, *words):
        """The job's notes, and how its volume differs from that of the scan with an even beam."""
        for made, name, more in ((self.scan, "even.mha", []), (scan, "v.mha", words)):
            done = self.document("reconstruct", made, "--voxels", 40, *more, "--out", name,
                                 cwd=self.folder)
        figures = self.document("compare", "v.mha", "even.mha", cwd=self.folder)
        return " ".join(done["notes"]), figures["relativeRmse"]

    def dimmed(self, *words):
        return self.simulate(*self.SCAN, "--flux", "0.55,0.45", *words, out=self.folder / "dim")

    def test_a_beam_that_drifts_is_told_and_made_good_when_asked(self):
        scan = self.dimmed()
        notes, difference = self.made(scan)
        self.assertIn("--flux air", notes)
        self.assertIn("The beam drifts by 18 %", notes)
        self.assertGreater(difference, 0.2)
        notes, difference = self.made(scan, "--flux", "air")
        self.assertIn("The beam of the views is 0.50 of the flat fields' (0.4", notes)
        self.assertIn("by the air in columns 0 to ", notes)
        self.assertNotIn("--flux air", notes)
        self.assertLess(difference, 0.003)

    def test_views_of_attenuation_and_a_region_by_hand(self):
        scan = self.dimmed("--kind", "attenuation")
        for words in ([], ["--air", "0,5,8,40"]):
            notes, difference = self.made(scan, "--flux", "air", *words)
            self.assertIn("0.50 of the one that their line integrals refer to", notes)
            self.assertLess(difference, 0.003)
        self.assertIn("columns 0 to 7 of rows 5 to 39", notes)

    def test_a_region_that_is_not_air_is_told(self):
        notes, _ = self.made(self.scan, "--flux", "air", "--air", "5,5,40,40")
        self.assertRegex(notes, r"\(prep.airRegion\) varies by \d+ % within view \d+")

    def test_a_plan_finds_the_air_too(self):
        plan = self.document("plan", self.dimmed(), "--voxels", 40, "--flux", "air")
        self.assertIn("The beam of the views is 0.50", " ".join(plan["notes"]))

    def test_an_object_on_both_sides_leaves_no_air(self):
        scan = self.simulate("--phantom-scale-mm", 300, out=self.folder / "wide")
        self.fail_with(2, ["no part of the detector shows only air in all views", "--air"],
                       "reconstruct", scan, "--voxels", 40, "--flux", "air", "--out", "v.mha",
                       cwd=self.folder)


if __name__ == "__main__":
    unittest.main()
