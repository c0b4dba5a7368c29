#include "core/verify/find_spheres.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/throw_error.h"
#include "core/verify/edge_rays.h"

namespace gantry {

namespace {

struct Body {
    Vec3 centerMm;
    double volumeMm3 = 0;
};

// The threshold between air and spheres, from a sample of the voxels: halfway between the median,
// which is air because spheres may fill little of the volume, and the brightest voxels.
float levelOf(const Volume& volume) {
    constexpr Index kMax = 1'000'000;
    const Index count = volume.voxels.count();
    // The step is odd, so that samples do not follow the volume's rows.
    const Index step = (count / kMax) | 1;
    std::vector<float> values;
    for (Index i = 0; i < count; i += step)
        if (std::isfinite(volume.voxels[i])) values.push_back(volume.voxels[i]);
    if (values.empty()) throw InputError("The volume's voxels are no numbers.");
    std::ranges::sort(values);
    return (values[values.size() / 2] + values[values.size() - 1 - values.size() / 2000]) / 2;
}

// Finds bodies: voxels above the level that are connected by their faces.
class Bodies {
  public:
    explicit Bodies(const Volume& volume)
        : m_volume(volume),
          m_level(levelOf(volume)),
          m_seen(static_cast<std::size_t>(volume.voxels.count())) {}

    std::vector<Body> all() {
        std::vector<Body> bodies;
        for (Index i = 0; i < m_volume.voxels.count(); ++i)
            if (isNew(i)) bodies.push_back(bodyFrom(i));
        return bodies;
    }

  private:
    [[nodiscard]] bool isNew(Index i) const { return !m_seen[i] && m_volume.voxels[i] > m_level; }

    Body bodyFrom(Index first) {
        const auto& [nX, nY, nZ] = m_volume.grid.voxels;
        std::vector<Index> open = {first};
        m_seen[first] = true;
        std::array<double, 3> sums = {0, 0, 0};
        double voxels = 0;
        while (!open.empty()) {
            const Index i = open.back();
            open.pop_back();
            const std::array<Index, 3> at = {i % nX, i / nX % nY, i / (nX * nY)};
            const std::array<Index, 3> stride = {1, nX, nX * nY};
            voxels += 1;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                sums[axis] += static_cast<double>(at[axis]);
                for (const Index side : {Index{-1}, Index{1}}) {
                    const Index there = at[axis] + side;
                    if (there < 0 || there >= m_volume.grid.voxels[axis]) continue;
                    const Index next = i + side * stride[axis];
                    if (!isNew(next)) continue;
                    m_seen[next] = true;
                    open.push_back(next);
                }
            }
        }
        const auto& pitch = m_volume.grid.pitchMm;
        return {m_volume.grid.positionMm(sums[0] / voxels, sums[1] / voxels, sums[2] / voxels),
                voxels * pitch[0] * pitch[1] * pitch[2]};
    }

    const Volume& m_volume;
    float m_level;
    std::vector<bool> m_seen;
};

// The bodies whose size is that of a sphere in the list.
std::vector<Vec3> candidates(const Volume& volume, const std::vector<KnownSphere>& piece) {
    double min = piece.front().radiusMm;
    double max = min;
    for (const KnownSphere& sphere : piece) {
        min = std::min(min, sphere.radiusMm);
        max = std::max(max, sphere.radiusMm);
    }
    std::vector<Vec3> centers;
    for (const Body& body : Bodies(volume).all()) {
        const double radius = std::cbrt(body.volumeMm3 * 3 / (4 * kPi));
        if (radius > 0.7 * min && radius < 1.3 * max) centers.push_back(body.centerMm);
    }
    return centers;
}

// An orthonormal frame on three points: x from the first to the second, z normal to their plane.
std::array<Vec3, 3> frameOn(Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 x = (1 / length(b - a)) * (b - a);
    const Vec3 z = cross(x, c - a);
    const Vec3 up = (1 / length(z)) * z;
    return {x, cross(up, x), up};
}

class Matching {
  public:
    Matching(const std::vector<KnownSphere>& piece, const std::vector<Vec3>& seen)
        : m_piece(piece), m_seen(seen) {
        m_tolerance = piece.front().radiusMm;
        for (const KnownSphere& sphere : piece)
            m_tolerance = std::min(m_tolerance, sphere.radiusMm);
        m_tolerance /= 2;
        chooseBase();
    }

    [[nodiscard]] std::optional<std::vector<KnownSphere>> find() const {
        std::optional<std::vector<KnownSphere>> best;
        double min = std::numeric_limits<double>::infinity();
        for (const Vec3& a : m_seen)
            for (const Vec3& b : m_seen) {
                if (!isAsFar(a, b, m_base[0], m_base[1])) continue;
                for (const Vec3& c : m_seen) {
                    if (!isAsFar(a, c, m_base[0], m_base[2]) ||
                        !isAsFar(b, c, m_base[1], m_base[2]))
                        continue;
                    auto placed = put(a, b, c);
                    const double misfit = misfitOf(placed);
                    if (misfit >= min) continue;
                    min = misfit;
                    best = std::move(placed);
                }
            }
        return best;
    }

