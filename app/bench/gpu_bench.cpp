#include "app/bench/gpu_bench.h"

#include "app/wiring/wiring.h"
#include "core/base/error.h"
#if GANTRY_GPU
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "app/bench/bench_sample.h"
#include "core/base/host_buffer.h"
#include "core/base/text.h"
#include "core/geometry/views/aligned_views.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/cone_kernel.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/parallel_kernels.h"
#include "gpu/engine/tile_kernel.h"
#endif

namespace gantry {

#if GANTRY_GPU

namespace {

constexpr Index kGpuBatchViews = gpu::kMaxViews;
constexpr int kGpuRounds = 3;

// Random views of one size on the host and on the device.
struct ViewsOnDevice {
    Index columns = 0;
    Index rows = 0;
    RandomViews host;
    DeviceBuffer<float> uniform;
    DeviceBuffer<float> noise;

    void make(Index nU, Index nV) {
        if (columns == nU && rows == nV) return;
        columns = nU;
        rows = nV;
        const Index pixels = kGpuBatchViews * nV * nU;
        host = {};
        host = randomViews(pixels);
        uniform.reserve(pixels);
        noise.reserve(pixels);
        const auto bytes = static_cast<std::size_t>(pixels) * sizeof(float);
        check(cudaMemcpy(uniform.data(), host.uniform.data(), bytes, cudaMemcpyHostToDevice),
              "taking views");
        check(cudaMemcpy(noise.data(), host.noise.data(), bytes, cudaMemcpyHostToDevice),
              "taking views");
    }

    [[nodiscard]] gpu::FilteredViews views(const DeviceBuffer<float>& pixels, int count) const {
        return gpu::plainViews(pixels.data(), count, static_cast<int>(rows),
                               static_cast<int>(columns));
    }
};

struct GpuTruth {
    HostBuffer<float> uniform;
    HostBuffer<float> noise;
};

// What all kernels share on a problem.
struct Case {
    VolumeGrid grid;
    Index nU;                                // columns of the aligned detector
    Index nV;                                // rows
    std::vector<ProjectionMatrix> matrices;  // of all views
    std::vector<ProjectionMatrix> spread;    // one batch of them
    bool isAligned;
    BenchSample sample;
    GpuTruth truth;

    explicit Case(const ConeProblem& problem) : Case(problem, alignedViews(problem.geometry)) {}

    [[nodiscard]] double updatesAView() const { return static_cast<double>(grid.count()); }

  private:
    Case(const ConeProblem& problem, const AlignedViews& aligned)
        : grid(problem.grid),
          nU(problem.geometry.detector.columns),
          nV(problem.geometry.detector.rows),
          matrices(aligned.matrices),
          isAligned(aligned.areAligned()),
          sample(grid) {
        // The views are spread over the circle, but not at the same position in each quarter.
        for (Index i = 0; i < kGpuBatchViews; ++i) {
            const Index part = std::ssize(matrices) / kGpuBatchViews;
            spread.push_back(matrices[i * part + i * 7 % part]);
        }
    }
};

bool isExact(const std::string& kernel) {
    const std::vector<std::string> parallel = parallelKernelNames();
    return std::ranges::find(parallel, kernel) != parallel.end()
               ? isExactParallelKernel(kernel)
               : !coneKernel(kernel).kernel.isFast;
}

struct Seconds {
    double repack = 0;
    double add = 0;
};

class Bench {
  public:
    Bench(const GpuBenchRequest& request, const BenchContext& context)
        : m_request(request), m_context(context), m_marks(kMaxBatches) {}

    Case begin(const ConeProblem& problem) {
        Case one(problem);
        m_views.make(one.nU, one.nV);
        const auto truthOf = [&](const HostBuffer<float>& pixels) {
            return one.sample.reference({pixels.data(), kGpuBatchViews, one.nV, one.nU}, one.spread,
                                        m_context.stop);
        };
        one.truth = {truthOf(m_views.host.uniform), truthOf(m_views.host.noise)};
        return one;
    }

