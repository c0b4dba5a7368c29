"""Volumes as OME-Zarr: written by a job or by `gantry pyramid`, read again here and by zarr-python."""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

from support import GantryTest, start

# Runs in a Python that has zarr. Opens every level, checks it against the one before and the scale,
# and prints what a person would ask for.
READER = r'''
import json, sys
import numpy, zarr
image = zarr.open_group(sys.argv[1], mode="r")
multiscale = dict(image.attrs)["multiscales"][0]
own = dict(image.attrs)["gantry"]
levels = []
finer = None
for dataset in multiscale["datasets"]:
    array = image[dataset["path"]]
    voxels = array[...]
    if finer is not None:
        padded = numpy.full([2 * n for n in voxels.shape], numpy.nan)
        padded[tuple(slice(n) for n in finer.shape)] = finer
        nz, ny, nx = voxels.shape
        blocks = padded.reshape(nz, 2, ny, 2, nx, 2)
        mean = numpy.nanmean(blocks, axis=(1, 3, 5))
        if voxels.dtype.kind == "u":
            mean = numpy.floor(mean + 0.5)
        # A mean in double, rounded to a float.
        numpy.testing.assert_allclose(voxels, mean, rtol=1e-6, atol=1e-9)
    finer = voxels
    transforms = dataset["coordinateTransformations"]
    levels.append({"shape": voxels.shape, "dtype": str(voxels.dtype), "chunks": array.chunks,
                   "scale": transforms[0]["scale"], "translation": transforms[1]["translation"]})
    if len(levels) == 1:
        voxels.astype("<f4").tofile(sys.argv[2])
print(json.dumps({"levels": levels, "axes": multiscale["axes"], "slope": own["slope"],
                  "intercept": own["intercept"]}))
'''


def python_with_zarr():
    """The distribution's packages are seen by its own Python, which need not be this one."""
    for python in (sys.executable, "/usr/bin/python3"):
        if shutil.which(python) and subprocess.run(
                [python, "-c", "import zarr, numpy"], capture_output=True).returncode == 0:
            return python
    return None


class Pyramid(GantryTest):
    GRID = ["--voxels", "143x77x66", "--pitch-mm", 1.5, "--center-mm", "3,-4,5"]

    def reconstruct(self, name, *words):
        self.succeed("reconstruct", self.scan, *self.GRID, *words, "--out", name, cwd=self.folder)
        return self.folder / name

    def read_by_zarr(self, image):
        python = python_with_zarr()
        if python is None:
            self.skipTest("no Python here has zarr (package python3-zarr)")
        values = self.folder / "values.f4"
        done = subprocess.run([python, "-c", READER, image, values], capture_output=True, text=True,
                              timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), values.read_bytes()

    def check_levels(self, found, dtype):
        fine, coarse = found["levels"]
        self.assertEqual(fine["shape"], [66, 77, 143])
        self.assertEqual(coarse["shape"], [33, 39, 72])
        self.assertEqual(fine["dtype"], dtype)
        self.assertEqual(fine["chunks"], [64, 64, 64])
        self.assertEqual(fine["scale"], [1.5, 1.5, 1.5])
        self.assertEqual(coarse["scale"], [3, 3, 3])
        # The first voxel's centre, and that of the first block of two by two by two.
        for i, (center, n) in enumerate(((5, 66), (-4, 77), (3, 143))):
            first = center - (n - 1) / 2 * 1.5
            self.assertAlmostEqual(fine["translation"][i], first, places=9)
            self.assertAlmostEqual(coarse["translation"][i], first + 0.75, places=9)
        self.assertEqual([axis["name"] for axis in found["axes"]], ["z", "y", "x"])
        self.assertEqual({axis["unit"] for axis in found["axes"]}, {"millimeter"})

    def test_a_job_writes_what_zarr_reads(self):
        flat = self.reconstruct("v.raw")
        image = self.reconstruct("v.ome.zarr")
        found, values = self.read_by_zarr(image)
        self.check_levels(found, "float32")
        self.assertEqual(values, flat.read_bytes())
        names = sorted(path.name for path in self.folder.iterdir())
        self.assertIn("v.ome.zarr.provenance.json", names)
        self.assertFalse([name for name in names if name.endswith(".part")])
        # And Gantry reads it as any volume.
        self.assertEqual(self.document("compare", image, flat)["rmse"], 0)
        self.assertIn("OME-Zarr, 32-bit float, 2 levels", self.succeed("inspect", image))

    def test_scaled_voxels_are_means_of_what_is_stored(self):
        found, _ = self.read_by_zarr(self.reconstruct("s.zarr/", "--type", "uint16", "--range",
                                                      "-0.01,0.05"))
        self.check_levels(found, "uint16")
        self.assertAlmostEqual(found["slope"], 0.06 / 65535, places=12)
        self.assertAlmostEqual(found["intercept"], -0.01, places=12)

    def test_any_volume_becomes_a_pyramid(self):
        for source, words in (("v.tif", ["--type", "uint8"]), ("slices", []), ("v.mha", [])):
            volume = self.reconstruct(source, *words)
            made = self.document("pyramid", volume)
            image = pathlib.Path(made["pyramid"])
            self.assertEqual(image, self.folder / (volume.stem + ".ome.zarr"))
            self.assertEqual([level["voxels"] for level in made["levels"]],
                             [[143, 77, 66], [72, 39, 33]])
            self.assertEqual(made["levels"][1]["pitchMm"], [3, 3, 3])
            self.assertEqual(made["type"], "uint8" if words else "float32")
            self.assertEqual(self.document("compare", image, volume)["rmse"], 0)
            text = self.succeed("pyramid", volume, image, "--chunk", "128")
            self.assertIn("2 levels, down to 72 × 39 × 33 voxels", text)
            self.assertEqual(json.loads((image / "0/.zarray").read_text())["chunks"], [128] * 3)

    def test_wrong_requests(self):
        volume = self.reconstruct("v.mha")
        self.fail_with(2, ["v.tif", ".ome.zarr"], "pyramid", volume, self.folder / "v.tif")
        self.fail_with(2, ["none.mha"], "pyramid", self.folder / "none.mha")
        self.fail_with(2, ["--chunk", "64"], "pyramid", volume, "--chunk", 65)
        (self.folder / "own.zarr").mkdir()
        (self.folder / "own.zarr/thesis.doc").write_text("precious")
        self.fail_with(2, ["own.zarr", "other files"], "pyramid", volume, self.folder / "own.zarr")
        self.assertEqual((self.folder / "own.zarr/thesis.doc").read_text(), "precious")

    def test_an_interrupt_leaves_nothing(self):
        # 250 MB of zeros that take no disk, read and compressed in about a second.
        raw = self.folder / "large.raw"
        description = {"gantryVolume": 1, "voxels": [1000, 1000, 250], "pitchMm": [1, 1, 1],
                       "centerMm": [0, 0, 0], "type": "uint8"}
        (self.folder / "large.raw.json").write_text(json.dumps(description))
        with open(raw, "wb") as file:
            file.truncate(250_000_000)
        process = start("pyramid", raw, "--threads", 1)
        self.assert_cancelled(process, self.folder / "large.ome.zarr.part/0/0/0/0",
                              ["large.raw", "large.raw.json"])


if __name__ == "__main__":
    unittest.main()
