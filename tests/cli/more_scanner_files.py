"""More layouts of makers, see scanner_files.py. What a file leaves open is written in the way that the
reader takes at first, or with `other` in the other way, which `answers` names."""

import math
import struct

from scanner_files import write_tiff


class Tescan:
    """data settings XRE.txt. HC, VC and COR are columns and rows from the edge of the first pixel;
    COR is where the axis is seen, HC and VC where the central ray meets the images."""

    answers = ["mirrored=yes", "firstRow=bottom", "rotation=counter-clockwise", "pixelZero=centre"]
    axis_px = 2.25  # right of the central ray
    ray_px = (1.5, -2.0)  # right of and below the middle

    def simulation(self, sod, sdd, views, pitch):
        shift = -self.axis_px * pitch * sod / sdd
        return ["--views", views, "--arc-deg", 360, "--sod-mm", sod, "--source-offset-mm",
                f"{shift},0", "--offset-mm",
                "%.12g,%.12g" % (-self.ray_px[0] * pitch + shift, self.ray_px[1] * pitch)]

    def write(self, scan, folder, other):
        t = scan.trajectory
        hc, vc = scan.columns / 2 + self.ray_px[0], scan.rows / 2 + self.ray_px[1]
        cor = hc + self.axis_px
        if other:
            hc, cor, vc = (n - x - 0.5 for n, x in
                           ((scan.columns, hc), (scan.columns, cor), (scan.rows, vc)))
        text = f"""[Scantype]
name = "smooth take and save"
[Camera settings]
Columns = {scan.columns}
Rows = {scan.rows}
[Acquisition settings]
Vertical mode = "Cone beam"
File base name = "scan_"
total projections = {scan.views}
[Data set settings]
number offset images = "1"
number gain images = "1"
[CT-parameters IN]
Start angle = "0.000000"
Last angle = "360.000000"
SOD = "{t["sourceToIsocenterMm"]:.6f}"
SDD = "{t["sourceToDetectorMm"]:.6f}"
COR = "{cor:.6f}"
VC = "{vc:.6f}"
HC = "{hc:.6f}"
Direction = "{int(other)}.000000"
Pixel size = "{scan.pitch:.6f}"
"""
        file = folder / "data settings XRE.txt"
        file.write_bytes(text.replace("\n", "\r\n").encode())
        scan.write_images(folder, lambda view: f"scan_{view:06}.tif", other, other)
        for name, value in (("di", 0), ("io", scan.white)):
            write_tiff(folder / f"{name}000000.tif", scan.columns, scan.rows, scan.even(value))
        return file


class Rigaku:
    """Recon.prm, Recon.mnri in UTF-16 and Angle.prm in radians; raw images that are mirrored where
    PROJECTION_MIRROR says so. DET_CU and DET_CV move the detector towards higher columns and
    rows."""

    answers = ["mirrored=yes", "firstRow=bottom", "rotation=clockwise", "detectorOffset=negated"]
    offset = (3.0, -2.5)  # of the detector's middle to the right and up

    def simulation(self, sod, views):
        return ["--views", views, "--arc-deg", -360, "--sod-mm", sod, "--offset-mm",
                "%g,%g" % self.offset]

    def write(self, scan, folder, other):
        t = scan.trajectory
        sign = -1 if other else 1
        down = -1 if other else 1
        text = f"""# GEOMETRY
MM_SID              = {t["sourceToDetectorMm"]}       #304.8
MM_SOD              = {t["sourceToIsocenterMm"]}
PROJECTION          = {scan.views}
ROT                 = {-1 if other else 1}       # 1 CW or -1 CCW
PROJECTION_MIRROR   = {0 if other else 1}
DET_NU              = {scan.columns}       # [pixel]
DET_NV              = {scan.rows}
DET_CU = {-sign * self.offset[0]}
DET_CV              = {-sign * down * self.offset[1]}\t# [mm]
DET_PU              = {scan.pitch}
DET_PV              = {scan.pitch}
ANGLE_FILE = "D:\\Data\\Angle.prm"
ANGLE_FILE_TYPE     = 1
ANGLE_RANGE = 360.000000
"""
        file = folder / "Recon.prm"
        file.write_bytes(text.replace("\n", "\r\n").encode())
        (folder / "Angle.prm").write_text(
            "".join(f"{2 * math.pi * view / scan.views:.6f}\n" for view in range(scan.views)))
        (folder / "Recon.mnri").write_bytes("""[Frame]
ImageFileExt=raw
PixelDepth=16
FrameNameDigit=4
DarkFrameName=Offset
BrightFrameName=Gain
""".encode("utf-16"))
        scan.write_raw(folder, lambda view: f"{view:04}.raw", True, other)
        (folder / "Offset.raw").write_bytes(scan.even(0).tobytes())
        (folder / "Gain.raw").write_bytes(scan.even(scan.white).tobytes())
        return file


