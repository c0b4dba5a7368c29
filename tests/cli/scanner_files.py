"""Writes a simulated scan in the layouts of scanners' makers, from what is published of their files.

Nothing here is taken from the readers: geometry is derived from the meaning of the makers' keys.
"""

import array
import itertools
import json
import math
import struct
from random import Random

from ole_files import write_ole


def read_tiff(path):
    """The only page of an uncompressed TIFF of 16-bit numbers: (columns, rows, pixels)."""
    data = path.read_bytes()
    assert data[:4] == b"II*\0", path
    begin = struct.unpack_from("<I", data, 4)[0]
    tags = {}
    for i in range(struct.unpack_from("<H", data, begin)[0]):
        tag, kind, count, value = struct.unpack_from("<HHII", data, begin + 2 + 12 * i)
        size, code = {3: (2, "H"), 4: (4, "I")}.get(kind, (0, ""))
        if not code:
            continue
        at = begin + 2 + 12 * i + 8 if size * count <= 4 else value
        tags[tag] = struct.unpack_from(f"<{count}{code}", data, at)
    assert tags.get(259, (1,))[0] == 1 and tags[258][0] == 16, tags
    pixels = array.array("H")
    for offset, size in zip(tags[273], tags[279]):
        pixels.frombytes(data[offset:offset + size])
    return tags[256][0], tags[257][0], pixels


def write_tiff(path, columns, rows, pixels):
    """One page of 16-bit numbers."""
    entries = [(256, 4, columns), (257, 4, rows), (258, 3, 16), (259, 3, 1), (262, 3, 1),
               (273, 4, 8), (277, 3, 1), (278, 4, rows), (279, 4, 2 * columns * rows)]
    body = pixels.tobytes()
    ifd = struct.pack("<H", len(entries))
    for tag, kind, value in entries:
        ifd += struct.pack("<HHII", tag, kind, 1, value)
    path.write_bytes(b"II*\0" + struct.pack("<I", 8 + len(body)) + body + ifd +
                     struct.pack("<I", 0))


class SimulatedScan:
    """A scan of `gantry simulate`, corrected for its dark and flat fields as scanners do it."""

    def __init__(self, folder):
        document = json.loads((folder / "scan.json").read_text())
        self.trajectory = document["trajectory"]
        self.detector = document["detector"]
        self.columns = self.detector["columns"]
        self.rows = self.detector["rows"]
        self.pitch = self.detector["pitchMm"][0]
        self.views = self.trajectory["views"]
        self.white = 60000
        mean = {}
        for kind in ("dark", "flat"):
            frames = [read_tiff(path)[2] for path in sorted((folder / kind).iterdir())]
            mean[kind] = [sum(values) / len(frames) for values in zip(*frames)]
        self.images = []
        for path in sorted((folder / "proj").iterdir()):
            counts = read_tiff(path)[2]
            self.images.append(array.array("H", [
                min(65535, max(1, round(self.white * (c - d) / (f - d))))
                for c, d, f in zip(counts, mean["dark"], mean["flat"])]))

    def image(self, view, mirrored, upside_down=False):
        """Row 0 is the top or the lowest; columns run from left to right, seen from the source, or
        back."""
        n = self.columns
        rows = [self.images[view][row * n:(row + 1) * n] for row in range(self.rows)]
        return array.array("H", [
            value for row in (reversed(rows) if upside_down else rows)
            for value in (reversed(row) if mirrored else row)])

    def window(self, view, margin, shift):
        """The lines of an image that lacks so many pixels on each side, moved to the right and
        down: all that it shows is seen as far left and up."""
        right, down = shift
        columns, rows = self.columns - 2 * margin, self.rows - 2 * margin
        begin = (margin + down) * self.columns + margin + right
        return [self.images[view][begin + row * self.columns:begin + row * self.columns + columns]
                for row in range(rows)]

    def write_raw(self, folder, name, mirrored, upside_down):
        """Little-endian numbers and nothing else."""
        for view in range(self.views):
            (folder / name(view)).write_bytes(self.image(view, mirrored, upside_down).tobytes())

    def even(self, value):
        """An image of one value."""
        return array.array("H", [value]) * (self.columns * self.rows)

    def write_images(self, folder, name, mirrored=False, upside_down=False):
        for view in range(self.views):
            write_tiff(folder / name(view), self.columns, self.rows,
                       self.image(view, mirrored, upside_down))


