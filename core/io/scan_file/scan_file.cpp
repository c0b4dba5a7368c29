#include "core/io/scan_file/scan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/io/pixel_type.h"
#include "core/io/scan_file/angle_file.h"
#include "core/io/scan_file/pose_file.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/io/series/view_numbers.h"

namespace gantry {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// The name of a trajectory in a file; its fields are in scan_fields.h, only the angles for a
// parallel beam.
const char* typeName(const CircularCone&) {
    return "circular-cone";
}
const char* typeName(const CalibratedPoses&) {
    return "calibrated-poses";
}
const char* typeName(const ParallelBeam&) {
    return "parallel-beam";
}

// One pose of a list in the file itself.
ViewPose parsePose(const JsonFields& fields, const nlohmann::json& value, std::size_t s) {
    const std::string name = fmt::format("poses[{}]", s);
    std::array<double, kPoseColumns.size()> numbers{};
    if (!value.is_array() || value.size() != numbers.size())
        fields.fail(name,
                    "must be a list of 12 numbers, in mm: source, detector centre, u step, v step");
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!value[i].is_number() || !std::isfinite(value[i].get<double>()))
            fields.fail(fmt::format("{}[{}]", name, i), "is {}; it must be a finite number",
                        value[i].dump());
        numbers[i] = value[i].get<double>();
    }
    return poseOfNumbers(numbers);
}

void parsePoses(JsonFields& fields, ScanFile& scan) {
    const nlohmann::json& value = fields.raw("poses");
    std::vector<ViewPose> poses;
    if (value.is_string()) {
        poses = readPoseFile(scan.folder / value.get<std::string>());
    } else if (value.is_array() && !value.empty()) {
        poses.reserve(value.size());
        for (const nlohmann::json& pose : value)
            poses.push_back(parsePose(fields, pose, poses.size()));
    } else {
        fields.fail("poses", "must be a list of poses, one a view, or the name of a CSV file");
    }
    const auto count = std::ssize(poses);
    if (const Index views = fields.integer("views", count); views != count)
        fields.fail("views", "is {}, but poses lists {}", views, count);
    scan.geometry = geometryOfPoses(std::move(poses), 0, 0);
}

void parseAngleList(JsonFields& fields, const fs::path& folder, GantryAngles& angles) {
    for (const char* other : {"startDeg", "arcDeg"})
        if (fields.has(other))
            fields.fail(other,
                        "is given together with anglesDeg, which replaces it. Remove one of them");
    const nlohmann::json& value = fields.raw("anglesDeg");
    if (value.is_string())
        angles.anglesDeg = readAngleFile(folder / value.get<std::string>());
    else if (value.is_array())
        angles.anglesDeg = fields.numbers("anglesDeg");
    else
        fields.fail("anglesDeg", "must be a list of angles or the name of a text file with them");
    if (angles.anglesDeg.empty())
        fields.fail("anglesDeg", "is empty; it must list at least one angle");
    angles.anglesDeg = contiguousAngles(std::move(angles.anglesDeg));
    const auto count = std::ssize(angles.anglesDeg);
    angles.views = fields.integer("views", count);
    if (angles.views != count)
        fields.fail("views", "is {}, but anglesDeg lists {} angles", angles.views, count);
}

void parseAngles(JsonFields& fields, const fs::path& folder, double usualArcDeg,
                 GantryAngles& angles) {
    if (fields.has("anglesDeg")) return parseAngleList(fields, folder, angles);
    fields.know("anglesDeg");
    angles.startDeg = fields.number("startDeg", 0);
    angles.arcDeg = fields.number("arcDeg", usualArcDeg);
    angles.views = fields.integer("views");
}

void parseTrajectory(JsonFields fields, ScanFile& scan) {
    const std::string type = fields.choice(
        "type", {typeName(CircularCone()), typeName(CalibratedPoses()), typeName(ParallelBeam())});
    if (type == typeName(CalibratedPoses())) {
        parsePoses(fields, scan);
    } else if (type == typeName(ParallelBeam())) {
        parseAngles(fields, scan.folder, 180, scan.geometry.trajectory.emplace<ParallelBeam>());
    } else {
        auto& cone = scan.geometry.trajectory.emplace<CircularCone>();
        readSection(fields, scanFileFields(), "trajectory", scan);
        parseAngles(fields, scan.folder, 360, cone);
    }
    fields.finish();
}

