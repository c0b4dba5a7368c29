"""Scans in the layouts of scanners' makers are opened by one command, as sharp and as dense as the
same scan from its scan.json."""

import array
import itertools
import json
import math
import shutil
import statistics
import unittest

from more_scanner_files import Diondo, Elekta, Rigaku, Tescan, Varian, VarianObi, Yxlon
from scanner_files import (Nikon, NorthStar, Phoenix, SimulatedScan, SkyScan, Xradia, read_tiff,
                           write_tiff)
from support import GantryTest, run

SOD, SDD, VIEWS = 400, 800, 120
COLUMNS, ROWS, PITCH = 64, 48, 4.0
WIDE = 6.0  # shows the open beam beside the object, for makers whose files do not state it


def voxels(path):
    """Reads a volume of floats."""
    data = path.read_bytes()
    end = data.index(b"\n", data.index(b"ElementDataFile")) + 1
    values = array.array("f")
    values.frombytes(data[end:])
    return values


class Makers(GantryTest):
    voxel_mm = 4
    grid = ()

    def simulated(self, words, pitch=PITCH, sdd=SDD, margin=0):
        """The folder of `gantry simulate WORDS`. margin: pixels that the detector has more on each
        side"""
        made = self.folder / "made"
        size = f"{COLUMNS + 2 * margin}x{ROWS + 2 * margin}"
        done = run("simulate", "--phantom", "shepp-logan", "--phantom-center-mm", "9,-14,6",
                   "--detector", size, "--pitch-mm", pitch, "--sdd-mm", sdd, *words, "--frames", 2,
                   "--compression", "none", "--out", made)
        self.assertEqual(done.returncode, 0, done.stderr)
        return made

    def written(self, maker, words, margin=0):
        """The scan of `gantry simulate WORDS` and a folder with it in the maker's layout."""
        made = self.simulated(words, margin=margin)
        folder = self.folder / "scanner"
        folder.mkdir()
        return made, maker.write(SimulatedScan(made), folder)

    def compare(self, made, file):
        """Reconstructs both on the same voxels. Counts are whole numbers and the makers' are
        corrected once more, which leaves a thousandth; a wrong sign or pixel changes a tenth."""
        if not (self.folder / "json.mha").exists():
            self.reconstruct(made / "scan.json", "json.mha")
        return self.compare_to_json(file.parent)

    def reconstruct(self, scan, name):
        done = run("reconstruct", scan, "--voxels", 40, "--pitch-mm", self.voxel_mm,
                   *self.grid, "--out", self.folder / name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def differences(self):
        """Compares the folder's volume with that of the scan.json: the ratio of the levels in what
        is dense, and the rms as a share of that level."""
        expected, found = voxels(self.folder / "json.mha"), voxels(self.folder / "folder.mha")
        self.assertEqual(len(expected), len(found))
        limit = 0.3 * max(expected)
        dense = [i for i, value in enumerate(expected) if value > limit]
        level = statistics.fmean(expected[i] for i in dense)
        rms = math.sqrt(statistics.fmean((a - b) ** 2 for a, b in zip(expected, found)))
        return statistics.fmean(found[i] for i in dense) / level, rms / level

    def compare_to_json(self, scan):
        said = self.reconstruct(scan, "folder.mha")
        ratio, rms = self.differences()
        self.assertAlmostEqual(ratio, 1, delta=0.005)
        self.assertLess(rms, 0.01)
        return said

    def check_both_ways(self, maker, made):
        """The maker's files as they are read at first, and with the other answer to what they leave
        open."""
        for other in (False, True):
            folder = self.folder / f"scanner{int(other)}"
            folder.mkdir()
            file = maker.write(SimulatedScan(made), folder, other)
            if not other:
                self.compare(made, file)
                continue
            self.rewritten(file, *maker.answers)
            self.compare_to_json(self.folder / "as.json")

    def rewritten(self, file, *answers):
        """The scan.json that inspect writes of a maker's file."""
        out = self.folder / "as.json"
        words = [word for answer in answers for word in ("--assume", answer)]
        self.document("inspect", file, *words, "--write", out)
        return json.loads(out.read_text())

    def test_nikon(self):
        maker = Nikon()
        made, file = self.written(maker, maker.simulation(SOD, VIEWS, 361.5))
        said = self.compare(made, file)
        self.assertIn("is described by Part 7.xtekct", said)
        text = self.succeed("inspect", file)
        self.assertIn("(certain; Part 7.xtekct:6 [XTekCT] SrcToObject)", text)
        self.assertIn("rotation=counter-clockwise", text)

        # Columns and rotation changed together make the mirror image, which is as sharp.
        mirrored = self.rewritten(file, "mirrored=no", "rotation=clockwise")
        as_read = self.rewritten(file)
        self.assertAlmostEqual(mirrored["trajectory"]["sourceOffsetMm"][0],
                               -as_read["trajectory"]["sourceOffsetMm"][0])
        self.assertEqual(mirrored["trajectory"]["arcDeg"], -as_read["trajectory"]["arcDeg"])
        self.assertAlmostEqual(mirrored["detector"]["rollDeg"], -as_read["detector"]["rollDeg"])

        # One view of the folder leads to the description, too.
        self.succeed("reconstruct", file.parent / "Part 7_0004.tif", "--voxels", 12, "--out",
                     self.folder / "one.mha")
        self.succeed("geometry", "convert", file, self.folder / "out.xml")
        self.fail_with(2, ["rotation", "clockwise"], "inspect", file, "--assume", "rotation=left")
        self.fail_with(2, ["no question turn"], "inspect", file, "--assume", "turn=left")
        self.fail_with(2, ["QUESTION=ANSWER"], "inspect", file, "--assume", "left")

        second = file.with_name("Part 7_01.xtekct")
        shutil.copy(file, second)
        self.fail_with(2, ["two descriptions", file.name, second.name], "reconstruct", file.parent,
                       "--out", self.folder / "no.mha")
        self.fail_with(2, ["two descriptions"], "inspect", file.parent)

    def test_skyscan(self):
        maker = SkyScan()
        made, file = self.written(maker, maker.simulation(SOD, VIEWS, 360, ROWS, PITCH))
        self.compare(made, file)
        # Where the log lacks the open beam, the images show it: flat beside the object, they are
        # rounded, so that the brightest is that to a thousandth.
        without = file.read_text().replace("Reference Intensity", "Ref")
        (file.parent / "other").mkdir()
        (file.parent / "other" / "b.log").write_text(without)
        flat = self.rewritten(file.parent / "other" / "b.log")["projections"]["flatValue"]
        self.assertAlmostEqual(flat / 60000, 1, delta=0.005)

        # The log of a reconstruction lies in a folder below, with the axis that it took.
        below = file.parent / "bone_Rec"
        below.mkdir()
        file.rename(below / "bone__rec.log")
        self.compare(made, below / "bone__rec.log")
        other = self.rewritten(below / "bone__rec.log", "postalignment=negated", "firstRow=bottom")
        self.assertAlmostEqual(other["detector"]["offsetMm"][0], 1.25 * PITCH)

    def test_skyscan_of_a_parallel_beam(self):
        """Views that were shifted at random make the volume of still ones, over half a turn and a
        whole one."""
        maker = SkyScan()
        maker.margin = 4
        # Shifts of views, whose mean is not 0, move the middle of what all views see.
        self.grid = ("--center-mm", "0,0,-14")
        for arc in (180, 360):
            with self.subTest(arc=arc):
                words = maker.simulation(None, VIEWS, arc, ROWS, PITCH)
                made, file = self.written(maker, words + ["--phantom-scale-mm", 60], maker.margin)
                # Where nothing says that the shifts are used, they are left out.
                self.reconstruct(made / "scan.json", "json.mha")
                self.reconstruct(file.parent, "folder.mha")
                self.assertGreater(self.differences()[1], 0.03)
                found = file.parent / "best.json"
                said = self.succeed("doctor", file, "--out", found)
                self.assertIn("viewShifts: stated, found on the views", said)
                self.compare_to_json(found)
                self.rewritten(file, "viewShifts=stated")
                self.compare_to_json(self.folder / "as.json")
                shutil.rmtree(made)
                shutil.rmtree(file.parent)

    def test_phoenix(self):
        maker = Phoenix()
        made, file = self.written(maker, maker.simulation(SOD, SDD, VIEWS, PITCH))
        self.compare(made, file)

    def test_north_star(self):
        maker = NorthStar()
        made, file = self.written(maker, maker.simulation(SOD, VIEWS, 360))
        self.compare(made, file)
        self.succeed("doctor", file, "--out", file.with_name("best.json"))
        file.with_name("best.json").unlink()
        # The same images stored on their side: a quarter turn clockwise, and three more on reading.
        for image in (*file.parent.glob("Radiographs-part/*"),
                      *file.parent.glob("Corrections/*.tif")):
            columns, rows, pixels = read_tiff(image)
            write_tiff(image, rows, columns, array.array("H", [
                pixels[(rows - 1 - column) * columns + row]
                for row in range(columns) for column in range(rows)]))
        text = file.read_text().replace("<rotate>0", "<rotate>270")
        text = text.replace(f"<width pixels>{COLUMNS}", f"<width pixels>{ROWS}")
        file.write_text(text.replace(f"<height pixels>{ROWS}", f"<height pixels>{COLUMNS}"))
        self.compare(made, file)
        self.assertIn("part.nsipro:19 [Result] source", self.succeed("inspect", file))
        # Bad pixels are named as they are stored.
        self.succeed("inspect", file, "--defects", file.with_name("bad.tif"))
        written = self.rewritten(file)
        self.assertEqual(written["detector"]["turnDeg"], 270)

    def test_xradia(self):
        """Whatever the answers of the open questions are, the file opens as the same scan."""
        maker = Xradia()
        self.voxel_mm = 2  # about what all windows see whole
        words = maker.simulation(SOD, VIEWS, 360, PITCH) + ["--phantom-scale-mm", 30]
        made, file = self.written(maker, words, maker.margin)
        said = self.compare(made, file)
        self.assertIn("is described by shell.txrm", said)
        text = self.succeed("inspect", file)
        self.assertIn("shell.txrm [ImageInfo] Angles", text)
        self.assertIn("120 of 123 images", text)
        self.succeed("geometry", "convert", file, self.folder / "out.csv")

        scan = SimulatedScan(made)
        names = list(maker.questions)
        for answers in itertools.product((False, True), repeat=len(names)):
            other = [name for name, is_other in zip(names, answers) if is_other]
            maker.write(scan, file.parent, other)
            with self.subTest(other=other):
                self.rewritten(file, *(f"{name}={maker.questions[name]}" for name in other))
                self.compare_to_json(self.folder / "as.json")

        # What is not a matter of handedness shows in the volume if it is answered wrongly.
        maker.write(scan, file.parent)
        for wrong in ("rotation=counter-clockwise", "axisOffset=negated", "shiftY=negated",
                      "shifts=left out"):
            self.rewritten(file, wrong)
            self.reconstruct(self.folder / "as.json", "folder.mha")
            self.assertGreater(self.differences()[1], 0.03, wrong)

    def test_xradia_of_a_parallel_beam(self):
        """Views that are shifted one by one make the volume of still ones, over half a turn and a
        whole one."""
        maker = Xradia()
        for arc in (180, 360):
            with self.subTest(arc=arc):
                words = ["--beam", "parallel", "--start-deg", 20, "--views", VIEWS, "--arc-deg",
                         arc, "--phantom-scale-mm", 60, "--offset-mm",
                         f"{maker.center_shift * PITCH},0"]
                made, file = self.written(maker, words, maker.margin)
                # Where nothing says that they are used, the images are taken as shifted already.
                self.reconstruct(made / "scan.json", "json.mha")
                self.reconstruct(file.parent, "folder.mha")
                self.assertGreater(self.differences()[1], 0.03)
                self.assertIn("the views are shifted at random", self.succeed("inspect", file))
                said = self.succeed("doctor", file, "--out", self.folder / f"best{arc}.json")
                self.assertIn("shifts: used, found on the views", said)
                for other in ([], ["firstRow", "shiftY"], ["mirrored", "axisOffset"]):
                    maker.write(SimulatedScan(made), file.parent, other)
                    self.rewritten(file, "shifts=used",
                                   *(f"{name}={maker.questions[name]}" for name in other))
                    self.compare_to_json(self.folder / "as.json")
                shutil.rmtree(made)
                shutil.rmtree(file.parent)

    def test_tescan(self):
        maker = Tescan()
        self.check_both_ways(maker, self.simulated(maker.simulation(SOD, SDD, VIEWS, PITCH)))

    def test_rigaku(self):
        maker = Rigaku()
        self.check_both_ways(maker, self.simulated(maker.simulation(SOD, VIEWS)))

    def test_yxlon(self):
        maker = Yxlon()
        self.check_both_ways(maker, self.simulated(maker.simulation(SOD, VIEWS, WIDE), WIDE))

    def test_diondo(self):
        maker = Diondo()
        self.check_both_ways(maker, self.simulated(maker.simulation(SOD, SDD, VIEWS, WIDE), WIDE))

    def test_varian(self):
        maker = Varian()
        self.check_both_ways(maker, self.simulated(maker.simulation(SOD, VIEWS)))

    def test_varian_obi(self):
        maker = VarianObi()
        self.check_both_ways(maker, self.simulated(maker.simulation(SOD, VIEWS)))

    def test_elekta(self):
        maker = Elekta()
        self.check_both_ways(maker, self.simulated(maker.simulation(VIEWS), 409.6 / COLUMNS, 1536))


if __name__ == "__main__":
    unittest.main()
