#include "core/verify/sphere_measures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/median.h"
#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/verify/edge_rays.h"

namespace gantry {

namespace {

constexpr int kRays = 400;
// Radii at which a sphere is certainly material, its edge may lie, and it has certainly ended.
constexpr double kInside = 0.5;
constexpr double kNear = 0.4;
constexpr double kFar = 1.7;
constexpr double kOutside = 1.8;

class SphereProbe {
  public:
    SphereProbe(const Volume& volume, const KnownSphere& known, std::size_t number)
        : m_volume(volume), m_known(known), m_number(number), m_directions(evenDirections(kRays)) {}

    MeasuredSphere measure() {
        FittedSphere sphere{m_known.centerMm, m_known.radiusMm, 0, 0};
        // Each step starts at the centre found, about which the surface is even.
        for (int i = 0; i < 4; ++i)
            sphere = fittedSphere(surface(sphere), sphere.centerMm, false);
        MeasuredSphere measured;
        measured.known = m_known;
        measured.centerMm = sphere.centerMm;
        measured.radiusMm = sphere.radiusMm;
        measured.formErrorMm = sphere.farthestMm - sphere.nearestMm;
        measured.sizeErrorMm = 2 * (sphere.radiusMm - m_known.radiusMm);
        measured.edgeVarianceMm2 = edgeVariance(sphere);
        return measured;
    }

  private:
    [[noreturn]] void fail(const char* why) const {
        const auto [x, y, z] = m_known.centerMm;
        throwError<InputError>(
            "Sphere {} at {:.2f}, {:.2f}, {:.2f} mm, of {:.2f} mm radius, cannot be measured: {}.",
            m_number + 1, x, y, z, m_known.radiusMm, why);
    }

    [[nodiscard]] double levelAt(const FittedSphere& sphere, double radii) const {
        std::vector<double> values;
        for (const Vec3& direction : m_directions) {
            const double r = radii * m_known.radiusMm;
            const auto two = valuesAlong(m_volume, {sphere.centerMm, direction, r, r + 1e-6}, 2);
            if (!two.empty()) values.push_back(two.front());
        }
        if (values.size() < kRays / 2) fail("it is not wholly in the volume");
        return medianOf(std::move(values));
    }

    std::vector<Vec3> surface(const FittedSphere& sphere) const {
        const double inside = levelAt(sphere, kInside);
        const double outside = levelAt(sphere, kOutside);
        const double level = (inside + outside) / 2;
        std::vector<Vec3> points;
        for (const Vec3& direction : m_directions) {
            const EdgeRay ray = {sphere.centerMm, direction, kNear * m_known.radiusMm,
                                 kFar * m_known.radiusMm};
            if (const auto at = crossingMm(m_volume, ray, level, sphere.radiusMm))
                points.push_back(sphere.centerMm + *at * direction);
        }
        if (points.size() < kRays * 3 / 4) fail("its surface is not found there");
        return points;
    }

    // Uses directions about the equator, where every view sees the edge from the side.
    [[nodiscard]] double edgeVariance(const FittedSphere& sphere) const {
        constexpr int kSamples = 201;
        const double reachMm = edgeReachMm(m_known.radiusMm, voxelMm(m_volume.grid));
        const double nearMm = sphere.radiusMm - reachMm;
        const double farMm = sphere.radiusMm + reachMm;
        std::vector<double> profile(kSamples);
        for (const Vec3& direction : m_directions) {
            if (std::abs(direction.z) > kEquator) continue;
            const auto values =
                valuesAlong(m_volume, {sphere.centerMm, direction, nearMm, farMm}, kSamples);
            for (std::size_t i = 0; i < values.size(); ++i)
                profile[i] += values[i];
        }
        const double stepMm = (farMm - nearMm) / (kSamples - 1);
        double sum = 0;
        double first = 0;
        double second = 0;
        for (std::size_t i = 0; i + 1 < profile.size(); ++i) {
            const double weight = profile[i] - profile[i + 1];
            const double at = nearMm + (static_cast<double>(i) + 0.5) * stepMm - sphere.radiusMm;
            sum += weight;
            first += weight * at;
            second += weight * at * at;
        }
        return second / sum - std::pow(first / sum, 2);
    }