// Reads a detector whose pitch the poses determine; the file may repeat it, because scanners write
// it.
void parseOwnDetector(JsonFields& fields, ScanFile& scan) {
    Detector& detector = scan.geometry.detector;
    detector.columns = fields.integer("columns");
    detector.rows = fields.integer("rows");
    detector.pitchMm = fields.numbers2("pitchMm", detector.pitchMm);
    detector.offsetMm = fields.numbers2("offsetMm", {0, 0});
    detector.rollDeg = fields.number("rollDeg", 0);
    detector.tiltDeg = fields.number("tiltDeg", 0);
    detector.slantDeg = fields.number("slantDeg", 0);
    const FileField<ScanFile>& firstRow = fieldOf(scanFileFields(), "detector.firstRow");
    firstRow.assign(scan, readField(fields, firstRow.shape, firstRow.kind(), firstRow.words(),
                                    firstRow.value({})));
    scan.projections.isMirrored = fields.boolean("mirrored", false);
    fields.know("turnDeg");
    if (fields.has("turnDeg")) scan.projections.turnDeg = fields.number("turnDeg");
}

void requireQuarterTurn(const JsonFields& fields, const ProjectionFiles& files) {
    const double turnDeg = files.turnDeg.value_or(0);
    if (turnDeg != 0 && turnDeg != 90 && turnDeg != 180 && turnDeg != 270)
        fields.fail("turnDeg", "is {}; it must be 0, 90, 180 or 270", turnDeg);
}

void parseDetector(JsonFields fields, ScanFile& scan) {
    if (scan.geometry.poses())
        parseOwnDetector(fields, scan);
    else
        readSection(fields, scanFileFields(), "detector", scan);
    requireQuarterTurn(fields, scan.projections);
    fields.finish();
}

void requirePositive(const JsonFields& fields, const char* name, std::optional<double> counts) {
    if (counts && *counts <= 0) fields.fail(name, "is {}; it must be greater than 0", *counts);
}

// The file may have them in any order, and one twice.
void orderSkipViews(const JsonFields& fields, ScanFile& scan) {
    std::vector<Index>& views = scan.projections.skipViews;
    views = united({}, views);
    // If the number of views is wrong itself, only that is reported.
    if (scan.geometry.views() <= 0 || views.empty()) return;
    if (const std::string fault = leaveOutFault(views, scan.geometry.views()); !fault.empty())
        fields.fail("skipViews", fault);
}

void parseProjections(JsonFields fields, ScanFile& scan) {
    ProjectionFiles& files = scan.projections;
    readSection(fields, scanFileFields(), "projections", scan);
    if (files.files.empty()) fields.fail("files", "is empty; it must name the projections");
    if (!files.rawType.empty() &&
        std::ranges::find(kPixelTypeNames, files.rawType) == std::end(kPixelTypeNames))
        fields.fail("rawType", "is \"{}\"; it must be {}", quotable(files.rawType),
                    listed({std::begin(kPixelTypeNames), std::end(kPixelTypeNames)}, "or"));
    requirePositive(fields, "flatValue", files.flatValue);
    requirePositive(fields, "saturationValue", files.saturationValue);
    orderSkipViews(fields, scan);
    const auto needsFirst = [&](const char* after, const std::string& value, const char* first,
                                const std::string& firstValue) {
        if (!value.empty() && firstValue.empty())
            fields.fail(after,
                        "is given without {}, the frames from before the scan. Frames of one time "
                        "alone are {}",
                        first, first);
    };
    needsFirst("darkAfter", files.darkAfter, "dark", files.dark);
    needsFirst("flatAfter", files.flatAfter, "flat", files.flat);
    if (!files.flat.empty() && files.flatValue)
        fields.fail("flatValue",
                    "is given together with flat, which replaces it. Remove one of them");
    if (files.kind == ProjectionKind::counts && files.flat.empty() && !files.flatValue)
        fields.fail("flat",
                    "is missing. Counts need flat images, or flatValue, the counts of the open "
                    "beam");
    fields.finish();
}

void parseOrigin(JsonFields fields, ScanFile& scan) {
    readSection(fields, scanFileFields(), "description", scan);
    fields.finish();
}

