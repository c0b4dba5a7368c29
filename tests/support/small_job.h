#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "core/io/volume/read_volume.h"
#include "core/phantom/voxelise.h"
#include "core/work/run_job.h"
#include "core/work/volume_store.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/small_scan.h"

namespace gantry::test {

inline JobSpec jobOf(const ScanFile& scan, Index voxels, const std::filesystem::path& output) {
    JobSpec spec;
    spec.scan = scan;
    spec.volume = fitGrid(scan.geometry, voxels);
    spec.output.path = output;
    spec.threads = kThreads;
    return spec;
}

/// Takes longer than any test looks on, in small steps.
inline JobSpec longJobOf(const ScanFile& scan, const std::filesystem::path& output) {
    JobSpec spec = jobOf(scan, 256, output);
    spec.cpuKernel = kReferenceKernel;
    spec.threads = 1;
    spec.batchViews = 1;
    return spec;
}

inline JobResult runWith(const Backends& all, const JobSpec& spec, std::stop_token stop = {},
                         std::function<void(const Progress&)> onProgress = {}) {
    const JobDirectory job = JobDirectory::create(jobFolderFor(spec.output.path), spec);
    return runJob(job, {all, std::move(stop), std::move(onProgress)});
}

inline JobResult run(const JobSpec& spec, std::stop_token stop = {},
                     std::function<void(const Progress&)> onProgress = {}) {
    return runWith(backends(), spec, std::move(stop), std::move(onProgress));
}

inline bool isNoted(const JobResult& result, const std::string& text) {
    return std::ranges::any_of(result.notes, [&](const std::string& note) {
        return note.find(text) != std::string::npos;
    });
}

/// Resumes the job that an earlier run left.
inline JobResult resumeWith(const Backends& all, const JobSpec& spec) {
    const JobDirectory job = JobDirectory::open(jobFolderFor(spec.output.path));
    return runJob(job, {all, {}, {}});
}
inline JobResult resume(const JobSpec& spec) {
    return resumeWith(backends(), spec);
}

/// The plan of a job's run, its store's memory included.
inline JobPlan plannedJob(const OpenScan& scan, const JobSpec& spec, const Backends& all,
                          const std::optional<FinishedSlabs>& finished = {}) {
    return learnAndPlan(scan, spec, all, sinkNeedsOf(spec), Purpose::run, finished).plan;
}

/// Lowers the memory that the job may take until it needs that many slabs.
inline void allowMemoryForSlabs(JobSpec& spec, std::size_t slabs) {
    const OpenScan scan = openScan(spec.scan);
    spec.memoryBytes = 1'000'000'000;
    while (true) {
        const JobPlan plan = plannedJob(scan, spec, backends());
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
