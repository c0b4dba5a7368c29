#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/median.h"
#include "core/base/throw_error.h"
#include "core/geometry/exchange/exchange.h"
#include "core/geometry/views/circular_view.h"

namespace gantry {

namespace {

// Six decimals in a file pass, and no image shows it.
constexpr double kToleratedPixels = 0.01;
// Angles this close to equal steps are equal steps: 3e-10 mm at 1.5 m.
constexpr double kSameAngleDeg = 1e-11;
constexpr double kMaxRegularArcDeg = 720;

std::string nameOf(std::size_t view, std::size_t views) {
    return fmt::format("view {} of 0 to {}", view, views - 1);
}

// What makes a pose unusable for a circle about z, or nothing.
std::string faultOf(const ViewPose& pose) {
    std::string fault = poseFault(pose);
    const Vec3 normal = cross(pose.uStepMm, pose.vStepMm);
    if (fault.empty() && std::hypot(normal.x, normal.y) < 1e-3 * length(normal))
        fault = "has its detector perpendicular to the rotation axis (z)";
    return fault;
}

// A quantity that all views of an orbit share.
struct Shared {
    const char* name;
    const char* unit;
    double CircularView::*value;
    bool isAngle;
    double rounding;  // of withoutRounding(); a pitch counts a thousandfold at the corners
};

constexpr Shared kShared[] = {
    {"source–isocentre distance", " mm", &CircularView::sod, false, 1e-11},
    {"source–detector distance", " mm", &CircularView::sdd, false, 1e-11},
    {"source's offset along u", " mm", &CircularView::sourceU, false, 1e-11},
    {"source's offset along v", " mm", &CircularView::sourceV, false, 1e-11},
    {"detector's offset along u", " mm", &CircularView::offsetU, false, 1e-11},
    {"detector's offset along v", " mm", &CircularView::offsetV, false, 1e-11},
    {"detector's tilt", "°", &CircularView::tiltDeg, true, 1e-11},
    {"detector's roll", "°", &CircularView::rollDeg, true, 1e-11},
    {"pitch along u", " mm", &CircularView::pitchU, false, 1e-14},
    {"pitch along v", " mm", &CircularView::pitchV, false, 1e-14},
};

// The median of the views' values, so that a stray view does not shift it.
double median(const std::vector<CircularView>& views, const Shared& shared) {
    const double reference = views.front().*shared.value;
    std::vector<double> differences;
    differences.reserve(views.size());
    for (const CircularView& view : views) {
        const double difference = view.*shared.value - reference;
        differences.push_back(shared.isAngle ? std::remainder(difference, 360.0) : difference);
    }
    return withoutRounding(reference + medianOf(std::move(differences)), shared.rounding);
}

CircularView typicalView(const std::vector<CircularView>& views) {
    CircularView typical;
    for (const Shared& shared : kShared)
        typical.*shared.value = median(views, shared);
    return typical;
}

double roundedInOneTurn(double angleDeg) {
    const double wrapped = withoutRounding(angleDeg - 360 * std::floor(angleDeg / 360));
    return wrapped >= 360 ? 0 : wrapped;
}

void setAngles(CircularCone& cone, const std::vector<double>& angles) {
    const std::vector<double> path = unwrappedAngles(angles);
    const double span = path.back() - path.front();
    const auto n = static_cast<double>(path.size());
    cone.startDeg = path.front();
    cone.arcDeg = path.size() > 1 ? withoutRounding(span * n / (n - 1)) : 360;
    bool regular = cone.arcDeg != 0 && std::abs(cone.arcDeg) <= kMaxRegularArcDeg;
    for (std::size_t s = 0; s < path.size() && regular; ++s)
        regular = std::abs(cone.angleDeg(static_cast<Index>(s)) - path[s]) < kSameAngleDeg;
    if (regular) return;
    cone.startDeg = 0;
    cone.arcDeg = 360;
    cone.anglesDeg = angleListOf(angles);
}

// The orbit without its angles: one view at 0°.
ScanGeometry orbitOf(const CircularView& typical, Index columns, Index rows) {
    ScanGeometry geometry;
    CircularCone& cone = geometry.cone();
    cone.sourceToIsocenterMm = typical.sod;
    cone.sourceToDetectorMm = typical.sdd;
    cone.sourceOffsetMm = {typical.sourceU, typical.sourceV};
    cone.views = 1;
    geometry.detector = {.columns = columns,
                         .rows = rows,
                         .pitchMm = {typical.pitchU, typical.pitchV},
                         .offsetMm = {typical.offsetU, typical.offsetV},
                         .rollDeg = typical.rollDeg,
                         .tiltDeg = typical.tiltDeg,
                         .slantDeg = 0};
    return geometry;
}

using Points = std::array<Vec3, 5>;

// The source and the detector's corners.
Points pointsOf(const ViewPose& pose, const Detector& detector) {
    const Vec3 u = static_cast<double>(detector.columns) / 2 * pose.uStepMm;
    const Vec3 v = static_cast<double>(detector.rows) / 2 * pose.vStepMm;
    const Vec3 c = pose.detectorCenterMm;
    return {pose.sourceMm, c - u - v, c + u - v, c - u + v, c + u + v};
}

// The angle by which the orbit's view at 0° comes nearest to each pose, by least squares over the
// points; short pixel steps with few digits alone would place a far source badly.
std::vector<double> gantryAngles(const ScanGeometry& orbit, const std::vector<ViewPose>& poses) {
    const Points atZero = pointsOf(viewPose(orbit, 0), orbit.detector);
    std::vector<double> angles;
    angles.reserve(poses.size());
    for (const ViewPose& pose : poses) {
        const Points points = pointsOf(pose, orbit.detector);
        double sine = 0;
        double cosine = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            sine += atZero[i].x * points[i].y - atZero[i].y * points[i].x;
            cosine += atZero[i].x * points[i].x + atZero[i].y * points[i].y;
        }
        angles.push_back(roundedInOneTurn(degrees(std::atan2(sine, cosine))));
    }
    return angles;
}

struct Deviation {
    double mm = 0;
    std::size_t view = 0;
};

// Farthest that a point lies from where the geometry has it.
Deviation worstDeviation(const ScanGeometry& geometry, const std::vector<ViewPose>& poses) {
    Deviation worst;
    for (std::size_t s = 0; s < poses.size(); ++s) {
        const Points are = pointsOf(poses[s], geometry.detector);
        const Points fitted =
            pointsOf(viewPose(geometry, static_cast<Index>(s)), geometry.detector);
        for (std::size_t i = 0; i < are.size(); ++i) {
            const double mm = length(fitted[i] - are[i]);
            if (!(mm <= worst.mm)) worst = {mm, s};
        }
    }
    return worst;
}

struct Candidate {
    ScanGeometry geometry;
    Deviation worst;
};

Candidate fitOrbit(const CircularView& typical, const std::vector<ViewPose>& poses, Index columns,
                   Index rows) {
    ScanGeometry geometry = orbitOf(typical, columns, rows);
    const std::vector<double> angles = gantryAngles(geometry, poses);
    geometry.cone().views = std::ssize(poses);
    setAngles(geometry.cone(), angles);
    const Deviation worst = worstDeviation(geometry, poses);
    return {std::move(geometry), worst};
}

// Why poses are not those of a rigid circle.
std::string deviationText(const CircularView& view, const CircularView& typical,
                          const ScanGeometry& geometry, const Deviation& worst) {
    const Detector& detector = geometry.detector;
    const double halfMm = std::hypot(static_cast<double>(detector.columns) * typical.pitchU,
                                     static_cast<double>(detector.rows) * typical.pitchV) /
                          2;
    const auto effectMm = [&](const Shared& shared) {
        const double difference = view.*shared.value - typical.*shared.value;
        if (shared.isAngle) return std::abs(radians(std::remainder(difference, 360.0))) * halfMm;
        const bool isPitch =
            shared.value == &CircularView::pitchU || shared.value == &CircularView::pitchV;
        return std::abs(difference) * (isPitch ? halfMm / (typical.*shared.value) : 1);
    };
    const Shared* max = std::ranges::max_element(
        kShared, [&](const Shared& a, const Shared& b) { return effectMm(a) < effectMm(b); });
    return fmt::format(
        "{}: the {} is {:.10g}{} where most views have {:.10g}{}, {:.3g} mm off a circular "
        "orbit of one rigid source and detector; up to {:.3g} mm ({} of a pixel) is allowed",
        nameOf(worst.view, static_cast<std::size_t>(geometry.views())), max->name,
        view.*(max->value), max->unit, typical.*(max->value), max->unit, worst.mm,
        kToleratedPixels * std::min(typical.pitchU, typical.pitchV), kToleratedPixels);
}

// The circle, or why there is none.
struct Fit {
    std::optional<ScanGeometry> circle;
    std::string deviation;
};

Fit fitCircle(const std::vector<ViewPose>& poses, Index columns, Index rows) {
    std::vector<CircularView> views;
    views.reserve(poses.size());
    for (const ViewPose& pose : poses)
        views.push_back(circularView(pose));
    const CircularView typical = typicalView(views);
    const double toleratedMm = kToleratedPixels * std::min(typical.pitchU, typical.pitchV);
    Candidate any = fitOrbit(typical, poses, columns, rows);
    if (!(any.worst.mm <= toleratedMm))
        return {{}, deviationText(views[any.worst.view], typical, any.geometry, any.worst)};
    // Rounded numbers in a file must not make a tilted detector of an aligned one.
    CircularView upright = typical;
    upright.tiltDeg = 0;
    upright.rollDeg = 0;
    Candidate aligned = fitOrbit(upright, poses, columns, rows);
    const bool isAligned =
        aligned.worst.mm <= std::max(1e-10, 2 * any.worst.mm) && aligned.worst.mm <= toleratedMm;
    return {std::move(isAligned ? aligned : any).geometry, {}};
}

void requirePoses(const std::vector<ViewPose>& poses, std::string (*faultOfPose)(const ViewPose&),
                  const std::string& where) {
    if (poses.empty()) throw InputError(where + " holds no view; it must hold at least one.");
    for (std::size_t s = 0; s < poses.size(); ++s)
        if (const std::string fault = faultOfPose(poses[s]); !fault.empty())
            throwError<InputError>("{}: {} {}", where, nameOf(s, poses.size()), fault);
}

}  // namespace

ScanGeometry circularGeometry(const std::vector<ViewPose>& poses, Index columns, Index rows,
                              const std::string& where) {
    requirePoses(poses, faultOf, where);
    Fit fit = fitCircle(poses, columns, rows);
    if (!fit.circle) throwError<InputError>("{}: {}", where, fit.deviation);
    return std::move(*fit.circle);
}

ScanGeometry orbitOrPoses(const std::vector<ViewPose>& poses, Index columns, Index rows,
                          const std::string& where) {
    requirePoses(poses, poseFault, where);
    const bool mayBeCircle =
        std::ranges::all_of(poses, [](const ViewPose& pose) { return faultOf(pose).empty(); });
    Fit fit = mayBeCircle ? fitCircle(poses, columns, rows) : Fit{};
    return fit.circle ? std::move(*fit.circle) : geometryOfPoses(poses, columns, rows);
}

}  // namespace gantry
