#include "core/io/scan_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/io/view_numbers.h"

namespace gantry {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// One line of a list of angles: a number alone.
double parseAngle(std::string_view text, const fs::path& path, Index line) {
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    double angle = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, angle);
    if (error != std::errc() || rest != end || !std::isfinite(angle)) {
        std::string shown(text.substr(0, 40));
        for (char& c : shown)
            if (static_cast<unsigned char>(c) < 32) c = ' ';
        throw InputError(
            fmt::format("{}, line {}: '{}' is not an angle. Write one number in degrees on "
                        "each line.",
                        path.string(), line, shown));
    }
    return angle;
}

std::vector<double> readAngleFile(const fs::path& path) {
    const std::string text = readTextFile(path);
    std::string_view left = text;
    if (left.starts_with("\xef\xbb\xbf")) left.remove_prefix(3);
    constexpr std::string_view kBlank = " \t\r";
    std::vector<double> angles;
    for (Index line = 1; !left.empty(); ++line) {
        const std::size_t end = left.find('\n');
        std::string_view words = left.substr(0, end);
        left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
        const std::size_t begin = words.find_first_not_of(kBlank);
        if (begin == std::string_view::npos || words[begin] == '#') continue;
        words = words.substr(begin, words.find_last_not_of(kBlank) - begin + 1);
        angles.push_back(parseAngle(words, path, line));
    }
    if (angles.empty())
        throw InputError(fmt::format(
            "{} holds no angles. Write one number in degrees on each line.", path.string()));
    return angles;
}

void parseAngles(JsonFields& fields, const fs::path& folder, ScanGeometry& geometry) {
    for (const char* other : {"startDeg", "arcDeg"})
        if (fields.has(other))
            fields.fail(other,
                        "is given together with anglesDeg, which replaces it. Remove one of them");
    const nlohmann::json& value = fields.raw("anglesDeg");
    if (value.is_string())
        geometry.anglesDeg = readAngleFile(folder / value.get<std::string>());
    else if (value.is_array())
        geometry.anglesDeg = fields.numbers("anglesDeg");
    else
        fields.fail("anglesDeg", "must be a list of angles or the name of a text file with them");
    if (geometry.anglesDeg.empty())
        fields.fail("anglesDeg", "is empty; it must list at least one angle");
    geometry.anglesDeg = contiguousAngles(std::move(geometry.anglesDeg));
    const auto count = static_cast<Index>(geometry.anglesDeg.size());
    geometry.views = fields.integer("views", count);
    if (geometry.views != count)
        fields.fail("views",
                    fmt::format("is {}, but anglesDeg lists {} angles", geometry.views, count));
}

void parseTrajectory(JsonFields fields, const fs::path& folder, ScanGeometry& geometry) {
    (void)fields.choice("type", {"circular-cone"});
    geometry.sourceToIsocenterMm = fields.number("sourceToIsocenterMm");
    geometry.sourceToDetectorMm = fields.number("sourceToDetectorMm");
    geometry.sourceOffsetMm = fields.numbers2("sourceOffsetMm", {0, 0});
    if (fields.has("anglesDeg")) {
        parseAngles(fields, folder, geometry);
    } else {
        geometry.startDeg = fields.number("startDeg", 0);
        geometry.arcDeg = fields.number("arcDeg", 360);
        geometry.views = fields.integer("views");
    }
    fields.finish();
}

void parseDetector(JsonFields fields, ScanFile& scan) {
    Detector& detector = scan.geometry.detector;
    detector.columns = fields.integer("columns");
    detector.rows = fields.integer("rows");
    detector.pitchMm = fields.numbers2("pitchMm");
    detector.offsetMm = fields.numbers2("offsetMm", {0, 0});
    detector.rollDeg = fields.number("rollDeg", 0);
    detector.tiltDeg = fields.number("tiltDeg", 0);
    detector.slantDeg = fields.number("slantDeg", 0);
    scan.projections.firstRowIsTop = fields.choice("firstRow", {"top", "bottom"}, "top") == "top";
    fields.finish();
}

