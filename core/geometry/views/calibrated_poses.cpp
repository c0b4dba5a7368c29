#include "core/geometry/views/calibrated_poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/median.h"
#include "core/geometry/views/angle_list.h"

namespace gantry {

namespace {

bool isFinite(const ViewPose& pose) {
    const Vec3 sum = pose.sourceMm + pose.detectorCenterMm + pose.uStepMm + pose.vStepMm;
    return std::isfinite(sum.x) && std::isfinite(sum.y) && std::isfinite(sum.z);
}

// NaN counts as farther off than any number, so that distances can be ordered.
double distanceOrFar(double mm) {
    return std::isfinite(mm) ? mm : std::numeric_limits<double>::infinity();
}

}  // namespace

std::string poseFault(const ViewPose& pose) {
    if (!isFinite(pose)) return "has a value that is not a finite number";
    const double areaMm2 = length(pose.uStepMm) * length(pose.vStepMm);
    if (!(areaMm2 > 0)) return "has a pixel step of 0 mm";
    const Vec3 normal = (1 / areaMm2) * cross(pose.uStepMm, pose.vStepMm);
    const double cosine = dot(pose.uStepMm, pose.vStepMm) / areaMm2;
    if (std::abs(cosine) > 1e-4)
        return fmt::format("has pixel steps at {:.6g}° to each other instead of 90°",
                           degrees(std::acos(std::clamp(cosine, -1.0, 1.0))));
    const double distance =
        dot(pose.isParallel ? pose.sourceMm : pose.sourceMm - pose.detectorCenterMm, normal);
    if (distance == 0) return "has its source in the plane of the detector";
    if (distance < 0)
        return "shows the detector mirrored: u to the right and v up, seen from the source, are "
               "needed";
    return {};
}

CalibratedPoses::CalibratedPoses() : m_data(std::make_shared<const Data>()) {}

CalibratedPoses::CalibratedPoses(std::vector<ViewPose> poses) {
    auto data = std::make_shared<Data>();
    data->poses = std::move(poses);
    if (!data->poses.empty()) data->circle = fitMeanCircle(data->poses);
    data->anglesDeg.reserve(data->poses.size());
    for (const PoseParameters& view : data->circle.views)
        data->anglesDeg.push_back(view.angleDeg);
    m_data = std::move(data);
}

double CalibratedPoses::angleDeg(Index s) const {
    return anglesDeg()[s];
}

double CalibratedPoses::coverageDeg() const {
    return listedCoverageDeg(anglesDeg(), ClosedBy::wholeTurn);
}

double CalibratedPoses::magnification() const {
    const PoseParameters& mean = meanCircle().mean;
    return mean.sourceToDetectorMm / mean.sourceToAxisMm;
}

FaultyPose firstFaultyPose(const CalibratedPoses& poses) {
    const std::vector<ViewPose>& all = poses.poses();
    // A NaN would spoil the fit, so faulty poses are searched for first.
    for (std::size_t s = 0; s < all.size(); ++s) {
        const ViewPose& pose = all[s];
        const Vec3 to = poses.meanCircle().toAxis(pose.sourceMm);
        const Vec3 across = pose.detectorCenterMm - pose.sourceMm;
        if (dot(across, to) < 0)
            return {s, "has its detector behind the source, seen from the rotation axis"};
        if (std::string fault = poseFault(pose); !fault.empty()) return {s, std::move(fault)};
        const Vec3 normal = cross(pose.vStepMm, pose.uStepMm);
        const double detector = dot(across, normal) / length(normal);
        const double axis = dot(to, normal) / length(normal);
        if (!(axis > 0 && detector > axis))
            return {s, fmt::format("has its detector {:.6g} mm from the source and the rotation "
                                   "axis {:.6g} mm; the detector must lie behind the axis",
                                   detector, axis)};
    }
    return {all.size(), {}};
}

std::vector<FarPose> farthestPoses(const CalibratedPoses& poses, std::size_t max) {
    const MeanCircle& circle = poses.meanCircle();
    std::vector<FarPose> far;
    far.reserve(poses.poses().size());
    for (std::size_t s = 0; s < poses.poses().size(); ++s)
        far.push_back({s, distanceOrFar(circle.sourceResidualMm(poses.poses()[s], s)),
                       distanceOrFar(circle.detectorResidualMm(poses.poses()[s], s))});
    const auto farthestFirst = [](const FarPose& a, const FarPose& b) {
        return std::max(a.sourceMm, a.detectorMm) > std::max(b.sourceMm, b.detectorMm);
    };
    max = std::min(max, far.size());
    std::partial_sort(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(max), far.end(),
                      farthestFirst);
    far.resize(max);
    return far;
}

PoseJump worstJump(const CalibratedPoses& poses) {
    constexpr double kTimesUsual = 10;
    constexpr double kMinDeg = 0.5;
    const std::vector<PoseParameters>& views = poses.meanCircle().views;
    PoseJump worst;
    if (views.size() < 5 || !firstFaultyPose(poses).fault.empty()) return worst;
    const double minMm = 1e-3 * poses.meanCircle().mean.sourceToDetectorMm;
    double worstTimes = 1;
    std::vector<bool> jumps(views.size());
    for (const PoseParameter& parameter : poseParameters()) {
        std::vector<double> differences;
        for (std::size_t s = 1; s + 1 < views.size(); ++s)
            differences.push_back(parameter.value(views[s]) -
                                  (parameter.value(views[s - 1]) + parameter.value(views[s + 1])) /
                                      2);
        std::vector<double> sizes(differences.size());
        std::ranges::transform(differences, sizes.begin(), [](double d) { return std::abs(d); });
        const bool isAngle = parameter.unit[0] != ' ';
        const double limit =
            std::max(kTimesUsual * medianOf(std::move(sizes)), isAngle ? kMinDeg : minMm);
        for (std::size_t i = 0; i < differences.size(); ++i) {
            const double times = std::abs(differences[i]) / limit;
            if (!(times > 1)) continue;
            jumps[i + 1] = true;
            if (times > worstTimes) {
                worstTimes = times;
                worst.view = i + 1;
                worst.parameter = &parameter;
                worst.difference = differences[i];
            }
        }
    }
    worst.views = static_cast<std::size_t>(std::ranges::count(jumps, true));
    return worst;
}

}  // namespace gantry
