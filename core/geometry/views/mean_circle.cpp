#include "core/geometry/views/mean_circle.h"

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

using Matrix3 = std::array<std::array<double, 3>, 3>;

// The eigenvector of the smallest eigenvalue of a symmetric matrix, by Jacobi's rotations.
struct Flattest {
    Vec3 direction;
    double value;
    double middle;  // the eigenvalue above it
    double largest;
};

void rotatePlane(Matrix3& a, Matrix3& vectors, std::size_t p, std::size_t q) {
    if (a[p][q] == 0) return;
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double t = std::copysign(1, theta) / (std::abs(theta) + std::hypot(theta, 1));
    const double c = 1 / std::hypot(t, 1);
    const double s = t * c;
    for (std::size_t i = 0; i < 3; ++i) {
        const double ip = a[i][p];
        a[i][p] = c * ip - s * a[i][q];
        a[i][q] = s * ip + c * a[i][q];
    }
    for (std::size_t i = 0; i < 3; ++i) {
        const double pi = a[p][i];
        a[p][i] = c * pi - s * a[q][i];
        a[q][i] = s * pi + c * a[q][i];
        const double ip = vectors[i][p];
        vectors[i][p] = c * ip - s * vectors[i][q];
        vectors[i][q] = s * ip + c * vectors[i][q];
    }
}

Flattest flattestDirection(Matrix3 a) {
    Matrix3 vectors = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int sweep = 0; sweep < 30; ++sweep)
        for (const auto& [p, q] : {std::pair{0U, 1U}, {0U, 2U}, {1U, 2U}})
            rotatePlane(a, vectors, p, q);
    std::array<std::size_t, 3> order = {0, 1, 2};
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return a[i][i] < a[j][j]; });
    const std::size_t min = order[0];
    return {{vectors[0][min], vectors[1][min], vectors[2][min]},
            a[min][min],
            a[order[1]][order[1]],
            a[order[2]][order[2]]};
}

// Two directions that make a right-handed frame with an axis near z.
std::array<Vec3, 3> frameAbout(Vec3 axis) {
    Vec3 x = Vec3{1, 0, 0} - axis.x * axis;
    x = (1 / length(x)) * x;
    return {x, cross(axis, x), axis};
}

struct Circle {
    double x = 0;
    double y = 0;
    double radius = 0;
};

// The circle of least squares of distances through points of a plane, from the algebraic one on.
Circle circleThrough(const std::vector<std::array<double, 2>>& points) {
    const auto n = static_cast<double>(points.size());
    double meanX = 0, meanY = 0;
    for (const auto& [x, y] : points) {
        meanX += x / n;
        meanY += y / n;
    }
    double xx = 0, xy = 0, yy = 0, xr = 0, yr = 0, rr = 0;
    for (const auto& [px, py] : points) {
        const double x = px - meanX, y = py - meanY, r = x * x + y * y;
        xx += x * x, xy += x * y, yy += y * y, xr += x * r / 2, yr += y * r / 2, rr += r / n;
    }
    const double determinant = xx * yy - xy * xy;
    Circle circle = {(xr * yy - yr * xy) / determinant, (yr * xx - xr * xy) / determinant, 0};
    circle.radius = std::sqrt(rr + circle.x * circle.x + circle.y * circle.y);
    for (int step = 0; step < 20; ++step) {
        // Gauss and Newton: residual |p − c| − R, whose derivatives are −(p − c)/|p − c| and −1.
        double cc = 0, cs = 0, ss = 0, c1 = 0, s1 = 0, cd = 0, sd = 0, d1 = 0;
        for (const auto& [px, py] : points) {
            const double x = px - meanX - circle.x, y = py - meanY - circle.y;
            const double r = std::hypot(x, y), c = x / r, s = y / r, d = r - circle.radius;
            cc += c * c, cs += c * s, ss += s * s, c1 += c, s1 += s, cd += c * d, sd += s * d,
                d1 += d;
        }
        cc -= c1 * c1 / n, cs -= c1 * s1 / n, ss -= s1 * s1 / n;
        cd -= c1 * d1 / n, sd -= s1 * d1 / n;
        const double det = cc * ss - cs * cs;
        const double dx = (cd * ss - sd * cs) / det, dy = (sd * cc - cd * cs) / det;
        circle.x += dx;
        circle.y += dy;
        circle.radius += (d1 - c1 * dx - s1 * dy) / n;
        if (!(std::hypot(dx, dy) > 1e-12 * circle.radius)) break;
    }
    return {circle.x + meanX, circle.y + meanY, circle.radius};
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
    Matrix3 covariance{};
    for (const ViewPose& pose : poses) {
        const Vec3 d = pose.sourceMm - mean;
        const std::array<double, 3> r = {d.x, d.y, d.z};
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                covariance[i][j] += r[i] * r[j] / n;
    }
    const Flattest flat = flattestDirection(covariance);
    // An arc whose sagitta drowns in the poses' scatter tells no plane.
    if (!(flat.middle > kFlattestArc * flat.largest && flat.middle > 4 * flat.value)) return {};
    Axis axis;
    axis.direction = dot(flat.direction, up) < 0 ? -1 * flat.direction : flat.direction;
    if (std::hypot(axis.direction.x, axis.direction.y) < kSameRadians) axis.direction = {0, 0, 1};
    if (!(std::abs(axis.direction.z) > 0.1)) return axis;  // refused later: too far from z
    const std::array<Vec3, 3> frame = frameAbout(axis.direction);
    std::vector<std::array<double, 2>> points;
    points.reserve(poses.size());
    for (const ViewPose& pose : poses)
        points.push_back(
            {dot(pose.sourceMm - mean, frame[0]), dot(pose.sourceMm - mean, frame[1])});
    const Circle circle = circleThrough(points);
    const Vec3 center = mean + circle.x * frame[0] + circle.y * frame[1];
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