def rotated(first, second, deg):
    """Coordinates along axes that are turned counter-clockwise by so much."""
    c, s = math.cos(math.radians(deg)), math.sin(math.radians(deg))
    return c * first + s * second, c * second - s * first


class Nikon:
    """An X-Tek .xtekct. Seen from the source, columns run from right to left, and x below to the
    right: the axis stands at x = -ObjectOffsetX in the plane of the object, the detector's middle
    at (-DetectorOffsetX, +DetectorOffsetY); +ObjectRoll leans the axis' top to the right."""

    initial_deg = 40.25
    object_offset = 0.625
    detector_offset = (1.5, -2.25)
    roll_deg = 0.75

    def simulation(self, sod, views, arc_deg):
        """The same scan in terms of `gantry simulate`, whose axis is upright and at 0."""
        # A lean to the right turns clockwise, so along the axis things are turned back.
        source = rotated(self.object_offset, 0, -self.roll_deg)
        detector = rotated(self.object_offset - self.detector_offset[0], self.detector_offset[1],
                           -self.roll_deg)
        return ["--start-deg", self.initial_deg - 180, "--arc-deg", arc_deg, "--views", views,
                "--sod-mm", sod, "--source-offset-mm", "%.12g,%.12g" % source, "--offset-mm",
                "%.12g,%.12g" % detector, "--roll-deg", self.roll_deg]

    def write(self, scan, folder):
        t = scan.trajectory
        values = {
            "Name": "Part 7", "InputSeparator": "_", "InputFolderName": "", "Units": "mm",
            "SrcToObject": t["sourceToIsocenterMm"], "SrcToDetector": t["sourceToDetectorMm"],
            "DetectorPixelsX": scan.columns, "DetectorPixelSizeX": scan.pitch,
            "DetectorPixelsY": scan.rows, "DetectorPixelSizeY": scan.pitch,
            "DetectorOffsetX": self.detector_offset[0], "DetectorOffsetY": self.detector_offset[1],
            "Projections": scan.views, "InitialAngle": self.initial_deg,
            "AngularStep": t["arcDeg"] / scan.views, "WhiteLevel": scan.white,
            "InputName": "Part 7", "InputDigits": 4, "ObjectOffsetX": self.object_offset,
            "ObjectTilt": 0.0, "ObjectRoll": self.roll_deg, "FilterType": 1}
        text = "[XTekCT]\r\n" + "".join(f"{k}={v}\r\n" for k, v in values.items())
        text += "[Xrays]\r\nXraykV=90\r\nNote=\xb5\r\n"
        file = folder / "Part 7.xtekct"
        file.write_bytes(text.encode("latin-1"))
        scan.write_images(folder, lambda view: f"Part 7_{view + 1:04}.tif", mirrored=True)
        return file


