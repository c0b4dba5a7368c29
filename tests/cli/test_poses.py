"""Scans whose views are on no circle: simulated, described, reconstructed with their poses."""

import json
import math
import unittest

from support import GantryTest, allow_ranks_here

allow_ranks_here()

SIZE = ["--views", 90, "--detector", "63x49", "--kind", "attenuation"]


class Poses(GantryTest):
    SCAN = [*SIZE, "--jitter-mm", 1, "--jitter-deg", 0.5]

    def psnr(self, volume):
        return self.document("compare", volume, "--phantom", "shepp-logan")["psnrDb"]

    def reconstruct(self, scan, name, *words):
        volume = self.folder / name
        self.succeed("reconstruct", scan, "--voxels", 48, "--engine", "cpu", "--out", volume, *words)
        return volume

    def converted(self, name, *words):
        """The scan's geometry as another file, and back as a scan beside the images."""
        self.succeed("geometry", "convert", self.scan / "scan.json", self.folder / name)
        path = self.scan / (name + ".json")
        self.succeed("geometry", "convert", self.folder / name, path, "--scan",
                     self.scan / "scan.json", *words)
        self.addCleanup(path.unlink)
        return path

    def test_poses_bring_back_what_the_circle_had(self):
        plain = self.simulate(*SIZE, out=self.folder / "plain")
        aligned = self.psnr(self.reconstruct(plain, "plain.mha"))
        posed = self.psnr(self.reconstruct(self.scan, "posed.mha"))
        self.assertGreater(posed, aligned - 0.1)
        circle = self.scan / "circle.json"
        self.addCleanup(circle.unlink)
        self.succeed("geometry", "convert", self.scan / "scan.json", circle, "--mean-circle",
                     "--scan", self.scan / "scan.json")
        self.assertEqual(json.loads(circle.read_text())["trajectory"]["type"], "circular-cone")
        circled = self.psnr(self.reconstruct(circle, "circle.mha"))
        self.assertLess(circled, aligned - 0.2)
        self.assertLess(circled, posed - 0.4)

    def test_every_file_of_poses_gives_the_same_volume(self):
        first = self.reconstruct(self.scan, "first.mha")
        pitch = 410 / 63
        for name, words in (("vectors.txt", []), ("poses.csv", []),
                            ("geometry.xml", ["--pitch-mm", f"{pitch!r},{pitch!r}"])):
            volume = self.reconstruct(self.converted(name, *words), name + ".mha")
            found = self.document("compare", volume, first)
            self.assertLess(found["relativeRmse"], 1e-6, name)

    def test_kernels_and_ranks_agree(self):
        first = self.reconstruct(self.scan, "general.mha")
        for words in (["--kernel", "reference"], ["--ranks", 2], ["--memory", "80M"]):
            volume = self.reconstruct(self.scan, "other.mha", *words)
            self.assertLess(self.document("compare", volume, first)["relativeRmse"], 2e-6, words)
            volume.unlink()
        log = (self.folder / "general.mha.job" / "events.jsonl").read_text()
        self.assertIn("own detector's rows", log)

    def test_rows_of_a_rolled_detector_are_chosen(self):
        # RTK's weights are the same but where rows are far from the middle.
        rolled = self.simulate(*SIZE, "--roll-deg", 2, "--tilt-deg", 3, out=self.folder / "rolled")
        usual = self.reconstruct(rolled, "usual.mha")
        for rows, least, most in (("own", 0, 0), ("upright", 5e-3, 0.3), ("rtk", 1e-7, 1e-4)):
            other = self.reconstruct(rolled, "other.mha", "--filter-rows", rows)
            found = self.document("compare", other, usual)["relativeRmse"]
            self.assertTrue(least <= found <= most, (rows, found))
            other.unlink()
        plan = self.document("plan", rolled, "--voxels", 48, "--engine", "cpu")
        self.assertTrue(any("none is resampled" in note for note in plan["notes"]), plan["notes"])
        plan = self.document("plan", rolled, "--voxels", 48, "--filter-rows", "upright")
        self.assertTrue(any("upright detector" in note for note in plan["notes"]), plan["notes"])

    def test_inspect_tells_the_mean_circle_and_what_is_left(self):
        found = self.document("inspect", self.scan)
        self.assertEqual([each for each in found["problems"] if each["severity"] == "error"], [])
        circle = found["meanCircle"]
        self.assertTrue(math.isclose(circle["parameters"]["sourceToAxisMm"], 600, abs_tol=0.5))
        self.assertTrue(0.5 < circle["sourceRmsMm"] < 1.2, circle)
        self.assertIn("each view by its own angle", found["geometry"]["redundancy"]["reason"])
        self.assertIn("off the circle", self.succeed("inspect", self.scan))

    def test_the_centre_is_found_and_verified(self):
        shifted = self.simulate(*SIZE, "--jitter-mm", 0.5, "--jitter-deg", 0.2,
                                "--center-of-rotation-error-mm", 4, out=self.folder / "shifted")
        found = self.document("align", shifted)
        # 4 mm at the axis, seen on pixels of 410 mm / 63.
        change = abs(found["centrePx"]["change"])
        self.assertTrue(math.isclose(change, 4 * 1100 / 600 / (410 / 63), abs_tol=0.2), found)
        self.succeed("verify", self.scan, "--voxels", 90, "--engine", "cpu")

    def test_what_is_wrong_is_named(self):
        def broken(change, parts):
            def edit(document):
                change(document["trajectory"]["poses"])
            name = f"broken {parts[0]}.json"
            self.fail_with(2, parts, "reconstruct", self.edited_scan(edit, name), cwd=self.folder)
        broken(lambda poses: poses.pop(), ["89", "90"])
        broken(lambda poses: poses[3].pop(), ["trajectory.poses[3]", "12 numbers"])
        broken(lambda poses: poses[4].__setitem__(6, "x"), ["trajectory.poses[4][6]"])
        broken(lambda poses: poses[5].__setitem__(slice(9, 12), [-v for v in poses[5][9:12]]),
               ["trajectory.poses[5]", "mirrored"])
        broken(lambda poses: poses[6].__setitem__(slice(3, 6), [3 * v for v in poses[6][0:3]]),
               ["trajectory.poses[6]", "behind the source"])


if __name__ == "__main__":
    unittest.main()