std::optional<double> countsField(JsonFields& fields, const char* name) {
    if (!fields.has(name)) return std::nullopt;
    const double counts = fields.number(name);
    if (counts <= 0) fields.fail(name, fmt::format("is {}; it must be greater than 0", counts));
    return counts;
}

// Numbers from 0 on, in any order.
std::vector<Index> parseSkipViews(JsonFields& fields, const ScanGeometry& geometry) {
    if (!fields.has("skipViews")) return {};
    std::vector<Index> views;
    for (const double number : fields.numbers("skipViews")) {
        if (number != std::floor(number) || std::abs(number) > 1e9)
            fields.fail("skipViews", fmt::format("{} is no whole number", number));
        views.push_back(static_cast<Index>(number));
    }
    views = united({}, views);
    // A wrong number of views is reported by itself, elsewhere.
    if (geometry.views > 0)
        if (const std::string fault = leaveOutFault(views, geometry.views); !fault.empty())
            fields.fail("skipViews", fault);
    return views;
}

void parseProjections(JsonFields fields, const ScanGeometry& geometry, ProjectionFiles& files) {
    files.files = fields.text("files");
    if (files.files.empty()) fields.fail("files", "is empty; it must name the projections");
    const std::string kind = fields.choice("kind", {"counts", "attenuation"}, "counts");
    files.kind = kind == "counts" ? ProjectionKind::counts : ProjectionKind::attenuation;
    files.dark = fields.text("dark", "");
    files.flat = fields.text("flat", "");
    files.flatValue = countsField(fields, "flatValue");
    files.saturationValue = countsField(fields, "saturationValue");
    files.badPixels = fields.text("badPixels", "");
    files.skipViews = parseSkipViews(fields, geometry);
    if (!files.flat.empty() && files.flatValue)
        fields.fail("flatValue",
                    "is given together with flat, which replaces it. Remove one of them");
    if (files.kind == ProjectionKind::counts && files.flat.empty() && !files.flatValue)
        fields.fail("flat",
                    "is missing. Counts need flat images, or flatValue, the counts of the open "
                    "beam");
    fields.finish();
}

VolumeGrid parseVolume(JsonFields fields) {
    VolumeGrid grid;
    grid.voxels = fields.integers3("voxels");
    grid.pitchMm = fields.numbers3("pitchMm");
    grid.centerMm = fields.numbers3("centerMm", {0, 0, 0});
    fields.finish();
    return grid;
}

// 600 rather than 600.0.
ordered_json number(double value) {
    require(std::isfinite(value), "a scan with a number that is not finite was to be written");
    constexpr double kExact = 9007199254740992.0;  // 2^53
    if (value == std::floor(value) && std::abs(value) < kExact)
        return static_cast<std::int64_t>(value);
    return value;
}

template <class Values>
ordered_json numbers(const Values& values) {
    ordered_json list = ordered_json::array();
    for (const auto value : values)
        list.push_back(number(static_cast<double>(value)));
    return list;
}

ordered_json trajectoryJson(const ScanGeometry& geometry) {
    ordered_json fields;
    fields["type"] = "circular-cone";
    fields["sourceToIsocenterMm"] = number(geometry.sourceToIsocenterMm);
    fields["sourceToDetectorMm"] = number(geometry.sourceToDetectorMm);
    if (geometry.anglesDeg.empty()) {
        fields["startDeg"] = number(geometry.startDeg);
        fields["arcDeg"] = number(geometry.arcDeg);
        fields["views"] = geometry.views;
    } else {
        fields["anglesDeg"] = numbers(geometry.anglesDeg);
    }
    fields["sourceOffsetMm"] = numbers(geometry.sourceOffsetMm);
    return fields;
}

