#include "core/doctor/interpretation.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/filter/redundancy.h"
#include "core/geometry/check/validate.h"
#include "core/geometry/views/aligned_views.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

namespace {

constexpr std::size_t kMaxChanges = 3;
// A changed unit or sign that moves the detector by less, in pixels, does not count.
constexpr double kMinMovePx = 0.5;

void scaleAngles(GantryAngles& angles, double factor) {
    angles.startDeg *= factor;
    angles.arcDeg *= factor;
    for (double& angle : angles.anglesDeg)
        angle *= factor;
}

void turnRound(GantryAngles& angles) {
    angles.arcDeg = -angles.arcDeg;
    if (angles.anglesDeg.empty()) return;
    const double first = angles.anglesDeg.front();
    for (double& angle : angles.anglesDeg)
        angle = 2 * first - angle;
}

void startOpposite(CircularCone& cone) {
    constexpr double kHalfTurn = 180;
    cone.startDeg += cone.startDeg < kHalfTurn ? kHalfTurn : -kHalfTurn;
    for (double& angle : cone.anglesDeg)
        angle += kHalfTurn;
}

void reverseOrder(ScanGeometry& geometry) {
    if (const CalibratedPoses* poses = geometry.poses()) {
        geometry.trajectory =
            CalibratedPoses(std::vector(poses->poses().rbegin(), poses->poses().rend()));
        return;
    }
    GantryAngles& angles = geometry.angles();
    if (angles.anglesDeg.empty()) {
        angles.startDeg += angles.arcDeg * static_cast<double>(angles.views - 1) /
                           static_cast<double>(std::max<Index>(1, angles.views));
        angles.arcDeg = -angles.arcDeg;
    }
    std::ranges::reverse(angles.anglesDeg);
}

// The geometry in a mirror that exchanges x and −x, or z and −z, where columns or rows count in the
// opposite direction.
ViewPose mirrored(const ViewPose& pose, bool alongX) {
    const auto image = [&](Vec3 a) { return alongX ? Vec3{-a.x, a.y, a.z} : Vec3{a.x, a.y, -a.z}; };
    return {image(pose.sourceMm), image(pose.detectorCenterMm),
            (alongX ? -1.0 : 1.0) * image(pose.uStepMm),
            (alongX ? 1.0 : -1.0) * image(pose.vStepMm)};
}

void mirror(ScanGeometry& geometry, bool alongX) {
    const std::size_t axis = alongX ? 0 : 1;
    Detector& detector = geometry.detector;
    detector.offsetMm[axis] = -detector.offsetMm[axis];
    detector.rollDeg = -detector.rollDeg;
    (alongX ? detector.slantDeg : detector.tiltDeg) *= -1;
    if (const CalibratedPoses* poses = geometry.poses()) {
        std::vector<ViewPose> images;
        images.reserve(poses->poses().size());
        for (const ViewPose& pose : poses->poses())
            images.push_back(mirrored(pose, alongX));
        geometry.trajectory = CalibratedPoses(std::move(images));
        return;
    }
    if (geometry.isCone()) geometry.cone().sourceOffsetMm[axis] *= -1;
    if (alongX) scaleAngles(geometry.angles(), -1);
}

void scaleOffset(Detector& detector, bool times) {
    for (std::size_t axis = 0; axis < 2; ++axis)
        detector.offsetMm[axis] *= times ? detector.pitchMm[axis] : 1 / detector.pitchMm[axis];
}

void change(ScanGeometry& geometry, Convention convention) {
    Detector& detector = geometry.detector;
    switch (convention) {
        case Convention::direction:
            return turnRound(geometry.angles());
        case Convention::order:
            return reverseOrder(geometry);
        case Convention::start:
            return startOpposite(geometry.cone());
        case Convention::detectorOffsetU:
            detector.offsetMm[0] *= -1;
            return;
        case Convention::detectorOffsetV:
            detector.offsetMm[1] *= -1;
            return;
        case Convention::sourceOffsetU:
            geometry.cone().sourceOffsetMm[0] *= -1;
            return;
        case Convention::sourceOffsetV:
            geometry.cone().sourceOffsetMm[1] *= -1;
            return;
        case Convention::offsetInPixels:
            return scaleOffset(detector, true);
        case Convention::offsetTimesPitch:
            return scaleOffset(detector, false);
        case Convention::anglesInRadians:
            return scaleAngles(geometry.angles(), degrees(1));
        case Convention::anglesInRadiansTwice:
            return scaleAngles(geometry.angles(), radians(1));
        case Convention::mountingInRadians:
            detector.rollDeg = degrees(detector.rollDeg);
            detector.tiltDeg = degrees(detector.tiltDeg);
            detector.slantDeg = degrees(detector.slantDeg);
            return;
        case Convention::columns:
        case Convention::rows:
            return;  // of the images
    }
}

// Whether the offset would move by more than that in the other unit.
bool hasUnit(const Detector& detector, bool times) {
    Detector other = detector;
    scaleOffset(other, times);
    for (std::size_t axis = 0; axis < 2; ++axis)
        if (std::abs(other.offsetMm[axis] - detector.offsetMm[axis]) >=
            kMinMovePx * detector.pitchMm[axis])
            return true;
    return false;
}

// Whether the angles may have another unit: a scan spans at most two turns, so as radians they must
// not span more, and degrees that were converted twice do.
bool anglesMayBe(const GantryAngles& angles, bool radiansRead) {
    constexpr double kMaxDeg = 720;
    constexpr double kSlackDeg = 1;
    const auto [low, high] = std::minmax_element(angles.anglesDeg.begin(), angles.anglesDeg.end());
    const double span = angles.anglesDeg.empty() ? std::abs(angles.arcDeg) : *high - *low;
    return radiansRead ? span > 0 && degrees(span) <= kMaxDeg + kSlackDeg : span > kMaxDeg;
}

std::vector<Convention> conventionsOf(const ScanGeometry& geometry) {
    const Detector& detector = geometry.detector;
    std::vector<Convention> found;
    const auto add = [&](Convention convention, bool applies) {
        if (applies) found.push_back(convention);
    };
    const bool isCone = geometry.isCone();
    const bool hasAngles = geometry.hasAngles();
    add(Convention::direction, hasAngles);
    add(Convention::columns, true);
    add(Convention::rows, detector.rows > 1);
    add(Convention::order, geometry.views() > 2);
    const std::array<Convention, 2> ofDetector = {Convention::detectorOffsetU,
                                                  Convention::detectorOffsetV};
    const std::array<Convention, 2> ofSource = {Convention::sourceOffsetU,
                                                Convention::sourceOffsetV};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const double min = kMinMovePx * detector.pitchMm[axis];
        add(ofDetector[axis], 2 * std::abs(detector.offsetMm[axis]) >= min);
    }
    for (std::size_t axis = 0; axis < 2 && isCone; ++axis) {
        const double min = kMinMovePx * detector.pitchMm[axis];
        add(ofSource[axis], 2 * std::abs(geometry.cone().sourceOffsetMm[axis]) >= min);
    }
    add(Convention::offsetInPixels, hasUnit(detector, true));
    add(Convention::offsetTimesPitch, hasUnit(detector, false));
    add(Convention::anglesInRadians, hasAngles && anglesMayBe(geometry.angles(), true));
    add(Convention::anglesInRadiansTwice, hasAngles && anglesMayBe(geometry.angles(), false));
    add(Convention::mountingInRadians,
        detector.rollDeg != 0 || detector.tiltDeg != 0 || detector.slantDeg != 0);
    add(Convention::start, isCone);
    return found;
}

