#include "core/verify/likely_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/geometry/views/aligned_views.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/geometry/views/ray_cover.h"
#include "core/verify/edge_rays.h"
#include "core/verify/perturbation.h"

namespace gantry {

namespace {

struct FaultKind {
    GeometryFault fault;
    double max;  ///< sizes tried
};
constexpr std::array kFaults = {
    FaultKind{GeometryFault::sourceDistance, 3}, FaultKind{GeometryFault::detectorOffset, 6},
    FaultKind{GeometryFault::roll, 3}, FaultKind{GeometryFault::tilt, 3}};
// Uncertainties of a sphere's position and of the variance of its edge, in voxels and their
// squares: the effect of streaks and the cone on spheres of a correct scan without noise.
constexpr double kShiftVoxels = 0.015;
constexpr double kVarianceVoxels = 0.1;
// The variance that faint shading beside the edge adds, relative to the reach's square.
constexpr double kVarianceOfReach = 0.003;
// Real pieces have noise, and positions that are known no better.
constexpr double kOfRealPieces = 4;
// Min part of the errors' squares that a fault has to explain.
constexpr double kMinExplained = 0.6;

// The weight of each ray in a reconstruction.
class RayWeights {
  public:
    explicit RayWeights(const ScanGeometry& declared)
        : m_cover(declared), m_detector(alignedDetector(declared)) {}

    /// The weight at a gantry angle and a column, of all turns; 0 if no view sees it.
    [[nodiscard]] double at(double angleDeg, double column) const {
        return m_cover.directionWeight(angleDeg, rayAcross(m_detector, column));
    }

  private:
    RayCover m_cover;
    AlignedDetector m_detector;
};

// A view that sees a surface from the side, which is where its edge comes from.
struct TangentRay {
    double angleDeg;
    Vec3 point;
    ProjectionMatrix::Point declared;
    // How far the surface moves outwards, mm, for a pixel along u and v.
    double outwardsPerU;
    double outwardsPerV;
    double weight;
};

TangentRay tangentRayOf(const ScanGeometry& declared, double angleDeg, Vec3 p, Vec3 normal) {
    const ViewPose pose = viewPoseAt(declared, angleDeg);
    const ProjectionMatrix matrix = projectionMatrix(pose, declared.detector);
    const auto at = matrix.project(p.x, p.y, p.z);
    const auto pixelsPerMm = [&](Vec3 direction, double ProjectionMatrix::Point::*axis) {
        const Vec3 q = p + direction;
        return matrix.project(q.x, q.y, q.z).*axis - at.*axis;
    };
    const Vec3 u = (1 / length(pose.uStepMm)) * pose.uStepMm;
    const Vec3 v = (1 / length(pose.vStepMm)) * pose.vStepMm;
    return {angleDeg,
            p,
            at,
            dot(u, normal) / pixelsPerMm(u, &ProjectionMatrix::Point::u),
            dot(v, normal) / pixelsPerMm(v, &ProjectionMatrix::Point::v),
            0};
}

// The views that see a surface point from the side, usually two from opposite sides.
std::vector<TangentRay> tangentRaysOf(const ScanGeometry& declared, const RayWeights& weights,
                                      Vec3 p, Vec3 normal) {
    constexpr int kSteps = 36;
    const auto height = [&](double angleDeg) {
        const ViewPose pose = viewPoseAt(declared, angleDeg);
        return dot(pose.isParallel ? pose.sourceMm : p - pose.sourceMm, normal);
    };
    std::vector<TangentRay> rays;
    double before = height(0);
    for (int i = 0; i < kSteps; ++i) {
        double from = 360.0 * i / kSteps;
        double to = 360.0 * (i + 1) / kSteps;
        const double after = height(to);
        if (before * after <= 0 && before != after) {
            for (int half = 0; half < 12; ++half) {
                const double middle = (from + to) / 2;
                (height(middle) * before > 0 ? from : to) = middle;
            }
            TangentRay ray = tangentRayOf(declared, from, p, normal);
            ray.weight = weights.at(from, ray.declared.u);
            if (ray.weight > 0) rays.push_back(ray);
        }
        before = after;
    }
    return rays;
}

// The difference between a sphere as reconstructed, or measured, and as declared.
struct PredictedSphere {
    Vec3 shiftMm;
    double edgeVarianceMm2 = 0;  // growth of the variance of its edges
};

// The edges of spheres in the declared geometry.
class SphereEdges {
  public:
    SphereEdges(const ScanGeometry& declared, const std::vector<KnownSphere>& spheres) {
        constexpr int kDirections = 48;
        // Near the poles no view sees the surface from the side.
        constexpr double kHighest = 0.85;
        const RayWeights weights(declared);
        for (const KnownSphere& sphere : spheres) {
            std::vector<Edge>& edges = m_spheres.emplace_back();
            for (const Vec3& n : evenDirections(kDirections)) {
                if (std::abs(n.z) > kHighest) continue;
                auto rays =
                    tangentRaysOf(declared, weights, sphere.centerMm + sphere.radiusMm * n, n);
                if (!rays.empty()) edges.push_back({n, std::move(rays)});
            }
        }
    }