ordered_json detectorJson(const Detector& detector, bool firstRowIsTop) {
    ordered_json fields;
    fields["columns"] = detector.columns;
    fields["rows"] = detector.rows;
    fields["pitchMm"] = numbers(detector.pitchMm);
    fields["offsetMm"] = numbers(detector.offsetMm);
    fields["rollDeg"] = number(detector.rollDeg);
    fields["tiltDeg"] = number(detector.tiltDeg);
    fields["slantDeg"] = number(detector.slantDeg);
    fields["firstRow"] = firstRowIsTop ? "top" : "bottom";
    return fields;
}

ordered_json projectionsJson(const ProjectionFiles& files) {
    ordered_json fields;
    fields["files"] = files.files;
    fields["kind"] = files.kind == ProjectionKind::counts ? "counts" : "attenuation";
    if (!files.dark.empty()) fields["dark"] = files.dark;
    if (!files.flat.empty()) fields["flat"] = files.flat;
    if (files.flatValue) fields["flatValue"] = number(*files.flatValue);
    if (files.saturationValue) fields["saturationValue"] = number(*files.saturationValue);
    if (!files.badPixels.empty()) fields["badPixels"] = files.badPixels;
    if (!files.skipViews.empty()) fields["skipViews"] = numbers(files.skipViews);
    return fields;
}

// A value on one line, with spaces behind its commas.
std::string onOneLine(const ordered_json& value) {
    if (!value.is_array()) return shownJson(value, -1);
    std::string text = "[";
    for (const ordered_json& item : value)
        text += (text.size() > 1 ? ", " : "") + jsonText(item, -1);
    return text + "]";
}

// Fields of objects a line each, lists on one line: as a person would write it.
std::string formatted(const ordered_json& value, int depth) {
    if (!value.is_object()) return onOneLine(value);
    std::string text = "{";
    const std::string indent(static_cast<std::size_t>(2 * depth + 2), ' ');
    for (const auto& [name, field] : value.items()) {
        if (text.size() > 1) text += ',';
        text += fmt::format("\n{}\"{}\": {}", indent, name, formatted(field, depth + 1));
    }
    return text + fmt::format("\n{:{}}}}", "", 2 * depth);
}

}  // namespace

ScanFile readScanFile(const fs::path& path) {
    return parseScan(readTextFile(path), path);
}

ScanFile parseScan(const std::string& json, const fs::path& path) {
    const nlohmann::json parsed = parseJson(json, path.string());
    if (parsed.is_object() && !parsed.contains("gantryScan"))
        throw InputError(
            fmt::format("{} is not a Gantry scan: it lacks the field gantryScan.", path.string()),
            {.code = ErrorCode::notAScan});
    JsonFields fields(parsed, path.string());
    if (const Index version = fields.integer("gantryScan"); version != 1)
        fields.fail("gantryScan", fmt::format("is {}; this version of Gantry reads 1", version));
    ScanFile scan;
    scan.path = path;
    scan.folder = path.parent_path();
    scan.name = fields.text("name", "");
    parseTrajectory(fields.object("trajectory"), scan.folder, scan.geometry);
    parseDetector(fields.object("detector"), scan);
    parseProjections(fields.object("projections"), scan.geometry, scan.projections);
    if (fields.has("volume")) scan.volume = parseVolume(fields.object("volume"));
    fields.finish();
    return scan;
}

std::string toJson(const ScanFile& scan) {
    ordered_json fields;
    fields["gantryScan"] = 1;
    if (!scan.name.empty()) fields["name"] = scan.name;
    fields["trajectory"] = trajectoryJson(scan.geometry);
    fields["detector"] = detectorJson(scan.geometry.detector, scan.projections.firstRowIsTop);
    fields["projections"] = projectionsJson(scan.projections);
    if (scan.volume) {
        ordered_json& volume = fields["volume"];
        volume["voxels"] = numbers(scan.volume->voxels);
        volume["pitchMm"] = numbers(scan.volume->pitchMm);
        volume["centerMm"] = numbers(scan.volume->centerMm);
    }
    return formatted(fields, 0) + "\n";
}

}  // namespace gantry