    GpuKernelFigures measure(const Case& one, const std::string& name) {
        GpuKernelFigures figures;
        figures.kernel = name;
        figures.isExact = isExact(name);
        const auto kernel = makeConeKernel(name, m_request.device);
        const Index room =
            SlabAdder::roomFor(*kernel, kGpuBatchViews,
                               m_request.views > 0 ? m_request.views : kernel->preferredViews());
        const Index needed = DeviceSlab::bytesNeeded(one.grid, one.grid.voxels[2]) +
                             kernel->viewBytes(room, one.nV, one.nU) + m_views.uniform.sizeBytes() +
                             m_views.noise.sizeBytes();
        if (needed > m_request.device.freeBytes) {
            figures.whyNot =
                fmt::format("takes {} of GPU memory, of which {} were free", formatBytes(needed),
                            formatBytes(m_request.device.freeBytes));
            return figures;
        }
        if (!one.isAligned && !coneKernel(name).kernel.takesAnyViews) {
            figures.whyNot = "takes aligned detectors only";
            return figures;
        }
        kernel->reserve(room, one.nV, one.nU);
        figures.uniformError = errorOf(*kernel, one, m_views.uniform, one.truth.uniform);
        figures.noiseError = errorOf(*kernel, one, m_views.noise, one.truth.noise);
        rate(*kernel, one, figures);
        return figures;
    }

  private:
    static constexpr std::size_t kMaxBatches = 32;

    struct Marks {
        Event begin{Event::Timing::on};
        Event repacked{Event::Timing::on};
        Event added{Event::Timing::on};
    };

    void beginSlab(const ConeKernel& kernel, const Case& one) {
        m_slab.begin(one.grid, {0, one.grid.voxels[2]}, kernel.isZFastest(), m_stream.get());
    }

    double errorOf(ConeKernel& kernel, const Case& one, const DeviceBuffer<float>& pixels,
                   const HostBuffer<float>& truth) {
        beginSlab(kernel, one);
        const gpu::ConeSlab slab = m_slab.voxels();
        const gpu::ConeBatch batch = m_slab.batch(one.spread, 0);
        kernel.repack(m_views.views(pixels, batch.views), batch, slab, m_stream.get());
        kernel.add(batch, slab, m_stream.get());
        const Index nX = one.grid.voxels[0];
        const Index nY = one.grid.voxels[1];
        HostBuffer<float> slice(nX * nY);
        HostBuffer<float> found(one.sample.count());
        for (std::size_t i = 0; i < one.sample.slices().size(); ++i) {
            const Index z = one.sample.slices()[i];
            m_slab.read({z, z + 1}, {slice.data(), 1, nY, nX}, m_transposed, m_stream.get());
            m_stream.synchronize();
            one.sample.pick(i, slice, found);
        }
        return relativeRmse(found.span(), truth.span());
    }

    // `count` batches of consecutive views, spread over the circle but avoiding its quarters, where
    // the volume's rows lie along the rays.
    [[nodiscard]] std::vector<gpu::ConeBatch> batches(const Case& one, std::size_t count,
                                                      Index views) const {
        std::vector<gpu::ConeBatch> list;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t place =
                (3 * i + 1) * (one.matrices.size() / kGpuBatchViews) / (3 * count);
            list.push_back(
                m_slab.batch(std::span(one.matrices).subspan(place * kGpuBatchViews, views), 0));
        }
        return list;
    }

    // The number of batches that are added together, as in a job.
    [[nodiscard]] std::size_t batchesAtOnce(const ConeKernel& kernel, Index views) const {
        if (views < kGpuBatchViews) return 1;
        return static_cast<std::size_t>(kernel.viewsAtOnce(m_slab.voxels()) / kGpuBatchViews);
    }

    // Time on the device for all batches together, split into single add() calls if `adds`.
    Seconds run(ConeKernel& kernel, const std::vector<gpu::ConeBatch>& list, int adds) {
        const gpu::ConeSlab slab = m_slab.voxels();
        cudaStream_t stream = m_stream.get();
        const std::size_t atOnce = batchesAtOnce(kernel, list.front().views);
        const std::size_t launches = (list.size() + atOnce - 1) / atOnce;
        for (std::size_t launch = 0; launch < launches; ++launch) {
            Marks& marks = m_marks[launch];
            marks.begin.record(stream);
            const std::size_t end = std::min(list.size(), (launch + 1) * atOnce);
            for (std::size_t i = launch * atOnce; i < end; ++i) {
                const gpu::FilteredViews views = m_views.views(m_views.uniform, list[i].views);
                if (i == launch * atOnce)
                    kernel.repack(views, list[i], slab, stream);
                else
                    kernel.repackMore(views, list[i], slab, stream);
            }
            marks.repacked.record(stream);
            for (int n = 0; n < adds; ++n)
                kernel.add(list[end - 1], slab, stream);
            marks.added.record(stream);
        }
        m_stream.synchronize();
        if (m_context.stop.stop_requested()) throw Cancelled();
        Seconds sum;
        for (std::size_t i = 0; i < launches; ++i) {
            sum.repack += 1e-3 * m_marks[i].repacked.millisecondsSince(m_marks[i].begin);
            sum.add += 1e-3 * m_marks[i].added.millisecondsSince(m_marks[i].repacked) / adds;
        }
        return sum;
    }

