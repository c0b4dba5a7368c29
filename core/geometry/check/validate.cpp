#include "core/geometry/check/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/throw_error.h"
#include "core/geometry/check/problem_list.h"
#include "core/geometry/views/ray_cover.h"

namespace gantry {

namespace {

void checkDistances(const CircularCone& cone, ProblemList& problems) {
    const double sod = cone.sourceToIsocenterMm;
    const double sdd = cone.sourceToDetectorMm;
    const bool sodFits = problems.length("trajectory.sourceToIsocenterMm", sod, kMaxDistanceMm);
    const bool sddFits = problems.length("trajectory.sourceToDetectorMm", sdd, kMaxDistanceMm);
    if (sodFits && sddFits && sdd <= sod)
        problems.error("trajectory.sourceToDetectorMm",
                       fmt::format("The detector is {} the object: source–detector {} mm, "
                                   "source–object {} mm",
                                   sdd < sod ? "nearer than" : "no farther than", sdd, sod));
    for (std::size_t axis = 0; axis < 2; ++axis)
        problems.range(fmt::format("trajectory.sourceOffsetMm[{}]", axis),
                       cone.sourceOffsetMm[axis], -kMaxOffsetMm, kMaxOffsetMm, " mm");
}

void checkDetector(const Detector& detector, ProblemList& problems) {
    problems.count("detector.columns", detector.columns, 1, kMaxPixels);
    problems.count("detector.rows", detector.rows, 1, kMaxPixels);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        problems.length(fmt::format("detector.pitchMm[{}]", axis), detector.pitchMm[axis],
                        kMaxPitchMm);
        problems.range(fmt::format("detector.offsetMm[{}]", axis), detector.offsetMm[axis],
                       -kMaxOffsetMm, kMaxOffsetMm, " mm");
    }
    problems.range("detector.rollDeg", detector.rollDeg, -kMaxTiltDeg, kMaxTiltDeg, "°");
    problems.range("detector.tiltDeg", detector.tiltDeg, -kMaxTiltDeg, kMaxTiltDeg, "°");
    problems.range("detector.slantDeg", detector.slantDeg, -kMaxTiltDeg, kMaxTiltDeg, "°");
}

void checkArc(const GantryAngles& angles, ProblemList& problems) {
    problems.count("trajectory.views", angles.views, 1, kMaxViews);
    problems.range("trajectory.startDeg", angles.startDeg, -kMaxAngleDeg, kMaxAngleDeg, "°");
    const double arc = angles.arcDeg;
    const char* field = "trajectory.arcDeg";
    if (!problems.range(field, arc, -kMaxArcDeg, kMaxArcDeg, "°")) return;
    if (arc == 0)
        problems.errorOf(field,
                         "is 0°; it must be above 0° and up to 720°, or negative for a clockwise "
                         "scan");
    if (std::abs(arc) > 360)
        problems.warningOf(
            field, fmt::format("is {}°, more than one turn; the views beyond 360° share weight "
                               "with those of the first turn",
                               arc));
}

void checkRepeats(const std::vector<double>& angles, ProblemList& problems) {
    std::vector<std::pair<double, std::size_t>> folded;
    for (std::size_t s = 0; s < angles.size(); ++s) {
        const double angle = std::fmod(angles[s], 360);
        folded.emplace_back(angle < 0 ? angle + 360 : angle, s);
    }
    std::ranges::sort(folded);
    for (std::size_t i = 1; i < folded.size(); ++i) {
        const auto [before, first] = folded[i - 1];
        const auto [here, second] = folded[i];
        if (here - before > 1e-9) continue;
        problems.warning("trajectory.anglesDeg",
                         fmt::format("views {} and {} were taken from the same side, at {}° and "
                                     "{}°; they share weight",
                                     first, second, angles[first], angles[second]));
        return;
    }
}

void checkAngleList(const GantryAngles& declared, ProblemList& problems) {
    const std::string field = "trajectory.anglesDeg";
    const std::vector<double>& angles = declared.anglesDeg;
    const auto count = std::ssize(angles);
    if (count < 2 || count > kMaxViews)
        return problems.errorOf(
            field, fmt::format("has a length of {}; it must be 2 to {}", count, kMaxViews));
    if (declared.views != count)
        problems.errorOf("trajectory.views", fmt::format("is {}, but the list of angles has {}",
                                                         declared.views, count));
    for (std::size_t s = 0; s < angles.size(); ++s)
        if (!problems.range(fmt::format("{}[{}]", field, s), angles[s], -kMaxAngleDeg, kMaxAngleDeg,
                            "°"))
            return;
    const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
    if (*high - *low > kMaxArcDeg)
        return problems.errorOf(field,
                                fmt::format("spans {:.6g}°; it must span at most {}°. Take whole "
                                            "turns off: 370° is 10°",
                                            *high - *low, kMaxArcDeg));
    if (contiguousAngles(angles) != angles)
        problems.errorOf(field,
                         "starts again at 0° in the midst of the arc; count on beyond 360° there "
                         "(…, 359, 360, 361, …)");
    checkRepeats(angles, problems);
}

void checkAngles(const GantryAngles& angles, ProblemList& problems) {
    if (angles.anglesDeg.empty())
        checkArc(angles, problems);
    else
        checkAngleList(angles, problems);
}

void checkSeesAxis(const ScanGeometry& geometry, const FieldOfView& field, ProblemList& problems) {
    const Detector& detector = geometry.detector;
    if (field.radiusMm <= 0)
        problems.error(
            "detector.offsetMm[0]",
            fmt::format("the rotation axis falls outside the detector: with an offset of {} mm it "
                        "is on column {:.1f}, and the columns are 0 to {}",
                        detector.offsetMm[0], geometry.axisColumn(), detector.columns - 1));
}

// Checks what single fields cannot show: whether the detector faces the object.
void checkAim(const CircularCone& cone, const ScanGeometry& geometry, ProblemList& problems) {
    const FieldOfView field = fieldOfView(geometry);
    const Detector& detector = geometry.detector;
    checkSeesAxis(geometry, field, problems);
    const double sourceHeight = cone.sourceOffsetMm[1];
    if (field.zMinMm > sourceHeight || field.zMaxMm < sourceHeight)
        problems.warning(
            "detector.offsetMm[1]",
            fmt::format("at {} mm the detector lies wholly beside the mid-plane (row {:.1f}, of 0 "
                        "to {}); the farther from it, the stronger the cone-beam artefacts",
                        detector.offsetMm[1], geometry.midplaneRow(), detector.rows - 1));
}

// Whether these are numbers of views, of which some remain; what else is wrong with them is found
// where they are read.
bool canBeLeftOut(const std::vector<Index>& views, const ScanGeometry& geometry) {
    return std::ssize(views) < geometry.views() && std::ranges::all_of(views, [&](Index view) {
               return view >= 0 && view < geometry.views();
           });
}

void warnOfMissingRays(const ScanGeometry& geometry, const std::vector<Index>& leftOut,
                       ProblemList& problems) {
    const std::string field = arcField(geometry);
    const bool isCut = !leftOut.empty() && canBeLeftOut(leftOut, geometry);
    const RayCover cover(geometry, isCut ? leftOut : std::vector<Index>());
    const char* const views = isCut ? "the views that are not left out" : "the views";
    if (geometry.isLaminography()) {
        if (!geometry.isFullCircle())
            problems.warning(
                field, fmt::format("the views cover {:.6g}°; with an axis that is tilted along the "
                                   "beam by {:.6g}° the volume needs a full turn",
                                   geometry.coverageDeg(), geometry.detector.tiltDeg));
        return;
    }
    const std::optional<MissingRays> missing = cover.missing();
    if (!missing) return;
    const std::string effect =
        "edges along the missing directions come out blurred and streaked, and levels are wrong";
    if (geometry.isParallel() && missing->fromMm == 0 && cover.coverageDeg() < 180)
        return problems.warning(
            field, fmt::format("{} cover {:.6g}°, {:.6g}° less than the half turn that parallel "
                               "rays need; {}",
                               views, cover.coverageDeg(), 180 - cover.coverageDeg(), effect));
    problems.warning(field, fmt::format("{} cover {:.6g}°, and {}; {} there", views,
                                        cover.coverageDeg(), describe(*missing), effect));
}

void checkScan(const CircularCone& cone, const ScanGeometry& geometry, ProblemList& problems) {
    checkDistances(cone, problems);
    checkDetector(geometry.detector, problems);
    checkAngles(cone, problems);
    if (problems.hasError()) return;
    checkAim(cone, geometry, problems);
}

// A detector offset widens the volume for an upright axis, but not for one that leans.
void warnOfTiltedOffset(const ScanGeometry& geometry, const FieldOfView& field,
                        ProblemList& problems) {
    const auto columns = static_cast<double>(geometry.detector.columns);
    const double shift = std::abs(geometry.axisColumn() - (columns - 1) / 2);
    if (!geometry.isLaminography() || shift <= 0.05 * columns) return;
    problems.warning(
        "detector.offsetMm[0]",
        fmt::format("at {} mm the detector sees more on one side of the rotation axis, which gives "
                    "no wider volume where the axis is tilted along the beam, as no ray is "
                    "measured again from the other side: right is what is within {:.4g} mm of "
                    "the axis",
                    geometry.detector.offsetMm[0], field.radiusMm));
}

void checkScan(const ParallelBeam& beam, const ScanGeometry& geometry, ProblemList& problems) {
    checkDetector(geometry.detector, problems);
    if (geometry.detector.slantDeg != 0)
        problems.errorOf("detector.slantDeg",
                         fmt::format("is {}°; it must be 0° in a parallel beam, whose angles are "
                                     "those of the rays",
                                     geometry.detector.slantDeg));
    checkAngles(beam, problems);
    if (problems.hasError()) return;
    const FieldOfView field = fieldOfView(geometry);
    checkSeesAxis(geometry, field, problems);
    warnOfTiltedOffset(geometry, field, problems);
}

std::string poseField(std::size_t view) {
    return fmt::format("trajectory.poses[{}]", view);
}

// The poses' steps define the pitch; the detector's is only their mean.
void checkPitchOfPoses(const CalibratedPoses& poses, const Detector& detector,
                       ProblemList& problems) {
    constexpr double kSame = 1e-6;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const double mean = poses.meanCircle().mean.pitchMm[axis];
        if (std::abs(detector.pitchMm[axis] - mean) <= kSame * mean) continue;
        problems.errorOf(fmt::format("detector.pitchMm[{}]", axis),
                         fmt::format("is {:.9g} mm, and the poses' steps are {:.9g} mm long on "
                                     "average; leave it out of the scan's file",
                                     detector.pitchMm[axis], mean));
    }
}