class Yxlon:
    """ScanParameter.xml. Lengths are in pixels of PixelPitch; YoCenter moves the axis at the object,
    the detector's offsets its middle to lower columns and down."""

    answers = ["mirrored=yes", "firstRow=bottom", "axisOffset=negated", "axisShift=detector",
               "detectorOffset=negated"]
    start_deg = 25
    axis_px = 0.75  # right of the central ray, at the object
    offset_px = (1.5, 0.5)  # of the detector's middle to the left and down

    def simulation(self, sod, views, pitch):
        shift = -self.axis_px * pitch
        return ["--views", views, "--start-deg", self.start_deg, "--arc-deg", -360, "--sod-mm", sod,
                "--source-offset-mm", f"{shift},0", "--offset-mm",
                "%g,%g" % (-self.offset_px[0] * pitch + shift, -self.offset_px[1] * pitch)]

    def write(self, scan, folder, other):
        t = scan.trajectory
        axis = self.axis_px
        if other:  # seen on the detector; mirrored and negated it is as it was
            axis *= t["sourceToDetectorMm"] / t["sourceToIsocenterMm"]
        text = f"""<?xml version="1.0" encoding="utf-8"?>
<ScanParameter xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <ConeBeamScanParameter>
    <PixelSize><Height>{scan.pitch}</Height><Width>{scan.pitch}</Width></PixelSize>
    <ProjectionSize><Height>{scan.rows}</Height><Width>{scan.columns}</Width></ProjectionSize>
    <ProjectionBitdepth>16</ProjectionBitdepth>
    <ScanTrajectory xsi:type="CircleTrajectory">
      <PixelPitch>{scan.pitch}</PixelPitch>
      <Fdd>{t["sourceToDetectorMm"] / scan.pitch}</Fdd>
      <Fod>{t["sourceToIsocenterMm"] / scan.pitch}</Fod>
      <YoCenter>{axis}</YoCenter>
      <NumberOfProjections>{scan.views}</NumberOfProjections>
      <StartAngle>{self.start_deg}</StartAngle>
      <Rotation>360</Rotation>
    </ScanTrajectory>
    <DejustmentParameter>
      <HorizontalDetectorOffset>{self.offset_px[0]}</HorizontalDetectorOffset>
      <VerticalDetectorOffset>{self.offset_px[1]}</VerticalDetectorOffset>
    </DejustmentParameter>
  </ConeBeamScanParameter>
</ScanParameter>
"""
        file = folder / "ScanParameter.xml"
        file.write_text(text)
        (folder / "Projections").mkdir()
        scan.write_raw(folder / "Projections", lambda view: f"part_{view:04}.raw", other, other)
        return file


