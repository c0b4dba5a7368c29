#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/problem_list.h"
#include "core/geometry/exchange/exchange.h"
#include "core/geometry/exchange/number_text.h"
#include "core/geometry/views/row_order.h"

namespace gantry {

namespace {

constexpr Index kMaxParameterBytes = 512'000'000;
constexpr double kMaxSkew = 0.01;  // LEAP's own: cosine between rows and columns

// A parameter's name, and its older name.
struct Name {
    std::string_view now;
    std::string_view before;
};

constexpr Name kNames[] = {
    {"geometry", "proj_geometry"},
    {"detectorType", "proj_detectortype"},
    {"numAngles", "proj_nangles"},
    {"numRows", "proj_nrows"},
    {"numCols", "proj_ncols"},
    {"pixelHeight", "proj_pheight"},
    {"pixelWidth", "proj_pwidth"},
    {"centerRow", "proj_crow"},
    {"centerCol", "proj_ccol"},
    {"angularRange", "proj_arange"},
    {"phis", "proj_phis"},
    {"sod", "proj_sod"},
    {"sdd", "proj_sdd"},
    {"tau", "proj_tau"},
    {"helicalPitch", "proj_helicalpitch"},
    {"tiltAngle", "proj_tiltAngle"},
    {"sourcePositions", "proj_srcpos"},
    {"moduleCenters", "proj_modcenter"},
    {"rowVectors", "proj_rowvec"},
    {"colVectors", "proj_colvec"},
};

std::string_view nowCalled(std::string_view key) {
    const auto* const found = std::ranges::find(kNames, key, &Name::before);
    return found == std::end(kNames) ? key : found->now;
}

struct Line {
    std::string_view key;
    std::string_view value;
};

// Splits "key = value"; nothing for other lines.
std::optional<Line> lineOf(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    return Line{nowCalled(trimmed(text.substr(0, equals))), trimmed(text.substr(equals + 1))};
}

// The file's values by name.
class Parameters {
  public:
    Parameters(std::string file, std::string_view content) : m_file(std::move(file)) {
        for (Index number = 1; !content.empty(); ++number) {
            const std::string_view text = trimmed(takeLine(content));
            if (text.empty() || text.front() == '#') continue;
            const std::optional<Line> line = lineOf(text);
            if (!line)
                throwError<InputError>("{}: line {}: must be \"name = value\"", m_file, number);
            m_values[line->key] = {line->value, number};
        }
    }

    [[nodiscard]] std::string word(std::string_view name, std::string_view otherwise) const {
        const auto found = m_values.find(name);
        return std::string(found == m_values.end() ? otherwise : found->second.text);
    }
    [[nodiscard]] bool has(std::string_view name) const {
        const auto found = m_values.find(name);
        return found != m_values.end() && !found->second.text.empty();
    }
    [[nodiscard]] std::vector<double> numbers(std::string_view name) const {
        const auto found = m_values.find(name);
        if (found == m_values.end()) throwError<InputError>("{}: {} is missing", m_file, name);
        return parseNumbers(found->second.text, where(name));
    }
    [[nodiscard]] double number(std::string_view name) const {
        const std::vector<double> found = numbers(name);
        if (found.size() != 1)
            throwError<InputError>("{} has {} numbers; it must have one", where(name),
                                   found.size());
        return found[0];
    }
    [[nodiscard]] double number(std::string_view name, double otherwise) const {
        return has(name) ? number(name) : otherwise;
    }
    [[nodiscard]] Index count(std::string_view name, double max) const {
        const double value = number(name);
        if (!(value >= 1 && value <= max) || value != std::floor(value))
            throwError<InputError>("{} is {}; it must be a whole number from 1 to {}", where(name),
                                   value, max);
        return static_cast<Index>(value);
    }
    [[nodiscard]] double length(std::string_view name) const {
        const double value = number(name);
        if (!(value > 0))
            throwError<InputError>("{} is {} mm; it must be greater than 0", where(name), value);
        return value;
    }
    // Reads `count` vectors of three numbers.
    [[nodiscard]] std::vector<Vec3> vectors(std::string_view name, Index count) const {
        const std::vector<double> found = numbers(name);
        if (std::ssize(found) != 3 * count)
            throwError<InputError>("{} has {} numbers; {} views have 3 each", where(name),
                                   found.size(), count);
        std::vector<Vec3> result;
        result.reserve(count);
        for (std::size_t i = 0; i < found.size(); i += 3)
            result.push_back({found[i], found[i + 1], found[i + 2]});
        return result;
    }
    [[noreturn]] void refuse(std::string_view name, std::string_view why) const {
        throwError<InputError>("{} is {}; {}", where(name), word(name, ""), why);
    }

  private:
    struct Value {
        std::string_view text;
        Index line = 0;
    };
    [[nodiscard]] std::string where(std::string_view name) const {
        return fmt::format("{}: line {}: {}", m_file, m_values.find(name)->second.line, name);
    }

