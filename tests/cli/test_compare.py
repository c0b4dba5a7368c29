"""What `gantry compare` tells of a region and of a line, against sums made here."""

import array
import math
import random
import statistics
import unittest

from support import GantryTest

SIZE = (9, 7, 5)
PITCH = (0.5, 0.75, 2.0)
CENTRE = (3.0, -4.0, 10.0)


class Compare(GantryTest):
    def setUp(self):
        super().setUp()
        numbers = random.Random(5)
        self.voxels = array.array("f", [numbers.gauss(0.02, 0.004) for _ in range(9 * 7 * 5)])
        first = [c - (n - 1) / 2 * p for n, p, c in zip(SIZE, PITCH, CENTRE)]
        self.first = first

        def text(values):
            return " ".join(str(value) for value in values)

        head = (f"ObjectType = Image\nNDims = 3\nBinaryData = True\n"
                f"BinaryDataByteOrderMSB = False\nOffset = {text(first)}\n"
                f"ElementSpacing = {text(PITCH)}\nDimSize = {text(SIZE)}\n"
                f"ElementType = MET_FLOAT\nElementDataFile = LOCAL\n")
        self.volume = self.folder / "random.mha"
        self.volume.write_bytes(head.encode() + self.voxels.tobytes())

    def at(self, x, y, z):
        return self.voxels[(z * SIZE[1] + y) * SIZE[0] + x]

    def centre_of(self, axis, index):
        return self.first[axis] + index * PITCH[axis]

    def test_a_region_holds_the_voxels_whose_centres_lie_in_it(self):
        # x 2 to 6, its faces through the centres; y 1 to 3; z 2 to 4
        low = (self.centre_of(0, 2), self.centre_of(1, 0.6), self.centre_of(2, 1.5))
        high = (self.centre_of(0, 6), self.centre_of(1, 3.4), self.centre_of(2, 90))
        corners = ":".join(",".join(str(v) for v in corner) for corner in (low, high))
        found = self.document("compare", self.volume, self.volume, f"--region={corners}")
        values = [self.at(x, y, z) for z in range(2, 5) for y in range(1, 4) for x in range(2, 7)]
        region = found["region"]["volume"]
        self.assertEqual(region["voxels"], len(values))
        # Double rounding of some dozen values.
        self.assertTrue(math.isclose(region["mean"], statistics.fmean(values), rel_tol=1e-12))
        self.assertTrue(math.isclose(region["standardDeviation"], statistics.stdev(values),
                                     rel_tol=1e-9))
        self.assertEqual((region["smallest"], region["largest"]), (min(values), max(values)))
        bins = [0] * 256
        low, high = min(values), max(values)
        for value in values:
            bins[min(255, int((value - low) * (256 / (high - low))))] += 1
        self.assertEqual(region["histogram"], bins)
        self.assertAlmostEqual(found["region"]["volumeMm3"], len(values) * 0.5 * 0.75 * 2.0)
        self.assertEqual(found["region"]["truth"], region)

        shown = self.succeed("compare", self.volume, self.volume, f"--region={corners}")
        self.assertIn(f"{statistics.fmean(values):.6g}", shown)

    def test_a_profile_has_two_values_a_voxel(self):
        ends = [[self.centre_of(0, x), self.centre_of(1, 3), self.centre_of(2, 2)] for x in (1, 7)]
        line = ":".join(",".join(str(v) for v in end) for end in ends)
        shown = self.succeed("compare", self.volume, self.volume, f"--profile={line}")
        rows = [row.split(",") for row in shown.splitlines()]
        rows = rows[rows.index(["distance_mm", "volume_per_mm", "truth_per_mm"]) + 1:][:13]
        self.assertEqual(len(rows), 13)
        for i, (distance, value, truth) in enumerate(rows):
            x = 1 + i / 2
            expected = (self.at(math.floor(x), 3, 2) + self.at(math.ceil(x), 3, 2)) / 2
            self.assertAlmostEqual(float(distance), i / 2 * PITCH[0])
            # Interpolated in single precision at most, told with eight digits.
            self.assertTrue(math.isclose(float(value), expected, rel_tol=1e-6), rows[i])
            self.assertEqual(value, truth)

    def test_a_region_that_holds_nothing_is_refused(self):
        self.fail_with(2, ["region", "no voxel"], "compare", self.volume, self.volume,
                       "--region=90,0,0:91,1,1")
        self.fail_with(2, ["--region", "in mm"], "compare", self.volume, self.volume,
                       "--region=1,2")


if __name__ == "__main__":
    unittest.main()