bool excludeEachOther(const Interpretation& interpretation) {
    return interpretation.has(Convention::offsetInPixels) &&
           interpretation.has(Convention::offsetTimesPitch);
}

using Matrix3 = std::array<Vec3, 3>;  // rows

Vec3 operator*(const Matrix3& m, Vec3 a) {
    return {dot(m[0], a), dot(m[1], a), dot(m[2], a)};
}

// A rigid motion of the world.
struct Motion {
    Matrix3 turn;
    Vec3 shiftMm;

    [[nodiscard]] Vec3 operator()(Vec3 a) const { return turn * a + shiftMm; }
};

// Unit vectors along u and v, and across both.
Matrix3 axesOf(const ViewPose& pose) {
    const Vec3 u = (1 / length(pose.uStepMm)) * pose.uStepMm;
    const Vec3 v = (1 / length(pose.vStepMm)) * pose.vStepMm;
    return {u, v, cross(u, v)};
}

enum class Rays { spread, parallel, parallelAndMirrored };

// The motion from one view's source and detector to another's. Parallel rays show the same of an
// object that is mirrored along them, and wherever along them it is: the axis stays in its place.
Motion between(const ViewPose& from, const ViewPose& to, Rays rays) {
    const Matrix3 a = axesOf(from);
    Matrix3 b = axesOf(to);
    if (rays == Rays::parallelAndMirrored) b[2] = -1 * b[2];
    // Σ b_i·a_iᵀ
    const auto row = [&](double Vec3::*axis) {
        return b[0].*axis * a[0] + b[1].*axis * a[1] + b[2].*axis * a[2];
    };
    Motion motion = {{row(&Vec3::x), row(&Vec3::y), row(&Vec3::z)}, {}};
    if (rays != Rays::spread)
        motion.shiftMm.z = to.detectorCenterMm.z - (motion.turn * from.detectorCenterMm).z;
    else
        motion.shiftMm = to.sourceMm - motion.turn * from.sourceMm;
    return motion;
}

