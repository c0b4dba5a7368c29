#include "core/io/scan_file/pose_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "core/base/error.h"
#include "core/io/scan_file/number_columns.h"

namespace gantry {

ViewPose poseOfNumbers(const std::array<double, 12>& numbers) {
    const auto vector = [&](std::size_t at) {
        return Vec3{numbers[at], numbers[at + 1], numbers[at + 2]};
    };
    return {vector(0), vector(3), vector(6), vector(9)};
}

std::array<double, 12> numbersOfPose(const ViewPose& pose) {
    require(!pose.isParallel, "a pose of parallel rays has no source to write");
    const Vec3& s = pose.sourceMm;
    const Vec3& d = pose.detectorCenterMm;
    const Vec3& u = pose.uStepMm;
    const Vec3& v = pose.vStepMm;
    return {s.x, s.y, s.z, d.x, d.y, d.z, u.x, u.y, u.z, v.x, v.y, v.z};
}

std::vector<ViewPose> readPoseFile(const std::filesystem::path& path) {
    std::vector<ViewPose> poses;
    readNumberColumns(path, {.what = "poses", .counter = "view", .names = kPoseColumns},
                      [&](std::span<const double> numbers) {
                          std::array<double, kPoseColumns.size()> pose{};
                          std::ranges::copy(numbers, pose.begin());
                          poses.push_back(poseOfNumbers(pose));
                          return poseFault(poses.back());
                      });
    return poses;
}

std::string toPoseCsv(const std::vector<ViewPose>& poses) {
    std::string text = fmt::format("view,{}\n", fmt::join(kPoseColumns, ","));
    for (std::size_t s = 0; s < poses.size(); ++s)
        fmt::format_to(std::back_inserter(text), "{},{}\n", s,
                       fmt::join(numbersOfPose(poses[s]), ","));
    return text;
}

}  // namespace gantry
