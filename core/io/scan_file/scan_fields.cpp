#include "core/io/scan_file/scan_fields.h"

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/io/hdf5/hdf5_projections.h"

namespace gantry {

namespace {

using S = ScanFile;
using enum FieldPresence;

constexpr FieldWord kFirstRows[] = {{"top", "Top of the image"}, {"bottom", "Bottom of the image"}};
constexpr FieldWord kKinds[] = {{"counts", "Counts"}, {"attenuation", "Attenuation"}};

constexpr FieldChoice<S> kFirstRow = {
    kFirstRows, [](const S& s) { return std::size_t{s.projections.firstRowIsTop ? 0U : 1U}; },
    [](S& s, std::size_t word) { s.projections.firstRowIsTop = word == 0; }};
constexpr FieldChoice<S> kKind = {
    kKinds, [](const S& s) { return static_cast<std::size_t>(s.projections.kind); },
    [](S& s, std::size_t word) { s.projections.kind = static_cast<ProjectionKind>(word); }};

bool isCone(const S& s) {
    return s.geometry.isCone();
}
bool isNotParallel(const S& s) {
    return !s.geometry.isParallel();
}
bool hasAngles(const S& s) {
    return s.geometry.hasAngles();
}
bool stepsEvenly(const S& s) {
    return hasAngles(s) && s.geometry.angles().anglesDeg.empty();
}
bool hasCounts(const S& s) {
    return s.projections.kind == ProjectionKind::counts;
}
bool hasDark(const S& s) {
    return hasCounts(s) && !s.projections.dark.empty();
}
bool hasFlat(const S& s) {
    return hasCounts(s) && !s.projections.flat.empty();
}
// A monitor stands in the file of the projections or of the flat field.
bool mayHaveMonitor(const S& s) {
    return hasCounts(s) && (s.projections.ignoresMonitor || isNamedAsHdf5(s.projections.files) ||
                            isNamedAsHdf5(s.projections.flat));
}
bool mayHaveEntries(const S& s) {
    return isNamedAsHdf5(s.projections.files);
}
bool lacksFlat(const S& s) {
    return hasCounts(s) && s.projections.flat.empty();
}

constexpr FieldOption kSourceOffsets[] = {
    {.label = "Source offset u",
     .help = "Shift of the focal spot sideways. It acts like a detector offset, magnified.",
     .what = "source offset along u"},
    {.label = "Source offset v",
     .help = "Shift of the focal spot up or down; the sharp mid-plane moves with it.",
     .what = "source offset along v"}};
constexpr FieldOption kPitches[] = {
    {.label = "Pitch u",
     .help = "Distance of neighbouring columns on the detector, after binning. It scales the "
             "volume.",
     .what = "pixel pitch along u"},
    {.label = "Pitch v",
     .help = "Distance of neighbouring rows on the detector, after binning. It scales the volume "
             "along the rotation axis.",
     .what = "pixel pitch along v"}};
constexpr FieldOption kOffsets[] = {
    {.label = "Detector offset u",
     .help = "Shift of the detector's middle along its rows. A wrong one doubles edges and opens "
             "rings into crescents. It can be typed in pixels, too: “23.9 px off” is the offset "
             "divided by the pitch, “295.6 px” the column of the rotation axis.",
     .what = "detector offset along u"},
    {.label = "Detector offset v",
     .help = "Shift of the detector's middle up or down. A wrong one blurs away from the "
             "mid-plane and shifts the volume along the axis.",
     .what = "detector offset along v"}};

constexpr FileField<S> kScanFields[] = {
    {{"", "name", whereSet, "", "what the scan is called"},
     [](S& s) -> std::string& { return s.name; }},
    {{"trajectory", "sourceToIsocenterMm", needed, "mm", "source–object distance, SOD"},
     [](S& s) -> double& { return s.geometry.cone().sourceToIsocenterMm; },
     {.flag = "--sod-mm",
      .form = "MM",
      .group = ScanGroup::distances,
      .label = "Source–object",
      .help = "SOD, from the focal spot to the rotation axis. With SDD it sets the magnification, "
              "and so the size of everything in the volume.",
      .what = "source–object distance"},
     isCone},
    {{"trajectory", "sourceToDetectorMm", needed, "mm",
      "source–detector distance, SDD; larger than SOD"},
     [](S& s) -> double& { return s.geometry.cone().sourceToDetectorMm; },
     {.flag = "--sdd-mm",
      .form = "MM",
      .group = ScanGroup::distances,
      .label = "Source–detector",
      .help = "SDD, from the focal spot to the detector. Too long or too short, and the volume has "
              "the wrong scale and blurs away from the mid-plane.",
      .what = "source–detector distance"},
     isCone},
    {{"trajectory", "startDeg", special, "°", "gantry angle of the first view"},
     [](S& s) -> double& { return s.geometry.angles().startDeg; },
     {.flag = "--start-deg",
      .form = "DEG",
      .group = ScanGroup::trajectory,
      .label = "Start angle",
      .help = "Gantry angle of the first view. It rotates the volume about its axis.",
      .what = "start angle"},
     stepsEvenly},
    {{"trajectory", "arcDeg", special, "°",
      "view s of n is taken at start + s·arc/n; a clockwise scan has a negative arc"},
     [](S& s) -> double& { return s.geometry.angles().arcDeg; }},
    {{"trajectory", "views", special, "",
      "how many projections there are; may be left out where anglesDeg lists them"},
     [](S& s) -> Index& { return s.geometry.angles().views; },
     {.group = ScanGroup::trajectory,
      .label = "Views",
      .help = "Projections in the scan. Known from the images.",
      .what = "number of views"},
     hasAngles},
    {{"trajectory", "anglesDeg", special, "°",
      "instead of these three: a list of angles, or the name of a text file, one angle a line"},
     [](S& s) -> std::vector<double>& { return s.geometry.angles().anglesDeg; },
     {.group = ScanGroup::trajectory,
      .label = "Angles",
      .help = "Angles that the scanner logged, one a view, take the place of start and arc: a text "
              "file with one number in degrees a line.",
      .what = "list of angles"},
     hasAngles},
    {{"trajectory", "sourceOffsetMm", defaulted, "mm", "the source's shift along u and v"},
     [](S& s) -> std::array<double, 2>& { return s.geometry.cone().sourceOffsetMm; },
     {.flag = "--source-offset-mm",
      .form = "U,V",
      .group = ScanGroup::alignment,
      .step = 0.01,
      .parts = kSourceOffsets},
     isCone},
    {{"detector", "columns", needed, "px", "pixels along u"},
     [](S& s) -> Index& { return s.geometry.detector.columns; },
     {.group = ScanGroup::detector,
      .label = "Columns",
      .help = "Pixels along u, across the rotation axis. Known from the images.",
      .what = "number of detector columns"}},
    {{"detector", "rows", needed, "px", "pixels along v"},
     [](S& s) -> Index& { return s.geometry.detector.rows; },
     {.group = ScanGroup::detector,
      .label = "Rows",
      .help = "Pixels along v, parallel to the rotation axis. Known from the images.",
      .what = "number of detector rows"}},
    {{"detector", "pitchMm", needed, "mm", "distance between pixels along u and v"},
     [](S& s) -> std::array<double, 2>& { return s.geometry.detector.pitchMm; },
     {.group = ScanGroup::detector, .step = 0.001, .parts = kPitches},
     hasAngles},
    {{"detector", "offsetMm", defaulted, "mm",
      "the shift of the detector centre along u and v; a centre of rotation away from the "
      "middle column is an offset along u: the axis is seen on column (columns − 1) / 2 − "
      "offset / pitch, counted from 0"},
     [](S& s) -> std::array<double, 2>& { return s.geometry.detector.offsetMm; },
     {.flag = "--offset-mm",
      .form = "U,V",
      .group = ScanGroup::alignment,
      .step = 0.01,
      .parts = kOffsets}},
    {{"detector", "rollDeg", defaulted, "°",
      "rotation of the detector in its own plane; positive rotates u towards v"},
     [](S& s) -> double& { return s.geometry.detector.rollDeg; },
     {.flag = "--roll-deg",
      .form = "DEG",
      .group = ScanGroup::alignment,
      .label = "Roll",
      .help = "Rotation of the detector in its own plane; positive rotates u towards v. Left "
              "uncorrected, edges double the more, the farther from the mid-plane.",
      .what = "roll",
      .step = 0.01}},
    {{"detector", "tiltDeg", defaulted, "°",
      "lean of the detector; positive moves its upper edge away from the source"},
     [](S& s) -> double& { return s.geometry.detector.tiltDeg; },
     {.flag = "--tilt-deg",
      .form = "DEG",
      .group = ScanGroup::alignment,
      .label = "Tilt",
      .help = "Lean of the detector; positive moves its upper edge away from the source. It "
              "changes the magnification from top to bottom. In a parallel beam, detector and "
              "beam lean together: the rotation axis is tilted so far along the rays, as in "
              "laminography.",
      .what = "tilt",
      .step = 0.1}},
    {{"detector", "slantDeg", defaulted, "°",
      "rotation about its vertical; positive moves its right edge away from the source"},
     [](S& s) -> double& { return s.geometry.detector.slantDeg; },
     {.flag = "--slant-deg",
      .form = "DEG",
      .group = ScanGroup::alignment,
      .label = "Slant",
      .help = "Rotation of the detector about its vertical; positive moves its right edge away "
              "from the source. It changes the magnification from left to right.",
      .what = "slant",
      .step = 0.1},
     isNotParallel},
    {{"detector", "firstRow", defaulted, "",
      "`top` if the first row in the files is the upper one, else `bottom`"},
     kFirstRow,
     {.group = ScanGroup::detector,
      .label = "First row",
      .help = "Whether the files' first row is the upper or the lower edge of the detector. The "
              "wrong one stands the volume on its head.",
      .what = "place of the first row"}},
    {{"detector", "mirrored", whereSet, "",
      "`true` if the images in the files are mirrored left to right"},
     [](S& s) -> bool& { return s.projections.isMirrored; }},
    {{"detector", "turnDeg", whereSet, "°",
      "90, 180 or 270: how far images are turned clockwise on reading, before all else"},
     [](S& s) -> std::optional<double>& { return s.projections.turnDeg; }},
    {{"projections", "files", needed, "", "the views: a folder, a file or a pattern"},
     [](S& s) -> std::string& { return s.projections.files; },
     {.group = ScanGroup::images,
      .label = "Projections",
      .help = "The views themselves: a folder, a file of many pages or a pattern such as "
              "proj/*.tif.",
      .what = "projections"}},
    {{"projections", "entry", whereSet, "",
      "which scan or dataset is meant of an HDF5 file that holds several: `/entry2`"},
     [](S& s) -> std::string& { return s.projections.entry; },
     {.group = ScanGroup::images,
      .label = "Entry",
      .help = "Which scan or dataset is meant of an HDF5 file that holds several, by its path in "
              "the file, such as /entry2.",
      .what = "entry of the file",
      .absent = "the usual one"},
     mayHaveEntries},
    {{"projections", "kind", defaulted, "",
      "`counts` of the detector, or `attenuation` (line integrals)"},
     kKind,
     {.group = ScanGroup::images,
      .label = "Pixels are",
      .help = "Counts of the detector, brighter where less is absorbed, are made into attenuation "
              "with dark and flat fields. Line integrals are taken as they are.",
      .what = "kind of pixels"}},
    {{"projections", "rawType", whereSet, "",
      "type of the pixels of raw images that have no header, as `uint16`: rows of the detector's "
      "size, one image behind the other, little-endian"},
     [](S& s) -> std::string& { return s.projections.rawType; }},
    {{"projections", "dark", whereSet, "", "images without beam; without them 0"},
     [](S& s) -> std::string& { return s.projections.dark; },
     {.group = ScanGroup::images,
      .label = "Dark field",
      .help = "Images without beam: a folder, a file or a pattern such as dark/*.tif. Without them "
              "the dark signal counts as 0, and dense parts look lighter.",
      .what = "dark field",
      .absent = "none"},
     hasCounts},
    {{"projections", "darkAfter", whereSet, "",
      "images without beam from after the scan, where `dark` are from before it"},
     [](S& s) -> std::string& { return s.projections.darkAfter; },
     {.group = ScanGroup::images,
      .label = "Dark field after",
      .help = "Images without beam from after the scan, where the dark field is from before it: a "
              "folder, a file or a pattern. The dark signal of a view lies between the two.",
      .what = "dark field from after the scan",
      .absent = "none"},
     hasDark},
    {{"projections", "flat", whereSet, "", "images of the open beam"},
     [](S& s) -> std::string& { return s.projections.flat; },
     {.group = ScanGroup::images,
      .label = "Flat field",
      .help = "Images of the open beam: a folder, a file or a pattern such as flat/*.tif. They "
              "take the pixels' own sensitivity, and so rings, away.",
      .what = "flat field",
      .absent = "none"},
     hasCounts},
    {{"projections", "flatAfter", whereSet, "",
      "images of the open beam from after the scan, where `flat` are from before it: in between it "
      "changes linearly"},
     [](S& s) -> std::string& { return s.projections.flatAfter; },
     {.group = ScanGroup::images,
      .label = "Flat field after",
      .help = "Images of the open beam from after the scan, where the flat field is from before "
              "it: a folder, a file or a pattern. A beam that grew weaker is followed linearly.",
      .what = "flat field from after the scan",
      .absent = "none"},
     hasFlat},
    {{"projections", "flatValue", whereSet, "counts",
      "the open beam's counts, where there are no images of it"},
     [](S& s) -> std::optional<double>& { return s.projections.flatValue; },
     {.group = ScanGroup::images,
      .label = "Open beam",
      .help = "Counts of the open beam, where there are no flat-field images. Too few make the air "
              "around the object negative, too many make it grey.",
      .what = "open beam's counts",
      .absent = "needed without a flat field",
      .step = 100,
      .start = 60000},
     lacksFlat},
    {{"projections", "saturationValue", whereSet, "counts",
      "counts from which a pixel is saturated; without it the largest that 8 or 16 bits hold"},
     [](S& s) -> std::optional<double>& { return s.projections.saturationValue; },
     {.group = ScanGroup::images,
      .label = "Saturation level",
      .help = "Counts from here up are clipped; views with many of them are listed as suspect.",
      .what = "saturation level",
      .absent = "automatic",
      .step = 100,
      .start = 65535},
     hasCounts},
    {{"projections", "ignoreMonitor", whereSet, "",
      "`true` if a beam monitor in an HDF5 file is not to be used"},
     [](S& s) -> bool& { return s.projections.ignoresMonitor; }},
    {{"projections", "badPixels", whereSet, "", "an image whose non-zero pixels are invalid"},
     [](S& s) -> std::string& { return s.projections.badPixels; },
     {.group = ScanGroup::images,
      .label = "Bad pixels",
      .help = "An image whose non-zero pixels are dead; they are filled in from their neighbours. "
              "Each dead pixel left in makes a ring.",
      .what = "bad-pixel mask",
      .absent = "none"}},
    {{"projections", "skipViews", whereSet, "",
      "numbers of views to leave out, counted from 0: see [files](scan-files.md)"},
     [](S& s) -> std::vector<Index>& { return s.projections.skipViews; }},
    {{"description", "format", whereSet, "",
      "the kind of [file](scanners.md) that it is read from"},
     [](S& s) -> std::string& { return s.origin.format; }},
    {{"description", "file", whereSet, "", "the name of that file"},
     [](S& s) -> std::string& { return s.origin.file; }},
    {{"description", "answers", whereSet, "",
      "answers to its open questions, and how they are known"},
     [](S& s) -> std::vector<std::string>& { return s.origin.answers; }},
};

constexpr FieldWord kBeams[] = {{"cone", "Cone"}, {"parallel", "Parallel"}};
constexpr FieldWord kFirstColumns[] = {{"left", "Left of the image"},
                                       {"right", "Right of the image"}};
constexpr FieldWord kMonitors[] = {{"used", "Used"}, {"ignored", "Not used"}};
constexpr FieldWord kDirections[] = {{"counter-clockwise", "Counter-clockwise"},
                                     {"clockwise", "Clockwise"}};

constexpr FieldChoice<S> kBeam = {
    kBeams, [](const S& s) { return std::size_t{s.geometry.isParallel() ? 1U : 0U}; },
    [](S& s, std::size_t word) { s.geometry = withBeam(s.geometry, static_cast<Beam>(word)); }};
constexpr FieldChoice<S> kFirstColumn = {
    kFirstColumns, [](const S& s) { return std::size_t{s.projections.isMirrored ? 1U : 0U}; },
    [](S& s, std::size_t word) { s.projections.isMirrored = word == 1; }};
constexpr FieldChoice<S> kMonitor = {
    kMonitors, [](const S& s) { return std::size_t{s.projections.ignoresMonitor ? 1U : 0U}; },
    [](S& s, std::size_t word) { s.projections.ignoresMonitor = word == 1; }};
constexpr FieldChoice<S> kDirection = {
    kDirections,
    [](const S& s) { return std::size_t{std::signbit(s.geometry.angles().arcDeg) ? 1U : 0U}; },
    [](S& s, std::size_t word) {
        double& arc = s.geometry.angles().arcDeg;
        arc = std::copysign(arc, word == 1 ? -1.0 : 1.0);
    }};
// A negative number changes the direction, too.
constexpr FieldNumber<S> kArc = {[](const S& s) { return std::abs(s.geometry.angles().arcDeg); },
                                 [](S& s, double value) {
                                     double& arc = s.geometry.angles().arcDeg;
                                     arc = value < 0 ? value : std::copysign(value, arc);
                                 }};

// Without what is only rounding: 0.239 rather than 0.23899999999999977.
double rounded(double value, double digits) {
    return std::round(value * digits) / digits;
}

constexpr FieldNumber<S> kAxisColumn = {
    [](const S& s) { return rounded(s.geometry.axisColumn(), 1e6); },
    [](S& s, double column) {
        Detector& detector = s.geometry.detector;
        detector.offsetMm[0] = 0;
        detector.offsetMm[0] =
            rounded((s.geometry.axisColumn() - column) * detector.pitchMm[0], 1e9);
    }};

constexpr FileField<S> kFormFields[] = {
    {{"trajectory", "type"},
     kBeam,
     {.group = ScanGroup::distances,
      .label = "Beam",
      .help = "A cone from a focal spot, or parallel rays as of a synchrotron, which have no "
              "distances: pixels are as large as what they show, and half a turn is enough.",
      .what = "beam"},
     hasAngles},
    {{"trajectory", "arcDeg", needed, "°"},
     kArc,
     {.group = ScanGroup::trajectory,
      .label = "Arc",
      .help = "Angle from the first view to one step beyond the last. A wrong arc tears edges into "
              "arcs and streaks.",
      .what = "arc"},
     stepsEvenly},
    {{"trajectory", "direction"},
     kDirection,
     {.group = ScanGroup::trajectory,
      .label = "Direction",
      .help = "Which way the source goes round the object, seen from above (the side of the first "
              "rows). The wrong one blurs everything but the axis, or mirrors the volume.",
      .what = "direction"},
     stepsEvenly},
    {{"detector", "mirrored"},
     kFirstColumn,
     {.group = ScanGroup::detector,
      .label = "First column",
      .help = "Whether the files' first column is the left or the right edge of the detector, seen "
              "from the source. The wrong one blurs everything off the axis, or mirrors the "
              "volume.",
      .what = "place of the first column"}},
    {{"projections", "ignoreMonitor"},
     kMonitor,
     {.group = ScanGroup::images,
      .label = "Beam monitor",
      .help = "Whether views and flat frames are divided by the beam monitor's values that an HDF5 "
              "file may hold. A monitor that was not in the beam makes levels wrong.",
      .what = "use of the beam monitor"},
     mayHaveMonitor},
    {{"detector", "axisColumn", needed, "px"},
     kAxisColumn,
     {.group = ScanGroup::alignment,
      .label = "Centre of rotation",
      .help = "The detector column, counted from 0, that the rotation axis is seen on. It is the "
              "detector offset u in other terms: middle column − offset / pitch. “23.9 px off” is "
              "taken, too.",
      .what = "centre of rotation",
      .step = 0.1}},
};

}  // namespace

std::span<const FileField<ScanFile>> scanFileFields() {
    return kScanFields;
}

std::span<const FileField<ScanFile>> scanFormFields() {
    return kFormFields;
}

}  // namespace gantry
