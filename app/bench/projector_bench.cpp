#include "app/bench/projector_bench.h"

#include <algorithm>
#include <array>
#include <functional>

#include "app/wiring/wiring.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/project/cpu_projector.h"
#if GANTRY_GPU
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/device_rays.h"
#endif

namespace gantry {

namespace {

constexpr int kRounds = 3;

struct Sizes {
    Index columns, rows, views, voxels;
    double voxelPx;  ///< width of a voxel in detector pixels
};

ProjectorProblem problemOf(const std::string& title, const Sizes& sizes) {
    ProjectorProblem problem;
    problem.title = title;
    problem.geometry.cone().sourceToIsocenterMm = 600;
    problem.geometry.cone().sourceToDetectorMm = 1200;
    problem.geometry.cone().views = sizes.views;
    problem.geometry.detector.columns = sizes.columns;
    problem.geometry.detector.rows = sizes.rows;
    const double pixelMm = 410.0 / static_cast<double>(sizes.columns);
    problem.geometry.detector.pitchMm = {pixelMm, pixelMm};
    problem.grid.voxels = {sizes.voxels, sizes.voxels, sizes.voxels};
    problem.grid.pitchMm.fill(sizes.voxelPx * pixelMm / problem.geometry.magnification());
    return problem;
}

// The median seconds of a few rounds after one that counts for nothing.
double medianSeconds(const BenchContext& context, const std::function<void()>& work) {
    std::array<double, kRounds> seconds{};
    work();
    for (double& one : seconds) {
        if (context.stop.stop_requested()) throw Cancelled();
        const std::int64_t begin = nowNs();
        work();
        one = 1e-9 * static_cast<double>(std::max<std::int64_t>(1, nowNs() - begin));
    }
    std::ranges::sort(seconds);
    return seconds[kRounds / 2];
}

}  // namespace

double ProjectorProblem::samples() const {
    const Detector& detector = geometry.detector;
    return static_cast<double>(detector.columns * detector.rows * geometry.views()) *
           static_cast<double>(*std::ranges::max_element(grid.voxels));
}

double ProjectorProblem::updates() const {
    return static_cast<double>(grid.count()) * static_cast<double>(geometry.views());
}

std::vector<ProjectorProblem> projectorProblems(bool onGpu, bool quick) {
    if (quick) return {problemOf("64², 45 views, 64³", {64, 64, 45, 64, 1})};
    if (!onGpu) return {problemOf("256², 180 views, 256³", {256, 256, 180, 256, 1})};
    return {problemOf("1024 × 768, 360 views, 512³", {1024, 768, 360, 512, 2}),
            problemOf("1024², 1024 views, 1024³", {1024, 1024, 1024, 1024, 1}),
            problemOf("1024², 1024 views, 1024³ of 5/6 px", {1024, 1024, 1024, 1024, 5.0 / 6}),
            problemOf("1024², 60 views, 1024³", {1024, 1024, 60, 1024, 1}),
            problemOf("256², 180 views, 256³", {256, 256, 180, 256, 1})};
}

ProjectorFigures benchCpuProjector(const ProjectorProblem& problem, int threads,
                                   const BenchContext& context) {
    const ProjectedViews views = projectedViews(problem.geometry);
    const auto projector = makeCpuProjector(views, threads);
    const auto& [nX, nY, nZ] = problem.grid.voxels;
    const Index nP = problem.geometry.views();
    const RandomViews random =
        randomViews(std::max(problem.grid.count(), nP * views.rows * views.columns));
    projector->begin(problem.grid, {0, nZ});
    projector->set({0, nZ}, {random.uniform.data(), nZ, nY, nX});
    HostBuffer<float> sums(nP * views.rows * views.columns);
    std::fill_n(sums.data(), sums.count(), 0.0F);
    ProjectorFigures figures;
    figures.forwardSeconds = medianSeconds(context, [&] {
        projector->project({0, nP}, {sums.data(), nP, views.rows, views.columns}, context.stop);
    });
    figures.adjointSeconds = medianSeconds(context, [&] {
        projector->adjoint({0, nP}, {random.uniform.data(), nP, views.rows, views.columns},
                           context.stop);
    });
    return figures;
}

#if GANTRY_GPU

namespace {

// Fills device memory with random numbers that repeat.
void fill(DeviceBuffer<float>& buffer, const RandomViews& random) {
    for (Index first = 0; first < buffer.count(); first += random.uniform.count()) {
        const Index count = std::min(random.uniform.count(), buffer.count() - first);
        check(cudaMemcpy(buffer.data() + first, random.uniform.data(),
                         static_cast<std::size_t>(count) * sizeof(float), cudaMemcpyHostToDevice),
              "taking numbers");
    }
}

}  // namespace

ProjectorFigures benchGpuProjector(int device, const ProjectorProblem& problem,
                                   const BenchContext& context) {
    const DeviceList list = listDevices();
    const auto found = std::ranges::find(list.devices, device, &DeviceInfo::number);
    require(found != list.devices.end(), "a GPU that was listed is gone");
    makeCurrent(device);
    const RandomViews random = randomViews(1 << 22);
    DeviceRays rays(*found, projectedViews(problem.geometry));
    const Stream stream;
    rays.place(problem.grid, stream.get());
    gpu::RaySlab slab;
    for (std::size_t i = 0; i < 3; ++i)
        slab.n[i] = static_cast<int>(problem.grid.voxels[i]);
    slab.pitchZ = (slab.n[2] + 3) / 4 * 4;
    DeviceBuffer<float> voxels(Index{slab.n[0]} * slab.n[1] * slab.pitchZ);
    slab.voxels = voxels.data();
    fill(voxels, random);
    DeviceBuffer<float> values(problem.geometry.views() * rays.viewFloats());
    fill(values, random);
    const gpu::RayRows rows = rays.rows({0, problem.geometry.views()}, values.data());
    ProjectorFigures figures;
    figures.forwardSeconds = medianSeconds(context, [&] {
        rays.project(slab, rows, stream.get());
        stream.synchronize();
    });
    fill(values, random);
    figures.adjointSeconds = medianSeconds(context, [&] {
        rays.adjoint(rows, slab, stream.get());
        stream.synchronize();
    });
    return figures;
}

#else

ProjectorFigures benchGpuProjector(int, const ProjectorProblem&, const BenchContext&) {
    throw InputError(kNoGpuEngine);
}

#endif

}  // namespace gantry
