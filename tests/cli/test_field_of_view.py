"""An object that is cut off is shown beyond the measured field of view, as an estimate."""

import json
import unittest

from support import GantryTest


class FieldOfView(GantryTest):
    def cut_off(self):
        # The object of the usual scan, of which this detector sees the middle.
        return self.simulate("--detector", "31x25", "--pitch-mm", 5, out=self.folder / "cut")

    def test_a_wider_volume_with_what_is_estimated(self):
        scan = self.cut_off()
        plain = self.document("plan", scan)
        width = plain["voxels"][0] * plain["pitchMm"][0]
        words = ["--field-of-view-mm", round(1.5 * width, 1)]
        wide = self.document("plan", scan, *words)
        self.assertAlmostEqual(wide["voxels"][0] / plain["voxels"][0], 1.5, delta=0.06)
        self.assertAlmostEqual(wide["pitchMm"][0], plain["pitchMm"][0], places=6)
        done = self.document("reconstruct", scan, *words, "--out", "wide.mha", cwd=self.folder)
        self.assertIn("is an estimate", " ".join(done["notes"]))
        job = json.loads((self.folder / "wide.mha.job/job.json").read_text())
        self.assertEqual(job["prep"]["fieldOfViewMm"], round(1.5 * width, 1))
        # Inside nothing changes: the voxels of a narrower volume are those of a plain job.
        voxels = "x".join(str(n) for n in plain["voxels"])
        grid = ["--voxels", voxels, "--pitch-mm", plain["pitchMm"][0]]
        self.succeed("reconstruct", scan, *grid, "--out", "plain.mha", cwd=self.folder)
        self.succeed("reconstruct", scan, *grid, *words, "--out", "part.mha", cwd=self.folder)
        middle = f"{-width / 4},{-width / 4},-1:{width / 4},{width / 4},1"
        figures = self.document("compare", "plain.mha", "part.mha", "--region=" + middle,
                                cwd=self.folder)
        means = [figures["region"][volume]["mean"] for volume in ("volume", "truth")]
        self.assertAlmostEqual(means[0] / means[1], 1, delta=1e-3)

    def test_widths_that_cannot_be(self):
        scan = self.cut_off()
        for words, said in (
                (["--field-of-view-mm", "5000"], ["prep.fieldOfViewMm: 5000 mm is too wide", "beyond"]),
                (["--field-of-view-mm=-1"], ["prep.fieldOfViewMm"]),
                (["--field-of-view-mm", "300", "--truncation", "off"],
                 ["prep.fieldOfViewMm: has no effect while prep.truncation is off"])):
            with self.subTest(words=words):
                self.fail_with(2, said, "reconstruct", scan, *words, "--out", "v.mha",
                               cwd=self.folder)


if __name__ == "__main__":
    unittest.main()