class Diondo:
    """An .xml beside the folder Projection. The axis is seen so many columns off the middle."""

    answers = ["mirrored=yes", "firstRow=bottom", "axisShift=object"]
    axis_px = -2.5

    def simulation(self, sod, sdd, views, pitch):
        shift = -self.axis_px * pitch * sod / sdd
        return ["--views", views, "--arc-deg", -360, "--sod-mm", sod, "--source-offset-mm",
                f"{shift},0", "--offset-mm", f"{shift},0"]

    def write(self, scan, folder, other):
        t = scan.trajectory
        axis = self.axis_px
        if other:
            axis *= -t["sourceToIsocenterMm"] / t["sourceToDetectorMm"]
        text = f"""<?xml version="1.0"?>
<Project>
  <ScanParameter><HelixMode>false</HelixMode><Laminography>false</Laminography></ScanParameter>
  <Recon>
    <ProjectionDimX>{scan.columns}</ProjectionDimX><ProjectionDimY>{scan.rows}</ProjectionDimY>
    <ProjectionPixelSizeX>{scan.pitch}</ProjectionPixelSizeX>
    <ProjectionPixelSizeY>{scan.pitch}</ProjectionPixelSizeY>
    <ProjectionCount>{scan.views}</ProjectionCount>
    <ProjectionCountPer360deg>{scan.views}</ProjectionCountPer360deg>
    <ProjectionCenterOffsetX>{axis}</ProjectionCenterOffsetX>
  </Recon>
  <Geometrie>
    <SourceObjectDist>{t["sourceToIsocenterMm"]}</SourceObjectDist>
    <SourceDetectorDist>{t["sourceToDetectorMm"]}</SourceDetectorDist>
    <Slices><string>123.45mm, 0</string></Slices>
  </Geometrie>
</Project>
"""
        file = folder / "scan.xml"
        file.write_text(text)
        (folder / "Projection").mkdir()
        scan.write_raw(folder / "Projection", lambda view: f"_0123,45_{view:04}.raw", other, other)
        return file


def compressed(columns, rows, pixels):
    """The table of sizes and what is stored of pixels: differences d = p[i] - p[i-1] - p[i-W] +
    p[i-W-1] in 1, 2 or 4 bytes."""
    sizes, body = [], struct.pack(f"<{columns + 1}i", *pixels[:columns + 1])
    for i in range(columns + 1, columns * rows):
        d = pixels[i] - pixels[i - 1] - pixels[i - columns] + pixels[i - columns - 1]
        code = 0 if -128 <= d < 128 else 1 if -32768 <= d < 32768 else 2
        sizes.append(code)
        body += struct.pack("<" + "bhi"[code], d)
    sizes += [0] * (-len(sizes) % 4)
    return bytes(a | b << 2 | c << 4 | d << 6 for a, b, c, d in zip(*[iter(sizes)] * 4)), body


def compressed_xim(columns, rows, pixels, properties):
    table, body = compressed(columns, rows, pixels)
    data = b"VMS.XI\0\0" + struct.pack("<6i", 1, columns, rows, 16, 2, 1)
    data += struct.pack("<i", len(table)) + table + struct.pack("<i", len(body)) + body
    data += struct.pack("<2i", 2 * columns * rows, 0) + struct.pack("<i", len(properties))
    for name, value in properties.items():
        data += struct.pack("<i", len(name)) + name.encode() + struct.pack("<id", 1, value)
    return data