class SkyScan:
    """A .log. The camera's logged distance is too short; the pixel size at the object counts. The
    optical axis is counted in rows from the last one's lower edge. Rays of a parallel beam come
    from a source that is a kilometre away.

    margin: where it is greater than 0, each view is a window, as Xradia's are, that is moved at
    random; how far that shifts its picture to the right and down is in _TS.csv, in pixels of the
    camera, of which an image's pixel has 2 x 2."""

    optical_axis = 27.5
    postalignment = 1.25
    margin = 0

    def beam(self, trajectory):
        """The distances of source and detector."""
        if trajectory["type"] == "parallel-beam":
            return 1e6, 1e6 + 500
        return trajectory["sourceToIsocenterMm"], trajectory["sourceToDetectorMm"]

    def simulation(self, sod, views, arc_deg, rows, pitch):
        """sod: None for a parallel beam"""
        # The central ray's row, counted from below, is as far from the middle as the detector is.
        up = (rows / 2 - self.optical_axis) * pitch
        # The axis is seen that many columns right of the middle.
        left = -self.postalignment * pitch
        beam = ["--beam", "parallel"] if sod is None else ["--sod-mm", sod]
        return ["--views", views, "--arc-deg", arc_deg, *beam, "--offset-mm", f"{left},{up}"]

    def write_shifted(self, scan, folder):
        random = Random(20)
        table = "Thermal shifts\r\nof a scan\r\n\r\nin pixels\r\nNumber,X,Y\r\n"
        for view in range(scan.views):
            shift = [random.randint(-self.margin, self.margin) for _ in range(2)]
            lines = scan.window(view, self.margin, shift)
            write_tiff(folder / f"bone_{view:04}.tif", len(lines[0]), len(lines),
                       array.array("H", itertools.chain.from_iterable(lines)))
            table += f"{view},{-2 * shift[0]:.3f},{-2 * shift[1]:.3f}\r\n"
        (folder / "bone__TS.csv").write_bytes(table.encode())

    def write(self, scan, folder):
        t = scan.trajectory
        sod, sdd = self.beam(t)
        text = f"""[System]
Scanner=SkyScan1173
Camera Pixel Size (um)={scan.pitch * 1000 / 2:.9g}
CameraXYRatio=1.0740
[Acquisition]
Filename Prefix=bone_
Number of Files= {scan.views}
Number of Rows= {scan.rows - 2 * self.margin}
Number of Columns= {scan.columns - 2 * self.margin}
Camera binning=2x2
Image Pixel Size (um)={scan.pitch * 1000 * sod / sdd:.9g}
Object to Source (mm)={sod}
Camera to Source (mm)={sdd * 0.98:.3f}
Optical Axis (line)={self.optical_axis}
Reference Intensity={scan.white}
Rotation Step (deg)={t["arcDeg"] / scan.views:.9g}
Use 360 Rotation={"YES" if t["arcDeg"] == 360 else "NO"}
Flat Field Correction=ON
Rotation Direction=CC
Scanning Trajectory=ROUND
[Reconstruction]
Postalignment={self.postalignment}
Filter type=0
Filter type description=Hamming (Alpha=0.54)
Filter cutoff relative to Nyquist frequency=80
"""
        file = folder / "bone_.log"
        file.write_bytes(text.replace("\n", "\r\n").encode())
        if self.margin > 0:
            self.write_shifted(scan, folder)
        else:
            scan.write_images(folder, lambda view: f"bone_{view:04}.tif")
        return file


class Phoenix:
    """A .pca. The axis is CalibValue detector pixels off the central ray, by a shift of the object;
    a last image, of the first angle again, is not counted."""

    calib = -2.5

    def simulation(self, sod, sdd, views, pitch):
        # The axis stands there at the object: everything else is as far on the other side.
        other = -self.calib * pitch * sod / sdd
        return ["--views", views + 1, "--arc-deg", 360 * (views + 1) / views, "--sod-mm", sod,
                "--source-offset-mm", f"{other},0", "--offset-mm", f"{other},0"]

    def write(self, scan, folder):
        t = scan.trajectory
        at_object = scan.pitch * t["sourceToIsocenterMm"] / t["sourceToDetectorMm"]
        text = f"""[General]
Version=2.4
[Geometry]
FDD={t["sourceToDetectorMm"]:.8f}
FOD={t["sourceToIsocenterMm"]:.8f}
VoxelSizeX={at_object:.8f}
CalibValue={self.calib}
cx={(scan.columns - 1) / 2}
cy={(scan.rows - 1) / 2}
DetectorRot=0.0
Tilt=0.0
[CT]
NumberImages={scan.views - 1}
StartImg={scan.views}
RotationSector=360.0
[CalibValue]
NumberImages=18
[Image]
DimX={scan.columns}
DimY={scan.rows}
FreeRay={scan.white}
[Detector]
PixelsizeX={scan.pitch}
PixelsizeY={scan.pitch}
"""
        file = folder / "shell.pca"
        file.write_bytes(text.encode())
        scan.write_images(folder, lambda view: f"shell_{view + 1:04}.tif")
        return file