    std::string m_file;
    std::map<std::string_view, Value> m_values;
};

std::vector<double> anglesDeg(const Parameters& from, Index views) {
    if (from.has("phis")) {
        std::vector<double> angles = from.numbers("phis");
        if (std::ssize(angles) != views)
            from.refuse("numAngles", fmt::format("phis has {} angles", angles.size()));
        return angles;
    }
    const double range = from.number("angularRange");
    std::vector<double> angles;
    angles.reserve(views);
    for (Index s = 0; s < views; ++s)
        angles.push_back(range * static_cast<double>(s) / static_cast<double>(views));
    return angles;
}

// At angle φ the source is at sod·(sinφ, −cosφ) − tau·(cosφ, sinφ); columns and rows are counted
// from the foot of the source on the detector, which is turned about the ray there.
std::vector<ViewPose> cone(const Parameters& from, Index columns, Index rows) {
    const double sod = from.length("sod");
    const double sdd = from.length("sdd");
    const double width = from.length("pixelWidth");
    const double height = from.length("pixelHeight");
    const double tau = from.number("tau", 0);
    const double tilt = radians(from.number("tiltAngle", 0));
    const double across = (static_cast<double>(columns - 1) / 2 - from.number("centerCol")) * width;
    const double up = (static_cast<double>(rows - 1) / 2 - from.number("centerRow")) * height;
    std::vector<ViewPose> poses;
    for (const double angle : anglesDeg(from, from.count("numAngles", kMaxViews))) {
        const double c = std::cos(radians(angle));
        const double s = std::sin(radians(angle));
        const Vec3 side = {c, s, 0};
        const Vec3 u = std::cos(tilt) * side + Vec3{0, 0, std::sin(tilt)};
        const Vec3 v = -std::sin(tilt) * side + Vec3{0, 0, std::cos(tilt)};
        ViewPose pose;
        pose.sourceMm = sod * Vec3{s, -c, 0} - tau * side;
        pose.detectorCenterMm = pose.sourceMm - sdd * Vec3{s, -c, 0} + across * u + up * v;
        pose.uStepMm = width * u;
        pose.vStepMm = height * v;
        poses.push_back(pose);
    }
    return poses;
}

// LEAP takes only the vectors' directions, and makes those of rows perpendicular to those of
// columns.
std::vector<ViewPose> modules(const Parameters& from) {
    const Index views = from.count("numAngles", kMaxViews);
    const double width = from.length("pixelWidth");
    const double height = from.length("pixelHeight");
    const std::vector<Vec3> sources = from.vectors("sourcePositions", views);
    const std::vector<Vec3> centers = from.vectors("moduleCenters", views);
    const std::vector<Vec3> rowVectors = from.vectors("rowVectors", views);
    const std::vector<Vec3> columnVectors = from.vectors("colVectors", views);
    std::vector<ViewPose> poses;
    poses.reserve(sources.size());
    for (std::size_t s = 0; s < sources.size(); ++s) {
        const Vec3 u = (1 / length(columnVectors[s])) * columnVectors[s];
        const Vec3 row = (1 / length(rowVectors[s])) * rowVectors[s];
        if (std::abs(dot(row, u)) > kMaxSkew)
            from.refuse(
                "geometry",
                fmt::format("the row and column vectors of view {} are not at right angles", s));
        const Vec3 v = row - dot(row, u) * u;
        poses.push_back({sources[s], centers[s], width * u, (height / length(v)) * v});
    }
    return poses;
}

}  // namespace

bool isLeapText(std::string_view text) {
    while (!text.empty()) {
        const std::optional<Line> line = lineOf(trimmed(takeLine(text)));
        if (line && line->key == "geometry") return true;
    }
    return false;
}

ExchangedGeometry readLeapParameters(const std::filesystem::path& path) {
    const std::string content = readTextFile(path, kMaxParameterBytes);
    const std::string file = path.string();
    const Parameters from(file, content);
    const std::string kind = from.word("geometry", "");
    if (kind.empty()) throwError<InputError>("{}: geometry is missing", file);
    if (kind != "cone" && kind != "modular")
        from.refuse("geometry", "only cone and modular can be reconstructed");
    if (from.word("detectorType", "flat") != "flat")
        from.refuse("detectorType", "only flat detectors can be reconstructed");
    if (from.number("helicalPitch", 0) != 0)
        from.refuse("helicalPitch", "only sources that stay in a plane can be reconstructed");
    const Index columns = from.count("numCols", kMaxPixels);
    const Index rows = from.count("numRows", kMaxPixels);
    std::vector<ViewPose> poses = kind == "cone" ? cone(from, columns, rows) : modules(from);
    const bool topFirst = turnRowsUp(poses);
    for (std::size_t s = 0; s < poses.size(); ++s)
        if (const std::string fault = poseFault(poses[s]); !fault.empty())
            throwError<InputError>("{}: view {} {}", file, s, fault);
    return exchangedOrbitOrPoses(std::move(poses), topFirst, columns, rows, file);
}

}  // namespace gantry
