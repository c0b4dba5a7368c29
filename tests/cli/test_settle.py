"""A scan in the layout of a scanner's maker, in all combinations of what its description leaves
open: the views show which it is, but for the handedness, which no view tells."""

import array
import itertools
import json
import os
import re
import unittest

from scanner_files import Nikon, NorthStar, Phoenix, SimulatedScan, SkyScan, write_tiff
from support import GantryTest, run

SOD, SDD, VIEWS = 400, 800, 90
COLUMNS, ROWS, PITCH = 65, 56, 4.0
FLIPS = {"mirrored": ("yes", "no"), "firstRow": ("top", "bottom")}
ROTATIONS = ("counter-clockwise", "clockwise")
SIGNS = ("stated", "negated")
# All combinations take a minute where there are 64.
ALL = "GANTRY_TEST_ALL" in os.environ


def is_tried(answers, questions):
    """Chooses one of four orders of columns and rows, so that each answer meets each other one."""
    other = [answers[name] != choices[0] for name, choices in questions.items()]
    flips, rest = other[:2], other[2:]
    return len(rest) < 4 or flips == [sum(rest[:3]) % 2 == 1, sum(rest[1:]) % 2 == 1]


def put(text, **values):
    """The text with other values of its keys."""
    for key, value in values.items():
        text, count = re.subn(rf"(?m)^({re.escape(key)}=)[^\r\n]*", rf"\g<1>{value}", text)
        assert count == 1, key
    return text


class Layout:
    """A maker's description, changed so that other answers to its questions are right."""

    maker = None
    questions = {}  # the usual answer first
    open = set()  # questions that views of so small a scan cannot settle
    words = ()
    usual_mirrored = "no"

    def name(self, view):
        raise NotImplementedError

    def changed(self, text, answers, right, up):
        """right, up: -1 where columns or rows are stored the other way than usual."""
        raise NotImplementedError

    def expected(self, answers):
        """With the usual order of columns and rows, a mirrored volume turns the other way."""
        found = dict(answers, mirrored=self.usual_mirrored, firstRow="top")
        if answers["mirrored"] != self.usual_mirrored:
            found["rotation"] = ROTATIONS[1 - ROTATIONS.index(answers["rotation"])]
        return found


class NikonLayout(Layout):
    usual_mirrored = "yes"
    questions = dict(FLIPS, rotation=ROTATIONS, axisOffset=SIGNS, axisRoll=SIGNS,
                     detectorOffsetY=SIGNS)

    def __init__(self):
        self.maker = Nikon()
        self.maker.object_offset = 7
        self.maker.detector_offset = (1.5, -20)
        self.maker.roll_deg = 5
        self.words = self.maker.simulation(SOD, VIEWS, 360)

    def name(self, view):
        return f"Part 7_{view + 1:04}.tif"

    def changed(self, text, answers, right, up):
        sign = {name: 1 if answers[name] == "stated" else -1
                for name in ("axisOffset", "axisRoll", "detectorOffsetY")}
        maker = self.maker
        return put(text, ObjectOffsetX=right * sign["axisOffset"] * maker.object_offset,
                   ObjectRoll=right * up * sign["axisRoll"] * maker.roll_deg,
                   DetectorOffsetX=right * maker.detector_offset[0],
                   DetectorOffsetY=up * sign["detectorOffsetY"] * maker.detector_offset[1])


class SkyScanLayout(Layout):
    roll_deg = 4
    questions = dict(mirrored=("no", "yes"), firstRow=("top", "bottom"), rotation=ROTATIONS,
                     opticalAxis=("last row", "first row"), postalignment=SIGNS,
                     imageRotation=("stated", "negated"))
    open = {"pixelRatio"}

    def __init__(self):
        self.maker = SkyScan()
        self.maker.postalignment = 4.25
        self.maker.optical_axis = 22.5
        self.words = [*self.maker.simulation(SOD, VIEWS, 360, ROWS, PITCH), "--roll-deg",
                      self.roll_deg]

    def name(self, view):
        return f"bone_{view:04}.tif"

    def changed(self, text, answers, right, up):
        line = self.maker.optical_axis
        if (answers["opticalAxis"] == "last row") != (up > 0):
            line = ROWS - line
        shift = right * self.maker.postalignment
        # The roll is stated as seen from the source, whatever the images' order.
        roll = self.roll_deg if answers["imageRotation"] == "stated" else -self.roll_deg
        text = put(text, **{"Optical Axis (line)": line, "CameraXYRatio": 1,
                            "Postalignment": shift if answers["postalignment"] == "stated"
                            else -shift})
        return text.replace("[Acquisition]", f"[Acquisition]\r\nImage Rotation (deg)={roll}")

    def expected(self, answers):
        found = super().expected(answers)
        if (answers["mirrored"] == "yes") != (answers["firstRow"] == "bottom"):
            found["imageRotation"] = SIGNS[1 - SIGNS.index(answers["imageRotation"])]
        return found


class PhoenixLayout(Layout):
    questions = dict(mirrored=("no", "yes"), firstRow=("top", "bottom"), rotation=ROTATIONS,
                     axisOffset=SIGNS)
    open = {"axisShift"}  # the two differ by half the fan's angle of 4.5 pixels

    def __init__(self):
        self.maker = Phoenix()
        self.maker.calib = -4.5
        self.words = self.maker.simulation(SOD, SDD, VIEWS, PITCH)

    def name(self, view):
        return f"shell_{view + 1:04}.tif"

    def changed(self, text, answers, right, up):
        sign = 1 if answers["axisOffset"] == "stated" else -1
        return put(text, CalibValue=right * sign * self.maker.calib)


