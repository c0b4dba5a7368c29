#include "core/io/scan_file/scan_fields.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/json_fields.h"

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

constexpr FileField<S> kScanFields[] = {
    {{"", "name", whereSet, "", "what the scan is called"},
     [](S& s) -> std::string& { return s.name; }},
    {{"trajectory", "sourceToIsocenterMm", needed, "mm", "source–object distance, SOD"},
     [](S& s) -> double& { return s.geometry.cone().sourceToIsocenterMm; }},
    {{"trajectory", "sourceToDetectorMm", needed, "mm",
      "source–detector distance, SDD; larger than SOD"},
     [](S& s) -> double& { return s.geometry.cone().sourceToDetectorMm; }},
    {{"trajectory", "startDeg", special, "°", "gantry angle of the first view"},
     [](S& s) -> double& { return s.geometry.angles().startDeg; }},
    {{"trajectory", "arcDeg", special, "°",
      "view s of n is taken at start + s·arc/n; a clockwise scan has a negative arc"},
     [](S& s) -> double& { return s.geometry.angles().arcDeg; }},
    {{"trajectory", "views", special, "",
      "how many projections there are; may be left out where anglesDeg lists them"},
     [](S& s) -> Index& { return s.geometry.angles().views; }},
    {{"trajectory", "anglesDeg", special, "°",
      "instead of these three: a list of angles, or the name of a text file with one angle a "
      "line"},
     [](S& s) -> std::vector<double>& { return s.geometry.angles().anglesDeg; }},
    {{"trajectory", "sourceOffsetMm", defaulted, "mm", "the source's shift along u and v"},
     [](S& s) -> std::array<double, 2>& { return s.geometry.cone().sourceOffsetMm; }},
    {{"detector", "columns", needed, "px", "pixels along u"},
     [](S& s) -> Index& { return s.geometry.detector.columns; }},
    {{"detector", "rows", needed, "px", "pixels along v"},
     [](S& s) -> Index& { return s.geometry.detector.rows; }},
    {{"detector", "pitchMm", needed, "mm", "distance between pixels along u and v"},
     [](S& s) -> std::array<double, 2>& { return s.geometry.detector.pitchMm; }},
    {{"detector", "offsetMm", defaulted, "mm",
      "the shift of the detector centre along u and v; a centre of rotation away from the "
      "middle column is an offset along u: the axis is seen on column (columns − 1) / 2 − "
      "offset / pitch, counted from 0"},
     [](S& s) -> std::array<double, 2>& { return s.geometry.detector.offsetMm; }},
    {{"detector", "rollDeg", defaulted, "°",
      "rotation of the detector in its own plane; positive rotates u towards v"},
     [](S& s) -> double& { return s.geometry.detector.rollDeg; }},
    {{"detector", "tiltDeg", defaulted, "°", "positive moves the upper edge away from the source"},
     [](S& s) -> double& { return s.geometry.detector.tiltDeg; }},
    {{"detector", "slantDeg", defaulted, "°", "positive moves the right edge away from the source"},
     [](S& s) -> double& { return s.geometry.detector.slantDeg; }},
    {{"detector", "firstRow", defaulted, "",
      "`top` if the first row in the files is the upper one, else `bottom`"},
     kFirstRow},
    {{"detector", "mirrored", whereSet, "",
      "`true` if the images in the files are mirrored left to right"},
     [](S& s) -> bool& { return s.projections.isMirrored; }},
    {{"projections", "files", needed, "", "the views: a folder, a file or a pattern"},
     [](S& s) -> std::string& { return s.projections.files; }},
    {{"projections", "kind", defaulted, "",
      "`counts` of the detector, or `attenuation` (line integrals)"},
     kKind},
    {{"projections", "dark", whereSet, "", "images without beam; without them 0"},
     [](S& s) -> std::string& { return s.projections.dark; }},
    {{"projections", "flat", whereSet, "", "images of the open beam"},
     [](S& s) -> std::string& { return s.projections.flat; }},
    {{"projections", "flatValue", whereSet, "counts",
      "the open beam's counts, where there are no images of it"},
     [](S& s) -> std::optional<double>& { return s.projections.flatValue; }},
    {{"projections", "saturationValue", whereSet, "counts",
      "counts at and above which a pixel is saturated; without it the largest that 8 or 16 "
      "bits hold"},
     [](S& s) -> std::optional<double>& { return s.projections.saturationValue; }},
    {{"projections", "badPixels", whereSet, "", "an image whose non-zero pixels are invalid"},
     [](S& s) -> std::string& { return s.projections.badPixels; }},
    {{"projections", "skipViews", whereSet, "",
      "numbers of views to leave out, counted from 0: see [files](scan-files.md)"},
     [](S& s) -> std::vector<Index>& { return s.projections.skipViews; }},
};

using V = VolumeGrid;
constexpr FileField<V> kGridFields[] = {
    {{"", "voxels", needed, "", "voxels along x, y and z"},
     [](V& v) -> std::array<Index, 3>& { return v.voxels; }},
    {{"", "pitchMm", needed, "mm", "distance between voxels along x, y and z"},
     [](V& v) -> std::array<double, 3>& { return v.pitchMm; }},
    {{"", "centerMm", defaulted, "mm", "the volume's centre"},
     [](V& v) -> std::array<double, 3>& { return v.centerMm; }},
};

}  // namespace

std::span<const FileField<ScanFile>> scanFileFields() {
    return kScanFields;
}

bool hasField(const ScanGeometry& geometry, const FieldShape& shape) {
    if (shape.section != "trajectory" || geometry.isCone()) return true;
    constexpr std::array<std::string_view, 4> kOfAngles = {"startDeg", "arcDeg", "views",
                                                           "anglesDeg"};
    return geometry.hasAngles() &&
           std::find(kOfAngles.begin(), kOfAngles.end(), shape.name) != kOfAngles.end();
}

std::span<const FileField<VolumeGrid>> gridFields() {
    return kGridFields;
}

VolumeGrid readGrid(JsonFields object) {
    VolumeGrid grid;
    readSection(object, gridFields(), "", grid);
    object.finish();
    return grid;
}

nlohmann::ordered_json gridJson(const VolumeGrid& grid) {
    nlohmann::ordered_json object;
    writeSection(object, gridFields(), "", grid);
    return object;
}

}  // namespace gantry
