#include "gpu/engine/tuner.h"

#include <algorithm>
#include <array>
#include <exception>
#include <random>

#include "core/base/error.h"
#include "core/engine/problem_class.h"
#include "core/geometry/footprint.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/stream.h"
#include "gpu/engine/cone_kernel.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/tile_kernel.h"
#include "gpu/engine/trial_cache.h"

namespace gantry {

namespace {

// The middle `count` of `all`, or those from just above the middle.
IndexRange window(Index all, Index count, bool fromMiddle) {
    const Index begin = fromMiddle ? std::min(all / 2 + 1, all - count) : (all - count) / 2;
    return {begin, begin + count};
}

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

// A registered kernel by its name, or by that of one of its shapes, which it keeps.
Kernel namedKernel(const std::string& name) {
    Kernel kernel = coneKernel(name).kernel;
    kernel.name = name;
    return kernel;
}

// Random numbers in device memory: a block from the host, repeated.
void fillRandom(const DeviceBuffer<float>& buffer, cudaStream_t stream) {
    constexpr Index kBlock = 1 << 18;
    std::minstd_rand random(7);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<float> block(static_cast<std::size_t>(std::min(kBlock, buffer.count())));
    for (float& value : block)
        value = uniform(random);
    auto filled = static_cast<Index>(block.size());
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

    [[nodiscard]] KernelChoice measure(const std::string& name);

  private:
    struct Times {
        double repackMs = 0;
        double addMs = 0;
    };
    [[nodiscard]] Times run(ConeKernel& kernel, const gpu::ConeBatch& batch);

    const DeviceInfo& m_device;
    const DeviceJob& m_job;
    const TrialPiece& m_piece;
    std::vector<ProjectionMatrix> m_matrices;
    Stream m_stream;
    DeviceBuffer<float> m_data;
    gpu::FilteredViews m_views;
    DeviceSlab m_slab;
};

Trial::Trial(const DeviceInfo& device, const DeviceJob& job, const TrialPiece& piece)
    : m_device(device), m_job(job), m_piece(piece) {
    const AlignedViews& geometry = job.acquisition->geometry;
    const Index batch = job.batchViews > 0 ? job.batchViews : Index{gpu::kMostViews};
    const Index nS = std::min({batch, Index{gpu::kMostViews}, geometry.views});
    // Spread over the arc: some kernels are slower where views run along the grid's axes.
    for (Index s = 0; s < nS; ++s)
        m_matrices.push_back(geometry.matrices[static_cast<std::size_t>(s * geometry.views / nS)]);
    const Index nU = geometry.detector.columns;
    m_data = DeviceBuffer<float>(nS * piece.rows.size() * nU);
    m_views = gpu::plainViews(m_data.data(), static_cast<int>(nS),
                              static_cast<int>(piece.rows.size()), static_cast<int>(nU));
    fillRandom(m_data, m_stream.get());
}

Trial::Times Trial::run(ConeKernel& kernel, const gpu::ConeBatch& batch) {
    constexpr int kRuns = 4;  // the first warms up
    constexpr int kAdds = 4;  // so that the launch itself hardly counts
    std::vector<double> repackMs;
    std::vector<double> addMs;
    Event begin(Event::Timing::on);
    Event repacked(Event::Timing::on);
    Event end(Event::Timing::on);
    for (int i = 0; i < kRuns; ++i) {
        begin.record(m_stream.get());
        kernel.repack(m_views, batch, m_slab.voxels(), m_stream.get());
        repacked.record(m_stream.get());
        for (int add = 0; add < kAdds; ++add)
            kernel.add(batch, m_slab.voxels(), m_stream.get());
        end.record(m_stream.get());
        end.synchronize();
        if (i == 0) continue;
        repackMs.push_back(repacked.millisecondsSince(begin));
        addMs.push_back(end.millisecondsSince(repacked) / kAdds);
    }
    const auto median = [](std::vector<double>& values) {
        std::sort(values.begin(), values.end());
        return values[values.size() / 2];
    };
    return {median(repackMs), median(addMs)};
}

KernelChoice Trial::measure(const std::string& name) {
    const std::unique_ptr<ConeKernel> kernel = makeConeKernel(name, m_device);
    const IndexRange slices = {0, m_piece.grid.voxels[2]};
    m_slab.begin(m_piece.grid, slices, kernel->isZFastest(), m_stream.get());
    kernel->reserve(m_views.nS, m_views.nV, m_views.nU);
    const Times times = run(*kernel, m_slab.batch(m_matrices, m_piece.rows.begin));

    // As long as a batch of the job would take on one of its slabs.
    const auto& voxels = m_job.volume.voxels;
    const Index slabSlices = m_job.mostSlices > 0 ? m_job.mostSlices : voxels[2];
    const Index rows =
        m_job.mostRows > 0
            ? m_job.mostRows
            : footprintRows(m_job.acquisition->geometry, m_job.volume, {0, voxels[2]}).size();
    const double slabVoxels =
        static_cast<double>(voxels[0] * voxels[1]) * static_cast<double>(slabSlices);
    const double ms = times.repackMs * static_cast<double>(rows) / static_cast<double>(m_views.nV) +
                      times.addMs * slabVoxels / static_cast<double>(m_piece.grid.count());
    return {namedKernel(name), slabVoxels * m_views.nS / (1e-3 * std::max(ms, 1e-6))};
}

}  // namespace

std::vector<std::string> trialKernels(const DeviceJob& job, bool fast) {
    if (!job.kernel.empty() && job.kernel != "tile") return {job.kernel};
    std::vector<std::string> names = tileShapeNames();
    if (!job.kernel.empty()) return names;
    names.insert(names.end(), {"standard", "l1-tran"});
    if (fast) names.insert(names.begin(), "mirror-texture");
    return names;
}

TrialPiece trialPiece(const DeviceJob& job) {
    constexpr Index kMostSide = 256;
    constexpr Index kEnoughViewBytes = 256'000'000;
    constexpr Index kFewestSlices = 32;
    const auto& voxels = job.volume.voxels;
    const bool symmetric = isSymmetric(job);
    const Index mostSlices = job.mostSlices > 0 ? job.mostSlices : voxels[2];
    const Index nX = std::min(voxels[0], kMostSide);
    const Index nY = std::min(voxels[1], kMostSide);
    Index nZ = std::min({voxels[2], mostSlices, kMostSide});
    while (true) {
        // Symmetric pieces lie exactly in the middle.
        const Index slices = symmetric && (voxels[2] - nZ) % 2 != 0 ? nZ - 1 : nZ;
        TrialPiece piece;
        piece.grid = part(job.volume, {window(voxels[0], nX, false), window(voxels[1], nY, false),
                                       window(voxels[2], slices, !symmetric)});
        piece.rows = footprintRows(job.acquisition->geometry, piece.grid, {0, slices});
        const Index viewBytes = Index{gpu::kMostViews} * piece.rows.size() *
                                job.acquisition->geometry.detector.columns * kFloatBytes;
        if (viewBytes <= kEnoughViewBytes || nZ / 2 < kFewestSlices) return piece;
        nZ /= 2;
    }
}

KernelChoice chooseKernel(const DeviceInfo& device, const DeviceJob& job, bool fast,
                          const std::filesystem::path& cache) {
    require(job.acquisition != nullptr, "a job on a GPU has no scan");
    const TrialCache known(cache);
    const TrialKey key = trialKey(device, job, fast);
    const std::vector<std::string> names = trialKernels(job, fast);
    if (const std::optional<TrialResult> result = known.find(key))
        if (std::find(names.begin(), names.end(), result->kernel) != names.end())
            return {namedKernel(result->kernel), result->updatesPerSecond};

    makeCurrent(device.number);
    const TrialPiece piece = trialPiece(job);
    constexpr double kAnySpeed = 1e11;  // nothing will be added
    if (piece.rows.empty()) return {namedKernel(names.front()), kAnySpeed};
    Trial trial(device, job, piece);
    KernelChoice best;
    std::exception_ptr failure;
    for (const std::string& name : names) {
        try {
            const KernelChoice choice = trial.measure(name);
            if (choice.updatesPerSecond > best.updatesPerSecond) best = choice;
        } catch (const ResourceError&) {
            // Some kernels take more memory, or larger textures, than others.
            if (!failure) failure = std::current_exception();
        }
    }
    if (best.kernel.name.empty()) std::rethrow_exception(failure);
    known.keep(key, {best.kernel.name, best.updatesPerSecond});
    return best;
}

}  // namespace gantry
