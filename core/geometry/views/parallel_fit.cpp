#include <algorithm>
#include <cmath>

#include "core/base/throw_error.h"
#include "core/geometry/exchange/exchange.h"
#include "core/geometry/views/angle_list.h"
#include "core/geometry/views/circular_view.h"

namespace gantry {

namespace {

Detector detectorOf(const ViewPose& pose, Index columns, Index rows) {
    const CircularView view = circularView(pose);
    const Vec3 gantryU = {std::cos(radians(view.gantryDeg)), std::sin(radians(view.gantryDeg)), 0};
    Detector detector;
    detector.columns = columns;
    detector.rows = rows;
    detector.pitchMm = {withoutRounding(view.pitchU), withoutRounding(view.pitchV)};
    detector.rollDeg = withoutRounding(view.rollDeg);
    detector.tiltDeg = withoutRounding(view.tiltDeg);
    const Vec3 tiltedV = cross(pose.sourceMm, gantryU);
    detector.offsetMm = {withoutRounding(dot(pose.detectorCenterMm, gantryU)),
                         withoutRounding(dot(pose.detectorCenterMm, tiltedV))};
    return detector;
}

// Equal steps become an arc.
void takeAngles(std::vector<double> anglesDeg, GantryAngles& angles) {
    constexpr double kSameDeg = 1e-9;
    angles.views = std::ssize(anglesDeg);
    const auto steps = static_cast<double>(anglesDeg.size() - 1);
    const double step = steps > 0 ? (anglesDeg.back() - anglesDeg.front()) / steps : 360;
    bool isEven = true;
    for (std::size_t s = 0; s < anglesDeg.size(); ++s)
        isEven = isEven && std::abs(anglesDeg[s] - anglesDeg.front() -
                                    static_cast<double>(s) * step) < kSameDeg;
    if (!isEven || step == 0) {
        for (double& angle : anglesDeg)
            angle = withoutRounding(angle, kSameDeg);
        angles.anglesDeg = std::move(anglesDeg);
        return;
    }
    angles.startDeg = withoutRounding(anglesDeg.front(), kSameDeg);
    angles.arcDeg = withoutRounding(step * static_cast<double>(anglesDeg.size()), kSameDeg);
}

}  // namespace

ScanGeometry parallelGeometry(const std::vector<ViewPose>& poses, Index columns, Index rows,
                              const std::string& where) {
    constexpr double kMaxPixels = 0.01;  // for files with few digits
    if (poses.empty()) throwError<InputError>("{}: has no views", where);
    std::vector<double> anglesDeg;
    for (const ViewPose& pose : poses) {
        const double angle = circularView(pose).gantryDeg;
        anglesDeg.push_back(angle < 0 ? angle + 360 : angle);
    }
    ScanGeometry geometry;
    takeAngles(angleListOf(anglesDeg), geometry.trajectory.emplace<ParallelBeam>());
    geometry.detector = detectorOf(poses.front(), columns, rows);
    const double reach =
        static_cast<double>(std::max(columns, rows)) / 2;  // to the edge, where a turn shows most
    for (std::size_t s = 0; s < poses.size(); ++s) {
        const ViewPose fitted = viewPose(geometry, static_cast<Index>(s));
        const ViewPose& pose = poses[s];
        const Vec3 across = pose.detectorCenterMm - fitted.detectorCenterMm;
        const double off =
            length(across - dot(across, pose.sourceMm) * pose.sourceMm) +
            reach * (length(pose.uStepMm - fitted.uStepMm) + length(pose.vStepMm - fitted.vStepMm));
        if (off > kMaxPixels * length(pose.uStepMm))
            throwError<InputError>(
                "{}: view {} lies {:.3g} mm from where a detector that turns with a parallel beam "
                "about z would be; views of a parallel beam cannot be posed one by one",
                where, s, off);
    }
    return geometry;
}

}  // namespace gantry
