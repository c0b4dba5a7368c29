#include "core/geometry/views/mean_circle.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/geometry/views/angle_list.h"

namespace gantry {

namespace {

constexpr double kSameMm = 1e-6;  // an axis this near to z through the origin is that one
constexpr double kSameRadians = 1e-9;

struct Axis {
    Vec3 centerMm;
    Vec3 direction = {0, 0, 1};
};

// Two directions that make a right-handed frame with an axis near z.
std::array<Vec3, 3> frameAbout(Vec3 axis) {
    Vec3 x = Vec3{1, 0, 0} - axis.x * axis;
    x = (1 / length(x)) * x;
    return {x, cross(axis, x), axis};
}

struct Circle {
    Eigen::Vector2d center;
    double radius = 0;
};

// x that makes the squares of x·row − value least. rowOf: of each point, with its value
template <class RowOf>
Eigen::Vector3d leastSquares(const std::vector<Eigen::Vector2d>& points, const RowOf& rowOf) {
    Eigen::Matrix3d square = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (const Eigen::Vector2d& point : points) {
        const auto& [row, value] = rowOf(point);
        square += row * row.transpose();
        right += value * row;
    }
    return square.ldlt().solve(right);
}

// The circle of least squares of distances through points about 0, from the algebraic one on.
Circle circleThrough(const std::vector<Eigen::Vector2d>& points) {
    using Row = std::pair<Eigen::Vector3d, double>;
    // |p|² = 2c·p + R² − |c|²
    Eigen::Vector3d step = leastSquares(points, [](const Eigen::Vector2d& p) {
        return Row({2 * p.x(), 2 * p.y(), 1}, p.squaredNorm());
    });
    Circle circle = {step.head<2>(), std::sqrt(step[2] + step.head<2>().squaredNorm())};
    for (int i = 0; i < 20; ++i) {
        // Gauss and Newton: residual |p − c| − R, whose derivatives are −(p − c)/|p − c| and −1.
        step = leastSquares(points, [&](const Eigen::Vector2d& p) {
            const Eigen::Vector2d away = p - circle.center;
            const double r = away.norm();
            return Row({away.x() / r, away.y() / r, 1}, r - circle.radius);
        });
        circle.center += step.head<2>();
        circle.radius += step[2];
        if (!(step.head<2>().norm() > 1e-12 * circle.radius)) break;
    }
    return circle;
}

Axis axisOf(const std::vector<ViewPose>& poses) {
    constexpr double kFlattestArc = 1e-3;  // of the variances in the plane: an arc of some 15°
    if (poses.size() < 3) return {};
    const auto n = static_cast<double>(poses.size());
    Vec3 mean, up;
    for (const ViewPose& pose : poses) {
        mean = mean + (1 / n) * pose.sourceMm;
        up = up + (1 / (n * length(pose.vStepMm))) * pose.vStepMm;
    }
    Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
    for (const ViewPose& pose : poses) {
        const Vec3 d = pose.sourceMm - mean;
        const Eigen::Vector3d from(d.x, d.y, d.z);
        covariance += from * from.transpose() / n;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> spread(covariance);
    const Eigen::Vector3d& along = spread.eigenvalues();  // the smallest first
    // An arc whose sagitta drowns in the poses' scatter tells no plane.
    if (!(along[1] > kFlattestArc * along[2] && along[1] > 4 * along[0])) return {};
    const auto flattest = spread.eigenvectors().col(0);
    Axis axis;
    axis.direction = {flattest[0], flattest[1], flattest[2]};
    if (dot(axis.direction, up) < 0) axis.direction = -1 * axis.direction;
    if (std::hypot(axis.direction.x, axis.direction.y) < kSameRadians) axis.direction = {0, 0, 1};
    if (!(std::abs(axis.direction.z) > 0.1)) return axis;  // refused later: too far from z
    const std::array<Vec3, 3> frame = frameAbout(axis.direction);
    std::vector<Eigen::Vector2d> points;
    points.reserve(poses.size());
    for (const ViewPose& pose : poses)
        points.emplace_back(dot(pose.sourceMm - mean, frame[0]),
                            dot(pose.sourceMm - mean, frame[1]));
    const Eigen::Vector2d inPlane = circleThrough(points).center;
    const Vec3 center = mean + inPlane.x() * frame[0] + inPlane.y() * frame[1];
    axis.centerMm = center - (center.z / axis.direction.z) * axis.direction;
    if (length(axis.centerMm) < kSameMm) axis.centerMm = {};
    return axis;
}

PoseParameters parametersOf(const ViewPose& pose, const MeanCircle& circle) {
    const auto inFrame = [&](Vec3 a) {
        return Vec3{dot(a, circle.axes[0]), dot(a, circle.axes[1]), dot(a, circle.axes[2])};
    };
    const Vec3 source = inFrame(pose.sourceMm - circle.centerMm);
    const Vec3 center = inFrame(pose.detectorCenterMm - circle.centerMm);
    const Vec3 uStep = inFrame(pose.uStepMm);
    const Vec3 vStep = inFrame(pose.vStepMm);
    PoseParameters p;
    const double angle = std::atan2(source.x, -source.y);
    const Vec3 gantryU = {std::cos(angle), std::sin(angle), 0};
    const Vec3 gantryN = {-gantryU.y, gantryU.x, 0};
    p.angleDeg = degrees(angle);
    p.sourceToAxisMm = -dot(source, gantryN);
    p.sourceToDetectorMm = dot(center - source, gantryN);
    p.sourceHeightMm = source.z;
    p.detectorOffsetMm = {dot(center, gantryU), center.z};
    p.pitchMm = {length(uStep), length(vStep)};
    const Vec3 u = (1 / p.pitchMm[0]) * uStep;
    const Vec3 v = (1 / p.pitchMm[1]) * vStep;
    // The normal of Rv(slant)·Ru(tilt)·Rn(roll): (−cosτ·sinσ, −sinτ, cosτ·cosσ) along u, v and n.
    const Vec3 n = cross(v, u);
    p.tiltDeg = degrees(std::asin(std::clamp(-n.z, -1.0, 1.0)));
    const double slant = std::atan2(-dot(n, gantryU), dot(n, gantryN));
    p.slantDeg = degrees(slant);
    const Vec3 unrolled = std::cos(slant) * gantryU + std::sin(slant) * gantryN;
    p.rollDeg = degrees(std::atan2(-dot(v, unrolled), dot(u, unrolled)));
    return p;
}

double meanOf(const std::vector<PoseParameters>& views, double (*value)(const PoseParameters&)) {
    double sum = 0;
    for (const PoseParameters& view : views)
        sum += value(view) / static_cast<double>(views.size());
    return sum;
}

PoseParameters meanOfAll(const std::vector<PoseParameters>& views) {
    using P = PoseParameters;
    const auto mean = [&](double (*value)(const P&)) { return meanOf(views, value); };
    P result;
    result.sourceToAxisMm = mean([](const P& p) { return p.sourceToAxisMm; });
    result.sourceToDetectorMm = mean([](const P& p) { return p.sourceToDetectorMm; });
    result.sourceHeightMm = mean([](const P& p) { return p.sourceHeightMm; });
    result.detectorOffsetMm = {mean([](const P& p) { return p.detectorOffsetMm[0]; }),
                               mean([](const P& p) { return p.detectorOffsetMm[1]; })};
    result.rollDeg = mean([](const P& p) { return p.rollDeg; });
    result.tiltDeg = mean([](const P& p) { return p.tiltDeg; });
    result.slantDeg = mean([](const P& p) { return p.slantDeg; });
    result.pitchMm = {mean([](const P& p) { return p.pitchMm[0]; }),
                      mean([](const P& p) { return p.pitchMm[1]; })};
    return result;
}

constexpr PoseParameter kParameters[] = {
    {"sourceToAxisMm", "source–axis distance", " mm",
     [](const PoseParameters& p) { return p.sourceToAxisMm; }},
    {"sourceToDetectorMm", "source–detector distance", " mm",
     [](const PoseParameters& p) { return p.sourceToDetectorMm; }},
    {"sourceHeightMm", "source's height", " mm",
     [](const PoseParameters& p) { return p.sourceHeightMm; }},
    {"detectorOffsetUMm", "detector's offset along u", " mm",
     [](const PoseParameters& p) { return p.detectorOffsetMm[0]; }},
    {"detectorOffsetVMm", "detector's offset along v", " mm",
     [](const PoseParameters& p) { return p.detectorOffsetMm[1]; }},
    {"rollDeg", "detector's roll", "°", [](const PoseParameters& p) { return p.rollDeg; }},
    {"tiltDeg", "detector's tilt", "°", [](const PoseParameters& p) { return p.tiltDeg; }},
    {"slantDeg", "detector's slant", "°", [](const PoseParameters& p) { return p.slantDeg; }},
    {"pitchUMm", "pitch along u", " mm", [](const PoseParameters& p) { return p.pitchMm[0]; }},
    {"pitchVMm", "pitch along v", " mm", [](const PoseParameters& p) { return p.pitchMm[1]; }},
};

}  // namespace

std::span<const PoseParameter> poseParameters() {
    return kParameters;
}

Vec3 MeanCircle::toAxis(Vec3 sourceMm) const {
    const Vec3 to = centerMm - sourceMm;
    return to - dot(to, axes[2]) * axes[2];
}

double MeanCircle::sourceResidualMm(const ViewPose& pose, std::size_t s) const {
    return length(pose.sourceMm - poseAt(views[s].angleDeg).sourceMm);
}

double MeanCircle::detectorResidualMm(const ViewPose& pose, std::size_t s) const {
    return length(pose.detectorCenterMm - poseAt(views[s].angleDeg).detectorCenterMm);
}

MeanCircle fitMeanCircle(const std::vector<ViewPose>& poses) {
    MeanCircle circle;
    const Axis axis = axisOf(poses);
    circle.centerMm = axis.centerMm;
    circle.axes = frameAbout(axis.direction);
    circle.tiltOfAxisDeg =
        degrees(std::atan2(std::hypot(axis.direction.x, axis.direction.y), axis.direction.z));
    circle.views.reserve(poses.size());
    std::vector<double> angles;
    angles.reserve(poses.size());
    for (const ViewPose& pose : poses) {
        circle.views.push_back(parametersOf(pose, circle));
        const double angle = circle.views.back().angleDeg;
        angles.push_back(angle < 0 ? angle + 360 : angle);
    }
    const std::vector<double> listed = angleListOf(angles);
    circle.mean = meanOfAll(circle.views);
    double source = 0;
    double detector = 0;
    for (std::size_t s = 0; s < poses.size(); ++s) {
        circle.views[s].angleDeg = listed[s];
        source += std::pow(circle.sourceResidualMm(poses[s], s), 2);
        detector += std::pow(circle.detectorResidualMm(poses[s], s), 2);
    }
    const auto n = static_cast<double>(poses.size());
    circle.sourceRmsMm = std::sqrt(source / n);
    circle.detectorRmsMm = std::sqrt(detector / n);
    return circle;
}

}  // namespace gantry
