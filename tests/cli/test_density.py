"""`gantry density`: a stored volume's values in Hounsfield units, its voxels untouched."""

import array
import json
import random
import statistics
import unittest

from support import GantryTest

SIZE = (10, 8, 6)
AIR = "air=-4,-3,-2.5:-1.5,2.5,2.5"
WATER = "water=0.5,-3,-2.5:4,2.5,2.5"


class Density(GantryTest):
    def setUp(self):
        super().setUp()
        numbers = random.Random(11)
        # Two halves along x, with noise: voxels of 1 mm, centred.
        self.voxels = array.array("f", [
            numbers.gauss(0.0003 if x < 4 else 0.0207, 1e-4)
            for z in range(SIZE[2]) for y in range(SIZE[1]) for x in range(SIZE[0])])
        head = ("ObjectType = Image\nNDims = 3\nOffset = -4.5 -3.5 -2.5\nDimSize = 10 8 6\n"
                "ElementType = MET_FLOAT\nElementDataFile = LOCAL\n")
        self.volume = self.folder / "random.mha"
        self.volume.write_bytes(head.encode() + self.voxels.tobytes())

    def mean(self, x_from, x_to):
        inside = [self.voxels[(z * SIZE[1] + y) * SIZE[0] + x] for z in range(SIZE[2])
                  for y in range(1, 7) for x in range(x_from, x_to)]
        return statistics.fmean(inside)

    def test_two_regions_give_the_scale_and_no_voxel_changes(self):
        before = self.volume.read_bytes()
        found = self.document("density", self.volume, f"--region={AIR}", f"--region={WATER}")
        air, water = self.mean(1, 4), self.mean(5, 9)
        self.assertEqual(found["unit"], "HU")
        # Sums of some hundred doubles.
        self.assertAlmostEqual(found["slope"] * air + found["intercept"], -1000, places=6)
        self.assertAlmostEqual(found["slope"] * water + found["intercept"], 0, places=6)
        self.assertFalse(found["inFile"])
        self.assertEqual(self.volume.read_bytes(), before)
        record = json.loads((self.folder / "random.mha.provenance.json").read_text())
        self.assertTrue(record["calibration"].startswith("HU "))
        # By the same regions, from HU, it is the same scale again, to the digits of floats.
        again = self.document("density", self.volume, f"--region={AIR}", f"--region={WATER}")
        self.assertLess(abs(again["slope"] / found["slope"] - 1), 1e-6)
        self.succeed("density", self.volume, "--attenuation")
        self.assertFalse((self.folder / "random.mha.provenance.json").exists())

    def test_the_header_of_our_own_volume_says_it(self):
        # Another format, so that the file is Gantry's: the pyramid keeps the record's scale.
        self.succeed("density", self.volume, "--calibrate", "air=0.0003,water=0.0207")
        self.succeed("pyramid", self.volume, self.folder / "p.ome.zarr")
        attributes = json.loads((self.folder / "p.ome.zarr" / ".zattrs").read_text())
        self.assertEqual(attributes["gantry"]["unit"], "HU")
        text = self.succeed("compare", self.volume, self.folder / "p.ome.zarr")
        self.assertIn("RMSE", text)

    def test_wrong_requests_are_refused_in_a_sentence(self):
        for options, parts in [
                ([], ["--calibrate", "--region", "--attenuation"]),
                (["--calibrate", "air=1,water=1"], ["air=0.0001,water=0.0205"]),
                ([f"--region={AIR}"], ["--region", "two boxes"]),
                ([f"--region={AIR}", f"--region={AIR}"], ["--region", "two boxes"]),
                (["--region", "bone=0,0,0:1,1,1"], ["--region is 'bone=", "air, water"]),
                (["--region", "air=90,0,0:91,1,1", f"--region={WATER}"], ["90"]),
                (["--attenuation", f"--region={AIR}"], ["--attenuation"])]:
            with self.subTest(options=options):
                self.fail_with(2, parts, "density", self.volume, *options)


if __name__ == "__main__":
    unittest.main()
