#include "core/verify/edge_rays.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/metrics/line_profile.h"

namespace gantry {

namespace {

std::array<double, 3> inVoxels(const VolumeGrid& grid, Vec3 p) {
    const Vec3 first = grid.originMm();
    return {(p.x - first.x) / grid.pitchMm[0], (p.y - first.y) / grid.pitchMm[1],
            (p.z - first.z) / grid.pitchMm[2]};
}

bool holds(const VolumeGrid& grid, const std::array<double, 3>& xyz) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (!(xyz[axis] >= -0.5 && xyz[axis] <= static_cast<double>(grid.voxels[axis]) - 0.5))
            return false;
    return true;
}

}  // namespace

std::vector<Vec3> evenDirections(int count) {
    std::vector<Vec3> directions;
    for (int i = 0; i < count; ++i) {
        const double z = 1 - (2.0 * i + 1) / count;
        const double angle = kPi * (3 - std::sqrt(5.0)) * i;
        const double r = std::sqrt(1 - z * z);
        directions.push_back({r * std::cos(angle), r * std::sin(angle), z});
    }
    return directions;
}

double voxelMm(const VolumeGrid& grid) {
    return *std::ranges::max_element(grid.pitchMm);
}

std::vector<double> valuesAlong(const Volume& volume, const EdgeRay& ray, int samples) {
    const auto from = inVoxels(volume.grid, ray.from + ray.nearMm * ray.direction);
    const auto to = inVoxels(volume.grid, ray.from + ray.farMm * ray.direction);
    if (!holds(volume.grid, from) || !holds(volume.grid, to)) return {};
    return lineProfile(volume.span(), from, to, samples);
}

std::optional<double> crossingMm(const Volume& volume, const EdgeRay& ray, double level,
                                 double expectedMm) {
    const double lengthMm = ray.farMm - ray.nearMm;
    const double quarterMm = *std::ranges::min_element(volume.grid.pitchMm) / 4;
    const int steps = std::max(2, static_cast<int>(std::ceil(lengthMm / quarterMm)));
    const std::vector<double> values = valuesAlong(volume, ray, steps + 1);
    std::optional<double> nearest;
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        const double a = values[i] - level;
        const double b = values[i + 1] - level;
        if (!(a * b <= 0) || a == b) continue;
        const double at = ray.nearMm + lengthMm * (static_cast<double>(i) + a / (a - b)) / steps;
        if (!nearest || std::abs(at - expectedMm) < std::abs(*nearest - expectedMm)) nearest = at;
    }
    return nearest;
}

FittedSphere fittedSphere(const std::vector<Vec3>& points, Vec3 start, bool flat) {
    if (points.size() < 8)
        throw InputError("An edge was found at fewer than 8 points, too few to fit a surface.");
    FittedSphere sphere{start, 0, 0, 0};
    // Gauss-Newton; from a start within the sphere three steps are more than enough.
    for (int step = 0; step < 6; ++step) {
        std::vector<std::vector<double>> rows;
        std::vector<double> distances;
        for (const Vec3& point : points) {
            const Vec3 away = point - sphere.centerMm;
            const double distance = length(away);
            rows.push_back({away.x / distance, away.y / distance, 1});
            if (!flat) rows.back().push_back(away.z / distance);
            distances.push_back(distance);
        }
        const LinearFit fit = leastSquares(rows, distances);
        sphere.centerMm = sphere.centerMm + Vec3{fit.x[0], fit.x[1], flat ? 0 : fit.x[3]};
        sphere.radiusMm = fit.x[2];
    }
    sphere.nearestMm = sphere.farthestMm = length(points.front() - sphere.centerMm);
    for (const Vec3& point : points) {
        sphere.nearestMm = std::min(sphere.nearestMm, length(point - sphere.centerMm));
        sphere.farthestMm = std::max(sphere.farthestMm, length(point - sphere.centerMm));
    }
    return sphere;
}

LinearFit leastSquares(const std::vector<std::vector<double>>& rows,
                       const std::vector<double>& rhs) {
    using Eigen::VectorXd;
    const Index n = rows.empty() ? 0 : std::ssize(rows.front());
    Eigen::MatrixXd square = Eigen::MatrixXd::Zero(n, n);
    VectorXd right = VectorXd::Zero(n);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto row = VectorXd::Map(rows[r].data(), n);
        square += row * row.transpose();
        right += rhs[r] * row;
    }
    const Eigen::LDLT<Eigen::MatrixXd> solved(square);
    if (std::ssize(rows) <= n || !(solved.vectorD().minCoeff() > 0))
        throw InputError("The points measured are too few, or lie too much alike, for a fit.");
    const VectorXd x = solved.solve(right);
    LinearFit fit;
    fit.x.assign(x.begin(), x.end());
    double squares = 0;
    for (std::size_t r = 0; r < rows.size(); ++r)
        squares += std::pow(VectorXd::Map(rows[r].data(), n).dot(x) - rhs[r], 2);
    fit.scatter = std::sqrt(squares / static_cast<double>(std::ssize(rows) - n));
    for (Index i = 0; i < n; ++i) {
        const VectorXd column = solved.solve(VectorXd::Unit(n, i));
        fit.deviation.push_back(fit.scatter * std::sqrt(column[i]));
    }
    return fit;
}

std::array<std::vector<double>, 3> rigidRows(Vec3 p) {
    return {std::vector<double>{0, p.z, -p.y, 1, 0, 0}, std::vector<double>{-p.z, 0, p.x, 0, 1, 0},
            std::vector<double>{p.y, -p.x, 0, 0, 0, 1}};
}

}  // namespace gantry
