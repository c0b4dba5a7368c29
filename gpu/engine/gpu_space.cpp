#include "gpu/engine/gpu_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/pipeline/runner.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/column_copies.h"
#include "gpu/engine/device_part.h"
#include "gpu/engine/device_rays.h"
#include "gpu/engine/device_sums.h"
#include "gpu/engine/device_vectors.h"
#include "gpu/engine/throttle.h"
#include "gpu/kernels/iterate/flatten.h"
#include "gpu/kernels/iterate/sums.h"
#include "gpu/kernels/iterate/vectors.h"

namespace gantry {

namespace {

constexpr Index kViewsAtOnce = 64;  // between two looks at the stop token

const DeviceBuffer<float>& valuesOf(const IterationVector& vector) {
    return DeviceVectors::valuesOf(vector);
}

gpu::RayWeightKind kindOf(RowWeights weights) {
    switch (weights) {
        case RowWeights::chord:
            return gpu::RayWeightKind::chord;
        case RowWeights::counts:
            return gpu::RayWeightKind::counts;
        case RowWeights::one:
            break;
    }
    return gpu::RayWeightKind::one;
}

class GpuSpace final : public ProjectionSpace {
  public:
    GpuSpace(const DeviceInfo& device, const SpaceTask& task, SpanSink sink, std::int64_t originNs,
             bool tiled)
        : ProjectionSpace(DevicePart(task).shape()),
          m_part(task),
          m_device(device.number),
          m_sink(sink ? std::move(sink) : [](const TimelineSpan&) {}),
          m_lane(fmt::format("GPU {}", device.number), originNs, m_sink, {}),
          m_subsets(task.subsets),
          m_rays(device, inStoredOrder(m_part.viewsOf(task.views), task.subsets), tiled),
          m_vectors(shape(), peers().allSlices(), m_rays, m_stream.get()),
          m_sums(m_stream.get()),
          m_own(m_part.ownRows()),
          m_integrals(m_vectors.zeros(shape().views * m_rays.viewFloats())) {
        const double smallest = *std::ranges::min_element(task.grid.pitchMm);
        for (std::size_t axis = 0; axis < 3; ++axis)
            m_scale[axis] = static_cast<float>(smallest / task.grid.pitchMm[axis]);
        if (task.hasCounts) m_counts = m_vectors.zeros(m_integrals.count());
        m_rays.place(m_part.grid(), m_stream.get());
        m_stream.synchronize();
    }

    ~GpuSpace() override {
        // Nothing may be freed that the device still uses; a lost one returns at once.
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(m_stream.get());
        forgetError();
    }
    GpuSpace(const GpuSpace&) = delete;
    GpuSpace& operator=(const GpuSpace&) = delete;

    void setViews(IndexRange views, Span3<const float> integrals,
                  Span3<const float> counts) override {
        makeCurrent(m_device);
        for (Index view = views.begin; view < views.end; ++view) {
            const Index place = m_subsets.placeOf(view);
            m_vectors.setView(m_integrals, place, integrals.row(view - views.begin, 0));
            if (shape().hasCounts)
                m_vectors.setView(m_counts, place, counts.row(view - views.begin, 0));
        }
    }

    void setMask(Span3<const unsigned char> mask) override {
        const auto& [nX, nY, nZ] = shape().voxels;
        require(
            mask.size(1) == nY && mask.size(2) == nX && (mask.size(0) == 1 || mask.size(0) == nZ),
            "a mask of another size than the volume");
        makeCurrent(m_device);
        m_constraint.isMaskOfColumns = mask.size(0) == 1;
        if (m_constraint.isMaskOfColumns) {
            m_mask.reserve(m_vectors.layout().columns);
            check(cudaMemcpyAsync(m_mask.data(), mask.data(),
                                  static_cast<std::size_t>(m_vectors.layout().columns),
                                  cudaMemcpyHostToDevice, m_stream.get()),
                  "copying a mask to the GPU");
        } else {
            const DeviceBuffer<float>& inside = spare();
            m_vectors.clear(inside);
            std::vector<float> slice(static_cast<std::size_t>(shape().sliceVoxels()));
            for (Index z = 0; z < nZ; ++z) {
                std::copy_n(mask.row(z, 0), slice.size(), slice.begin());
                m_vectors.setSlices(inside, {z, z + 1}, slice.data());
            }
            m_mask.reserve(m_vectors.layout().count());
            check(gpu::makeMask(inside.data(), m_vectors.layout().count(), m_mask.data(),
                                m_stream.get()),
                  "making a mask");
        }
        m_stream.synchronize();
        m_constraint.mask = m_mask.data();
    }

