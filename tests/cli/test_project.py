"""A volume is projected into the views of a scan, and compared with what the scan measured."""

import json
import re
import shutil
import unittest

from support import GantryTest, run, start


class Project(GantryTest):
    SCAN = ["--kind", "attenuation", "--phantom", "spheres", "--views", 31, "--offset-mm", "9,-5"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.volume = cls.home / "v.mha"
        done = run("reconstruct", cls.scan, "--voxels", 60, "--out",
                   cls.volume)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def project(self, name, *words):
        return self.document("project", self.volume, "--scan", self.scan, "--out",
                             self.folder / name, *words)

    def views(self, name):
        return [path.read_bytes() for path in sorted((self.folder / name / "proj").iterdir())]

    def test_projections_are_a_scan_of_the_same_geometry(self):
        made = self.project("p")
        self.assertEqual((made["views"], made["columns"], made["rows"]), (31, 63, 49))
        header = self.volume.read_bytes()[:2000]
        slices = int(re.search(rb"DimSize = \d+ \d+ (\d+)", header)[1])
        self.assertEqual(made["slabSlices"], slices)
        scan = json.loads((self.folder / "p/scan.json").read_text())
        given = json.loads((self.scan / "scan.json").read_text())
        for part in ("trajectory", "detector"):
            self.assertEqual(scan[part], given[part])
        self.assertEqual(scan["projections"]["kind"], "attenuation")
        record = json.loads((self.folder / "p/projection.json").read_text())
        self.assertEqual(record["volume"], str(self.volume))
        # The volume that is made from them is the one that was projected, but for its blur.
        self.succeed("reconstruct", self.folder / "p", "--voxels", 60, "--out", "again.mha",
                     cwd=self.folder)
        figures = self.document("compare", "again.mha", self.volume, cwd=self.folder)
        self.assertLess(figures["relativeRmse"], 0.3)

    def test_a_small_memory_changes_nothing_but_roundings(self):
        self.project("whole")
        parts = self.project("parts", "--memory", "3500k", "--threads", 1)
        self.assertLess(parts["slabSlices"], 40)
        self.assertLessEqual(parts["memoryBytes"], 3_500_000)
        # What the two reconstruct to differs by roundings of single precision.
        for name in ("whole", "parts"):
            self.succeed("reconstruct", self.folder / name, "--voxels", 20, "--out",
                         name + ".mha", cwd=self.folder)
        figures = self.document("compare", "whole.mha", "parts.mha", cwd=self.folder)
        self.assertLess(figures["relativeRmse"], 1e-5)
        self.fail_with(1, ["--memory", "10.0 kB may be used"], "project", self.volume, "--scan",
                       self.scan, "--memory", "10k", "--out", self.folder / "none")
        self.assertFalse((self.folder / "none").exists())

    def test_residual_is_what_the_views_say_otherwise(self):
        made = self.project("r", "--residual")
        # FDK's blur of 31 views leaves a part of the measured line integrals unexplained.
        self.assertLess(made["residualRms"], 0.3 * made["measuredRms"])
        # The projections' own residual is what a second projection leaves: nothing.
        self.project("p")
        own = self.document("project", self.volume, "--scan", self.folder / "p", "--residual",
                            "--out", self.folder / "zero")
        self.assertEqual(own["residualRms"], 0)
        self.assertGreater(own["measuredRms"], 0)

    def test_views_that_are_left_out_are_no_part_of_the_residual(self):
        def skip(document):
            document["projections"]["skipViews"] = [3, 4]
        made = self.document("project", self.volume, "--scan", self.edited_scan(skip),
                             "--residual", "--out", self.folder / "r")
        self.assertEqual(made["views"], 31)
        scan = json.loads((self.folder / "r/scan.json").read_text())
        self.assertEqual(scan["projections"]["skipViews"], [3, 4])
        views = self.views("r")
        self.assertEqual(views[3], views[4])
        self.assertNotEqual(views[3], views[5])

    def test_threads_do_not_change_a_bit(self):
        self.project("one", "--threads", 1)
        self.project("three", "--threads", 3, "--compression", "deflate")
        self.project("two", "--threads", 2)
        self.assertEqual(self.views("one"), self.views("two"))
        own = self.document("project", self.volume, "--scan", self.folder / "three",
                            "--residual", "--out", self.folder / "zero")
        self.assertEqual(own["residualRms"], 0)

    def test_a_gpu_that_cannot_be_used_is_named(self):
        words = ["project", self.volume, "--scan", self.scan, "--out", self.folder / "p"]
        self.fail_with(2, ["--device 1", "--engine cpu uses none"], *words, "--engine", "cpu",
                       "--device", 1)
        devices = self.document("devices")["devices"]
        said = [f"no GPU {len(devices) + 3}"] if devices else ["No GPU can be used"]
        self.fail_with(2, said, *words, "--device", len(devices) + 3)
        self.assertFalse((self.folder / "p").exists())

    def test_what_is_read_stays(self):
        self.project("p")
        volume = self.folder / "p/volume.mha"
        shutil.copy(self.volume, volume)
        for words in ([self.volume, "--scan", self.scan, "--out", self.scan],
                      [self.volume, "--scan", self.folder / "p", "--out", self.folder / "p"],
                      [volume, "--scan", self.scan, "--out", self.folder / "p"]):
            self.fail_with(2, ["would be lost"], "project", *words, "--force")
        volume.unlink()
        self.fail_with(2, ["--force"], "project", self.volume, "--scan", self.scan, "--out",
                       self.folder / "p")
        self.project("p", "--force")
        self.fail_with(2, ["none.mha"], "project", "none.mha", "--scan", self.scan, "--out",
                       self.folder / "q")
        self.fail_with(2, ["none.json"], "project", self.volume, "--scan", "none.json", "--out",
                       self.folder / "q")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["p"])

    def test_an_interrupt_leaves_nothing(self):
        # 64 MB of zeros that take no disk, for views that take many seconds to be made.
        description = {"gantryVolume": 1, "voxels": [400, 400, 400], "pitchMm": [0.5, 0.5, 0.5],
                       "centerMm": [0, 0, 0], "type": "uint8"}
        (self.folder / "v.raw.json").write_text(json.dumps(description))
        with open(self.folder / "v.raw", "wb") as file:
            file.truncate(400 ** 3)

        def enlarge(document):
            document["trajectory"]["views"] = 2000
            document["detector"].update(columns=300, rows=300)
        process = start("project", self.folder / "v.raw", "--scan", self.edited_scan(enlarge),
                        "--out", self.folder / "p")
        self.assert_cancelled(process, self.folder / "p.part/proj", ["v.raw", "v.raw.json"])


if __name__ == "__main__":
    unittest.main()
