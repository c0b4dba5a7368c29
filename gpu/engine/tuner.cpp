#include "gpu/engine/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <random>

#include "core/base/error.h"
#include "core/engine/problem_class.h"
#include "core/geometry/footprint.h"
#include "core/geometry/views/parallel_views.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/cone_kernel.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/gpu_filter.h"
#include "gpu/engine/tile_kernel.h"
#include "gpu/engine/trial_cache.h"

namespace gantry {

namespace {

VolumeGrid part(const VolumeGrid& grid, const std::array<IndexRange, 3>& ranges) {
    VolumeGrid result = grid;
    const auto middle = [&](std::size_t axis) {
        return static_cast<double>(ranges[axis].begin + ranges[axis].end - 1) / 2;
    };
    const Vec3 center = grid.positionMm(middle(0), middle(1), middle(2));
    result.centerMm = {center.x, center.y, center.z};
    for (std::size_t axis = 0; axis < 3; ++axis)
        result.voxels[axis] = ranges[axis].size();
    return result;
}

// A registered kernel by its name or by the name of one of its shapes, which is kept as its name.
Kernel namedKernel(const std::string& name) {
    Kernel kernel = coneKernel(name).kernel;
    kernel.name = name;
    if (const std::optional<gpu::TileShape> shape = tileShapeNamed(name))
        kernel.layerSlices = shape->z;
    return kernel;
}

// Random numbers in device memory: a block from the host, repeated.
void fillRandom(const DeviceBuffer<float>& buffer, cudaStream_t stream) {
    constexpr Index kBlock = 1 << 18;
    std::minstd_rand random(7);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<float> block(std::min(kBlock, buffer.count()));
    for (float& value : block)
        value = uniform(random);
    auto filled = std::ssize(block);
    check(
        cudaMemcpyAsync(buffer.data(), block.data(), static_cast<std::size_t>(filled * kFloatBytes),
                        cudaMemcpyHostToDevice, stream),
        "copying views to it");
    while (filled < buffer.count()) {
        const Index more = std::min(filled, buffer.count() - filled);
        check(cudaMemcpyAsync(buffer.data() + filled, buffer.data(),
                              static_cast<std::size_t>(more * kFloatBytes),
                              cudaMemcpyDeviceToDevice, stream),
              "filling views");
        filled += more;
    }
    check(cudaStreamSynchronize(stream), "filling views");
}

// Measures kernels on one piece of one job.
class Trial {
  public:
    Trial(const DeviceInfo& device, const DeviceJob& job, const TrialPiece& piece);

    /// Measures the kernel; none for a shape that does not fit the piece, unless the job names it.
    [[nodiscard]] std::optional<KernelChoice> measure(const std::string& name);

  private:
    static constexpr double kNoTime = 1e30;

    double runOnce(ConeKernel& kernel, const gpu::ConeBatch& batch, int adds);
    double addMs(ConeKernel& kernel, const gpu::ConeBatch& batch, double bestMs);

