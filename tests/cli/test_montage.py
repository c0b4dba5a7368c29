"""The same slice with several values of one option or field, side by side on a sheet."""

import os
import signal
import struct
import unittest

from support import GantryTest, start

HAS_DESKTOP = os.environ.get("GANTRY_DESKTOP", "1") == "1"  # whether this build can draw text
needs_desktop = unittest.skipUnless(HAS_DESKTOP, "text on sheets needs the desktop's libraries")
PITCH = 4.0  # mm
AXIS_ERROR = 7.0  # mm, seen at a magnification of 1100/600
TRUE_OFFSET = -AXIS_ERROR * 1100 / 600  # mm, of the detector along u


def size_of(png):
    """Columns and rows of a PNG."""
    data = png.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[12:16] == b"IHDR"
    return struct.unpack(">II", data[16:24])


class Montage(GantryTest):
    SCAN = ["--views", 90, "--detector", "101x95", "--pitch-mm", PITCH, "--phantom-scale-mm", 75,
            "--noise", 10000, "--center-of-rotation-error-mm", AXIS_ERROR]

    def test_the_true_centre_is_the_sharpest(self):
        offsets = [0, TRUE_OFFSET / 2, TRUE_OFFSET, TRUE_OFFSET * 1.4]
        found = self.document("montage", self.scan, "--over",
                              "detector.offsetMm[0]=" + ",".join(map(str, offsets)))
        self.assertEqual(found["field"], "detector.offsetMm[0]")
        self.assertEqual(found["unit"], "mm")
        self.assertEqual([each["value"] for each in found["values"]], offsets)
        self.assertEqual(found["best"], TRUE_OFFSET)
        self.assertEqual(found["values"][2]["sharpness"], 1)
        self.assertLess(found["values"][0]["sharpness"], 0.99)
        self.assertTrue(all(each["seconds"] > 0 for each in found["values"]))
        self.assertIsNone(found["sheet"])
        # The same field in terms of the axis; the table marks the sharpest.
        true_column = 50 - TRUE_OFFSET / PITCH
        text = self.succeed("montage", self.scan, "--over",
                            f"detector.axisColumn={true_column - 2}..{true_column + 2}/5")
        self.assertRegex(text, rf"{true_column:.4f}\d* px +\d\.\d\d s +1\.000 \*")

    @needs_desktop
    def test_pictures_are_side_by_side_on_a_sheet(self):
        sheet = self.folder / "größer 'n \"sheet\".png"
        found = self.document("montage", self.scan, "--over", "detector.rollDeg=-1..1/4", "--out",
                              sheet)
        self.assertEqual(found["sheet"], str(sheet))
        columns, rows = size_of(sheet)
        self.assertGreater(columns, 2 * 400)
        self.assertGreater(rows, 2 * 400)

    @needs_desktop
    def test_a_sheet_of_before_is_replaced(self):
        sheet = self.folder / "sheet.PNG"
        sheet.write_text("of before")
        self.succeed("montage", self.scan, "--rings", "sorting", "--over", "ring-width=5,11,21",
                     "--size-px", 100, "--out", sheet)
        columns, rows = size_of(sheet)
        self.assertGreater(columns, 3 * 100)
        self.assertLess(rows, 400)

    @unittest.skipIf(HAS_DESKTOP, "it can draw sheets")
    def test_without_a_desktop_there_are_values_and_no_sheet(self):
        self.fail_with(2, ["--out", "no desktop", "--json"], "montage", self.scan, "--over",
                       "cutoff=0.5,1", "--out", "s.png", cwd=self.folder)

    def test_options_are_varied_by_their_word(self):
        found = self.document("montage", self.scan, "--rings", "sorting", "--over",
                              "ring-width=5,11,21", "--slice", "coronal", "--at-mm", 10)
        self.assertEqual(found["field"], "prep.ringWidthPx")
        self.assertEqual([each["value"] for each in found["values"]], [5, 11, 21])
        self.assertEqual([each["sharpness"] for each in found["values"]], [None] * 3)
        self.assertIsNone(found["best"])
        self.assertEqual((found["slice"], found["atMm"]), ("coronal", 10))
        words = self.document("montage", self.scan, "--over", "window=hann,cosine", "--voxels", 40)
        self.assertEqual([each["value"] for each in words["values"]], ["hann", "cosine"])

    def test_a_slice_that_stays_as_sharp_has_no_best(self):
        """A start angle only turns the slice, so that no picture is sharper."""
        turned = self.document("montage", self.scan, "--over", "trajectory.startDeg=0,30")
        self.assertIsNone(turned["best"])

    def test_wrong_requests(self):
        (self.folder / "a_folder.png").mkdir()
        for words, parts in [
                (["--over", "rings.width=5,7"], ["rings.width", "prep.ringWidthPx"]),
                (["--over", "ring-width=5,7"], ["prep.ringWidthPx", "no effect", "ring removal"]),
                (["--over", "threads=1,2"], ["threads", "does not depend"]),
                (["--over", "type=uint8,uint16"], ["output.type", "does not depend"]),
                (["--over", "cutoff=0.5,2"], ["filter.cutoff is 2", "0.05 to 1"]),
                (["--over", "cutoff=0.5,x"], ["filter.cutoff", "'x'"]),
                (["--over", "detector.rollDeg=0,80"], ["detector.rollDeg", "80"]),
                (["--rings", "sorting", "--over", "ring-width=5,6"], ["prep.ringWidthPx", "6", "odd"]),
                (["--over", "cutoff=0.5"], ["2 to 64 values", "there is one"]),
                (["--over", "cutoff=0.1..1/65"], ["2 to 64 values", "there are 65"]),
                (["--over", "cutoff=0.5,0.5"], ["0.5 twice"]),
                (["--over", "cutoff"], ["--over is 'cutoff'"]),
                (["--over", "detector.columns=90,101"], ["detector"]),
                ([], ["--over"]),
                (["--over", "cutoff=0.5,1", "--at-mm", 900], ["--at-mm is 900 mm", "z ="]),
                (["--over", "cutoff=0.5,1", "--slice", "oblique"], ["--slice is 'oblique'"]),
                (["--over", "cutoff=0.5,1", "--size-px", 9], ["--size-px is 9 px"]),
                (["--over", "cutoff=0.5,1", "--out", "s.jpg"], ["s.jpg", ".png"]),
                (["--over", "cutoff=0.5,1", "--out", "no/s.png"], ["no/s.png", "does not exist"]),
                (["--over", "cutoff=0.5,1", "--out", "a_folder.png"], ["a_folder.png"])]:
            with self.subTest(words=words):
                self.fail_with(2, parts, "montage", self.scan, *words, cwd=self.folder)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["a_folder.png"])

    @needs_desktop
    def test_no_display_is_needed(self):
        bare = {name: value for name, value in os.environ.items()
                if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
        self.succeed("montage", self.scan, "--over", "cutoff=0.5,1", "--out", "s.png",
                     cwd=self.folder, env=bare)
        size_of(self.folder / "s.png")

    @needs_desktop
    def test_cancelled_leaves_nothing(self):
        process = start("montage", self.scan, "--rings", "sorting", "--voxels", 1000, "--over",
                        "ring-width=3..129/64", "--out", "sheet.png", cwd=self.folder)
        self.assertIn("Reconstructing", process.stderr.readline())  # a quarter is done
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual(said.splitlines()[-1], "gantry: cancelled.")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