    [[nodiscard]] std::unique_ptr<IterationVector> make(VectorKind kind, Index views) override {
        makeCurrent(m_device);
        return m_vectors.make(kind, views);
    }
    void write(IterationVector& vector, Index first, std::span<const float> values) override {
        makeCurrent(m_device);
        const DevicePart::Held held = m_part.heldOf(vector, first, values.size());
        if (held.count > 0) m_vectors.write(vector, held.parts.begin, held.of(values));
    }
    void read(const IterationVector& vector, Index first, std::span<float> out) override {
        makeCurrent(m_device);
        const DevicePart::Held held = m_part.heldOf(vector, first, out.size());
        if (held.count > 0) m_vectors.read(vector, held.parts.begin, held.of(out));
        if (vector.kind() == VectorKind::views) return;
        const auto count = static_cast<std::size_t>(vector.partCount());
        for (std::size_t i = 0; i < out.size() / count; ++i)
            peers().share(first + static_cast<Index>(i), out.subspan(i * count, count));
    }
    void readHeld(const IterationVector& vector, Index first, std::span<float> out) override {
        makeCurrent(m_device);
        const DevicePart::Held held = m_part.heldOf(vector, first, out.size());
        require(held.count == out.size(), "parts that another space has");
        m_vectors.read(vector, held.parts.begin, out);
    }

    void combine(double alpha, const IterationVector& x, double beta, IterationVector& y) override {
        makeCurrent(m_device);
        check(gpu::combine(static_cast<float>(alpha), valuesOf(x).data(), static_cast<float>(beta),
                           valuesOf(y).data(), valuesOf(y).count(), m_stream.get()),
              "combining vectors");
    }

    [[nodiscard]] double dot(const IterationVector& a, const IterationVector& b) override {
        makeCurrent(m_device);
        const float* left = valuesOf(a).data();
        const float* right = valuesOf(b).data();
        const Index count = valuesOf(a).count();
        return sums<1>([&](double* out) {
            return a.kind() == VectorKind::views
                       ? gpu::sumRayProducts(left, right, m_weights.data(), m_own, count, out,
                                             m_stream.get())
                       : gpu::sumProducts(left, right, count, out, m_stream.get());
        })[0];
    }

    [[nodiscard]] ResidualSums sumsOf(const IterationVector& r) override {
        makeCurrent(m_device);
        return residualSums({0, shape().views}, valuesOf(r).data(), false);
    }

    void constrain(IterationVector& x) override {
        makeCurrent(m_device);
        check(gpu::constrain(m_vectors.layout(), m_constraint, valuesOf(x).data(), m_stream.get()),
              "bounding a volume");
    }

    [[nodiscard]] InvalidRays findInvalidRays() override;
    PreparedViews prepare(const Preparation& preparation, const std::stop_token& stop) override;

    ResidualSums residual(const IterationVector& x, IndexRange views, IterationVector& r,
                          const std::stop_token& stop) override {
        makeCurrent(m_device);
        sumRays(views, valuesOf(x), valuesOf(r).data(), stop);
        return residualSums(views, valuesOf(r).data(), true);
    }