  private:
    // Chooses the two spheres that are farthest apart, and the one farthest from the line through
    // them.
    void chooseBase() {
        double max = -1;
        for (std::size_t i = 0; i < m_piece.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (const double d = length(center(i) - center(j)); d > max) {
                    max = d;
                    m_base = {i, j, i};
                }
        max = -1;
        const Vec3 along = center(m_base[1]) - center(m_base[0]);
        for (std::size_t i = 0; i < m_piece.size(); ++i)
            if (const double d = length(cross(along, center(i) - center(m_base[0]))); d > max) {
                max = d;
                m_base[2] = i;
            }
        if (!(max > m_tolerance * length(along)))
            throw InputError(
                "The spheres of the list lie on one line: how the piece stands cannot be found.");
    }

    [[nodiscard]] Vec3 center(std::size_t i) const { return m_piece[i].centerMm; }
    [[nodiscard]] bool isAsFar(Vec3 a, Vec3 b, std::size_t i, std::size_t j) const {
        return std::abs(length(a - b) - length(center(i) - center(j))) < m_tolerance;
    }

    [[nodiscard]] std::vector<KnownSphere> put(Vec3 a, Vec3 b, Vec3 c) const {
        const auto there = frameOn(a, b, c);
        const auto here = frameOn(center(m_base[0]), center(m_base[1]), center(m_base[2]));
        std::vector<KnownSphere> placed = m_piece;
        for (KnownSphere& sphere : placed) {
            const Vec3 from = sphere.centerMm - center(m_base[0]);
            sphere.centerMm = a;
            for (std::size_t i = 0; i < 3; ++i)
                sphere.centerMm = sphere.centerMm + dot(from, here[i]) * there[i];
        }
        return placed;
    }

    // Sum of the squared distances to the spheres found; infinite if a sphere has none near it.
    [[nodiscard]] double misfitOf(const std::vector<KnownSphere>& placed) const {
        double sum = 0;
        for (const KnownSphere& sphere : placed) {
            double nearest = std::numeric_limits<double>::infinity();
            for (const Vec3& p : m_seen)
                nearest = std::min(nearest, length(p - sphere.centerMm));
            if (nearest >= m_tolerance) return std::numeric_limits<double>::infinity();
            sum += nearest * nearest;
        }
        return sum;
    }

    const std::vector<KnownSphere>& m_piece;
    const std::vector<Vec3>& m_seen;
    double m_tolerance = 0;
    std::array<std::size_t, 3> m_base = {0, 0, 0};
};

// Rotates p about the direction of `rotation` by its length, radians.
Vec3 rotated(Vec3 p, Vec3 rotation) {
    const double angle = length(rotation);
    if (angle == 0) return p;
    const Vec3 axis = (1 / angle) * rotation;
    return std::cos(angle) * p + std::sin(angle) * cross(axis, p) +
           ((1 - std::cos(angle)) * dot(axis, p)) * axis;
}

}  // namespace

std::vector<KnownSphere> findSpheres(const Volume& volume, const std::vector<KnownSphere>& piece) {
    if (piece.size() < 3)
        throwError<InputError>("The list has {} spheres; it takes at least 3.", piece.size());
    const std::vector<Vec3> seen = candidates(volume, piece);
    const auto placed = Matching(piece, seen).find();
    if (!placed)
        throwError<InputError>(
            "The volume shows {} bodies of the spheres' size, and the list's {} spheres do not all "
            "fit onto them. Check centres and radii in the list.",
            seen.size(), piece.size());
    return *placed;
}

std::vector<KnownSphere> fittedOnto(const std::vector<Vec3>& centersMm,
                                    std::vector<KnownSphere> piece) {
    // Each step is exact up to the square of the remaining rotation.
    constexpr int kSteps = 6;
    for (int step = 0; step < kSteps; ++step) {
        std::vector<std::vector<double>> rows;
        std::vector<double> moved;
        for (std::size_t i = 0; i < piece.size(); ++i) {
            for (const std::vector<double>& row : rigidRows(piece[i].centerMm))
                rows.push_back(row);
            const Vec3 d = centersMm[i] - piece[i].centerMm;
            moved.insert(moved.end(), {d.x, d.y, d.z});
        }
        const std::vector<double> x = leastSquares(rows, moved).x;
        for (KnownSphere& sphere : piece)
            sphere.centerMm = rotated(sphere.centerMm, {x[0], x[1], x[2]}) + Vec3{x[3], x[4], x[5]};
    }
    return piece;
}

}  // namespace gantry
