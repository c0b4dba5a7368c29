#include "core/project/host_space.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/backproject/columns_layout.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/project/flatten_volume.h"
#include "core/project/parallel_sum.h"
#include "core/project/projection_plan.h"
#include "core/project/ray_weights.h"

namespace gantry {

namespace {

constexpr Index kPiece = 1 << 15;  // floats that one thread works on at a time

struct HostVector final : IterationVector {
    HostVector(VectorKind kind, Index parts, Index partCount, IndexRange heldParts)
        : IterationVector(kind, parts, partCount),
          held(heldParts),
          values(held.size() * partCount) {
        fillWithZeros(values.data(), values.count(), availableThreads());
    }
    // Where a part begins, of those that are held.
    [[nodiscard]] Index offsetOf(Index part) const { return (part - held.begin) * partCount(); }

    IndexRange held;  // parts that this space has
    HostBuffer<float> values;
};

const HostVector& hostVector(const IterationVector& vector) {
    return dynamic_cast<const HostVector&>(vector);
}
HostBuffer<float>& valuesOf(IterationVector& vector) {
    return dynamic_cast<HostVector&>(vector).values;
}
const HostBuffer<float>& valuesOf(const IterationVector& vector) {
    return hostVector(vector).values;
}

// The parts of a vector that so many values are, and those of them that are held.
struct PartRanges {
    IndexRange asked;
    IndexRange held;
};
PartRanges partsOf(const HostVector& vector, Index first, std::size_t count) {
    const IndexRange asked = {first, first + static_cast<Index>(count) / vector.partCount()};
    require(first >= 0 && asked.end <= vector.parts(), "parts that a vector lacks");
    return {asked,
            {std::max(asked.begin, vector.held.begin), std::min(asked.end, vector.held.end)}};
}

float largestOf(const HostBuffer<float>& values) {
    return *std::max_element(values.data(), values.data() + values.count());
}

VolumeGrid partOf(const VolumeGrid& grid, const HostSpaceOptions& options) {
    return options.peers ? grid.slab(options.peers->part().slices) : grid;
}

// Counted from the part's first row.
IndexRange ownRowsOf(const SpacePart& part) {
    return {part.ownRows.begin - part.rows.begin, part.ownRows.end - part.rows.begin};
}

}  // namespace

HostSpace::HostSpace(const ProjectedViews& views, const VolumeGrid& grid, const Subsets& subsets,
                     const HostSpaceOptions& options, const MakeProjector& makeProjector)
    : ProjectionSpace({.voxels = partOf(grid, options).voxels,
                       .views = std::ssize(views.poses),
                       .rows = options.peers ? options.peers->part().rows.size() : views.rows,
                       .columns = views.columns,
                       .hasCounts = options.hasCounts}),
      m_none(grid.voxels[2], views.rows),
      m_peers(options.peers ? *options.peers : m_none),
      m_grid(partOf(grid, options)),
      m_ownRays{shape().rows, shape().columns, ownRowsOf(m_peers.part())},
      m_subsets(subsets),
      m_order(subsets.order()),
      m_options(options) {
    if (m_options.slabSlices <= 0) m_options.slabSlices = m_grid.voxels[2];
    m_projector = makeProjector(inStoredOrder(withRows(views, m_peers.part().rows), subsets),
                                options.threads);
    m_constraint.sliceVoxels = shape().sliceVoxels();
    const Index rays = shape().views * shape().viewRays();
    m_integrals = HostBuffer<float>(rays);
    fillWithZeros(m_integrals.data(), rays, options.threads);
    if (!options.hasCounts) return;
    m_counts = HostBuffer<float>(rays);
    fillWithZeros(m_counts.data(), rays, options.threads);
}

void HostSpace::setViews(IndexRange views, Span3<const float> integrals,
                         Span3<const float> counts) {
    const Index rays = shape().viewRays();
    require(integrals.count() == views.size() * rays &&
                (!m_options.hasCounts || counts.count() == integrals.count()),
            "views of another size than the space's");
    for (Index s = 0; s < views.size(); ++s) {
        const Index place = m_subsets.placeOf(views.begin + s) * rays;
        std::copy_n(integrals.data() + s * rays, rays, m_integrals.data() + place);
        if (m_options.hasCounts)
            std::copy_n(counts.data() + s * rays, rays, m_counts.data() + place);
    }
}

void HostSpace::setMask(Span3<const unsigned char> mask) {
    require(mask.size(1) == shape().voxels[1] && mask.size(2) == shape().voxels[0] &&
                (mask.size(0) == 1 || mask.size(0) == shape().voxels[2]),
            "a mask of another size than the volume");
    m_constraint.mask.assign(mask.data(), mask.data() + mask.count());
}

std::unique_ptr<IterationVector> HostSpace::make(VectorKind kind, Index views) {
    if (kind == VectorKind::views)
        return std::make_unique<HostVector>(kind, views, shape().viewRays(), IndexRange{0, views});
    const Index values = kind == VectorKind::gradient ? 3 : 1;
    return std::make_unique<HostVector>(kind, m_peers.allSlices(), values * shape().sliceVoxels(),
                                        m_peers.part().slices);
}

void HostSpace::write(IterationVector& vector, Index first, std::span<const float> values) {
    const HostVector& to = hostVector(vector);
    const auto [asked, held] = partsOf(to, first, values.size());
    if (held.empty()) return;
    std::copy_n(values.data() + (held.begin - asked.begin) * to.partCount(),
                held.size() * to.partCount(), valuesOf(vector).data() + to.offsetOf(held.begin));
}

void HostSpace::read(const IterationVector& vector, Index first, std::span<float> out) {
    const HostVector& from = hostVector(vector);
    const auto [asked, held] = partsOf(from, first, out.size());
    const Index count = from.partCount();
    if (!held.empty())
        std::copy_n(from.values.data() + from.offsetOf(held.begin), held.size() * count,
                    out.data() + (held.begin - asked.begin) * count);
    if (vector.kind() == VectorKind::views) return;
    for (Index z = asked.begin; z < asked.end; ++z)
        m_peers.share(z, out.subspan(static_cast<std::size_t>((z - asked.begin) * count),
                                     static_cast<std::size_t>(count)));
}

void HostSpace::readHeld(const IterationVector& vector, Index first, std::span<float> out) {
    const HostVector& from = hostVector(vector);
    const auto [asked, held] = partsOf(from, first, out.size());
    require(held == asked, "parts that another space has");
    std::copy_n(from.values.data() + from.offsetOf(first), out.size(), out.begin());
}

void HostSpace::combine(double alpha, const IterationVector& x, double beta, IterationVector& y) {
    const float* from = valuesOf(x).data();
    float* to = valuesOf(y).data();
    const auto a = static_cast<float>(alpha);
    const auto b = static_cast<float>(beta);
    parallelFor(m_options.threads, valuesOf(y).count(), kPiece, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i)
            to[i] = b == 0 ? a * from[i] : a * from[i] + b * to[i];
    });
}