// Points well within the field of view, none of which is another's mirror image.
std::vector<Vec3> placesIn(const ScanGeometry& geometry) {
    const FieldOfView field = fieldOfView(geometry);
    const double r = 0.7 * field.radiusMm;
    const double middle = (field.zMinMm + field.zMaxMm) / 2;
    const double h = 0.35 * (field.zMaxMm - field.zMinMm);
    const auto [x, y] = field.centerMm;
    return {{x, y, middle},         {x + r, y, middle + h}, {x, y + r, middle - h},
            {x - r, y, middle - h}, {x, y - r, middle + h}, {x + 0.5 * r, y + 0.3 * r, middle}};
}

bool seesTheSame(const ScanGeometry& from, const ScanGeometry& to, const Motion& motion, Index view,
                 const std::vector<Vec3>& places, double tolerancePx) {
    const ProjectionMatrix a = projectionMatrix(viewPose(from, view), from.detector);
    const ProjectionMatrix b = projectionMatrix(viewPose(to, view), to.detector);
    return std::ranges::all_of(places, [&](Vec3 place) {
        const Vec3 there = motion(place);
        const ProjectionMatrix::Point p = a.project(place.x, place.y, place.z);
        const ProjectionMatrix::Point q = b.project(there.x, there.y, there.z);
        return p.z > 0 && q.z > 0 && std::abs(p.u - q.u) < tolerancePx &&
               std::abs(p.v - q.v) < tolerancePx;
    });
}

// In views that are spread over the scan.
bool seesTheSame(const ScanGeometry& from, const ScanGeometry& to, const Motion& motion,
                 double tolerancePx) {
    constexpr Index kViews = 16;
    const std::vector<Vec3> places = placesIn(from);
    for (Index i = 0; i < kViews; ++i) {
        // The middle comes early: it differs most from the first.
        const Index view = (i * 7 % kViews) * (from.views() - 1) / (kViews - 1);
        if (!seesTheSame(from, to, motion, view, places, tolerancePx)) return false;
    }
    return true;
}

std::optional<Motion> motionBetween(const ScanGeometry& a, const ScanGeometry& b,
                                    double tolerancePx) {
    for (const Rays rays : {Rays::spread, Rays::parallel, Rays::parallelAndMirrored}) {
        if (rays == Rays::parallel && !(areNearlyParallel(a) && areNearlyParallel(b))) break;
        const Motion motion = between(viewPose(a, 0), viewPose(b, 0), rays);
        if (seesTheSame(a, b, motion, tolerancePx)) return motion;
    }
    return std::nullopt;
}