    // How the spheres appear if the views were taken in the actual geometry.
    [[nodiscard]] std::vector<PredictedSphere> seenFrom(const ScanGeometry& actual) const {
        std::vector<PredictedSphere> predicted;
        for (const std::vector<Edge>& edges : m_spheres)
            predicted.push_back(predict(edges, actual));
        return predicted;
    }

  private:
    struct Edge {
        Vec3 normal;
        std::vector<TangentRay> rays;
    };

    static double outwardsMm(const TangentRay& ray, const ScanGeometry& actual) {
        const auto truly = projectionMatrix(viewPoseAt(actual, ray.angleDeg), actual.detector)
                               .project(ray.point.x, ray.point.y, ray.point.z);
        return (truly.u - ray.declared.u) * ray.outwardsPerU +
               (truly.v - ray.declared.v) * ray.outwardsPerV;
    }

    static PredictedSphere predict(const std::vector<Edge>& edges, const ScanGeometry& actual) {
        std::vector<std::vector<double>> rows;
        std::vector<double> outwards;
        double variance = 0;
        int equator = 0;
        for (const Edge& edge : edges) {
            double all = 0;
            double sum = 0;
            double squares = 0;
            for (const TangentRay& ray : edge.rays) {
                const double mm = outwardsMm(ray, actual);
                all += ray.weight;
                sum += ray.weight * mm;
                squares += ray.weight * mm * mm;
            }
            const double mean = sum / all;
            rows.push_back({edge.normal.x, edge.normal.y, edge.normal.z, 1});
            outwards.push_back(mean);
            if (std::abs(edge.normal.z) > kEquator) continue;
            variance += squares / all - mean * mean;
            ++equator;
        }
        const LinearFit sphere = leastSquares(rows, outwards);
        return {{sphere.x[0], sphere.x[1], sphere.x[2]}, variance / std::max(1, equator)};
    }

    std::vector<std::vector<Edge>> m_spheres;
};

// Shifts and edge variances of all spheres, each divided by its own uncertainty.
class Errors {
  public:
    Errors(std::vector<KnownSphere> spheres, std::vector<double> shiftUncertaintyMm, double voxelMm,
           bool poseIsKnown)
        : m_spheres(std::move(spheres)),
          m_shiftUncertaintyMm(std::move(shiftUncertaintyMm)),
          m_voxelMm(voxelMm),
          m_poseIsKnown(poseIsKnown),
          m_uncertainty(poseIsKnown ? 1 : kOfRealPieces) {}

    [[nodiscard]] std::vector<double> of(const std::vector<PredictedSphere>& moved) const {
        std::vector<double> errors;
        for (const PredictedSphere& sphere : moved)
            errors.insert(errors.end(), {sphere.shiftMm.x, sphere.shiftMm.y, sphere.shiftMm.z});
        if (!m_poseIsKnown) takePose(errors);
        for (std::size_t i = 0; i < errors.size(); ++i)
            errors[i] /= m_uncertainty * m_shiftUncertaintyMm[i / 3];
        for (std::size_t i = 0; i < moved.size(); ++i) {
            const double reachMm = edgeReachMm(m_spheres[i].radiusMm, m_voxelMm);
            errors.push_back(moved[i].edgeVarianceMm2 /
                             (m_uncertainty * (kVarianceVoxels * m_voxelMm * m_voxelMm +
                                               kVarianceOfReach * reachMm * reachMm)));
        }
        return errors;
    }
    [[nodiscard]] const std::vector<KnownSphere>& spheres() const { return m_spheres; }

  private:
    // Removes the part that a small rotation and a shift of the whole piece explain.
    void takePose(std::vector<double>& shifts) const {
        std::vector<std::vector<double>> rows;
        for (const KnownSphere& sphere : m_spheres)
            for (const auto& row : rigidRows(sphere.centerMm))
                rows.push_back(row);
        const LinearFit pose = leastSquares(rows, shifts);
        for (std::size_t i = 0; i < shifts.size(); ++i)
            for (std::size_t j = 0; j < pose.x.size(); ++j)
                shifts[i] -= rows[i][j] * pose.x[j];
    }

