#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/backproject/cpu_columns.h"
#include "core/backproject/reference.h"
#include "core/io/volume/read_volume.h"
#include "core/phantom/voxelise.h"
#include "core/recon/backends.h"
#include "core/recon/job_plan.h"
#include "core/recon/open_scan.h"
#include "core/recon/reconstruct.h"
#include "core/recon/simulate_scan.h"

namespace gantry::test {

inline constexpr int kThreads = 2;

/// A small scan of the usual shape: 600 mm to the axis, 1200 mm to the detector, a full circle.
inline SimulationSpec smallScan(Index views, Index columns, Index rows, double detectorWidthMm) {
    SimulationSpec spec;
    spec.geometry.sourceToIsocenterMm = 600;
    spec.geometry.sourceToDetectorMm = 1200;
    spec.geometry.views = views;
    spec.geometry.detector.columns = columns;
    spec.geometry.detector.rows = rows;
    const double pitch = detectorWidthMm / static_cast<double>(columns);
    spec.geometry.detector.pitchMm = {pitch, pitch};
    return spec;
}

/// A file's content.
inline std::string bytesOf(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// All of a source's views, [s][v][u].
inline HostBuffer<float> readAll(const ProjectionSource& source) {
    const SourceInfo& info = source.info();
    const auto pixels = static_cast<std::size_t>(info.rows * info.columns);
    HostBuffer<float> views(info.views * info.rows * info.columns);
    for (Index s = 0; s < info.views; ++s)
        readView(source, s, views.span().subspan(static_cast<std::size_t>(s) * pixels, pixels));
    return views;
}

inline ScanFile simulated(const SimulationSpec& spec, const std::filesystem::path& folder) {
    SimulationContext context;
    context.threads = kThreads;
    return readScanFile(simulateScan(spec, folder, false, context).scanFile);
}

inline Backends backends() {
    Backends result;
    result.cpuColumns = [](int threads) { return makeCpuColumnsBackProjector(threads); };
    result.reference = [](int threads) { return makeReferenceBackProjector(threads); };
    result.cpuName = "CPU";
    result.whyNoGpu = "this test has none";
    return result;
}

inline JobSpec jobOf(const ScanFile& scan, Index voxels, const std::filesystem::path& output) {
    JobSpec spec;
    spec.scan = scan;
    spec.volume = fitGrid(scan.geometry, voxels);
    spec.output.path = output;
    spec.threads = kThreads;
    return spec;
}

inline RunResult runWith(const Backends& all, const JobSpec& spec, std::stop_token stop = {},
                         std::function<void(const Progress&)> onProgress = {}) {
    const JobDirectory job = JobDirectory::create(jobFolderFor(spec.output.path), spec);
    return runJob(job, {all, std::move(stop), std::move(onProgress)});
}

inline RunResult run(const JobSpec& spec, std::stop_token stop = {},
                     std::function<void(const Progress&)> onProgress = {}) {
    return runWith(backends(), spec, std::move(stop), std::move(onProgress));
}

/// Goes on with the job that an earlier run left.
inline RunResult resumeWith(const Backends& all, const JobSpec& spec) {
    const JobDirectory job = JobDirectory::open(jobFolderFor(spec.output.path));
    return runJob(job, {all, {}, {}});
}
inline RunResult resume(const JobSpec& spec) {
    return resumeWith(backends(), spec);
}

/// Lowers the memory that the job may take until it needs that many slabs.
inline void allowMemoryForSlabs(JobSpec& spec, std::size_t slabs) {
    const OpenScan scan = openScan(spec.scan);
    const auto backProjector = makeCpuColumnsBackProjector(kThreads);
    spec.memoryBytes = 1'000'000'000;
    while (true) {
        const JobPlan plan = planJob(scan, spec, *backProjector, {});
        if (plan.slabs.size() >= slabs) return;
        spec.memoryBytes = plan.hostBytes - 1;
    }
}

inline Volume reconstructed(const JobSpec& spec) {
    (void)run(spec);
    return readVolume(spec.output.path);
}

inline Volume truthOf(const PhantomFile& file, const VolumeGrid& grid, int supersampling) {
    Volume truth{grid, HostBuffer<float>(grid.count())};
    voxelisePhantom(makePhantom(file.phantom, file.placement), grid, {0, grid.voxels[2]},
                    supersampling, kThreads, truth.span());
    return truth;
}

/// ‖a − b‖ / ‖b‖
inline double relativeRmse(const Volume& a, const Volume& b) {
    double difference = 0;
    double size = 0;
    for (Index i = 0; i < b.voxels.count(); ++i) {
        const double d = static_cast<double>(a.voxels[i]) - static_cast<double>(b.voxels[i]);
        difference += d * d;
        size += static_cast<double>(b.voxels[i]) * static_cast<double>(b.voxels[i]);
    }
    return std::sqrt(difference / size);
}

}  // namespace gantry::test