class Varian:
    """Scan.xml with compressed .xim images below. Row 0 is the lowest; the gantry stands at 180° less
    the angle of the source; each image states its dose."""

    answers = ["mirrored=yes", "firstRow=top", "detectorOffset=negated"]
    lateral_mm = 5.0

    def simulation(self, sod, views):
        return ["--views", views, "--start-deg", 180, "--arc-deg", -360, "--sod-mm", sod,
                "--offset-mm", f"{self.lateral_mm},0"]

    def write(self, scan, folder, other):
        t = scan.trajectory
        text = f"""<?xml version="1.0"?>
<Scan xmlns="http://baseline.varian.com/schemas/Scan.xsd" Version="2.7.0.0">
  <Acquisitions>
    <SAD>{t["sourceToIsocenterMm"]}</SAD><SID>{t["sourceToDetectorMm"]}</SID>
    <ImagerSizeX>{scan.columns}</ImagerSizeX><ImagerSizeY>{scan.rows}</ImagerSizeY>
    <ImagerResX>{scan.pitch}</ImagerResX><ImagerResY>{scan.pitch}</ImagerResY>
    <ImagerLat>{self.lateral_mm}</ImagerLat>
    <StartAngle>0</StartAngle><StopAngle>360</StopAngle>
  </Acquisitions>
</Scan>
"""
        file = folder / "Scan.xml"
        file.write_text(text)
        run = folder / "Acquisitions" / "12345"
        air = folder / "Calibrations" / "Air-Full" / "Current"
        run.mkdir(parents=True)
        air.mkdir(parents=True)
        for view in range(scan.views):
            # The second half has half the dose.
            dose = 2 if 2 * view < scan.views else 1
            pixels = [value * dose // 2 for value in scan.image(view, other, not other)]
            (run / f"Proj_{view:05}.xim").write_bytes(compressed_xim(
                scan.columns, scan.rows, pixels,
                {"KVSourceRtn": 360 * view / scan.views, "KVNormChamber": 100.0 * dose}))
        (air / "Filter.xim").write_bytes(compressed_xim(
            scan.columns, scan.rows, scan.even(scan.white), {"KVNormChamber": 200.0}))
        return file


class VarianObi:
    """ProjectionInfo.xml with .hnd images in a folder below it: a header of 1024 bytes with numbers
    in their places, then a table and pixels as .xim has them. Row 0 is the lowest."""

    answers = ["mirrored=yes", "firstRow=top", "rotation=clockwise", "detectorOffset=negated"]
    offset = (0.5, -1.25)
    lateral_mm = 3.5

    def simulation(self, sod, views):
        return ["--views", views, "--start-deg", 200, "--arc-deg", 360, "--sod-mm", sod,
                "--offset-mm", f"{self.offset[0] + self.lateral_mm},{self.offset[1]}"]

    def write(self, scan, folder, other):
        t = scan.trajectory
        file = folder / "ProjectionInfo.xml"
        file.write_text(f"""<?xml version="1.0"?>
<ProjectionInfo>
  <CalibratedSAD>{t["sourceToIsocenterMm"]}</CalibratedSAD>
  <CalibratedSID>{t["sourceToDetectorMm"]}</CalibratedSID>
  <CalibratedDetectorOffsetX>{self.offset[0]}</CalibratedDetectorOffsetX>
  <CalibratedDetectorOffsetY>{self.offset[1]}</CalibratedDetectorOffsetY>
  <DetectorPosLat>{self.lateral_mm}</DetectorPosLat>
  <FanType>HalfFan</FanType>
</ProjectionInfo>
""")
        run = folder / "Scan0"
        run.mkdir()
        for view in range(scan.views):
            angle = (200 + 360 * view / scan.views) % 360
            header = bytearray(1024)
            struct.pack_into("<2I", header, 120, scan.columns, scan.rows)
            struct.pack_into("<2d", header, 352, scan.pitch, scan.pitch)
            struct.pack_into("<d", header, 432, -angle % 360 if other else angle)
            table, body = compressed(scan.columns, scan.rows, scan.image(view, other, not other))
            # The last three sizes at most are filled up and stand for nothing.
            (run / f"Proj_{view:05}.hnd").write_bytes(bytes(header) + table + body)
        return file


class Elekta:
    """_Frames.xml beside .his images; 1000 and 1536 mm, a panel 409.6 mm wide. UCentre and VCentre
    move it to lower columns and down."""

    answers = ["mirrored=yes", "firstRow=bottom", "rotation=clockwise", "detectorOffset=negated"]
    centre = (-7.0, 4.0)

    def simulation(self, views):
        return ["--views", views, "--start-deg", 20, "--arc-deg", 360, "--sod-mm", 1000,
                "--offset-mm", "%g,%g" % (-self.centre[0], -self.centre[1])]

    def write(self, scan, folder, other):
        u, v = self.centre
        frames = ""
        for view in range(scan.views):
            angle = 20 + 360 * view / scan.views
            frames += f"<Frame><Seq>{view + 1}</Seq><GantryAngle>{-angle if other else angle}" \
                f"</GantryAngle><UCentre>{u}</UCentre><VCentre>{v}</VCentre></Frame>\n"
        file = folder / "_Frames.xml"
        file.write_text(f"<?xml version='1.0'?>\n<ImageSet><Frames>\n{frames}</Frames></ImageSet>\n")
        header = bytearray(68)
        header[:4] = b"\0p\x44\0"
        struct.pack_into("<6H", header, 10, 32, 1, 1, scan.columns, scan.rows, 1)
        for view in range(scan.views):
            (folder / f"{view + 1:05}.part.his").write_bytes(
                bytes(header) + bytes(32) + scan.image(view, other, other).tobytes())
        return file
