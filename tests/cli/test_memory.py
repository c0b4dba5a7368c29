"""A volume that does not fit the memory allowed: made in slabs, and the same."""

import unittest

from support import GantryTest


class Memory(GantryTest):
    SCAN = ["--views", 360, "--detector", "512x512"]

    def test_a_small_budget_holds_and_gives_the_same_volume(self):
        request = ["reconstruct", self.scan, "--voxels", "512x512x512"]
        self.document(*request, "--out", "all.mha", cwd=self.folder)
        small = self.document(*request, "--memory", "400M", "--out", "small.mha", cwd=self.folder)
        self.assertGreater(small["slabs"], 1)
        self.assertLess(small["peakMemoryBytes"], 600e6)
        # Both add the same views in single precision, only in other runs of voxels.
        same = self.document("compare", "small.mha", "all.mha", cwd=self.folder)
        self.assertLessEqual(same["relativeRmse"], 1e-6)


if __name__ == "__main__":
    unittest.main()