    void update(IterationVector& x, double omega, const IterationVector& r, IndexRange views,
                const std::stop_token& stop) override {
        makeCurrent(m_device);
        const DeviceBuffer<float>& gradient = spare();
        spreadRays(views, valuesOf(r).data(), gradient, stop);
        check(gpu::addStep(m_vectors.layout(), m_constraint, static_cast<float>(omega),
                           m_columnWeights.data(), gradient.data(), valuesOf(x).data(),
                           m_stream.get()),
              "updating a volume");
    }

    void project(const IterationVector& p, IterationVector& q,
                 const std::stop_token& stop) override {
        makeCurrent(m_device);
        sumRays({0, shape().views}, valuesOf(p), valuesOf(q).data(), stop);
    }

    void adjoint(const IterationVector& r, IterationVector& s,
                 const std::stop_token& stop) override {
        makeCurrent(m_device);
        spreadRays({0, shape().views}, valuesOf(r).data(), valuesOf(s), stop);
        maskOut(valuesOf(s), false);
    }

    double flatten(IterationVector& x, IterationVector& dual, double weight, Index steps,
                   const std::stop_token& stop) override {
        makeCurrent(m_device);
        gpu::FlattenColumns task;
        task.layout = m_vectors.layout();
        task.volume = valuesOf(x).data();
        task.dual = valuesOf(dual).data();
        std::ranges::copy(m_scale, task.scale);
        task.weight = static_cast<float>(weight);
        const DeviceBuffer<float>& other = spare();
        Throttle throttle(m_stream.get());
        for (Index step = 0; step < steps; ++step) {
            throttle.next(stop);
            takeBelow(task, dual);
            check(gpu::flattenPrimal(task, m_constraint, other.data(), m_stream.get()),
                  "flattening a volume");
            takeAbove(task, other);
            check(gpu::flattenDual(task, other.data(), m_stream.get()), "flattening a volume");
        }
        takeBelow(task, dual);
        check(gpu::flattenPrimal(task, m_constraint, task.volume, m_stream.get()),
              "flattening a volume");
        takeAbove(task, valuesOf(x));
        return sums<1>(
            [&](double* out) { return gpu::sumVariation(task, out, m_stream.get()); })[0];
    }

  private:
    [[nodiscard]] SpacePeers& peers() { return m_part.peers(); }
    // Sums over all parts of the problem.
    template <std::size_t kSums, class Launch>
    [[nodiscard]] std::array<double, kSums> sums(const Launch& launch) {
        std::array<double, kSums> all = m_sums.of<kSums>(launch);
        peers().add(all);
        return all;
    }
    [[nodiscard]] double largest(const DeviceBuffer<float>& values) {
        return peers().largest(m_sums.largest(values.data(), values.count()));
    }
    // What flattening needs of the slices next to this part: the dual field along z of the one
    // below, and the values of the one above.
    void takeBelow(gpu::FlattenColumns& task, const IterationVector& dual) {
        constexpr Index kAlongZ = 2;
        const gpu::RaySlab slab = m_vectors.slabAt(valuesOf(dual), kAlongZ);
        task.dualBelow = m_part.passSlice(m_vectors, SpacePeers::Towards::above, slab,
                                          shape().voxels[2] - 1, m_below);
    }
    void takeAbove(gpu::FlattenColumns& task, const DeviceBuffer<float>& values) {
        task.above = m_part.passSlice(m_vectors, SpacePeers::Towards::below,
                                      m_vectors.slabAt(values), 0, m_above);
    }
    // A volume for what is needed within one call.
    [[nodiscard]] const DeviceBuffer<float>& spare() {
        if (m_spare.count() == 0) m_spare = m_vectors.zeros(m_vectors.layout().count());
        return m_spare;
    }
    ResidualSums residualSums(IndexRange views, float* r, bool isProjection) {
        const auto at = [&](const DeviceBuffer<float>& rays) {
            return m_vectors.raysAt(rays, views.begin);
        };
        const gpu::RaysOfSum rays = {at(m_integrals),
                                     at(m_weights),
                                     shape().hasCounts ? at(m_counts) : nullptr,
                                     m_own,
                                     m_preparation.modelError,
                                     views.size() * m_rays.viewFloats()};
        const auto [weighted, chi] = sums<2>([&](double* out) {
            return gpu::sumResiduals(rays, r, isProjection, out, m_stream.get());
        });
        return {weighted, chi};
    }