class Settling(GantryTest):
    def written(self, layout):
        made = self.folder / "made"
        done = run("simulate", "--phantom", "spheres", "--phantom-scale-mm", 55, "--detector",
                   f"{COLUMNS}x{ROWS}", "--pitch-mm", PITCH, "--sdd-mm", SDD, *layout.words,
                   "--frames", 2, "--compression", "none", "--out", made)
        self.assertEqual(done.returncode, 0, done.stderr)
        scan = SimulatedScan(made)
        folder = self.folder / "scanner"
        folder.mkdir()
        return scan, layout.maker.write(scan, folder)

    def stored(self, scan, layout, file, mirrored, upside_down, clockwise):
        """A folder with the images in another order of columns, rows and views."""
        folder = self.folder / f"{mirrored}-{upside_down}-{clockwise}"
        if folder.exists():
            return folder / file.name
        folder.mkdir()
        turn = round(360 / (scan.trajectory["arcDeg"] / scan.views))
        for view in range(scan.views):
            pixels = scan.image((turn - view) % turn if clockwise else view, mirrored)
            if upside_down:
                n = scan.columns
                pixels = array.array("H", itertools.chain.from_iterable(
                    pixels[row * n:(row + 1) * n] for row in reversed(range(scan.rows))))
            write_tiff(folder / layout.name(view), scan.columns, scan.rows, pixels)
        return folder / file.name

    def check(self, layout):
        scan, usual = self.written(layout)
        text = usual.read_bytes().decode("latin-1")
        for choices in itertools.product(*layout.questions.values()):
            answers = dict(zip(layout.questions, choices))
            if not ALL and not is_tried(answers, layout.questions):
                continue
            is_swapped = answers["mirrored"] != layout.usual_mirrored
            is_down = answers["firstRow"] == "bottom"
            file = self.stored(scan, layout, usual, answers["mirrored"] == "yes", is_down,
                               answers["rotation"] == "clockwise")
            file.write_bytes(layout.changed(text, answers, -1 if is_swapped else 1,
                                            -1 if is_down else 1).encode("latin-1"))
            found = self.document("doctor", file)
            self.assertFalse(found["fitsBadly"], answers)
            expected = layout.expected(answers)
            for one in found["questions"]:
                with self.subTest(question=one["name"], how=one["how"], **answers):
                    if one["name"] in FLIPS:
                        self.assertIn("cannot tell, a mirror image", one["how"])
                    elif one["name"] not in layout.open:
                        self.assertIn("found on the views", one["how"])
                    if one["name"] in expected:
                        self.assertEqual(one["taken"], expected[one["name"]])
        return file

    def test_nikon(self):
        file = self.check(NikonLayout())
        # What was found is written down; what a person says stays.
        out = file.with_name("scan.json")
        text = self.succeed("doctor", file.parent, "--assume", "mirrored=no", "--out", out)
        self.assertIn("mirrored: no, as told\n", text)
        self.assertRegex(text, r"rotation: clockwise, found on the views \((sure|likely)\)")
        written = json.loads(out.read_text())["description"]
        self.assertEqual(written["format"], "Nikon X-Tek")
        self.assertEqual(written["file"], file.name)
        self.assertIn("mirrored=no; as told", written["answers"])
        self.succeed("inspect", out)
        out.unlink()
        self.assertIn("planes differ", self.succeed("doctor", file, "--all"))
        self.fail_with(2, ["--preset maker"], "reconstruct", self.scan / "scan.json", "--preset",
                       "maker", "--out", self.folder / "a.mha")
        self.fail_with(2, ["--picture", "--all"], "doctor", file, "--picture",
                       self.folder / "a.png")

    def test_skyscan(self):
        file = self.check(SkyScanLayout())
        # The filter of the scanner's program, but where the command line says otherwise.
        text = file.read_bytes().replace(b"description=Hamming (Alpha=0.54)", b"description=Hann")
        file.write_bytes(text + b"Beam Hardening Correction (%)=15\r\n")
        self.assertIn("filter Hann (bone_.log:", self.succeed("inspect", file))
        words = ["reconstruct", file, "--voxels", 8, "--preset", "maker"]
        done = run(*words, "--out", self.folder / "a.mha")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"filter Hann \(bone_.log:\d+ .*\): filter.window = hann\n")
        self.assertRegex(done.stderr, r"beam hardening 15 % .*: not taken, it is in terms of NRecon")
        done = run(*words, "--window", "cosine", "--out", self.folder / "b.mha")
        self.assertRegex(done.stderr, r"filter Hann .*: not taken, as another option says otherwise")

    def test_phoenix(self):
        self.check(PhoenixLayout())

    def test_north_star(self):
        maker = NorthStar()
        layout = Layout()
        layout.maker = maker
        layout.words = maker.simulation(SOD, VIEWS, 360)
        _, file = self.written(layout)
        for clockwise in ("False", "True"):
            text = re.sub(r"<clockwise>.*", f"<clockwise>{clockwise}", file.read_text())
            file.write_text(text)
            found, = self.document("doctor", file)["questions"]
            self.assertEqual(found["taken"], "counter-clockwise")
            self.assertEqual(found["how"], "found on the views (sure)")


if __name__ == "__main__":
    unittest.main()
