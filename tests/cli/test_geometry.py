"""Geometries go to other programs' files and back."""

import json
import math
import unittest

from support import GantryTest


class Geometry(GantryTest):
    SCAN = ["--offset-mm", "4,-3", "--source-offset-mm", "1,2", "--roll-deg", 0.5, "--tilt-deg", 2,
            "--start-deg", 30, "--arc-deg", 300]

    def test_round_trips(self):
        scan = self.scan / "scan.json"
        original = json.loads(scan.read_text())
        detector = original["detector"]
        for name, how in (
                ("geometry.xml", ["--pitch-mm", f"{detector['pitchMm'][0]},{detector['pitchMm'][1]}"]),
                ("vectors.txt", [])):
            self.succeed("geometry", "convert", scan, name, cwd=self.folder)
            self.succeed("geometry", "convert", name, "back.json", "--detector", "63x49", *how,
                         cwd=self.folder)
            back = json.loads((self.folder / "back.json").read_text())
            for field in ("sourceToIsocenterMm", "sourceToDetectorMm"):
                self.assertAlmostEqual(back["trajectory"][field], original["trajectory"][field], 6)
            for field in ("rollDeg", "tiltDeg", "slantDeg"):
                self.assertAlmostEqual(back["detector"][field], detector[field], 6)
            for axis in (0, 1):
                self.assertAlmostEqual(back["detector"]["offsetMm"][axis],
                                       detector["offsetMm"][axis], 6)
            self.succeed("geometry", "convert", name, "same.json", "--scan", scan,
                         cwd=self.folder)
            same = json.loads((self.folder / "same.json").read_text())
            self.assertEqual(same["projections"], original["projections"])

    def test_parameters_of_leap_are_read(self):
        text = ("# CT geometry parameters\ngeometry = cone\nnumAngles = 40\nnumRows = 49\n"
                "numCols = 63\npixelHeight = 2.0\npixelWidth = 3.0\ncenterRow = 24\n"
                "centerCol = 28\nangularRange = -3.6e+02\nsod = 6.0e+02\nsdd = 1.1e+03\n"
                "tau = 0.5\ntiltAngle = 1.0\n")
        (self.folder / "leap.txt").write_text(text)
        self.succeed("geometry", "convert", "leap.txt", "scan.json", cwd=self.folder)
        made = json.loads((self.folder / "scan.json").read_text())
        self.assertEqual((made["detector"]["columns"], made["detector"]["rows"]), (63, 49))
        self.assertEqual(made["detector"]["firstRow"], "bottom")
        self.assertAlmostEqual(made["trajectory"]["arcDeg"], -360, 6)
        # Columns beside the middle, less tau; a tilt raises them.
        self.succeed("geometry", "convert", "leap.txt", "vectors.txt", cwd=self.folder)
        first = [float(word) for word in
                 (self.folder / "vectors.txt").read_text().splitlines()[0].split()]
        roll = math.radians(1)
        for found, expected in zip(first, [
                -0.5, -600, 0, 9 * math.cos(roll) - 0.5, 500, 9 * math.sin(roll),
                3 * math.cos(roll), 0, 3 * math.sin(roll),
                -2 * math.sin(roll), 0, 2 * math.cos(roll)]):
            self.assertAlmostEqual(found, expected, 6)
        (self.folder / "leap.txt").write_text(text + "helicalPitch = 2\n")
        self.fail_with(2, ["leap.txt", "line 15", "helicalPitch"], "geometry", "convert",
                       "leap.txt", "other.json", cwd=self.folder)

    def test_images_that_are_mirrored_are_told_of(self):
        def mirror(document):
            document["detector"]["mirrored"] = True
        scan = self.edited_scan(mirror)
        text = self.succeed("geometry", "convert", scan, "g.xml", cwd=self.folder)
        self.assertIn("rotate them by 180° for RTK", text)
        found = self.document("geometry", "convert", scan, "g.xml", cwd=self.folder)
        self.assertIn("rotate them by 180° for RTK", found["note"])
        # ASTRA's vectors say where each pixel is.
        self.assertNotIn("note", self.document("geometry", "convert", scan, "vectors.txt",
                                               cwd=self.folder))
        self.succeed("geometry", "convert", "vectors.txt", "back.json", "--scan", scan,
                     cwd=self.folder)
        back = json.loads((self.folder / "back.json").read_text())["detector"]
        self.assertTrue(back["mirrored"])
        self.assertEqual(back["firstRow"], "top")
        self.assertAlmostEqual(back["rollDeg"], 0.5, 6)
        self.succeed("geometry", "convert", scan, "same.json", cwd=self.folder)
        self.assertTrue(json.loads((self.folder / "same.json").read_text())["detector"]["mirrored"])

    def test_what_is_missing_is_said(self):
        scan = self.scan / "scan.json"
        self.succeed("geometry", "convert", scan, "g.xml", cwd=self.folder)
        self.fail_with(2, ["--detector"], "geometry", "convert", "g.xml", "b.json",
                       cwd=self.folder)
        self.fail_with(2, ["--pitch-mm"], "geometry", "convert", "g.xml", "b.json", "--detector",
                       "63x49", cwd=self.folder)
        (self.folder / "g.xml").write_text("<RTKThreeDCircularGeometry")
        self.fail_with(2, ["g.xml"], "geometry", "convert", "g.xml", "b.json", "--scan", scan,
                       cwd=self.folder)
        self.assertFalse((self.folder / "b.json").exists())

    def stack_of(self, scan, path, fields):
        """The scan's views as one MetaImage, the lowest row first, as RTK stores them."""
        rows, columns, views = 49, 63, 48
        data = bytearray()
        for file in sorted((scan.parent / "proj").glob("*.tif")):
            stored = file.read_bytes()
            pixels = stored[8:8 + 4 * rows * columns]
            self.assertEqual(len(pixels), 4 * rows * columns)
            for row in reversed(range(rows)):
                data += pixels[4 * columns * row:4 * columns * (row + 1)]
        header = (f"ObjectType = Image\nNDims = 3\nDimSize = {columns} {rows} {views}\n{fields}"
                  "ElementType = MET_FLOAT\nElementDataFile = LOCAL\n")
        path.write_bytes(header.encode() + data)

    def test_a_scan_of_rtk_is_read_as_it_was_meant(self):
        offset = (21.5, -8.25)
        scan = self.simulate("--kind", "attenuation", "--offset-mm", f"{offset[0]},{offset[1]}",
                             "--phantom-center-mm", "9,-14,11", out=self.folder / "scan")
        document = json.loads(scan.read_text())
        pitch = document["detector"]["pitchMm"]
        # RTK has the image's place in the image and what is left of it in the geometry.
        document["detector"]["offsetMm"] = [1.5, 0.75]
        bare = self.folder / "bare.json"
        bare.write_text(json.dumps(document))
        self.succeed("geometry", "convert", bare, "geometry.xml", cwd=self.folder)
        first = [offset[axis] - (1.5, 0.75)[axis] - pitch[axis] * (count - 1) / 2
                 for axis, count in ((0, 63), (1, 49))]
        self.stack_of(scan, self.folder / "views é.mha",
                      f"Offset = {first[0]!r} {first[1]!r} 0\n"
                      f"ElementSpacing = {pitch[0]!r} {pitch[1]!r} 1\n"
                      "TransformMatrix = 1 0 0 0 1 0 0 0 1\n")
        said = self.succeed("geometry", "convert", "geometry.xml", "read.json", "--projections",
                            "views é.mha", cwd=self.folder)
        self.assertIn("the bottom row first", said)
        for path in (scan, self.folder / "read.json"):
            self.succeed("reconstruct", path, "--out", path.stem + ".mha", "--voxels",
                         "30x34x28", "--pitch-mm", "5.5", cwd=self.folder)
        compared = self.document("compare", "scan.mha", "read.mha", cwd=self.folder)
        # The same rays but for the last digits of the two files.
        self.assertLess(compared["relativeRmse"], 1e-6)
        mirrored = (self.folder / "read.json").read_text().replace('"bottom"', '"top"')
        (self.folder / "mirrored.json").write_text(mirrored)
        job = self.document("reconstruct", "mirrored.json", "--out", "m.mha", "--voxels", 16,
                            cwd=self.folder)
        self.assertIn("the bottom row first", " ".join(job["notes"]))


if __name__ == "__main__":
    unittest.main()