class NorthStar:
    """A .nsipro. The machine's axes: x to the left, y up, z along the beam, seen from the source;
    the origin is on the rotation axis, which points down and leans by a little. The reference is
    the centre of the first pixel, the upper left one."""

    lean_deg = 0.5  # of the axis' upper end to the right
    offset = (3.0, -1.0)  # of the detector's middle to the right and up

    def simulation(self, sod, views, arc_deg):
        detector = rotated(*self.offset, -self.lean_deg)
        return ["--views", views, "--arc-deg", arc_deg, "--sod-mm", sod, "--offset-mm",
                "%.12g,%.12g" % detector, "--roll-deg", self.lean_deg]

    def write(self, scan, folder):
        t = scan.trajectory
        s, c = math.sin(math.radians(self.lean_deg)), math.cos(math.radians(self.lean_deg))
        left = -(self.offset[0] - (scan.columns - 1) / 2 * scan.pitch)
        up = self.offset[1] + (scan.rows - 1) / 2 * scan.pitch
        depth = t["sourceToDetectorMm"] - t["sourceToIsocenterMm"]
        text = f"""<NSI Reconstruction Project>
  <version>2.0
  <Object Radiograph>
    <file>Radiographs-part\\part-radio*.tif
    <pitch>{scan.pitch} {scan.pitch}
    <number>{scan.views}
    <angleStep>{t["arcDeg"] / scan.views:.9g}
  </Object Radiograph>
  <Correction>
    <flipH>False
    <flipV>False
    <rotate>0
  </Correction>
  <Geometry>
    <Processed>
      <clockwise>False
    </Processed>
    <Result>
      <source>0 0 {-t["sourceToIsocenterMm"]}
      <axis>{s:.15g} {-c:.15g} 0
      <reference>{left:.9g} {up:.9g} {depth:.9g}
      <normal>0 0 1
      <horizontal>-1 0 0
    </Result>
  </Geometry>
  <CT Project Configuration>
    <Scan Type>step
    <Technique Configuration>
      <Detector>
        <width pixels>{scan.columns}
        <height pixels>{scan.rows}
      </Detector>
    </Technique Configuration>
  </CT Project Configuration>
</NSI Reconstruction Project>
"""
        file = folder / "part.nsipro"
        file.write_text(text)
        radiographs = folder / "Radiographs-part"
        corrections = folder / "Corrections"
        radiographs.mkdir()
        corrections.mkdir()
        scan.write_images(radiographs, lambda view: f"part-radio{view:04}.tif")
        same = array.array("H", [scan.white]) * (scan.columns * scan.rows)
        write_tiff(corrections / "gain0.tif", scan.columns, scan.rows, same)
        none = array.array("H", [0]) * (scan.columns * scan.rows)
        write_tiff(corrections / "offset.tif", scan.columns, scan.rows, none)
        return file