void mirror(Matrix3& m, const ReadGeometry& from, const ReadGeometry& to) {
    if (to.isMirroredX) m[0] = -1 * m[0];
    if (to.isUpsideDown) m[2] = -1 * m[2];
    for (Vec3& row : m) {
        if (from.isMirroredX) row.x = -row.x;
        if (from.isUpsideDown) row.z = -row.z;
    }
}

}  // namespace

bool Interpretation::has(Convention convention) const {
    return std::ranges::find(changed, convention) != changed.end();
}

Interpretation withoutShifts(const Interpretation& interpretation) {
    Interpretation left = interpretation;
    std::erase_if(left.changed, [](Convention convention) {
        return convention == Convention::detectorOffsetU ||
               convention == Convention::offsetInPixels ||
               convention == Convention::offsetTimesPitch;
    });
    return left;
}

ScanGeometry declaredAs(const ScanGeometry& declared, const Interpretation& interpretation) {
    ScanGeometry geometry = declared;
    // Changes of units come before changes that use the numbers.
    for (const bool ofUnits : {true, false})
        for (const Convention convention : interpretation.changed)
            if ((convention >= Convention::offsetInPixels &&
                 convention <= Convention::mountingInRadians) == ofUnits)
                change(geometry, convention);
    return geometry;
}

ReadGeometry readAs(const ScanGeometry& declared, const Interpretation& interpretation) {
    ReadGeometry read = {declaredAs(declared, interpretation),
                         interpretation.has(Convention::columns),
                         interpretation.has(Convention::rows)};
    if (read.isMirroredX) mirror(read.geometry, true);
    if (read.isUpsideDown) mirror(read.geometry, false);
    return read;
}

std::vector<Interpretation> interpretationsOf(const ScanGeometry& declared) {
    const std::vector<Convention> conventions = conventionsOf(declared);
    std::vector<Interpretation> interpretations = {{}};
    std::size_t first = 0;
    for (std::size_t changes = 1; changes <= kMaxChanges + 1; ++changes) {
        const std::size_t end = interpretations.size();
        for (std::size_t i = first; i < end; ++i)
            for (const Convention convention : conventions) {
                if (!interpretations[i].changed.empty() &&
                    convention <= interpretations[i].changed.back())
                    continue;
                if (changes > kMaxChanges && convention != Convention::start) continue;
                Interpretation more = interpretations[i];
                more.changed.push_back(convention);
                if (!excludeEachOther(more)) interpretations.push_back(std::move(more));
            }
        first = end;
    }
    return interpretations;
}

bool areNearlyParallel(const ScanGeometry& geometry) {
    constexpr double kMinSpread = 1e-3;
    if (geometry.isParallel()) return true;
    const AlignedDetector detector = alignedDetector(geometry);
    return static_cast<double>(detector.columns) * detector.pitchMm[0] <
           kMinSpread * detector.distanceMm;
}

bool isUsable(const ScanGeometry& geometry) {
    const std::vector<Problem> problems = validate(geometry);
    if (std::ranges::any_of(problems, [](const Problem& problem) {
            return problem.severity == Problem::Severity::error;
        }))
        return false;
    try {
        const std::optional<MissingRays> missing = planRedundancy(geometry).cover.missing();
        return areNearlyParallel(geometry) || !missing || missing->isSeenByOneSide;
    } catch (const InputError&) {
        return false;
    }
}

std::optional<Relation> relationBetween(const ReadGeometry& from, const ReadGeometry& to,
                                        double tolerancePx) {
    const ScanGeometry& a = from.geometry;
    const ScanGeometry& b = to.geometry;
    if (a.views() < 1 || b.views() != a.views()) return std::nullopt;
    const std::optional<Motion> motion = motionBetween(a, b, tolerancePx);
    if (!motion) return std::nullopt;
    Relation relation;
    relation.rows = motion->turn;
    mirror(relation.rows, from, to);
    const Matrix3& m = relation.rows;
    relation.isMirrored = dot(cross(m[0], m[1]), m[2]) < 0;
    relation.isUpsideDown = m[2].z < 0;
    relation.turnDeg = degrees(std::atan2(m[1].x, m[0].x));
    return relation;
}

}  // namespace gantry