void checkPoseRanges(const CalibratedPoses& poses, ProblemList& problems) {
    for (std::size_t s = 0; s < poses.poses().size(); ++s) {
        const PoseParameters& view = poses.meanCircle().views[s];
        for (const PoseParameter& parameter : poseParameters()) {
            const double value = parameter.value(view);
            const bool isAngle = parameter.unit[0] != ' ';
            const double max = isAngle ? kMaxTiltDeg : kMaxDistanceMm;
            if (std::abs(value) <= max) continue;
            return problems.errorOf(
                poseField(s),
                fmt::format("has a {} of {:.6g}{}; at most {:.6g}{} is allowed", parameter.label,
                            value, parameter.unit, max, parameter.unit));
        }
    }
}

// Warns how far the poses are from a circle, which FDK is made for.
void warnOfPoses(const CalibratedPoses& poses, ProblemList& problems) {
    constexpr double kFarFromCircle = 0.02;  // of the distance between source and axis
    const MeanCircle& circle = poses.meanCircle();
    if (const PoseJump jump = worstJump(poses); jump.parameter)
        problems.warningOf(
            poseField(jump.view),
            fmt::format("jumps: its {} is {:.4g}{} {} that of its neighbours ({} of {} views jump)",
                        jump.parameter->label, std::abs(jump.difference), jump.parameter->unit,
                        jump.difference > 0 ? "above" : "below", jump.views, poses.views()));
    if (circle.sourceRmsMm > kFarFromCircle * circle.mean.sourceToAxisMm)
        problems.warning("trajectory.poses",
                         fmt::format("the sources lie {:.4g} mm from a circle on average; FDK is "
                                     "made for circles, and its error grows with that",
                                     circle.sourceRmsMm));
}

