#include "core/work/job_preview.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/report/report.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

constexpr double kBeginSeconds = 2;     // after the job's begin
constexpr double kShortestSeconds = 6;  // shorter jobs get none
constexpr double kShare = 0.03;         // max part of the job's time
constexpr Index kMinViews = 24;         // fewer would not show the object
// Voxel updates a second of the CPU's preview; on two cores 6e8 and more were measured.
constexpr double kUpdatesPerSecond = 3e8;
constexpr Index kWorthFactor = 8;  // min. ratio of voxels: otherwise slabs show as much as early
constexpr Index kMinMemory = 1'000'000'000;
constexpr double kRewriteSeconds = 1;

constexpr Index kBinnedColumns = 128;  // min., if the detector has as many
constexpr Index kMinBinnedRows = 8;

Index binningOf(Index columns, Index rows) {
    return std::clamp<Index>(columns / kBinnedColumns, 1,
                             std::max<Index>(1, rows / kMinBinnedRows));
}

// Slice z as a plane whose pixels are its voxels.
Plane slicePlane(const VolumeGrid& grid, Index z) {
    return orthogonalPlanes(grid, grid.positionMm(0, 0, static_cast<double>(z)))[0];
}

}  // namespace

bool JobPreview::isWorthIt(const JobSpec& spec) {
    const bool hasMemory = spec.memoryBytes == 0 || spec.memoryBytes >= kMinMemory;
    return hasMemory &&
           spec.volume.count() >= kWorthFactor * VolumeSummary::previewGridOf(spec.volume).count();
}

Index JobPreview::bytesNeeded(const JobSpec& spec) {
    if (!isWorthIt(spec)) return 0;
    return coarseVolumeBytes(spec.geometry().detector, VolumeSummary::previewGridOf(spec.volume));
}

JobPreview::JobPreview(Job job)
    : m_job(std::move(job)),
      m_isKept(static_cast<std::size_t>(m_job.summary.previewGrid().voxels[2])) {
    take(std::vector(m_job.kept.begin(), m_job.kept.end()));
}

void JobPreview::take(const TimelineSpan& span) {
    if (span.stage > Stage::prepare) return;  // only reading, correcting and preparing count
    const std::scoped_lock lock(m_mutex);
    m_readSeconds += 1e-9 * static_cast<double>(span.endNs - span.beginNs);
    if (span.stage == Stage::load) m_readBytes += span.bytes;
}

void JobPreview::take(const Progress& progress) {
    const std::scoped_lock lock(m_mutex);
    m_leftSeconds = progress.leftSeconds;
    m_jobSeconds = progress.leftSeconds < 0 ? -1 : progress.elapsedSeconds + progress.leftSeconds;
    m_changed.notify_all();
}

void JobPreview::take(const std::vector<Index>& slabs) {
    const std::scoped_lock lock(m_mutex);
    const Index step = m_job.summary.previewStep();
    for (const Index slab : slabs)
        for (const IndexRange& slices :
             m_job.plan.slabs[static_cast<std::size_t>(slab)].slices.parts())
            for (Index z = (slices.begin + step - 1) / step; z * step < slices.end; ++z)
                m_isKept[static_cast<std::size_t>(z)] = true;
    if (1e-9 * static_cast<double>(nowNs() - m_writtenNs) > kRewriteSeconds) write();
}

void JobPreview::make(const EngineBackend& cpu, const std::stop_token& stop) {
    const std::stop_callback atStop(stop, [this] { end(); });
    try {
        Index views = 0;
        {
            std::unique_lock lock(m_mutex);
            const std::stop_token ended = m_end.get_token();
            const auto wait = std::chrono::duration<double>(kBeginSeconds);
            m_changed.wait_for(lock, ended, wait, [] { return false; });
            // Other programs may make views slow to read for a while.
            m_changed.wait(lock, ended, [&] { return (views = viewsInTime()) >= kMinViews; });
            if (ended.stop_requested()) return;
        }
        const auto preview = cpu.makePreview(0);
        begin(coarseVolume(m_job.scan, m_job.directory.spec().filter, m_job.summary.previewGrid(),
                           views, *preview, m_end.get_token()));
        const auto& voxels = m_job.directory.spec().volume.pitchMm;
        const double share = m_job.summary.previewGrid().pitchMm[0] / voxels[0];
        m_job.events.log("info",
                         fmt::format("A preview of the whole volume, 1/{:.0f} of its "
                                     "resolution from {} views, is in {}.",
                                     share, views, m_job.directory.file("preview.mha").string()));
    } catch (const Cancelled&) {
    } catch (const Error& error) {
        m_job.events.log("warning", fmt::format("No preview is shown: {}", messageOf(error)));
    }
}

