#include "app/cli/desktop.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/base/error.h"
#if GANTRY_DESKTOP
#include "app/bench/child.h"
#include "app/bench/run_bench.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/volume_description.h"
#include "core/phantom/phantom.h"
#include "core/phantom/voxelise.h"
#include "ui/desktop/bench/desktop_bench.h"
#include "ui/desktop/bench/gpu_bench.h"
#include "ui/desktop/desktop.h"
#endif

namespace gantry {

#if GANTRY_DESKTOP

namespace {

// Writes the Shepp-Logan head in voxels³ of a cube of 100 mm, slab by slab.
void writeHead(const std::filesystem::path& path, Index voxels, const std::stop_token& stop) {
    constexpr Index kSlices = 32;
    const double pitch = 100.0 / static_cast<double>(voxels);
    const VolumeGrid grid{{voxels, voxels, voxels}, {pitch, pitch, pitch}, {0, 0, 0}};
    const Phantom phantom = makePhantom("shepp-logan-toft", {50, {}, 0.02});
    OutputFormat format;
    format.path = path;
    const auto sink = openSink(format, grid, SinkStart::fresh);
    HostBuffer<float> slab(kSlices * voxels * voxels);
    for (Index z = 0; z < voxels; z += kSlices) {
        if (stop.stop_requested()) throw Cancelled();
        const Index count = std::min(kSlices, voxels - z);
        const Span3<float> slices{slab.data(), count, voxels, voxels};
        voxelisePhantom(phantom, grid, {z, z + count}, 1, availableThreads(), slices);
        sink->write(z, slices);
    }
    sink->finish();
}

// A file with a row of 1 /mm and otherwise holes, which takes no disk space.
struct LargeFile {
    VolumeDescription description;
    std::array<Index, 3> row;  // not in the sample of voxels
};
constexpr Index kLargeRowVoxels = 300;

// 35 GB of floats, and half a terabyte of bytes.
std::array<LargeFile, 2> largeFiles() {
    LargeFile floats{{{{2048, 2048, 2100}, {0.02, 0.02, 0.02}, {}}, {}}, {700, 1001, 1501}};
    LargeFile bytes{{{{8192, 8192, 8192}, {0.01, 0.01, 0.01}, {}}, {}}, {4001, 3003, 5001}};
    bytes.description.encoding.type = PixelType::uint8;
    return {floats, bytes};
}

void writeLarge(const LargeFile& large, const std::filesystem::path& path) {
    const auto [nX, nY, nZ] = large.description.grid.voxels;
    const PixelType type = large.description.encoding.type;
    const Index voxelBytes = sizeBytes(type);
    std::vector<std::byte> row(kLargeRowVoxels * voxelBytes, std::byte{1});
    if (type == PixelType::float32) {
        const std::vector<float> ones(kLargeRowVoxels, 1);
        std::ranges::copy(std::as_bytes(std::span(ones)), row.begin());
    }
    File file(path, File::Mode::create);
    file.resize(nX * nY * nZ * voxelBytes);
    const auto [x, y, z] = large.row;
    file.writeAt(((z * nY + y) * nX + x) * voxelBytes, row);
    file.close();
    std::filesystem::path description = path;
    description += ".json";
    writeFileAtomically(description, toJson(large.description));
}

LargeVolume openLarge(DesktopBench& bench, const LargeFile& large,
                      const std::filesystem::path& path) {
    writeLarge(large, path);
    const VolumeGrid& grid = large.description.grid;
    const auto [x, y, z] = large.row;
    const Index middle = x + kLargeRowVoxels / 2;
    LargeVolume figures =
        bench.largeVolume(path, grid.positionMm(static_cast<double>(middle), static_cast<double>(y),
                                                static_cast<double>(z)));
    const auto [nX, nY, nZ] = grid.voxels;
    figures.voxels = std::to_string(nX) + " × " + std::to_string(nY) + " × " + std::to_string(nZ);
    figures.fileBytes = static_cast<Index>(std::filesystem::file_size(path));
    return figures;
}

void measureWindow(DesktopBench& bench, const DesktopBenchRequest& request,
                   const std::stop_token& stop, DesktopFigures& figures) {
    const BenchJob job(BenchProblem{512, 360, 256}, request.folder, request.spans, stop);
    figures.firstProjectionSeconds = bench.firstProjectionSeconds(job.scan());
    const DesktopBench::Live live = bench.liveSlices();
    figures.liveFirstSeconds = live.firstSeconds;
    figures.liveTrueSeconds = live.trueSeconds;
    figures.liveStallMs = live.stallMs;
    figures.isLiveOnGpu = live.isOnGpu;
    const DesktopBench::Timeline timeline = bench.timeline(job.folder());
    figures.timelineReadSeconds = timeline.readSeconds;
    figures.panFramesPerSecond = timeline.panFramesPerSecond;
    figures.zoomFramesPerSecond = timeline.zoomFramesPerSecond;
    figures.longestStallMs = bench.longestStallMs();
    for (const LargeFile& large : largeFiles())
        figures.large.push_back(
            openLarge(bench, large,
                      job.folder() / ("large" + std::to_string(figures.large.size()) + ".raw")));
    const std::filesystem::path head = job.folder() / "head.mha";
    writeHead(head, request.voxels, stop);
    const DesktopBench::Volume volume = bench.volume(head);
    figures.volumeShownSeconds = volume.shownSeconds;
    figures.volumeMovingMs = volume.movingMs;
    figures.volumeFineMs = volume.fineMs;
}

}  // namespace

bool canShowDesktop() {
    return hasDisplay();
}

int showDesktop(Session& session, const std::optional<std::filesystem::path>& open) {
    return runDesktop(machineWithoutGpus(), programPath(), open, session.stop());
}

bool canDrawSheets() {
    return true;
}

std::string sheetPng(const MontageSheet& sheet) {
    return drawWithoutWindow(sheet);
}

DesktopFigures measureDesktop(Session& session, const DesktopBenchRequest& request) {
    DesktopBench bench(machineWithoutGpus(), programPath());
    DesktopFigures figures;
    figures.firstWindowSeconds = bench.firstWindowSeconds();
    if (!request.isOnlyGpu) measureWindow(bench, request, session.stop(), figures);
    for (const Index side : request.gpuVoxels)
        if (auto frames =
                benchGpu(side, request.pictures, request.isSoftwareEnough, session.stop()))
            figures.gpu.push_back(std::move(*frames));
    return figures;
}

#else

namespace {

constexpr const char* kNone =
    "This build of Gantry has no desktop: Qt 6 and VTK were not there when it was built. The "
    "command line does everything else; see gantry --help.";

}  // namespace

bool canShowDesktop() {
    return false;
}

int showDesktop(Session&, const std::optional<std::filesystem::path>&) {
    throw InputError(kNone);
}

bool canDrawSheets() {
    return false;
}

std::string sheetPng(const MontageSheet&) {
    throw InputError(kNone);
}

DesktopFigures measureDesktop(Session&, const DesktopBenchRequest&) {
    throw InputError(kNone);
}

#endif

}  // namespace gantry
