"""One view of many that cannot be used: refused by number and file, or left out and named."""

import json
import shutil
import struct
import unittest

from support import GantryTest


class BadViews(GantryTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(self.scan, self.folder / "s")
        self.spoilt = self.folder / "s"
        self.volume = self.folder / "v.mha"

    def file(self, view):
        return self.spoilt / f"proj/proj_{view:04}.tif"

    def spoil(self):
        """View 0 is empty, 11 missing, 47 cut off."""
        self.file(0).write_bytes(b"")
        self.file(11).unlink()
        self.file(47).write_bytes(self.file(47).read_bytes()[:300])

    def reconstruct(self, *words):
        return self.document("reconstruct", self.spoilt, "--voxels", 24, "--out", self.volume,
                             *words)

    def test_without_options_the_view_and_the_remedies_are_named(self):
        self.file(11).unlink()
        for command in ("plan", "reconstruct"):
            self.fail_with(2, ["View 11", "proj_0011.tif is missing", "--skip-views 11",
                               "--skip-bad-views"],
                           command, self.spoilt, "--voxels", 24, "--out", self.volume)
        self.assertFalse(self.volume.exists())

    def test_skip_bad_views(self):
        self.spoil()
        done = self.reconstruct("--skip-bad-views")
        self.assertEqual(done["viewsLeftOut"], [0, 11, 47])
        note = [text for text in done["notes"] if "left out" in text]
        self.assertEqual(len(note), 1)
        for part in ("View 0: proj_0000.tif is empty", "View 11: proj_0011.tif is missing",
                     "View 47: proj_0047.tif is damaged"):
            self.assertIn(part, note[0])
            for said in ("v.mha.job/report.html", "v.mha.job/events.jsonl",
                         "v.mha.provenance.json"):
                self.assertIn(part, (self.folder / said).read_text())
        record = json.loads((self.folder / "v.mha.provenance.json").read_text())
        self.assertEqual([view["view"] for view in record["viewsLeftOut"]], [0, 11, 47])
        job = json.loads((self.folder / "v.mha.job/job.json").read_text())
        self.assertEqual(job["scan"]["projections"]["skipViews"], [0, 11, 47])
        self.assertEqual(job["scan"]["trajectory"]["views"], 48)
        self.assertIn("full circle", done["notes"][0])

    def blank(self, view, value):
        """Puts one value into all pixels of a view, which follow the file's header of 8 bytes."""
        pixels = 63 * 49
        with self.file(view).open("r+b") as file:
            file.seek(8)
            file.write(struct.pack("<H", value) * pixels)

    def test_views_that_hold_no_image(self):
        self.blank(11, 0)
        self.fail_with(2, ["View 11", "proj_0011.tif holds no image", "not one of its pixels",
                           "--skip-views 11", "--skip-bad-views"],
                       "reconstruct", self.spoilt, "--voxels", 24, "--out", self.volume)
        self.assertFalse(self.volume.exists())
        self.blank(30, 20000)
        self.fail_with(2, ["View 30", "proj_0030.tif holds no image", "are 20000"],
                       "reconstruct", self.spoilt, "--voxels", 24, "--out", self.folder / "w.mha",
                       "--skip-views", 11)
        self.volume = self.folder / "x.mha"
        done = self.reconstruct("--skip-bad-views")
        self.assertEqual(done["viewsLeftOut"], [11, 30])

    def test_one_of_many_that_was_written_in_part(self):
        """The sample of views whose pictures are compared has 49 of the 200 and not this one."""
        many = self.folder / "many"
        self.simulate("--phantom", "shepp-logan", "--detector", "24x32", "--pitch-mm", 8, "--views",
                      200, "--frames", 2, "--compression", "none", out=many)
        told = "written in part"
        self.assertNotIn(told, self.succeed("inspect", many))
        file = many / "proj/proj_0101.tif"
        stored = bytearray(file.read_bytes())
        stored[8 + 2 * 24 * 16:8 + 2 * 24 * 32] = bytes(2 * 24 * 16)
        file.write_bytes(stored)
        self.assertIn("1 of the 200 views that were looked at, view 101, has one value alone in up "
                      "to 50 % of the rows from the lower edge on", self.succeed("inspect", many))
        done = self.document("reconstruct", many, "--voxels", 16, "--out", self.volume)
        self.assertEqual(len([note for note in done["notes"] if told in note]), 1, done["notes"])
        self.assertIn(told, (self.folder / "v.mha.provenance.json").read_text())

    def test_skip_views(self):
        self.spoil()
        self.fail_with(2, ["View 11", "proj_0011.tif"], "plan", self.spoilt, "--voxels", 24,
                       "--skip-views", "0,47")
        self.assertEqual(self.reconstruct("--skip-views", "0,47,10-12")["viewsLeftOut"],
                         [0, 10, 11, 12, 47])
        plan = self.document("plan", self.spoilt, "--voxels", 24, "--skip-views", "0,11,47")
        self.assertEqual(plan["viewsLeftOut"], [0, 11, 47])
        self.assertIn("full circle", plan["redundancy"])
        for words, part in (("48", "0 to 47"), ("0-47", "all 48"), ("x", "'x'")):
            self.fail_with(2, ["--skip-views", part], "plan", self.spoilt, "--skip-views", words)

    def test_inspect_lists_them(self):
        self.spoil()
        text = self.fail_with(2, ["View 0: proj_0000.tif is empty"], "inspect", self.spoilt)
        self.assertIn("--skip-views 0", text)
        scan = self.spoilt / "scan.json"
        document = json.loads(scan.read_text())
        document["projections"]["skipViews"] = [47, 11, 0]
        scan.write_text(json.dumps(document))
        self.assertIn("left out: view 11: proj_0011.tif is missing.",
                      self.succeed("inspect", scan))
        projections = self.document("inspect", scan)["series"][0]
        self.assertEqual([(view["view"], view["isBad"], view["isLeftOut"])
                          for view in projections["badViews"]],
                         [(0, True, True), (11, True, True), (47, True, True)])
        self.assertEqual(self.reconstruct()["viewsLeftOut"], [0, 11, 47])

    def test_the_last_file_is_not_there(self):
        self.file(47).unlink()
        self.fail_with(2, ["48 views", "47 images", "--skip-views 0", "--skip-views 47"],
                       "reconstruct", self.spoilt, "--out", self.volume)
        self.assertEqual(self.reconstruct("--skip-views", 47)["viewsLeftOut"], [47])


if __name__ == "__main__":
    unittest.main()
