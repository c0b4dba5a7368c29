"""Modules of a detector that step are levelled, and pixels that should not be used are mapped."""

import json
import unittest

from support import GantryTest, allow_ranks_here

allow_ranks_here()


class Modules(GantryTest):
    SCAN = ["--phantom-scale-mm", 70]

    def made(self, scan, *words, name="v.mha"):
        done = self.document("reconstruct", scan, "--voxels", 40, "--engine", "cpu", *words,
                             "--out", name, cwd=self.folder)
        return " ".join(done["notes"])

    def difference(self):
        return self.document("compare", "v.mha", "even.mha", cwd=self.folder)["relativeRmse"]

    def tiles(self, *words):
        return self.simulate(*self.SCAN, "--module-gains", "2,2,0.1", *words,
                             out=self.folder / "tiles")

    def test_modules_are_levelled_when_asked(self):
        self.made(self.scan / "scan.json", name="even.mha")
        scan = self.tiles()
        truth = json.loads((scan.parent / "truth.json").read_text())["modules"]
        self.assertEqual([truth["columns"], truth["rows"]], [[31], [24]])
        self.made(scan)
        without = self.difference()
        notes = self.made(scan, "--modules", "fit", "--flux", "air")
        self.assertRegex(notes, r"modules of the detector were levelled by up to \d")
        self.assertIn("modules begin at column 31 and row 24.", notes)
        self.assertLess(self.difference(), 0.2 * without)
        given = self.made(scan, "--modules", "fit", "--flux", "air", "--module-columns", 31,
                          "--module-rows", 24)
        self.assertIn("modules begin at column 31 and row 24.", given)
        self.assertLess(self.difference(), 0.2 * without)

    def test_ranks_and_a_plan_find_the_same(self):
        scan = self.tiles()
        words = ["--modules", "fit"]
        self.made(scan, *words, name="even.mha")
        self.made(scan, *words, "--ranks", 2)
        # Slabs of other sizes round otherwise.
        self.assertLess(self.difference(), 1e-6)
        plan = self.document("plan", scan, "--voxels", 40, *words)
        self.assertIn("modules of the detector were levelled", " ".join(plan["notes"]))

    def test_wrong_edges_are_refused(self):
        scan = self.scan / "scan.json"
        for words, part in ((["--module-columns", 61, "--modules", "fit"],
                             "(--module-columns) has an edge at 61, and the detector has 63"),
                            (["--module-rows", 30], "has no effect while prep.modules is none"),
                            (["--modules", "fit", "--module-rows", "30,20"], "edges must ascend")):
            self.fail_with(2, [part], "reconstruct", scan, "--voxels", 16, *words, "--out", "v.mha",
                           cwd=self.folder)

    def test_a_map_of_defects_works_as_the_mask(self):
        scan = self.simulate("--stuck-pixels", 9, "--dead-pixels", 3, out=self.folder / "stuck")
        found = self.document("inspect", scan, "--defects", scan.parent / "map.tif")
        self.assertGreaterEqual(found["defects"]["dead"], 12)
        self.assertEqual(found["defectsWritten"], str(scan.parent / "map.tif"))
        self.assertIn(f"{found['defects']['dead']} dead", self.succeed("inspect", scan))
        document = json.loads(scan.read_text())
        document["projections"]["badPixels"] = "map.tif"
        scan.write_text(json.dumps(document))
        again = self.document("inspect", scan)
        self.assertEqual(again["defects"]["dead"], sum(found["defects"].values()))

    def test_a_map_spares_what_is_read(self):
        scan = self.tiles()
        view = next((scan.parent / "proj").glob("*.tif"))
        before = view.read_bytes()
        self.fail_with(2, [view, "a projection of the scan"], "inspect", scan, "--defects", view)
        self.assertEqual(view.read_bytes(), before)
        self.fail_with(2, ["--defects", "is no scan"], "inspect", view, "--defects", "map.tif",
                       cwd=self.folder)
        self.assertFalse((self.folder / "map.tif").exists())


if __name__ == "__main__":
    unittest.main()