double HostSpace::dot(const IterationVector& a, const IterationVector& b) {
    const float* left = valuesOf(a).data();
    const float* right = valuesOf(b).data();
    const bool areViews = a.kind() == VectorKind::views;
    double sum = parallelSum<double>(
        m_options.threads, valuesOf(a).count(), kPiece, [&](Index begin, Index end) {
            double part = 0;
            if (areViews)
                m_ownRays.visit(begin, end, [&](Index i) {
                    part += static_cast<double>(left[i]) * right[i] * m_weights[i];
                });
            else
                for (Index i = begin; i < end; ++i)
                    part += static_cast<double>(left[i]) * right[i];
            return part;
        });
    m_peers.add({&sum, 1});
    return sum;
}

// rays: residuals of these views
ResidualSums HostSpace::sumsOf(const float* rays, IndexRange views) {
    const Index first = views.begin * shape().viewRays();
    const auto own = parallelSum<ResidualSums>(
        m_options.threads, views.size() * shape().viewRays(), kPiece, [&](Index begin, Index end) {
            ResidualSums sums;
            m_ownRays.visit(begin, end, [&](Index i) {
                const double r = rays[i];
                const Index ray = first + i;
                sums.weightedSquares += m_weights[ray] * r * r;
                if (!m_options.hasCounts || m_weights[ray] == 0) return;
                const double error = m_preparation.modelError * m_integrals[ray];
                sums.chiSquares += r * r / (1 / static_cast<double>(m_counts[ray]) + error * error);
            });
            return sums;
        });
    std::array<double, 2> sums = {own.weightedSquares, own.chiSquares};
    m_peers.add(sums);
    return {sums[0], sums[1]};
}