// The path as written in a scan.json in that folder: relative if it lies in there.
std::string namedFrom(const fs::path& folder, const fs::path& file) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    const fs::path relative = whole.lexically_relative(fs::absolute(folder).lexically_normal());
    const bool isInside = !relative.empty() && *relative.begin() != "..";
    return (isInside ? relative : whole).string();
}

ordered_json trajectoryJson(const ScanFile& scan) {
    ordered_json fields = {{"type", std::visit([](const auto& kind) { return typeName(kind); },
                                               scan.geometry.trajectory)}};
    if (const CalibratedPoses* poses = scan.geometry.poses()) {
        for (const ViewPose& pose : poses->poses())
            fields["poses"].push_back(numbersOfPose(pose));
        return fields;
    }
    for (const FileField<ScanFile>& field : scanFileFields())
        if (field.shape.section == "trajectory" && hasField(scan.geometry, field.shape))
            writeField(fields, field.shape, field.value(scan));
    if (!scan.geometry.angles().anglesDeg.empty())
        for (const char* replaced : {"startDeg", "arcDeg", "views"})
            fields.erase(replaced);
    return fields;
}

ordered_json sectionJson(const ScanFile& scan, const char* section) {
    ordered_json fields;
    writeSection(fields, scanFileFields(), section, scan);
    if (scan.geometry.poses()) fields.erase("pitchMm");
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

// Lists of lists have a line for each.
std::string onLines(const ordered_json& value, int depth) {
    std::string text = "[";
    for (const ordered_json& item : value)
        text += fmt::format("{}\n{:{}}{}", text.size() > 1 ? "," : "", "", 2 * depth + 2,
                            onOneLine(item));
    return text + fmt::format("\n{:{}}]", "", 2 * depth);
}

// Puts each field of an object on a line and lists on one line, as a person would.
std::string formatted(const ordered_json& value, int depth) {
    if (value.is_array() && !value.empty() && value.front().is_array())
        return onLines(value, depth);
    if (!value.is_object()) return onOneLine(value);
    std::string text = "{";
    const std::string indent(2 * depth + 2, ' ');
    for (const auto& [name, field] : value.items()) {
        if (text.size() > 1) text += ',';
        text += fmt::format("\n{}\"{}\": {}", indent, name, formatted(field, depth + 1));
    }
    return text + fmt::format("\n{:{}}}}", "", 2 * depth);
}

}  // namespace

std::vector<std::string*> ProjectionFiles::patterns() {
    std::vector<std::string*> all = {&files, &dark, &darkAfter, &flat, &flatAfter, &badPixels};
    std::erase_if(all, [](const std::string* pattern) { return pattern->empty(); });
    return all;
}

void moveScan(ScanFile& scan, const fs::path& path) {
    const fs::path folder = path.parent_path();
    if (folder != scan.folder)
        for (std::string* pattern : scan.projections.patterns())
            *pattern = namedFrom(folder, scan.folder / *pattern);
    if (folder != scan.folder && !scan.origin.file.empty())
        scan.origin.file = namedFrom(folder, scan.folder / scan.origin.file);
    scan.folder = folder;
    scan.path = path;
}

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
        fields.fail("gantryScan", "is {}; this version of Gantry reads 1", version);
    ScanFile scan;
    scan.path = path;
    scan.folder = path.parent_path();
    readSection(fields, scanFileFields(), "", scan);
    parseTrajectory(fields.object("trajectory"), scan);
    parseDetector(fields.object("detector"), scan);
    parseProjections(fields.object("projections"), scan);
    if (fields.has("volume")) scan.volume = readGrid(fields.object("volume"));
    if (fields.has("description")) parseOrigin(fields.object("description"), scan);
    fields.finish();
    return scan;
}

std::string toJson(const ScanFile& scan) {
    ordered_json fields = {{"gantryScan", 1}};
    writeSection(fields, scanFileFields(), "", scan);
    fields["trajectory"] = trajectoryJson(scan);
    fields["detector"] = sectionJson(scan, "detector");
    fields["projections"] = sectionJson(scan, "projections");
    if (scan.volume) fields["volume"] = gridJson(*scan.volume);
    if (!scan.origin.format.empty()) fields["description"] = sectionJson(scan, "description");
    return formatted(fields, 0) + "\n";
}

}  // namespace gantry