class Xradia:
    """A .txrm, which holds its images. Angles grow clockwise; the axis is seen CenterShift columns
    left of the middle of an image that is as it was taken; the reference has the open beam. Each
    view is a window of one that is larger by `margin` on each side, moved by whole pixels, which is
    what X-Shifts and Y-Shifts undo: they are where the window begins, to the right and down.

    Open questions, each False where the likely answer holds: rotation, mirrored, firstRow, the
    signs of CenterShift and of Y-Shifts."""

    margin = 4
    center_shift = -1.5
    questions = {"rotation": "counter-clockwise", "mirrored": "yes", "firstRow": "bottom",
                 "axisOffset": "negated", "shiftY": "negated"}

    def simulation(self, sod, views, arc_deg, pitch):
        return ["--start-deg", 20, "--views", views, "--arc-deg", arc_deg, "--sod-mm", sod,
                "--offset-mm", f"{self.center_shift * pitch},0"]

    def shifts(self, view):
        return (view * 5) % 9 - self.margin, (view * 7) % 9 - self.margin

    def stored(self, scan, view, other):
        """The window, as it is stored where those questions have the other answers."""
        lines = [line[::-1] if "mirrored" in other else line
                 for line in scan.window(view, self.margin, self.shifts(view))]
        if "firstRow" in other:
            lines.reverse()
        return b"".join(line.tobytes() for line in lines)

    def write(self, scan, folder, other=()):
        """other: the questions whose answers are not the likely ones"""
        t = scan.trajectory
        is_parallel = t["type"] == "parallel-beam"
        # Both distances of a parallel beam are 1, which means nothing.
        sod = 1 if is_parallel else t["sourceToIsocenterMm"]
        sdd = 2 if is_parallel else t["sourceToDetectorMm"]
        magnification = 1 if is_parallel else sdd / sod
        columns, rows = scan.columns - 2 * self.margin, scan.rows - 2 * self.margin
        angles = [t["startDeg"] + t["arcDeg"] * view / scan.views for view in range(scan.views)]
        sense = 1 if "rotation" in other else -1
        right = -1 if "mirrored" in other else 1
        down = -1 if "firstRow" in other else 1
        axis = self.center_shift * right * (-1 if "axisOffset" in other else 1)
        y_sign = down * (-1 if "shiftY" in other else 1)

        def integer(value):
            return struct.pack("<i", value)

        def floats(values):
            return struct.pack(f"<{len(values)}f", *values)

        shifts = [self.shifts(view) for view in range(scan.views)]
        streams = {
            "Version": floats([5]),
            "ImageInfo/NoOfImages": integer(scan.views + 3),  # the last ones were not taken
            "ImageInfo/ImagesTaken": integer(scan.views),
            "ImageInfo/ImageWidth": integer(columns),
            "ImageInfo/ImageHeight": integer(rows),
            "ImageInfo/DataType": integer(5),
            "ImageInfo/AcquisitionMode": integer(0),
            "ImageInfo/XrayGeometry": integer(2 if is_parallel else 1),
            "ImageInfo/PixelSize": floats([scan.pitch * 1000 / magnification]),
            "ImageInfo/OpticalMagnification": floats([4]),
            "ImageInfo/Angles": floats([sense * angle for angle in angles] + [0] * 3),
            "ImageInfo/StoRADistance": floats([-sod] * scan.views),
            "ImageInfo/DtoRADistance": floats([sdd - sod] * scan.views),
            "ImageInfo/ExpTimes": floats([1.5] * scan.views),
            "Alignment/X-Shifts": floats([right * x for x, _ in shifts]),
            "Alignment/Y-Shifts": floats([y_sign * y for _, y in shifts]),
            "Alignment/StageShiftsApplied": integer(1),
            "ReconSettings/CenterShift": floats([axis]),
            "ReferenceData/DataType": integer(10),
            "ReferenceData/ExpTime": floats([1.5]),
            "ReferenceData/Image": floats([scan.white] * (columns * rows)),
            "SampleInfo/Analyst": b"",
        }
        for view in range(scan.views):
            streams[f"ImageData{view // 100 + 1}/Image{view + 1}"] = self.stored(scan, view, other)
        file = folder / "shell.txrm"
        write_ole(file, streams)
        return file
