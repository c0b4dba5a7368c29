#include "core/project/host_space.h"

#include <algorithm>
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

constexpr Index kPiece = 1 << 15;   // floats that one thread works on at a time
constexpr Index kViewsAtOnce = 32;  // that are weighted for the adjoint
constexpr double kSmallestColumn = 1e-6;

struct HostVector final : IterationVector {
    HostVector(VectorKind kind, Index parts, Index partCount)
        : IterationVector(kind, parts, partCount), values(parts * partCount) {
        fillWithZeros(values.data(), values.count(), availableThreads());
    }
    HostBuffer<float> values;
};

HostBuffer<float>& valuesOf(IterationVector& vector) {
    return dynamic_cast<HostVector&>(vector).values;
}
const HostBuffer<float>& valuesOf(const IterationVector& vector) {
    return dynamic_cast<const HostVector&>(vector).values;
}

float largestOf(const HostBuffer<float>& values) {
    return *std::max_element(values.data(), values.data() + values.count());
}

}  // namespace

HostSpace::HostSpace(const ProjectedViews& views, const VolumeGrid& grid, const Subsets& subsets,
                     const HostSpaceOptions& options, const MakeProjector& makeProjector)
    : IterationSpace({.voxels = grid.voxels,
                      .views = std::ssize(views.poses),
                      .rows = views.rows,
                      .columns = views.columns,
                      .hasCounts = options.hasCounts}),
      m_grid(grid),
      m_subsets(subsets),
      m_order(subsets.order()),
      m_options(options) {
    require(subsets.views() == shape().views, "subsets of other views");
    if (m_options.slabSlices <= 0) m_options.slabSlices = grid.voxels[2];
    ProjectedViews stored = views;
    for (std::size_t i = 0; i < m_order.size(); ++i)
        stored.poses[i] = views.poses[m_order[i]];
    m_projector = makeProjector(std::move(stored), options.threads);
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
        return std::make_unique<HostVector>(kind, views, shape().viewRays());
    const Index values = kind == VectorKind::gradient ? 3 : 1;
    return std::make_unique<HostVector>(kind, shape().voxels[2], values * shape().sliceVoxels());
}

void HostSpace::write(IterationVector& vector, Index first, std::span<const float> values) {
    HostBuffer<float>& all = valuesOf(vector);
    const Index begin = first * vector.partCount();
    require(begin >= 0 && begin + std::ssize(values) <= all.count(), "parts that a vector lacks");
    std::copy(values.begin(), values.end(), all.data() + begin);
}

void HostSpace::read(const IterationVector& vector, Index first, std::span<float> out) {
    const HostBuffer<float>& all = valuesOf(vector);
    const Index begin = first * vector.partCount();
    require(begin >= 0 && begin + std::ssize(out) <= all.count(), "parts that a vector lacks");
    std::copy_n(all.data() + begin, out.size(), out.begin());
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
    const float* weights = a.kind() == VectorKind::views ? m_weights.data() : nullptr;
    return parallelSum<double>(
        m_options.threads, valuesOf(a).count(), kPiece, [&](Index begin, Index end) {
            double sum = 0;
            for (Index i = begin; i < end; ++i)
                sum += static_cast<double>(left[i]) * right[i] * (weights ? weights[i] : 1);
            return sum;
        });
}

template <class Body>
ResidualSums HostSpace::sumRayPieces(IndexRange views, const Body& body) const {
    const Index first = views.begin * shape().viewRays();
    return parallelSum<ResidualSums>(
        m_options.threads, views.size() * shape().viewRays(), kPiece, [&](Index begin, Index end) {
            ResidualSums sums;
            for (Index i = begin; i < end; ++i) {
                const double r = body(i);
                const Index ray = first + i;
                const double weighted = m_weights[ray] * r * r;
                sums.weightedSquares += weighted;
                if (!m_options.hasCounts || m_weights[ray] == 0) continue;
                const double error = m_preparation.modelError * m_integrals[ray];
                sums.chiSquares += r * r / (1 / static_cast<double>(m_counts[ray]) + error * error);
            }
            return sums;
        });
}

ResidualSums HostSpace::sumsOf(const IterationVector& r) {
    const float* rays = valuesOf(r).data();
    return sumRayPieces({0, shape().views}, [&](Index i) { return rays[i]; });
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
        for (Index i = view * rays; i < (view + 1) * rays; ++i) {
            const bool hasCount =
                !m_options.hasCounts || (std::isfinite(m_counts[i]) && m_counts[i] >= 0);
            if (!std::isfinite(m_integrals[i]) || !hasCount) ++invalid[view];
        }
    });
    InvalidRays found;
    for (std::size_t i = 0; i < invalid.size(); ++i) {
        if (invalid[i] == 0) continue;
        found.firstView = found.count == 0 ? m_order[i] : std::min(found.firstView, m_order[i]);
        found.count += invalid[i];
    }
    return found;
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
    m_weights = rayWeights(chords, m_counts, preparation.weights, m_options.threads);
    if (preparation.hasColumnWeights) makeColumnWeights(chords, stop);
    return preparedViews(m_weights, m_integrals, chords, m_options.threads);
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
    const auto smallest = static_cast<float>(kSmallestColumn * largestOf(m_columnWeights));
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
    return sumRayPieces(views, [&](Index i) { return rays[i] = integrals[i] - rays[i]; });
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
    return flattenVolume(task, m_constraint, stop);
}

Index HostSpace::bytesNeeded(const SpaceShape& shape, const IterativeMethod& method,
                             Index projectorBytes) {
    const VectorCounts vectors = vectorsOf(method);
    const Index subsets = subsetCount(method, shape.views);
    const Index subsetViews = (shape.views + subsets - 1) / subsets;
    // Besides: b, M and the chords that it is made of, n, views on their way to the projector.
    const Index views = vectors.views * shape.views + vectors.subsets * subsetViews +
                        (shape.hasCounts ? 4 : 3) * shape.views +
                        std::min(kViewsAtOnce, shape.views);
    const Index volumes = vectors.volumes + 3 * vectors.gradients +
                          (vectors.hasColumnWeights ? 1 : 0) + (vectors.gradients > 0 ? 1 : 0);
    const Index slices = volumes * shape.voxels[2] + kReadSlices;
    const Index maskBytes = shape.voxels[2] * shape.sliceVoxels();
    return (views * shape.viewRays() + slices * shape.sliceVoxels()) * Index{sizeof(float)} +
           maskBytes + projectorBytes;
}

std::vector<unsigned char> fieldOfViewMask(const VolumeGrid& grid, const FieldOfView& field) {
    std::vector<unsigned char> mask;
    for (Index y = 0; y < grid.voxels[1]; ++y)
        for (Index x = 0; x < grid.voxels[0]; ++x) {
            const Vec3 voxel = grid.positionMm(static_cast<double>(x), static_cast<double>(y), 0);
            const double distance =
                std::hypot(voxel.x - field.centerMm[0], voxel.y - field.centerMm[1]);
            mask.push_back(distance <= field.radiusMm ? 1 : 0);
        }
    return mask;
}

}  // namespace gantry
