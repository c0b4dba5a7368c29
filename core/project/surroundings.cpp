#include "core/project/surroundings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/parallel.h"
#include "core/iterate/iteration.h"
#include "core/project/cpu_projector.h"

namespace gantry {

namespace {

constexpr Index kWiderBy = 4;      // than the default voxels of the scan
constexpr Index kIterations = 10;  // the inside of a coarse object is right after these

IterativeMethod coarseMethod(VoxelBounds bounds) {
    return {.kind = OsSart{}, .iterations = kIterations, .bounds = bounds};
}

// The two voxels along an axis about a place, and the share of the second; 0 beyond the grid.
struct Neighbours {
    std::array<Index, 2> voxel{};
    std::array<float, 2> share{};
};

std::vector<Neighbours> neighbours(const VolumeGrid& coarse, const VolumeGrid& fine,
                                   std::size_t axis) {
    std::vector<Neighbours> all;
    const auto placeMm = [axis](const VolumeGrid& grid, Index i) {
        const double middle = static_cast<double>(grid.voxels[axis] - 1) / 2;
        return (static_cast<double>(i) - middle) * grid.pitchMm[axis] + grid.centerMm[axis];
    };
    for (Index i = 0; i < fine.voxels[axis]; ++i) {
        const double place = (placeMm(fine, i) - placeMm(coarse, 0)) / coarse.pitchMm[axis];
        const auto below = static_cast<Index>(std::floor(place));
        const auto part = static_cast<float>(place - static_cast<double>(below));
        Neighbours one{{below, below + 1}, {1 - part, part}};
        for (std::size_t side = 0; side < 2; ++side) {
            if (one.voxel[side] >= 0 && one.voxel[side] < coarse.voxels[axis]) continue;
            one.voxel[side] = 0;
            one.share[side] = 0;
        }
        all.push_back(one);
    }
    return all;
}

// −1 times the coarse volume at the voxels of the fine grid.
HostBuffer<float> negativeAt(const VolumeGrid& fine, const VolumeGrid& coarse,
                             const HostBuffer<float>& volume, int threads) {
    const auto alongX = neighbours(coarse, fine, 0);
    const auto alongY = neighbours(coarse, fine, 1);
    const auto alongZ = neighbours(coarse, fine, 2);
    const auto& [nX, nY, nZ] = fine.voxels;
    HostBuffer<float> out(fine.count());
    parallelFor(threads, nZ * nY, 1, [&, nX = nX, nY = nY](Index row, Index, int) {
        const Neighbours& z = alongZ[static_cast<std::size_t>(row / nY)];
        const Neighbours& y = alongY[static_cast<std::size_t>(row % nY)];
        float* values = out.data() + row * nX;
        std::fill_n(values, nX, 0.0F);
        for (std::size_t corner = 0; corner < 4; ++corner) {
            const std::size_t side = corner / 2;
            const std::size_t other = corner % 2;
            const float share = z.share[side] * y.share[other];
            const float* line =
                volume.data() +
                (z.voxel[side] * coarse.voxels[1] + y.voxel[other]) * coarse.voxels[0];
            for (Index i = 0; i < nX; ++i) {
                const Neighbours& x = alongX[static_cast<std::size_t>(i)];
                values[i] -=
                    share * (x.share[0] * line[x.voxel[0]] + x.share[1] * line[x.voxel[1]]);
            }
        }
    });
    return out;
}

std::unique_ptr<Projector> loaded(const ProjectedViews& views, const VolumeGrid& grid,
                                  const HostBuffer<float>& volume, int threads) {
    const auto& [nX, nY, nZ] = grid.voxels;
    std::unique_ptr<Projector> projector = makeCpuProjector(views, threads);
    projector->begin(grid, {0, nZ});
    projector->set({0, nZ}, Span3<const float>(volume.data(), nZ, nY, nX));
    return projector;
}

}  // namespace

Surroundings::Surroundings(const ProjectedViews& views, const ScanGeometry& geometry,
                           const VolumeGrid& box, VoxelBounds bounds, int threads)
    : m_views(views),
      m_box(box),
      m_grid(coarsened(fitGrid(geometry), kWiderBy)),
      m_method(coarseMethod(bounds)),
      m_threads(threads),
      m_lines(views.rows * views.columns) {
    const auto count = static_cast<Index>(views.poses.size());
    m_space = std::make_unique<HostSpace>(
        views, m_grid, Subsets(count, subsetCount(m_method, count)),
        HostSpaceOptions{.threads = threads}, [](ProjectedViews ordered, int used) {
            return makeCpuProjector(std::move(ordered), used);
        });
}

void Surroundings::setViews(IndexRange views, Span3<const float> integrals) {
    m_space->setViews(views, integrals);
}

void Surroundings::make(const std::stop_token& stop) {
    HostBuffer<float> volume(m_grid.count());
    {
        Iteration run(*m_space, m_method);
        run.begin(stop);
        while (run.report().stop == StopReason::none)
            run.step(stop);
        m_space->read(run.volume(), 0, volume.span());
    }
    m_space.reset();
    m_around = loaded(m_views, m_grid, volume, m_threads);
    m_inside = loaded(m_views, m_box, negativeAt(m_box, m_grid, volume, m_threads), m_threads);
}

Span3<const float> Surroundings::without(Index view, Span3<const float> integrals,
                                         const std::stop_token& stop) {
    std::fill_n(m_lines.data(), m_lines.count(), 0.0F);
    const Span3<float> lines(m_lines.data(), 1, m_views.rows, m_views.columns);
    m_around->project({view, view + 1}, lines, stop);
    m_inside->project({view, view + 1}, lines, stop);
    for (Index i = 0; i < m_lines.count(); ++i)
        m_lines[i] = integrals.data()[i] - m_lines[i];
    return lines;
}

Index Surroundings::passes() {
    return kIterations + 1;  // one makes the weights of rays and voxels
}

VolumeGrid Surroundings::roughGrid(Index columns, Index rows) {
    const Index across = columns / kWiderBy + 1;
    return {{across, across, rows / kWiderBy + 1}, {1, 1, 1}};
}

Index Surroundings::bytesNeeded(const ProjectedViews& views, const VolumeGrid& box, int threads) {
    // An offset detector sees twice its width.
    const VolumeGrid grid = roughGrid(2 * views.columns, views.rows);
    const auto projector = makeCpuProjector(views, threads);
    const SpaceShape shape = {grid.voxels, static_cast<Index>(views.poses.size()), views.rows,
                              views.columns, false};
    const Index inside = box.count() * Index{sizeof(float)};
    return HostSpace::bytesNeeded(shape, coarseMethod({}),
                                  projector->bytesNeeded(grid, grid.voxels[2]), grid.voxels[2]) +
           projector->bytesNeeded(box, box.voxels[2]) + inside;
}

}  // namespace gantry