    std::vector<KnownSphere> m_spheres;
    std::vector<double> m_shiftUncertaintyMm;
    double m_voxelMm;
    bool m_poseIsKnown;
    double m_uncertainty;
};

double squares(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

// Computes what remains of the errors if the declared geometry has a fault.
class Trial {
  public:
    Trial(const ScanGeometry& declared, const Errors& errors, const std::vector<double>& measured)
        : m_declared(declared),
          m_errors(errors),
          m_measured(measured),
          m_edges(declared, errors.spheres()) {}

    [[nodiscard]] double left(GeometryFault fault, double size) const {
        // If the declared geometry has the fault, the opposite fault makes it the true one.
        const ScanGeometry actual = withFault(m_declared, fault, -size);
        return squares(m_measured, m_errors.of(m_edges.seenFrom(actual)));
    }

    // The size that leaves least, searched first coarsely, then more and more finely about the
    // best.
    [[nodiscard]] double bestSize(const FaultKind& kind) const {
        double step = kind.max / 8;
        double best = 0;
        double min = left(kind.fault, 0);
        const auto look = [&](double size) {
            const double now = left(kind.fault, size);
            if (now < min) {
                min = now;
                best = size;
            }
        };
        for (int i = -8; i <= 8; ++i)
            look(i * step);
        for (int i = 0; i < 9; ++i) {
            step /= 2;
            const double middle = best;
            look(middle - step);
            look(middle + step);
        }
        return best;
    }

  private:
    const ScanGeometry& m_declared;
    const Errors& m_errors;
    const std::vector<double>& m_measured;
    SphereEdges m_edges;
};

std::string sentenceOf(const LikelyCause& cause) {
    const double size = std::abs(cause.size);
    const char* more = cause.size > 0 ? "large" : "small";
    const char* less = cause.size > 0 ? "small" : "large";
    switch (*cause.fault) {
        case GeometryFault::sourceDistance:
            return fmt::format(
                "Lengths are wrong by the same share everywhere: the source-object distance (SOD) "
                "is about {0:.2f} % too {1}, or the source-detector distance (SDD) or the detector "
                "pitch is: SDD {0:.2f} % too {2}, or the pitch {0:.2f} % too {1}.",
                size, more, less);
        case GeometryFault::detectorOffset:
            return fmt::format(
                "Edges are drawn twice at all heights alike: the centre of rotation, that is the "
                "detector's offset along u, is off by about {:.1f} pixels. gantry align finds it "
                "from the views.",
                size);
        case GeometryFault::roll:
            return fmt::format(
                "Edges are drawn twice above and below the mid-plane: the detector's roll is off "
                "by about {:.2f}°. gantry align finds it from the views.",
                size);
        case GeometryFault::tilt:
            return fmt::format(
                "Lengths grow towards one end of the axis: the detector's tilt is off by about "
                "{:.2f}°.",
                size);
    }
    return {};
}

}  // namespace

ScanGeometry withFault(const ScanGeometry& geometry, GeometryFault fault, double size) {
    ScanGeometry changed = geometry;
    Detector& detector = changed.detector;
    switch (fault) {
        case GeometryFault::sourceDistance:
            return withSourceDistance(geometry, size > 0 ? 1 + size / 100 : 1 / (1 - size / 100));
        case GeometryFault::detectorOffset:
            detector.offsetMm[0] += size * detector.pitchMm[0];
            break;
        case GeometryFault::roll:
            detector.rollDeg += size;
            break;
        case GeometryFault::tilt:
            detector.tiltDeg += size;
            break;
    }
    return changed;
}

LikelyCause likelyCause(const ScanGeometry& declared, const SphereMeasures& measures,
                        double voxelMm, double edgeVarianceMm2, bool poseIsKnown) {
    std::vector<KnownSphere> spheres;
    std::vector<PredictedSphere> found;
    std::vector<double> uncertaintyMm;
    for (const MeasuredSphere& sphere : measures.spheres) {
        spheres.push_back(sphere.known);
        found.push_back(
            {sphere.centerMm - sphere.known.centerMm, sphere.edgeVarianceMm2 - edgeVarianceMm2});
        // An edge that appears twice is sharper in the nearer view, so its middle is found closer
        // to that one.
        const Vec3 p = sphere.known.centerMm;
        const double nearer =
            declared.isParallel()
                ? 0
                : std::hypot(p.x, p.y) / meanCircleOf(declared).cone().sourceToIsocenterMm;
        uncertaintyMm.push_back(kShiftVoxels * voxelMm +
                                std::sqrt(std::max(0.0, found.back().edgeVarianceMm2)) * nearer);
    }
    const Errors errors(spheres, uncertaintyMm, voxelMm, poseIsKnown);
    const std::vector<double> measured = errors.of(found);
    const Trial trial(declared, errors, measured);
    const double all = squares(measured, std::vector<double>(measured.size()));
    LikelyCause cause;
    if (all < static_cast<double>(measured.size())) {
        cause.isRight = true;
        cause.sentence =
            "The spheres are where they should be: nothing is wrong with the geometry.";
        return cause;
    }
    for (const FaultKind& kind : kFaults) {
        if (declared.isParallel() && kind.fault == GeometryFault::sourceDistance) continue;
        const double size = trial.bestSize(kind);
        const double left = trial.left(kind.fault, size);
        if (!(1 - left / all > cause.explained)) continue;
        cause.fault = kind.fault;
        cause.size = size;
        cause.explained = 1 - left / all;
        cause.signIsKnown = trial.left(kind.fault, -size) - left > 0.1 * all;
    }
    if (cause.explained >= kMinExplained) {
        cause.sentence = sentenceOf(cause);
        return cause;
    }
    cause.fault.reset();
    cause.sentence =
        "The spheres are not where they should be, and neither a source distance, nor the "
        "detector's offset, roll or tilt alone explains it.";
    return cause;
}

}  // namespace gantry