void JobPreview::end() {
    m_end.request_stop();
}

// Assumes that a view is read and prepared as fast as in the job itself.
Index JobPreview::viewsInTime() const {
    const bool isEarly = m_leftSeconds >= kShortestSeconds - kBeginSeconds;
    if (m_jobSeconds < kShortestSeconds || !isEarly || m_readBytes == 0) return 0;
    const OpenScan& stored = m_job.scan.uncorrected ? *m_job.scan.uncorrected : m_job.scan;
    const auto viewBytes = static_cast<double>(stored.stored.rows * stored.storedRowBytes());
    const double view =
        m_readSeconds * viewBytes / static_cast<double>(m_readBytes) +
        static_cast<double>(m_job.summary.previewGrid().count()) / kUpdatesPerSecond;
    const Index views = std::min(kMaxCoarseViews, m_job.scan.source->info().views);
    return std::min(views, static_cast<Index>(kShare * m_jobSeconds / view));
}

void JobPreview::begin(HostBuffer<float> coarse) {
    const std::scoped_lock lock(m_mutex);
    m_coarse = std::move(coarse);
    write();
}

// Slices of finished slabs are no longer written by the threads that store others.
void JobPreview::write() {
    if (m_coarse.count() == 0) return;
    const VolumeGrid& grid = m_job.summary.previewGrid();
    const Index layer = grid.voxels[0] * grid.voxels[1];
    for (Index z = 0; z < grid.voxels[2]; ++z)
        if (m_isKept[static_cast<std::size_t>(z)])
            std::copy_n(m_job.summary.preview().row(z, 0), layer, m_coarse.data() + z * layer);
    writePreview(m_job.directory, grid,
                 {m_coarse.data(), grid.voxels[2], grid.voxels[1], grid.voxels[0]});
    m_job.events.preview("preview.mha");
    m_writtenNs = nowNs();
}

HostBuffer<float> coarseVolume(const OpenScan& scan, const FilterSpec& filter,
                               const VolumeGrid& grid, Index views, PlanePreview& preview,
                               const std::stop_token& stop) {
    const SourceInfo& info = scan.source->info();
    const Index binning = binningOf(info.columns, info.rows);
    const StackRequest request = {
        .maxViews = views, .rows = {0, info.rows}, .binning = {binning, binning}};
    // Reads one view at a time, because the job uses most of the memory.
    const ViewStack stack = loadViewStack(
        scan, request, 1, [](double) {}, stop);
    const auto acquisition =
        acquisitionOf(stack, binnedGeometry(scan.description.geometry, stack), scan.rows);
    preview.setLineIntegrals(stack.span(), stop);
    preview.setFilter(acquisition, filter);
    preview.filter({0, static_cast<Index>(stack.views.size())}, stop);
    preview.setGeometry(acquisition->geometry.matrices);
    HostBuffer<float> volume(grid.count());
    float* voxels = volume.data();
    for (Index z = 0; z < grid.voxels[2]; ++z) {
        const Plane plane = slicePlane(grid, z);
        const auto slice = preview.render({&plane, 1}, PlanePreview::Precision::exact, stop);
        voxels = std::copy_n(slice.front().data(), slice.front().count(), voxels);
    }
    return volume;
}

Index coarseVolumeBytes(const Detector& detector, const VolumeGrid& grid) {
    const Index binning = binningOf(detector.columns, detector.rows);
    const Index pixels = detector.columns * detector.rows;
    // Counts views as read and as filtered, which may be padded to twice the width; one view as
    // stored, corrected and decoded; the volume and the buffer that it is written from.
    const Index views = kMaxCoarseViews * (pixels / (binning * binning)) * 3;
    return (views + 3 * pixels + 2 * grid.count()) * Index{sizeof(float)};
}

}  // namespace gantry