ResidualSums HostSpace::sumsOf(const IterationVector& r) {
    return sumsOf(valuesOf(r).data(), {0, shape().views});
}

void HostSpace::constrain(IterationVector& x) {
    const Index voxels = shape().sliceVoxels();
    float* values = valuesOf(x).data();
    parallelFor(m_options.threads, shape().voxels[2], 1, [&](Index z, Index, int) {
        m_constraint.apply(z, 0, voxels, values + z * voxels);
    });
}

InvalidRays HostSpace::findInvalidRays() {
    const Index rays = shape().viewRays();
    std::vector<Index> invalid(m_order.size());
    parallelFor(m_options.threads, shape().views, 1, [&](Index view, Index, int) {
        m_ownRays.visit(view * rays, (view + 1) * rays, [&](Index i) {
            const bool hasCount =
                !m_options.hasCounts || (std::isfinite(m_counts[i]) && m_counts[i] >= 0);
            if (!std::isfinite(m_integrals[i]) || !hasCount) ++invalid[view];
        });
    });
    double count = 0;
    auto first = static_cast<double>(shape().views);
    for (std::size_t i = 0; i < invalid.size(); ++i) {
        if (invalid[i] > 0) first = std::min(first, static_cast<double>(m_order[i]));
        count += static_cast<double>(invalid[i]);
    }
    m_peers.add({&count, 1});
    return {static_cast<Index>(count), static_cast<Index>(-m_peers.largest(-first))};
}

template <class Work>
void HostSpace::forEachSlab(const Work& work) const {
    const Index slices = shape().voxels[2];
    for (Index z = 0; z < slices; z += m_options.slabSlices) {
        const IndexRange slab = {z, std::min(z + m_options.slabSlices, slices)};
        m_projector->begin(m_grid, slab);
        work(slab);
    }
}

// out ← A of the slabs that `load` puts into the projector.
template <class Load>
void HostSpace::sumRays(IndexRange views, const Load& load, float* out,
                        const std::stop_token& stop) {
    fillWithZeros(out, views.size() * shape().viewRays(), m_options.threads);
    forEachSlab([&](IndexRange slab) {
        load(slab);
        m_projector->project(views, {out, views.size(), shape().rows, shape().columns}, stop);
    });
    m_peers.addRays({out, views.size(), shape().rows, shape().columns});
}

