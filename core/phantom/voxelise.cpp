#include "core/phantom/voxelise.h"

#include <span>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/phantom/shape_math.h"

namespace gantry {
namespace {

// A shape and the part of the grid that it may touch.
struct GridShape {
    PhantomShape::Kind kind;
    double value;
    UnitSpace unit;
    IndexRange y;  ///< rows and slices that it may touch
    IndexRange z;
    Vec3 alongRow;  ///< from the first face of a row of voxels to its last, in unit space
};

// Voxels along `axis` whose extent overlaps [center − half, center + half].
IndexRange touched(const VolumeGrid& grid, std::size_t axis, double centerMm, double halfMm) {
    const double n = static_cast<double>(grid.voxels[axis]);
    const double first = grid.centerMm[axis] - n / 2 * grid.pitchMm[axis];
    const auto index = [&](double mm) {
        return static_cast<Index>(
            std::clamp(std::floor((mm - first) / grid.pitchMm[axis]), 0.0, n));
    };
    // One voxel more on either side costs little and makes rounding harmless.
    return {std::max<Index>(0, index(centerMm - halfMm) - 1),
            std::min(grid.voxels[axis], index(centerMm + halfMm) + 2)};
}

class Voxeliser {
  public:
    Voxeliser(const Phantom& phantom, const VolumeGrid& grid, int supersampling)
        : m_grid(grid), m_n(supersampling) {
        for (const PhantomShape& shape : phantom.shapes) {
            const UnitSpace unit(shape);
            const Vec3 half = halfExtentMm(shape);
            const double rowMm = static_cast<double>(grid.voxels[0]) * grid.pitchMm[0];
            m_shapes.push_back(
                {shape.kind, shape.value, unit, touched(grid, 1, shape.centerMm.y, half.y),
                 touched(grid, 2, shape.centerMm.z, half.z), unit.direction({rowMm, 0, 0})});
        }
    }

    // Fills one row of voxels; sums and steps are scratch of the row's length and one more.
    void fillRow(Index y, Index z, std::span<double> sums, std::span<int> steps, float* out) const {
        std::ranges::fill(sums, 0.0);
        for (const GridShape& shape : m_shapes) {
            if (!shape.y.contains(y) || !shape.z.contains(z)) continue;
            const IndexRange span = countPoints(shape, y, z, steps);
            addMeans(shape.value, span, steps, sums);
        }
        for (Index x = 0; x < m_grid.voxels[0]; ++x)
            out[x] = static_cast<float>(sums[static_cast<std::size_t>(x)]);
    }

  private:
    // Stores in `steps` by how much the number of points inside changes from voxel to voxel, and
    // returns the voxels that have any. A line through a convex shape is inside it in one piece.
    IndexRange countPoints(const GridShape& shape, Index y, Index z, std::span<int> steps) const {
        const Index points = m_grid.voxels[0] * m_n;
        IndexRange voxels = {m_grid.voxels[0], 0};
        for (int j = 0; j < m_n * m_n; ++j) {
            const Vec3 start = m_grid.positionMm(-0.5, within(y, j % m_n), within(z, j / m_n));
            const Vec3 s = shape.unit.point(start);
            const RayInterval inside = shape.kind == PhantomShape::Kind::ellipsoid
                                           ? throughUnitSphere(s, shape.alongRow)
                                           : throughUnitCylinder(s, shape.alongRow);
            if (inside.t0 > inside.t1) continue;
            // A point on the surface counts as inside, whatever the rounding.
            constexpr double kSlack = 1e-9;
            const auto count = static_cast<double>(points);
            const auto begin = static_cast<Index>(
                std::clamp(std::ceil(inside.t0 * count - 0.5 - kSlack), 0.0, count));
            const auto end = static_cast<Index>(
                std::clamp(std::floor(inside.t1 * count + 0.5 + kSlack), 0.0, count));
            if (begin >= end) continue;
            addRun(begin, end, steps);
            voxels.begin = std::min(voxels.begin, begin / m_n);
            voxels.end = std::max(voxels.end, (end - 1) / m_n + 1);
        }
        return voxels;
    }

    // Position of the i-th sample of a voxel, in voxels.
    [[nodiscard]] double within(Index voxel, int i) const {
        return static_cast<double>(voxel) + (i + 0.5) / m_n - 0.5;
    }

    // Marks points [begin, end) of the row as inside.
    void addRun(Index begin, Index end, std::span<int> steps) const {
        const auto edge = [&](Index point, int sign) {
            const auto voxel = static_cast<std::size_t>(point / m_n);
            const int before = static_cast<int>(point % m_n);
            steps[voxel] += sign * (m_n - before);
            steps[voxel + 1] += sign * before;
        };
        edge(begin, 1);
        edge(end, -1);
    }

    // Adds the shape's mean over each voxel and clears the steps.
    void addMeans(double value, IndexRange voxels, std::span<int> steps,
                  std::span<double> sums) const {
        const int all = m_n * m_n * m_n;
        int inside = 0;
        for (Index x = voxels.begin; x < voxels.end; ++x) {
            const auto i = static_cast<std::size_t>(x);
            inside += steps[i];
            steps[i] = 0;
            sums[i] += inside == all ? value : value * inside / all;
        }
        // A run that ends inside its last voxel leaves a step in the voxel after it.
        steps[static_cast<std::size_t>(voxels.end)] = 0;
    }

    VolumeGrid m_grid;
    int m_n;
    std::vector<GridShape> m_shapes;
};

}  // namespace

void voxelisePhantom(const Phantom& phantom, const VolumeGrid& grid, IndexRange slices,
                     int supersampling, int threads, Span3<float> out) {
    if (supersampling < 1 || supersampling > 16)
        throwError<InputError>(
            "The phantom's supersampling is {}; it must be 1 to 16 points along each side of a "
            "voxel.",
            supersampling);
    require(slices.begin >= 0 && slices.end <= grid.voxels[2], "phantom slices outside the grid");
    require(out.size(0) == slices.size() && out.size(1) == grid.voxels[1] &&
                out.size(2) == grid.voxels[0],
            "the array for phantom slices has the wrong size");

    const Voxeliser voxeliser(phantom, grid, supersampling);
    const Index nY = grid.voxels[1];
    const auto work = [&](Index begin, Index end, int) {
        const auto nX = static_cast<std::size_t>(grid.voxels[0]);
        std::vector<double> sums(nX);
        std::vector<int> steps(nX + 2);
        for (Index row = begin; row < end; ++row)
            voxeliser.fillRow(row % nY, slices.begin + row / nY, sums, steps,
                              out.row(row / nY, row % nY));
    };
    constexpr Index kRowsAPiece = 64;
    parallelFor(threads, slices.size() * nY, kRowsAPiece, work);
}

}  // namespace gantry
