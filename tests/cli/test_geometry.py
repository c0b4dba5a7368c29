"""Geometries go to other programs' files and back."""

import json
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


if __name__ == "__main__":
    unittest.main()