// Aᵀ of the rays that load(ray, count, out) makes, a ray counting from the first view; some slices
// at a time go to take(z, values).
template <class Load, class Take>
void HostSpace::spreadRays(IndexRange views, const Load& load, const Take& take,
                           const std::stop_token& stop) {
    const Index rays = shape().viewRays();
    const Index voxels = shape().sliceVoxels();
    makeRoom(m_rays, std::min(kViewsAtOnce, views.size()) * rays);
    makeRoom(m_slices, kReadSlices * voxels);
    forEachSlab([&](IndexRange slab) {
        for (Index s = 0; s < views.size(); s += kViewsAtOnce) {
            const IndexRange some = {s, std::min(s + kViewsAtOnce, views.size())};
            parallelFor(m_options.threads, some.size() * rays, kPiece,
                        [&](Index begin, Index end, int) {
                            load(some.begin * rays + begin, end - begin, m_rays.data() + begin);
                        });
            m_projector->adjoint(
                {views.begin + some.begin, views.begin + some.end},
                Span3<const float>(m_rays.data(), some.size(), shape().rows, shape().columns),
                stop);
        }
        for (Index z = slab.begin; z < slab.end; z += kReadSlices) {
            const IndexRange some = {z, std::min(z + kReadSlices, slab.end)};
            m_projector->read(some,
                              {m_slices.data(), some.size(), shape().voxels[1], shape().voxels[0]});
            parallelFor(m_options.threads, some.size(), 1, [&](Index i, Index, int) {
                take(some.begin + i, m_slices.data() + i * voxels);
            });
        }
    });
}

void HostSpace::setSlab(IndexRange slab, const float* volume) {
    m_projector->set(slab, Span3<const float>(volume + slab.begin * shape().sliceVoxels(),
                                              slab.size(), shape().voxels[1], shape().voxels[0]));
}

void HostSpace::setMaskSlab(IndexRange slab) {
    const Index voxels = shape().sliceVoxels();
    makeRoom(m_slices, kReadSlices * voxels);
    for (Index z = slab.begin; z < slab.end; z += kReadSlices) {
        const IndexRange some = {z, std::min(z + kReadSlices, slab.end)};
        for (Index i = 0; i < some.size(); ++i) {
            const unsigned char* isFree = m_constraint.maskAt(some.begin + i, 0);
            float* slice = m_slices.data() + i * voxels;
            for (Index voxel = 0; voxel < voxels; ++voxel)
                slice[voxel] = !isFree || isFree[voxel] ? 1 : 0;
        }
        m_projector->set(some, Span3<const float>(m_slices.data(), some.size(), shape().voxels[1],
                                                  shape().voxels[0]));
    }
}

PreparedViews HostSpace::prepare(const Preparation& preparation, const std::stop_token& stop) {
    require(preparation.subsets == m_subsets.count(), "other subsets than views are stored in");
    m_preparation = preparation;
    m_constraint.bounds = preparation.bounds;
    HostBuffer<float> chords(shape().views * shape().viewRays());
    sumRays(
        {0, shape().views}, [&](IndexRange slab) { setMaskSlab(slab); }, chords.data(), stop);
    const RayData rays = {chords, m_counts, m_ownRays, m_peers, m_options.threads};
    m_weights = rayWeights(rays, preparation.weights);
    if (preparation.hasColumnWeights) makeColumnWeights(chords, stop);
    return preparedViews(rays, m_weights, m_integrals);
}

void HostSpace::makeColumnWeights(const HostBuffer<float>& chords, const std::stop_token& stop) {
    const Index voxels = shape().sliceVoxels();
    makeRoom(m_columnWeights, shape().voxels[2] * voxels);
    fillWithZeros(m_columnWeights.data(), m_columnWeights.count(), m_options.threads);
    for (Index m = 0; m < m_subsets.count(); ++m) {
        const IndexRange views = m_subsets.range(m);
        const Index first = views.begin * shape().viewRays();
        spreadRays(
            views,
            [&](Index ray, Index count, float* out) {
                for (Index i = 0; i < count; ++i)
                    out[i] = m_weights[first + ray + i] * chords[first + ray + i];
            },
            [&](Index z, const float* sums) {
                float* largest = m_columnWeights.data() + z * voxels;
                for (Index i = 0; i < voxels; ++i)
                    largest[i] = std::max(largest[i], sums[i]);
            },
            stop);
    }
    const auto smallest =
        static_cast<float>(kSmallestColumn * m_peers.largest(largestOf(m_columnWeights)));
    parallelFor(m_options.threads, shape().voxels[2], 1, [&](Index z, Index, int) {
        const unsigned char* isFree = m_constraint.maskAt(z, 0);
        float* columns = m_columnWeights.data() + z * voxels;
        for (Index i = 0; i < voxels; ++i)
            columns[i] = columns[i] > smallest && (!isFree || isFree[i]) ? 1 / columns[i] : 0;
    });
}

