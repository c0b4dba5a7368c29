"""A reconstruction is written in every format that other programs open: their headers, read here
anew from the formats' public layouts, give the size, place and values of the MetaImage."""

import re
import struct
import unittest
import xml.etree.ElementTree as ElementTree
from array import array

from support import GantryTest

VOXELS = (20, 18, 14)
# Halves and quarters, so that 32-bit headers are exact.
PITCH = (6.0, 6.5, 7.0)
CENTER = (1.5, -2.25, 3.125)
# Centres of the first and last voxels, along x, y, z.
FIRST = tuple(c - (n - 1) / 2 * p for c, n, p in zip(CENTER, VOXELS, PITCH))
COUNT = VOXELS[0] * VOXELS[1] * VOXELS[2]


def floats(data):
    values = array("f")
    values.frombytes(data)
    return values


def shorts(data):
    values = array("H")
    values.frombytes(data)
    return values


class VolumeFormats(GantryTest):
    def setUp(self):
        super().setUp()

        def place(document):
            document["volume"] = {"voxels": VOXELS, "pitchMm": PITCH, "centerMm": CENTER}

        self.description = self.edited_scan(place)
        self.reconstruct("v.mha")
        data = (self.folder / "v.mha").read_bytes()
        self.voxels = floats(data[-4 * COUNT:])
        self.assertGreater(max(self.voxels) - min(self.voxels), 0.001)

    def reconstruct(self, name, *words):
        self.succeed("reconstruct", self.description, "--engine", "cpu", "--out",
                     self.folder / name, *words)
        return self.folder / name

    def near(self, found, wanted, tolerance=1e-9):
        self.assertEqual(len(found), len(wanted))
        for a, b in zip(found, wanted):
            self.assertAlmostEqual(a, b, delta=tolerance)

    def read_back(self, name, max_rmse="0"):
        """The program itself finds the same values."""
        found = self.document("compare", self.folder / "v.mha", self.folder / name)
        self.assertLessEqual(found["rmse"], float(max_rmse))
        self.document("inspect", self.folder / name)

    def test_vgi(self):
        text = self.reconstruct("v.vgi").read_text()
        value = lambda key: re.search(rf"^{key} = (.*)$", text, re.M).group(1)
        self.assertEqual(value("Size"), "20 18 14")
        self.near([float(x) for x in value("resolution").split()], PITCH)
        self.near([float(x) for x in value("position").split()], CENTER)
        self.assertEqual((value("datatype"), value("bitsperelement")), ("float", "32"))
        self.assertEqual(floats((self.folder / value("Name")).read_bytes()), self.voxels)
        self.read_back("v.vgi")

    def test_nrrd(self):
        head, data = self.reconstruct("v.nrrd").read_bytes().split(b"\n\n", 1)
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines()[1:]
                      if ": " in line)
        self.assertEqual(fields["sizes"], "20 18 14")
        self.assertEqual(fields["space"], "left-posterior-superior")
        vectors = [[float(x) for x in part.split(",")]
                   for part in re.findall(r"\(([^)]*)\)", fields["space directions"])]
        self.assertEqual(vectors, [[PITCH[0], 0, 0], [0, PITCH[1], 0], [0, 0, PITCH[2]]])
        self.near([float(x) for x in fields["space origin"].strip("()").split(",")], FIRST)
        self.assertEqual(floats(data), self.voxels)
        self.read_back("v.nrrd")
        self.reconstruct("w.nhdr")
        self.assertEqual(floats((self.folder / "w.raw").read_bytes()), self.voxels)
        self.read_back("w.nhdr")

    def test_nifti(self):
        data = self.reconstruct("v.nii").read_bytes()
        self.assertEqual(struct.unpack_from("<i", data)[0], 348)
        self.assertEqual(data[344:348], b"n+1\0")
        self.assertEqual(struct.unpack_from("<4h", data, 40), (3, *VOXELS))
        self.assertEqual(struct.unpack_from("<2h", data, 70), (16, 32))
        rows = [struct.unpack_from("<4f", data, 280 + 16 * row) for row in range(3)]
        # Right and anterior run against the world's x and y.
        self.near(rows[0], (-PITCH[0], 0, 0, -FIRST[0]), 1e-5)
        self.near(rows[1], (0, -PITCH[1], 0, -FIRST[1]), 1e-5)
        self.near(rows[2], (0, 0, PITCH[2], FIRST[2]), 1e-5)
        begin = int(struct.unpack_from("<f", data, 108)[0])
        self.assertEqual(floats(data[begin:]), self.voxels)
        self.read_back("v.nii")

    def test_nifti_of_16_bits(self):
        data = self.reconstruct("v.nii", "--type", "uint16").read_bytes()
        slope, intercept = struct.unpack_from("<2f", data, 112)
        self.near([slope * x + intercept for x in shorts(data[352:])], self.voxels, 0.51 * slope)
        self.read_back("v.nii", slope)

    def test_ome_tiff(self):
        data = self.reconstruct("v.ome.tif", "--type", "uint16").read_bytes()
        self.assertEqual(struct.unpack_from("<2sHHH", data), (b"II", 43, 8, 0))
        (at,) = struct.unpack_from("<Q", data, 8)
        images = 0
        text = strip = None
        while at:
            (count,) = struct.unpack_from("<Q", data, at)
            fields = {}
            for entry in range(count):
                tag, kind, number, value = struct.unpack_from("<HHQQ", data, at + 8 + 20 * entry)
                fields[tag] = (kind, number, value)
            if images == 0:
                _, number, place = fields[270]
                text = data[place:place + number - 1].decode()
                strip = fields[273][2]
            images += 1
            (at,) = struct.unpack_from("<Q", data, at + 8 + 20 * count)
        self.assertEqual(images, VOXELS[2])
        pixels = ElementTree.fromstring(text).find(".//{*}Pixels").attrib
        self.assertEqual([int(pixels["Size" + axis]) for axis in "XYZCT"], [*VOXELS, 1, 1])
        self.near([float(pixels["PhysicalSize" + axis]) for axis in "XYZ"], PITCH)
        self.assertEqual({pixels[f"PhysicalSize{axis}Unit"] for axis in "XYZ"}, {"mm"})
        step = (max(self.voxels) - min(self.voxels)) / 65535
        self.near([step * x + min(self.voxels) for x in shorts(data[strip:strip + 2 * COUNT])],
                  self.voxels, 0.51 * step)
        self.read_back("v.ome.tif", step)

    def elements(self, data):
        """The elements of an explicit little-endian DICOM file by their tags."""
        self.assertEqual(data[128:132], b"DICM")
        found = {}
        at = 132
        while at < len(data):
            group, element, kind, length = struct.unpack_from("<HH2sH", data, at)
            at += 8
            if kind in (b"OB", b"OW", b"UN", b"SQ"):
                (length,) = struct.unpack_from("<I", data, at)
                at += 4
            found[group, element] = data[at:at + length]
            at += length
        return found

    def test_dicom(self):
        self.fail_with(2, ["must be uint16"], "reconstruct", self.description, "--out",
                       self.folder / "v.dcm")
        folder = self.reconstruct("v.dcm", "--type", "uint16")
        slices = sorted(folder.iterdir())
        self.assertEqual(len(slices), VOXELS[2])
        plane = VOXELS[0] * VOXELS[1]
        for z, path in enumerate(slices):
            found = self.elements(path.read_bytes())
            numbers = lambda *tag: [float(x) for x in found[tag].decode().split("\\")]
            self.near(numbers(0x20, 0x32), (FIRST[0], FIRST[1], FIRST[2] + z * PITCH[2]))
            self.assertEqual(numbers(0x20, 0x37), [1, 0, 0, 0, 1, 0])
            self.assertEqual(numbers(0x28, 0x30), [PITCH[1], PITCH[0]])
            size = [struct.unpack("<H", found[0x28, at])[0] for at in (0x11, 0x10)]
            self.assertEqual(size, [VOXELS[0], VOXELS[1]])
            (intercept,), (slope,) = numbers(0x28, 0x1052), numbers(0x28, 0x1053)
            self.near([slope * x + intercept for x in shorts(found[0x7FE0, 0x10])],
                      self.voxels[z * plane:(z + 1) * plane], 0.51 * slope)
        self.read_back("v.dcm", slope)


if __name__ == "__main__":
    unittest.main()