    void rate(ConeKernel& kernel, const Case& one, GpuKernelFigures& figures) {
        // Short kernels run several times between two events, so that the events' own time is
        // negligible.
        constexpr double kMinSeconds = 5e-4;
        beginSlab(kernel, one);
        const Index views =
            m_request.views > 0 ? std::min(m_request.views, kGpuBatchViews) : kGpuBatchViews;
        std::vector<gpu::ConeBatch> list = batches(one, 1, views);
        run(kernel, list, 1);
        const double once = std::max(1e-6, run(kernel, list, 1).add);
        const int adds = static_cast<int>(std::clamp(std::ceil(kMinSeconds / once), 1.0, 64.0));
        double count = m_context.secondsEach / ((kGpuRounds + 1) * adds * once);
        if (m_request.views > 0) {
            const Index whole = m_request.views / kGpuBatchViews;
            count = static_cast<double>(whole);
        }
        // Takes whole launches, unless a number of views is requested.
        const auto atOnce = static_cast<double>(batchesAtOnce(kernel, views));
        if (m_request.views <= 0) count = atOnce * std::ceil(count / atOnce);
        list = batches(one, static_cast<std::size_t>(std::clamp<double>(count, 1, kMaxBatches)),
                       views);
        run(kernel, list, adds);  // warms up
        std::array<double, kGpuRounds> add{};
        std::array<double, kGpuRounds> repack{};
        for (std::size_t round = 0; round < kGpuRounds; ++round) {
            const Seconds seconds = run(kernel, list, adds);
            add[round] = seconds.add;
            repack[round] = seconds.repack;
        }
        std::ranges::sort(add);
        std::ranges::sort(repack);
        figures.views = std::ssize(list) * views;
        figures.gups =
            one.updatesAView() * static_cast<double>(figures.views) / add[kGpuRounds / 2] / kGiga;
        figures.repackShare = repack[kGpuRounds / 2] / add[kGpuRounds / 2];
    }

    const GpuBenchRequest& m_request;
    const BenchContext& m_context;
    Stream m_stream;
    std::vector<Marks> m_marks;
    ViewsOnDevice m_views;
    DeviceSlab m_slab;
    DeviceBuffer<float> m_transposed;
};

}  // namespace

std::vector<std::string> coneKernelNames() {
    std::vector<std::string> names;
    for (const ConeKernelInfo& kernel : coneKernels())
        if (!kernel.kernel.isForParallel) names.push_back(kernel.kernel.name);
    return names;
}

std::vector<std::string> parallelBenchKernelNames() {
    return parallelKernelNames();
}

std::vector<std::string> coneKernelShapeNames() {
    return tileShapeNames();
}

void benchConeKernels(const GpuBenchRequest& request, const BenchContext& context,
                      const std::function<void(const ConeProblem&,
                                               const std::vector<GpuKernelFigures>&)>& onProblem) {
    makeCurrent(request.device.number);
    Bench bench(request, context);
    const double steps = static_cast<double>(request.problems.size()) *
                         (static_cast<double>(request.kernels.size()) + 1);
    double done = 0;
    const auto step = [&] {
        if (context.onProgress) context.onProgress(++done / steps);
    };
    for (const ConeProblem& problem : request.problems) {
        const Case one = bench.begin(problem);
        step();
        std::vector<GpuKernelFigures> figures;
        for (const std::string& kernel : request.kernels) {
            figures.push_back(bench.measure(one, kernel));
            step();
        }
        onProblem(problem, figures);
    }
}

#else

std::vector<std::string> coneKernelNames() {
    return {};
}

std::vector<std::string> parallelBenchKernelNames() {
    return {};
}

std::vector<std::string> coneKernelShapeNames() {
    return {};
}

void benchConeKernels(
    const GpuBenchRequest&, const BenchContext&,
    const std::function<void(const ConeProblem&, const std::vector<GpuKernelFigures>&)>&) {
    throw InputError(kNoGpuEngine);
}

#endif

}  // namespace gantry