ResidualSums HostSpace::residual(const IterationVector& x, IndexRange views, IterationVector& r,
                                 const std::stop_token& stop) {
    float* rays = valuesOf(r).data();
    sumRays(
        views, [&](IndexRange slab) { setSlab(slab, valuesOf(x).data()); }, rays, stop);
    const float* integrals = m_integrals.data() + views.begin * shape().viewRays();
    parallelFor(m_options.threads, views.size() * shape().viewRays(), kPiece,
                [&](Index begin, Index end, int) {
                    for (Index i = begin; i < end; ++i)
                        rays[i] = integrals[i] - rays[i];
                });
    return sumsOf(rays, views);
}

void HostSpace::project(const IterationVector& p, IterationVector& q, const std::stop_token& stop) {
    sumRays(
        {0, shape().views}, [&](IndexRange slab) { setSlab(slab, valuesOf(p).data()); },
        valuesOf(q).data(), stop);
}

auto HostSpace::weightedRays(const IterationVector& r, IndexRange views) const {
    const float* rays = valuesOf(r).data();
    const float* weights = m_weights.data() + views.begin * shape().viewRays();
    return [rays, weights](Index first, Index count, float* out) {
        for (Index i = 0; i < count; ++i)
            out[i] = weights[first + i] * rays[first + i];
    };
}

void HostSpace::update(IterationVector& x, double omega, const IterationVector& r, IndexRange views,
                       const std::stop_token& stop) {
    const Index voxels = shape().sliceVoxels();
    const auto factor = static_cast<float>(omega);
    spreadRays(
        views, weightedRays(r, views),
        [&](Index z, const float* gradient) {
            float* slice = valuesOf(x).data() + z * voxels;
            const float* columns = m_columnWeights.data() + z * voxels;
            for (Index i = 0; i < voxels; ++i)
                slice[i] += factor * columns[i] * gradient[i];
            m_constraint.apply(z, 0, voxels, slice);
        },
        stop);
}

void HostSpace::adjoint(const IterationVector& r, IterationVector& s, const std::stop_token& stop) {
    const Index voxels = shape().sliceVoxels();
    const IndexRange all = {0, shape().views};
    spreadRays(
        all, weightedRays(r, all),
        [&](Index z, const float* gradient) {
            const unsigned char* isFree = m_constraint.maskAt(z, 0);
            float* slice = valuesOf(s).data() + z * voxels;
            for (Index i = 0; i < voxels; ++i)
                slice[i] = !isFree || isFree[i] ? gradient[i] : 0;
        },
        stop);
}

double HostSpace::flatten(IterationVector& x, IterationVector& dual, double weight, Index steps,
                          const std::stop_token& stop) {
    const auto& [nX, nY, nZ] = shape().voxels;
    makeRoom(m_spare, m_grid.count());
    FlattenTask task;
    task.volume = {valuesOf(x).data(), nZ, nY, nX};
    task.dual = valuesOf(dual).data();
    task.spare = m_spare.data();
    const double smallest = *std::min_element(m_grid.pitchMm.begin(), m_grid.pitchMm.end());
    for (std::size_t axis = 0; axis < 3; ++axis)
        task.scale[axis] = static_cast<float>(smallest / m_grid.pitchMm[axis]);
    task.weight = weight;
    task.steps = steps;
    task.threads = m_options.threads;
    return flattenVolume(task, m_constraint, m_peers, stop);
}

}  // namespace gantry