void checkScan(const CalibratedPoses& poses, const ScanGeometry& geometry, ProblemList& problems) {
    constexpr double kMaxLeanDeg = 30;
    const std::string field = "trajectory.poses";
    if (poses.views() < 1 || poses.views() > kMaxViews)
        return problems.errorOf(
            field, fmt::format("has a length of {}; it must be 1 to {}", poses.views(), kMaxViews));
    const FaultyPose faulty = firstFaultyPose(poses);
    if (!faulty.fault.empty()) return problems.errorOf(poseField(faulty.view), faulty.fault);
    checkDetector(geometry.detector, problems);
    checkPitchOfPoses(poses, geometry.detector, problems);
    const MeanCircle& circle = poses.meanCircle();
    if (circle.tiltOfAxisDeg > kMaxLeanDeg)
        return problems.error(field, fmt::format("the sources go round an axis that leans {:.4g}° "
                                                 "from z; at most {}° is allowed",
                                                 circle.tiltOfAxisDeg, kMaxLeanDeg));
    checkPoseRanges(poses, problems);
    if (problems.hasError()) return;
    if (fieldOfView(geometry).radiusMm <= 0)
        return problems.error(field,
                              fmt::format("the rotation axis falls outside the detector: on "
                                          "average it is on column {:.1f}, and the columns "
                                          "are 0 to {}",
                                          geometry.axisColumn(), geometry.detector.columns - 1));
    warnOfPoses(poses, problems);
}

}  // namespace

std::string arcField(const ScanGeometry& geometry) {
    if (geometry.poses()) return "trajectory.poses";
    return geometry.angles().anglesDeg.empty() ? "trajectory.arcDeg" : "trajectory.anglesDeg";
}

std::vector<Problem> validate(const ScanGeometry& geometry, const std::vector<Index>& leftOut) {
    ProblemList problems;
    std::visit([&](const auto& kind) { checkScan(kind, geometry, problems); }, geometry.trajectory);
    if (!problems.hasError()) warnOfMissingRays(geometry, leftOut, problems);
    return std::move(problems).sorted();
}

void throwOnError(const std::vector<Problem>& problems, const std::string& where) {
    for (const Problem& problem : problems)
        if (problem.severity == Problem::Severity::error)
            throwError<InputError>("{}: {}: {}", where, problem.field, problem.message);
}

}  // namespace gantry