    void maskOut(const DeviceBuffer<float>& volume, bool isFilled) {
        check(
            gpu::maskOut(m_vectors.layout(), m_constraint, isFilled, volume.data(), m_stream.get()),
            "masking a volume");
    }
    // out ← A of the volume
    void sumRays(IndexRange views, const DeviceBuffer<float>& volume, float* out,
                 const std::stop_token& stop) {
        measure(Stage::project, views, [&] {
            m_vectors.clear(out, views.size() * m_rays.viewFloats());
            forEachBatch(views, out, stop, [&](const gpu::RayRows& rows) {
                m_rays.project(m_vectors.slabAt(volume), rows, m_stream.get());
            });
        });
        m_part.addRays(m_vectors, views, out);
    }
    // volume ← Aᵀ M of the rays
    void spreadRays(IndexRange views, float* rays, const DeviceBuffer<float>& volume,
                    const std::stop_token& stop) {
        measure(Stage::backproject, views, [&] {
            m_vectors.clear(volume);
            forEachBatch(views, rays, stop, [&](const gpu::RayRows& rows) {
                m_rays.adjoint(rows, m_vectors.slabAt(volume), m_stream.get(),
                               m_vectors.raysAt(m_weights, rows.firstView));
            });
        });
    }
    void measure(Stage stage, IndexRange views, const std::function<void()>& work) {
        const Index updates = shape().sliceVoxels() * shape().voxels[2] * views.size();
        m_lane.measure(stage, {.batch = m_calls++, .updates = updates}, [&] {
            work();
            m_stream.synchronize();
        });
    }
    template <class Work>
    void forEachBatch(IndexRange views, float* rays, const std::stop_token& stop,
                      const Work& work) {
        Throttle throttle(m_stream.get());
        for (Index s = views.begin; s < views.end; s += kViewsAtOnce) {
            throttle.next(stop);
            const IndexRange batch = {s, std::min(s + kViewsAtOnce, views.end)};
            work(m_rays.rows(batch, rays + (s - views.begin) * m_rays.viewFloats()));
        }
    }
    void makeColumnWeights(const DeviceBuffer<float>& chords, const std::stop_token& stop);

