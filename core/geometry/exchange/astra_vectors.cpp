#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/problem_list.h"
#include "core/geometry/exchange/exchange.h"
#include "core/geometry/exchange/number_text.h"
#include "core/geometry/views/row_order.h"

namespace gantry {

namespace {

constexpr Index kMaxVectorBytes = 512'000'000;
constexpr std::size_t kNumbersPerView = 12;

constexpr std::string_view kParallel = "parallel3d_vec";

// The part of a line before a comment.
std::string_view withoutComment(std::string_view line) {
    return line.substr(0, line.find('#'));
}

ViewPose poseOf(const std::vector<double>& numbers) {
    const auto vector = [&](std::size_t at) {
        return Vec3{numbers[at], numbers[at + 1], numbers[at + 2]};
    };
    return {vector(0), vector(3), vector(6), vector(9)};
}

// The rays' direction may have any length and either sign, and must be perpendicular to the
// detector. The rays come from the side on which u runs right and v up.
ViewPose parallelPoseOf(const std::vector<double>& numbers, const std::string& where) {
    constexpr double kMaxLean = 1e-6;
    ViewPose pose = poseOf(numbers);
    pose.isParallel = true;
    const Vec3 upwards = (pose.vStepMm.z < 0 ? -1 : 1) * pose.vStepMm;
    const Vec3 normal = cross(pose.uStepMm, upwards);
    const double cosine =
        std::abs(dot(normal, pose.sourceMm)) / (length(normal) * length(pose.sourceMm));
    if (!(cosine > 1 - kMaxLean))
        throwError<InputError>("{} has rays that are not at right angles to the detector", where);
    pose.sourceMm = (1 / length(normal)) * normal;
    return pose;
}

}  // namespace

ExchangedGeometry readAstraVectors(const std::filesystem::path& path, Index columns, Index rows) {
    const std::string content = readTextFile(path, kMaxVectorBytes);
    std::vector<ViewPose> poses;
    std::vector<Index> lines;
    const bool isParallel = content.find(kParallel) != std::string::npos;
    std::string_view rest = content;
    for (Index line = 1; !rest.empty(); ++line) {
        const std::string where = fmt::format("{}: line {}", path.string(), line);
        const std::vector<double> numbers = parseNumbers(withoutComment(takeLine(rest)), where);
        if (numbers.empty()) continue;
        if (numbers.size() != kNumbersPerView)
            throwError<InputError>(
                "{} has {} numbers; it must have {}: source, detector centre, u step, v step",
                where, numbers.size(), kNumbersPerView);
        if (std::ssize(poses) == kMaxViews)
            throwError<InputError>("{}: there are more than {} views", where, kMaxViews);
        poses.push_back(isParallel ? parallelPoseOf(numbers, where) : poseOf(numbers));
        lines.push_back(line);
    }
    const bool topFirst = turnRowsUp(poses);
    for (std::size_t s = 0; s < poses.size(); ++s)
        if (const std::string fault = poseFault(poses[s]); !fault.empty())
            throwError<InputError>("{}: line {}: view {} {}", path.string(), lines[s], s, fault);
    if (isParallel) return {parallelGeometry(poses, columns, rows, path.string()), topFirst};
    return exchangedOrbitOrPoses(std::move(poses), topFirst, columns, rows, path.string());
}

std::string toAstraVectors(const ExchangedGeometry& exchanged) {
    std::string text =
        exchanged.geometry.isParallel() ? fmt::format("# {}\n", kParallel) : std::string();
    for (Index s = 0; s < exchanged.geometry.views(); ++s) {
        ViewPose pose = viewPose(exchanged.geometry, s);
        if (exchanged.firstRowIsTop.value_or(false)) pose.vStepMm = -1 * pose.vStepMm;
        if (exchanged.isMirrored.value_or(false)) pose.uStepMm = -1 * pose.uStepMm;
        const char* separator = "";
        for (const Vec3& vector :
             {pose.sourceMm, pose.detectorCenterMm, pose.uStepMm, pose.vStepMm}) {
            fmt::format_to(std::back_inserter(text), "{}{} {} {}", separator, vector.x, vector.y,
                           vector.z);
            separator = " ";
        }
        text += '\n';
    }
    return text;
}

}  // namespace gantry