    const Volume& m_volume;
    const KnownSphere& m_known;
    std::size_t m_number;
    std::vector<Vec3> m_directions;
};

// Fits a small rotation, a shift and a scale, or two scales, that map true centres to measured
// ones.
void fitScale(SphereMeasures& measures) {
    std::vector<std::vector<double>> together;
    std::vector<std::vector<double>> apart;
    std::vector<double> moved;
    for (const MeasuredSphere& sphere : measures.spheres) {
        const Vec3 p = sphere.known.centerMm;
        const Vec3 d = sphere.centerMm - p;
        auto rows = rigidRows(p);
        const std::array<double, 3> place = {p.x, p.y, p.z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            rows[axis].push_back(place[axis]);
            together.push_back(rows[axis]);
            rows[axis].back() = axis < 2 ? place[axis] : 0;
            rows[axis].push_back(axis < 2 ? 0 : place[axis]);
            apart.push_back(rows[axis]);
        }
        moved.insert(moved.end(), {d.x, d.y, d.z});
    }
    const LinearFit one = leastSquares(together, moved);
    measures.scale = 1 + one.x[6];
    measures.scaleDeviation = one.deviation[6];
    measures.scaleInPlane = measures.scaleAlongAxis = measures.scale;
    double lowest = measures.spheres.front().known.centerMm.z;
    double highest = lowest;
    for (const MeasuredSphere& sphere : measures.spheres) {
        lowest = std::min(lowest, sphere.known.centerMm.z);
        highest = std::max(highest, sphere.known.centerMm.z);
    }
    // If all spheres have one height, they show nothing about the axis.
    if (highest - lowest < measures.spheres.front().known.radiusMm) return;
    const LinearFit two = leastSquares(apart, moved);
    measures.scaleInPlane = 1 + two.x[6];
    measures.scaleAlongAxis = 1 + two.x[7];
}

void compareDistances(SphereMeasures& measures) {
    const auto& spheres = measures.spheres;
    for (std::size_t i = 0; i < spheres.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double known = length(spheres[i].known.centerMm - spheres[j].known.centerMm);
            const double error = length(spheres[i].centerMm - spheres[j].centerMm) - known;
            measures.longestDistanceMm = std::max(measures.longestDistanceMm, known);
            if (std::abs(error) > std::abs(measures.worstDistanceErrorMm))
                measures.worstDistanceErrorMm = error;
        }
}

}  // namespace

double edgeReachMm(double radiusMm, double voxelMm) {
    // The reach leaves room for edges that a detector six columns off shows twice.
    constexpr double kEdgeVoxels = 10;
    return std::min(0.65 * radiusMm, kEdgeVoxels * voxelMm);
}

SphereMeasures measureSpheres(const Volume& volume, const std::vector<KnownSphere>& known,
                              int threads) {
    if (known.size() < 3)
        throwError<InputError>("There are {} spheres to measure; it takes at least 3.",
                               known.size());
    SphereMeasures measures;
    measures.spheres.resize(known.size());
    parallelFor(threads, std::ssize(known), 1, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i) {
            const auto at = static_cast<std::size_t>(i);
            measures.spheres[at] = SphereProbe(volume, known[at], at).measure();
        }
    });
    for (const MeasuredSphere& sphere : measures.spheres) {
        measures.worstFormErrorMm = std::max(measures.worstFormErrorMm, sphere.formErrorMm);
        if (std::abs(sphere.sizeErrorMm) > std::abs(measures.worstSizeErrorMm))
            measures.worstSizeErrorMm = sphere.sizeErrorMm;
    }
    compareDistances(measures);
    fitScale(measures);
    return measures;
}

}  // namespace gantry