    DevicePart m_part;
    int m_device;
    const SpanSink m_sink;
    Lane m_lane;
    Index m_calls = 0;
    Subsets m_subsets;
    DeviceRays m_rays;
    Stream m_stream;
    DeviceVectors m_vectors;
    DeviceSums m_sums;
    gpu::OwnRows m_own;
    std::array<float, 3> m_scale{};  // of differences along x, y and z
    gpu::ColumnConstraint m_constraint;
    Preparation m_preparation;
    DeviceBuffer<float> m_integrals;      // b, stored as the subsets have them
    DeviceBuffer<float> m_counts;         // n, likewise; or empty
    DeviceBuffer<float> m_weights;        // M
    DeviceBuffer<float> m_columnWeights;  // C
    DeviceBuffer<unsigned char> m_mask;
    DeviceBuffer<float> m_spare;
    DeviceBuffer<float> m_below;  // a slice of another part
    DeviceBuffer<float> m_above;  // likewise
};

InvalidRays GpuSpace::findInvalidRays() {
    makeCurrent(m_device);
    DeviceBuffer<unsigned> invalid(shape().views);
    check(cudaMemsetAsync(invalid.data(), 0, static_cast<std::size_t>(invalid.sizeBytes()),
                          m_stream.get()),
          "looking at views");
    check(gpu::countInvalidRays(m_integrals.data(), m_counts.data(), m_own,
                                static_cast<int>(shape().views), m_rays.viewFloats(),
                                invalid.data(), m_stream.get()),
          "looking at views");
    std::vector<unsigned> ofViews(static_cast<std::size_t>(shape().views));
    check(cudaMemcpyAsync(ofViews.data(), invalid.data(),
                          static_cast<std::size_t>(invalid.sizeBytes()), cudaMemcpyDeviceToHost,
                          m_stream.get()),
          "looking at views");
    m_stream.synchronize();
    double found = 0;
    auto first = static_cast<double>(shape().views);
    for (Index view = 0; view < shape().views; ++view) {
        const unsigned count = ofViews[static_cast<std::size_t>(m_subsets.placeOf(view))];
        if (count > 0) first = std::min(first, static_cast<double>(view));
        found += count;
    }
    peers().add({&found, 1});
    return {static_cast<Index>(found), static_cast<Index>(-peers().largest(-first))};
}

PreparedViews GpuSpace::prepare(const Preparation& preparation, const std::stop_token& stop) {
    require(preparation.subsets == m_subsets.count(), "other subsets than views are stored in");
    makeCurrent(m_device);
    m_preparation = preparation;
    m_constraint.min = preparation.bounds.min;
    m_constraint.max = preparation.bounds.max;
    const DeviceBuffer<float> chords = m_vectors.zeros(m_integrals.count());
    maskOut(spare(), true);
    sumRays({0, shape().views}, spare(), chords.data(), stop);
    const gpu::UsedRays used = {chords.data(), m_counts.data(),
                                static_cast<float>(kShortestChord * largest(chords)),
                                chords.count()};
    double meanCount = 1;
    if (preparation.weights == RowWeights::counts) {
        require(shape().hasCounts, "weights by counts that are not known");
        const auto [counts, rays] =
            sums<2>([&](double* out) { return gpu::sumCounts(used, m_own, out, m_stream.get()); });
        if (rays > 0) meanCount = counts / rays;
    }
    m_weights.reserve(chords.count());
    check(gpu::makeRayWeights(used, kindOf(preparation.weights), meanCount, m_weights.data(),
                              m_stream.get()),
          "weighting rays");
    if (preparation.hasColumnWeights) makeColumnWeights(chords, stop);
    const gpu::RaysOfSum all = {m_integrals.data(), m_weights.data(), nullptr, m_own, 0,
                                chords.count()};
    const auto [raySums, squares, rays] = sums<3>(
        [&](double* out) { return gpu::sumLevels(all, chords.data(), out, m_stream.get()); });
    return {.level = raySums > 0 ? squares / raySums : 0,
            .usedRays = static_cast<Index>(rays),
            .weightedSquares = squares};
}

void GpuSpace::makeColumnWeights(const DeviceBuffer<float>& chords, const std::stop_token& stop) {
    m_columnWeights = m_vectors.zeros(m_vectors.layout().count());
    for (Index m = 0; m < m_subsets.count(); ++m) {
        const IndexRange views = m_subsets.range(m);
        spreadRays(views, m_vectors.raysAt(chords, views.begin), spare(), stop);
        check(gpu::keepLarger(spare().data(), m_columnWeights.data(), m_vectors.layout().count(),
                              m_stream.get()),
              "weighting voxels");
    }
    check(gpu::invertColumns(m_vectors.layout(), m_constraint,
                             static_cast<float>(kSmallestColumn * largest(m_columnWeights)),
                             m_columnWeights.data(), m_stream.get()),
          "weighting voxels");
}

}  // namespace

std::unique_ptr<ProjectionSpace> makeGpuSpace(const DeviceInfo& device, const SpaceTask& task,
                                              SpanSink sink, std::int64_t originNs, bool tiled) {
    return std::make_unique<GpuSpace>(device, task, std::move(sink), originNs, tiled);
}

}  // namespace gantry