    const DeviceInfo& m_device;
    const DeviceJob& m_job;
    const TrialPiece& m_piece;
    std::vector<ProjectionMatrix> m_matrices;
    Stream m_stream;
    DeviceBuffer<float> m_data;
    gpu::FilteredViews m_views;
    DeviceSlab m_slab;
    Event m_begin{Event::Timing::on};
    Event m_repacked{Event::Timing::on};
    Event m_end{Event::Timing::on};
    double m_repackMs = kNoTime;  // the best of the kernel being measured
    double m_sliceMs = kNoTime;   // ms an add and slice of the fastest kernel so far
};

Trial::Trial(const DeviceInfo& device, const DeviceJob& job, const TrialPiece& piece)
    : m_device(device), m_job(job), m_piece(piece) {
    const AlignedViews& geometry = job.acquisition->geometry;
    const Index batch = job.batchViews > 0 ? job.batchViews : Index{gpu::kMaxViews};
    const Index nS = std::min({batch, Index{gpu::kMaxViews}, geometry.views});
    // Spread over the arc: some kernels are slower where views run along the grid's axes.
    for (Index s = 0; s < nS; ++s)
        m_matrices.push_back(geometry.matrices[s * geometry.views / nS]);
    const Index nU = geometry.detector.columns;
    m_data = DeviceBuffer<float>(nS * piece.rows.size() * nU);
    m_views = gpu::plainViews(m_data.data(), static_cast<int>(nS),
                              static_cast<int>(piece.rows.size()), static_cast<int>(nU));
    fillRandom(m_data, m_stream.get());
}

double Trial::runOnce(ConeKernel& kernel, const gpu::ConeBatch& batch, int adds) {
    m_begin.record(m_stream.get());
    const gpu::ConeSlab slab = m_slab.voxels();
    // Launches are as long as a job's, whose batches differ; these are all the same.
    const int batches =
        batch.views < gpu::kMaxViews
            ? 1
            : static_cast<int>(std::max<Index>(1, kernel.viewsAtOnce(slab) / batch.views));
    kernel.repack(m_views, batch, slab, m_stream.get());
    for (int more = 1; more < batches; ++more)
        kernel.repackMore(m_views, batch, slab, m_stream.get());
    m_repacked.record(m_stream.get());
    for (int add = 0; add < adds; ++add)
        kernel.add(batch, slab, m_stream.get());
    m_end.record(m_stream.get());
    m_end.synchronize();
    m_repackMs = std::min(m_repackMs, m_repacked.millisecondsSince(m_begin) / batches);
    return m_end.millisecondsSince(m_repacked) / (adds * batches);
}

// Milliseconds of adding a batch, the best of a few runs; one run is enough where it is far slower
// than `bestMs`.
double Trial::addMs(ConeKernel& kernel, const gpu::ConeBatch& batch, double bestMs) {
    constexpr double kFarSlower = 1.5;
    constexpr double kMinMs = 1;  // shorter work is repeated, so that launches hardly count
    constexpr int kMaxAdds = 16;
    constexpr double kLongMs = 20;  // longer work is measured once
    constexpr int kRuns = 3;
    (void)runOnce(kernel, batch, 1);  // warms up
    double ms = runOnce(kernel, batch, 1);
    if (ms > kFarSlower * bestMs || ms > kLongMs) return ms;
    const auto adds =
        static_cast<int>(std::clamp(kMinMs / std::max(ms, 1e-3), 1.0, 1.0 * kMaxAdds));
    for (int run = 0; run < kRuns; ++run)
        ms = std::min(ms, runOnce(kernel, batch, adds));
    return ms;
}

std::optional<KernelChoice> Trial::measure(const std::string& name) {
    const std::unique_ptr<ConeKernel> kernel = makeConeKernel(name, m_device);
    const Index pieceSlices = m_piece.grid.voxels[2];
    m_slab.begin(m_piece.grid, {0, pieceSlices}, kernel->isZFastest(), m_stream.get());
    const gpu::ConeBatch batch = m_slab.batch(m_matrices, m_piece.rows.begin);
    if (m_job.kernel != name && !tileShapeFits(name, batch, m_slab.voxels(), m_device)) return {};
    const Index views = m_job.acquisition->geometry.views / m_views.nS * m_views.nS;
    kernel->reserve(SlabAdder::roomFor(*kernel, m_views.nS, views), m_views.nV, m_views.nU);
    const Kernel named = namedKernel(name);
    const auto layers = [&](Index slices) {
        const Index whole = (slices + named.layerSlices - 1) / named.layerSlices;
        return static_cast<double>(whole);
    };
    const double made = layers(pieceSlices) * static_cast<double>(named.layerSlices);
    m_repackMs = kNoTime;
    const double sliceMs = addMs(*kernel, batch, m_sliceMs * made) / made;
    m_sliceMs = std::min(m_sliceMs, sliceMs);

    // The time that a batch would take on one of the job's slabs. Slabs that hold a layer are cut
    // in whole layers (core/plan/device_slabs.h), so that only the volume's last slab is partly
    // filled.
    const auto& voxels = m_job.volume.voxels;
    const Index slabSlices = m_job.maxSlices > 0 ? m_job.maxSlices : voxels[2];
    const Index cut = slabSlices < named.layerSlices ? slabSlices : voxels[2];
    const double madePerSlice =
        layers(cut) * static_cast<double>(named.layerSlices) / static_cast<double>(cut);
    const Index rows =
        m_job.maxRows > 0
            ? m_job.maxRows
            : footprintRows(m_job.acquisition->geometry, m_job.volume, {0, voxels[2]}).size();
    const double pieces = static_cast<double>(voxels[0] * voxels[1]) /
                          static_cast<double>(m_piece.grid.voxels[0] * m_piece.grid.voxels[1]);
    const double ms = m_repackMs * static_cast<double>(rows) / static_cast<double>(m_views.nV) +
                      sliceMs * madePerSlice * static_cast<double>(slabSlices) * pieces;
    const double updates = static_cast<double>(voxels[0] * voxels[1]) *
                           static_cast<double>(slabSlices) * static_cast<double>(m_views.nS);
    return KernelChoice{named, updates / (1e-3 * std::max(ms, 1e-6))};
}

// Floats made of such bytes are 0.75, an ordinary number for copies and filters.
constexpr int kFloatByte = 0x3f;

// Time of the work on the stream: the shortest of a few runs after a warm-up.
double secondsOf(const Stream& stream, const std::function<void()>& enqueue) {
    constexpr int kRuns = 4;
    double best = std::numeric_limits<double>::max();
    Event begin(Event::Timing::on);
    Event end(Event::Timing::on);
    for (int i = 0; i < kRuns; ++i) {
        begin.record(stream.get());
        enqueue();
        end.record(stream.get());
        end.synchronize();
        if (i > 0) best = std::min(best, 1e-3 * end.millisecondsSince(begin));
    }
    return std::max(best, 1e-9);
}

void measureCopies(const Stream& stream, DeviceRates& rates) {
    constexpr Index kBytes = 64'000'000;
    const PinnedBuffer<std::byte> host(kBytes);
    const DeviceBuffer<std::byte> device(kBytes);
    std::memset(host.data(), kFloatByte, kBytes);
    const auto copy = [&](void* to, const void* from, cudaMemcpyKind kind) {
        const double seconds = secondsOf(stream, [&] {
            check(cudaMemcpyAsync(to, from, kBytes, kind, stream.get()), "measuring copies");
        });
        return static_cast<double>(kBytes) / seconds;
    };
    rates.uploadBytes = copy(device.data(), host.data(), cudaMemcpyHostToDevice);
    rates.downloadBytes = copy(host.data(), device.data(), cudaMemcpyDeviceToHost);
}

// Measures how many pixels a second are filtered, on some rows of some views.
double measureFilter(const DeviceJob& job, const Stream& stream) {
    constexpr Index kViews = 8;
    constexpr Index kRows = 256;
    const AlignedViews& geometry = job.acquisition->geometry;
    DeviceJob some = job;
    some.batchViews = std::min(kViews, geometry.views);
    some.maxRows = std::min(kRows, geometry.detector.rows);
    // Prepared views are used because random stored pixels would not be valid on this detector;
    // preparing costs next to nothing beside the transforms.
    some.handedOver = ViewState::prepared;
    const Index rowBytes = geometry.detector.columns * Index{sizeof(float)};
    const DeviceBuffer<std::byte> batch(some.batchViews * some.maxRows * rowBytes);
    check(cudaMemsetAsync(batch.data(), kFloatByte, static_cast<std::size_t>(batch.sizeBytes()),
                          stream.get()),
          "filling views");
    GpuFilter filter(some);
    const double seconds = secondsOf(stream, [&] {
        (void)filter.apply(batch.data(), {0, some.batchViews}, IndexRange{0, some.maxRows}, {},
                           stream.get());
    });
    return static_cast<double>(some.batchViews * some.maxRows * geometry.detector.columns) /
           seconds;
}

}  // namespace

std::vector<std::string> trialKernels(const DeviceJob& job, bool fast) {
    if (!job.kernel.empty() && job.kernel != "tile") return {job.kernel};
    if (!job.acquisition->geometry.areAligned()) return {"tile-poses", "standard"};
    if (job.kernel.empty() && areParallel(job.acquisition->geometry.matrices))
        return fast ? std::vector<std::string>{"parallel-half", "parallel-stack", "standard"}
                    : std::vector<std::string>{"parallel-stack", "standard"};
    std::vector<std::string> names = tileShapeNames();
    if (!job.kernel.empty()) return names;
    names.insert(names.end(), {"standard", "l1-tran"});
    if (fast) names.insert(names.begin(), "mirror-texture");
    return names;
}

TrialPiece trialPiece(const DeviceJob& job) {
    // The piece is a whole layer of tiles, with voxels near the source and far from it, at the
    // edges and in the middle. A quarter of a large layer is enough: it has every distance from the
    // axis.
    constexpr Index kLayerSlices = 128;
    constexpr double kMaxUpdates = 1e10;  // 8 ms at most on a fast device
    constexpr Index kEnoughViewBytes = 256'000'000;
    constexpr Index kMinSlices = 32;
    const auto& voxels = job.volume.voxels;
    const bool symmetric = isSymmetric(job);
    const Index maxSlices = job.maxSlices > 0 ? job.maxSlices : voxels[2];
    Index nX = voxels[0];
    Index nY = voxels[1];
    Index nZ = std::min({voxels[2], maxSlices, kLayerSlices});
    const auto updates = [&] { return static_cast<double>(nX * nY * nZ * Index{gpu::kMaxViews}); };
    if (updates() > kMaxUpdates) nY = (nY + 1) / 2;
    if (updates() > kMaxUpdates) nX = (nX + 1) / 2;
    while (true) {
        // Symmetric pieces lie exactly in the middle, others as far from it as most slabs do.
        const bool isOff = symmetric && (voxels[2] - nZ) % 2 != 0;
        const Index slices = !isOff ? nZ : nZ > 1 ? nZ - 1 : 2;
        const Index first = (voxels[2] - slices) / (symmetric ? 2 : 4);
        TrialPiece piece;
        piece.grid = part(job.volume, {{{0, nX}, {0, nY}, {first, first + slices}}});
        piece.rows = footprintRows(job.acquisition->geometry, piece.grid, {0, slices});
        const Index viewBytes = Index{gpu::kMaxViews} * piece.rows.size() *
                                job.acquisition->geometry.detector.columns * kFloatBytes;
        if (viewBytes <= kEnoughViewBytes || nZ / 2 < kMinSlices) return piece;
        nZ /= 2;
    }
}

namespace {

// @throws InputError  the job names a kernel of parallel beams, and its views are not one
void requireItsBeam(const DeviceJob& job) {
    if (job.kernel.empty() || !coneKernel(job.kernel).kernel.isForParallel ||
        areParallel(job.acquisition->geometry.matrices))
        return;
    throw InputError(fmt::format("The kernel {} takes views of a parallel beam whose detector is "
                                 "upright, and those of this scan are not.",
                                 job.kernel),
                     {.advice = "Leave --kernel out.", .field = "kernel"});
}

// Converts a measured speed to the one that plans count with: that on symmetric slabs, where a
// kernel that mirrors is faster.
KernelChoice asPlanned(KernelChoice measured, const DeviceJob& job) {
    measured.updatesPerSecond /= measured.kernel.partOfSpeed(isSymmetric(job));
    return measured;
}

}  // namespace

KernelChoice chooseKernel(const DeviceInfo& device, const DeviceJob& job, bool fast,
                          const std::filesystem::path& cache) {
    require(job.acquisition != nullptr, "a job on a GPU has no scan");
    requireItsBeam(job);
    const TrialCache known(cache);
    const TrialKey key = trialKey(device, job, fast);
    const std::vector<std::string> names = trialKernels(job, fast);
    if (const std::optional<TrialResult> result = known.find(key))
        if (std::ranges::find(names, result->kernel) != names.end())
            return {namedKernel(result->kernel), result->updatesPerSecond};

    makeCurrent(device.number);
    const TrialPiece piece = trialPiece(job);
    constexpr double kAnySpeed = 1e11;  // never used: nothing will be added
    if (piece.rows.empty()) return {namedKernel(names.front()), kAnySpeed};
    Trial trial(device, job, piece);
    KernelChoice best;
    std::exception_ptr failure;
    for (const std::string& name : names) {
        try {
            const std::optional<KernelChoice> choice = trial.measure(name);
            if (choice && choice->updatesPerSecond > best.updatesPerSecond) best = *choice;
        } catch (const ResourceError&) {
            // The others may still work: some kernels take more memory or larger textures.
            if (!failure) failure = std::current_exception();
        }
    }
    if (best.kernel.name.empty()) std::rethrow_exception(failure);
    best = asPlanned(best, job);
    known.keep(key, {best.kernel.name, best.updatesPerSecond});
    return best;
}

DeviceRates measureRates(const DeviceInfo& device, const DeviceJob& job) {
    makeCurrent(device.number);
    const Stream stream;
    DeviceRates rates;
    measureCopies(stream, rates);
    if (whyNoCufft().empty()) rates.filterPixels = measureFilter(job, stream);
    return rates;
}

}  // namespace gantry
