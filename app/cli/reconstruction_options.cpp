#include "app/cli/reconstruction_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/wiring/wiring.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/geometry/validate.h"
#include "core/io/series/view_numbers.h"
#include "core/plan/cluster/rank_weights.h"
#include "core/scan/open_scan.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Of this build: "auto", the CPU's, the GPUs'.
std::vector<std::string> kernelNames() {
    std::vector<std::string> names = {kAnyKernel};
    const std::vector<Kernel> ofCpu = cpuKernelList();
    for (auto kernel = ofCpu.rbegin(); kernel != ofCpu.rend(); ++kernel)
        names.push_back(kernel->name);
    for (const Kernel& kernel : gpuKernelList())
        names.push_back(kernel.name);
    return names;
}

// The one of that name; none where it is not in the list.
std::optional<Kernel> kernelIn(const std::vector<Kernel>& kernels, const std::string& name) {
    const auto found = std::find_if(kernels.begin(), kernels.end(),
                                    [&](const Kernel& kernel) { return kernel.name == name; });
    return found == kernels.end() ? std::nullopt : std::optional(*found);
}

void addDeviceOptions(Command& command, ReconstructionOptions& o) {
    command.choice(
        "--kernel", o.kernel, kernelNames(),
        "Back-projector: columns (fast), stack (for parallel beams) and reference (double "
        "precision) run on the CPU, the others on GPUs; auto takes the fastest in a short trial");
    command.choice("--precision", o.precision, {"exact", "fast"},
                   "fast lets a GPU's texture hardware interpolate, with a relative error of 1e-4 "
                   "on smooth data and 4e-3 on noise, and parallel beams be added in half floats");
    command.choice("--filter-on", o.filterOn, {"auto", "cpu", "gpu"},
                   "Where views are filtered when GPUs back-project");
    command.option("--devices", o.devices, "0,1", "GPUs to use, by number; by default all");
    command.option("--device-memory", o.deviceMemory, "SIZE",
                   "Memory limit for each GPU, such as 16G; by default most of what is free");
}

}  // namespace

void addReconstructionOptions(Command& command, ReconstructionOptions& o) {
    command.option("-o,--out", o.out, "FILE",
                   "The volume: .mha, .mhd, .raw, .tif (all slices), .ome.zarr, .h5, or a folder "
                   "of TIFF slices");
    command.choice("--type", o.type, {"float32", "uint16", "uint8"}, "How voxels are stored");
    command.option("--range", o.range, "LO,HI",
                   "Attenuation stored as 0 and as the largest integer, 1/mm");
    addSettingOptions(command, o);
    command.choice("--rings", o.rings, {"none", "sorting", "wavelets", "smoothed-mean"},
                   "How rings are removed, before views are filtered");
    command.option("--ring-width", o.ringWidthPx, "N",
                   "Pixels, odd, of the median of sorting or of the mean of smoothed-mean");
    command.option("--zingers", o.zingerRatio, "F",
                   "Replace pixels that are brighter than the median around them by more than "
                   "this factor, such as 1.2");
    command.option("--phase", o.phase, "KEV,MM,F",
                   "Phase retrieval after Paganin: energy, distance from object to detector, and "
                   "the material's delta over beta");
    command.flag("--skip-bad-views", o.skipBadViews,
                 "Leave out every view whose file is missing, damaged or unlike the others; "
                 "compressed files are read through once for that");
}

void addSettingOptions(Command& command, ReconstructionOptions& o) {
    command.option("--voxels", o.voxels, "N|NxNxN",
                   "Voxels across the field of view, or along x, y and z");
    command.option("--pitch-mm", o.pitchMm, "MM", "Voxel size, mm; by default the one that fits");
    command.option("--center-mm", o.centerMm, "X,Y,Z", "Centre of the volume, mm");
    command.option("--offset-mm", o.offsetMm, "U,V",
                   "Detector offset instead of the scan's, mm: to try a centre of rotation");
    command.choice("--window", o.window, {"ram-lak", "shepp-logan", "cosine", "hamming", "hann"},
                   "Filter window; all but ram-lak trade sharpness for less noise");
    command.choice("--filter-rows", o.filterRows, {"auto", "own", "upright", "rtk"},
                   "Of a rolled, tilted or slanted detector: its own rows, or those of an upright "
                   "one, onto which views are resampled, as auto does for GPUs; rtk: its own, "
                   "weighted as RTK's FDK does, to compare with it");
    command.option("--cutoff", o.cutoff, "F", "Filter cut-off, fraction of Nyquist, up to 1");
    command.option("--memory", o.memory, "SIZE",
                   "Memory limit, such as 400M or 4G; by default most of what is free");
    command.option("--threads", o.threads, "N", "Threads; 0: as many as this machine has");
    command.choice("--engine", o.engine, {"auto", "cpu", "gpu"}, "Where to back-project");
    addDeviceOptions(command, o);
    command.option("--batch", o.batchViews, "N", "Views handled at a time");
    command.option("--skip-views", o.skipViews, "N,N-N",
                   "Views to leave out, numbered from 0, with those that the scan leaves out");
}

void addRunOptions(Command& command, RunOptions& o) {
    command.choice("--engine", o.engine, {RunOptions::kAsTheJobSays, "auto", "cpu", "gpu"},
                   "Where to back-project this time; cpu ignores what the job asks of GPUs");
    command.option("--devices", o.devices, "0,1", "GPUs to use this time, by number");
    command.option("--device-memory", o.deviceMemory, "SIZE",
                   "Memory limit for each GPU this time, such as 16G");
    command.option("--memory", o.memory, "SIZE", "Memory limit this time, such as 4G");
}

PixelType voxelType(const ReconstructionOptions& options) {
    if (options.type == "uint16") return PixelType::uint16;
    return options.type == "uint8" ? PixelType::uint8 : PixelType::float32;
}

fs::path scanFileAt(const fs::path& path) {
    return isFolder(path) ? path / "scan.json" : path;
}

namespace {

// The volume wanted: the scan's own, or fitted, as far as the options do not say otherwise.
VolumeGrid gridOf(const ReconstructionOptions& o, const ScanFile& scan) {
    VolumeGrid grid = scan.volume ? *scan.volume : fitGrid(scan.geometry);
    const std::array<double, 3> extent = {static_cast<double>(grid.voxels[0]) * grid.pitchMm[0],
                                          static_cast<double>(grid.voxels[1]) * grid.pitchMm[1],
                                          static_cast<double>(grid.voxels[2]) * grid.pitchMm[2]};
    if (o.pitchMm && !(*o.pitchMm > 0))
        throw InputError(
            fmt::format("--pitch-mm is {} mm; it must be greater than 0.", *o.pitchMm));
    const auto across = [](double length, double pitch) {
        return std::max<Index>(1, static_cast<Index>(std::floor(length / pitch + 1e-6)));
    };
    if (o.voxels) {
        const bool all = o.voxels->find('x') != std::string::npos;
        const std::array<Index, 3> voxels = readVoxels(*o.voxels, "--voxels");
        for (const Index n : voxels)
            if (n < 1 || n > 100'000)
                throw InputError(fmt::format("--voxels is {}; it must be 1 to 100000.", n));
        const double pitch = o.pitchMm.value_or(extent[0] / static_cast<double>(voxels[0]));
        grid.voxels = voxels;
        if (!all)
            for (std::size_t axis = 1; axis < 3 && !o.pitchMm; ++axis)
                grid.voxels[axis] = across(extent[axis], pitch);
        grid.pitchMm = {pitch, pitch, pitch};
    } else if (o.pitchMm) {
        grid.pitchMm = {*o.pitchMm, *o.pitchMm, *o.pitchMm};
        for (std::size_t axis = 0; axis < 3; ++axis)
            grid.voxels[axis] = across(extent[axis], *o.pitchMm);
    }
    if (o.centerMm) grid.centerMm = *o.centerMm;
    return grid;
}

Engine engineOf(const std::string& text) {
    if (text == "cpu") return Engine::cpu;
    return text == "gpu" ? Engine::gpu : Engine::automatic;
}

FilterOn filterOnOf(const std::string& text) {
    if (text == "cpu") return FilterOn::cpu;
    return text == "gpu" ? FilterOn::gpu : FilterOn::automatic;
}

std::vector<int> gpusNamed(const std::vector<int>& devices) {
    for (const int number : devices)
        if (number < 0)
            throw InputError(
                fmt::format("--devices names GPU {}; numbers must be 0 or more.", number));
    return devices;
}

// The request's engine, kernel and devices; a kernel implies its engine.
void setEngine(const ReconstructionOptions& o, JobSpec& spec) {
    spec.engine = engineOf(o.engine);
    const std::optional<Kernel> ofCpu = kernelIn(cpuKernelList(), o.kernel);
    const std::optional<Kernel> ofGpu = kernelIn(gpuKernelList(), o.kernel);
    if (ofCpu && spec.engine == Engine::gpu)
        throw InputError(fmt::format(
            "--kernel {} runs on the CPU. Use --engine cpu, or choose a kernel of the GPU.",
            o.kernel));
    if (ofGpu && spec.engine == Engine::cpu)
        throw InputError(fmt::format(
            "--kernel {} runs on GPUs. Use --engine gpu, or choose a kernel of the CPU.",
            o.kernel));
    if (ofCpu) {
        spec.engine = Engine::cpu;
        spec.cpuKernel = ofCpu->name;
    }
    if (ofGpu) spec.gpuKernel = ofGpu->name;
    spec.fast = o.precision == "fast";
    if (o.filterRows == "own") spec.rows = FilterRows::own;
    if (o.filterRows == "upright") spec.rows = FilterRows::upright;
    if (o.filterRows == "rtk") spec.rows = FilterRows::rtk;
    if (ofGpu && ofGpu->isFast && !spec.fast)
        throw InputError(fmt::format(
            "--kernel {} is not exact: it interpolates in texture hardware or in half floats. Add "
            "--precision fast, or choose an exact kernel such as tile.",
            o.kernel));
    spec.filterOn = filterOnOf(o.filterOn);
    spec.devices = gpusNamed(o.devices);
    if (o.deviceMemory) spec.deviceMemoryBytes = parseBytes(*o.deviceMemory, "--device-memory");
}

}  // namespace

std::vector<std::string> wordsOf(const RunOptions& o) {
    std::vector<std::string> words = {"--engine", o.engine};
    const auto add = [&](const char* name, const std::optional<std::string>& value) {
        if (value) words.insert(words.end(), {name, *value});
    };
    if (o.devices) add("--devices", shownValue(*o.devices));
    add("--device-memory", o.deviceMemory);
    add("--memory", o.memory);
    return words;
}

JobSpec withRunOptions(JobSpec spec, const RunOptions& o) {
    if (o.engine != RunOptions::kAsTheJobSays) spec.engine = engineOf(o.engine);
    if (o.engine == "cpu") leaveGpus(spec);
    if (o.devices) spec.devices = gpusNamed(*o.devices);
    if (o.deviceMemory) spec.deviceMemoryBytes = parseBytes(*o.deviceMemory, "--device-memory");
    if (o.memory) spec.memoryBytes = parseBytes(*o.memory, "--memory");
    return spec;
}

namespace {

void setCorrections(const ReconstructionOptions& o, JobSpec& spec) {
    Corrections& corrections = spec.corrections;
    corrections.rings.method = parseRingMethod(o.rings);
    corrections.rings.widthPx = o.ringWidthPx;
    if (o.zingerRatio) corrections.zingers.ratio = *o.zingerRatio;
    if (o.phase) corrections.phase = {(*o.phase)[0], (*o.phase)[1], (*o.phase)[2]};
    throwOnError(validate(corrections), "request");
}

ScanFile scanOf(const ReconstructionOptions& o) {
    ScanFile scan = readScanFile(fs::absolute(scanFileAt(o.scan)).lexically_normal());
    if (o.offsetMm) scan.geometry.detector.offsetMm = *o.offsetMm;
    throwOnError(validate(scan.geometry), scan.path.string());
    if (!o.skipViews) return scan;
    std::vector<Index>& skip = scan.projections.skipViews;
    skip = united(std::move(skip), parseViewNumbers(*o.skipViews, "--skip-views"));
    if (const std::string fault = leaveOutFault(skip, scan.geometry.views()); !fault.empty())
        throw InputError(fmt::format("--skip-views: {}", fault));
    return scan;
}

}  // namespace

void takeGrid(JobSpec& spec, const RankOptions& options) {
    const Index rows = options.gridRows;
    if (rows < 0 || (rows > 0 && options.ranks % rows != 0))
        throw InputError(
            fmt::format("--grid-rows is {}; it must divide the {} ranks, or be 0 for the rows that "
                        "are predicted to be fastest.",
                        rows, options.ranks));
    if (options.exchange != "auto")
        spec.exchange = options.exchange == "gather" ? Exchange::gather : Exchange::rows;
    (void)parseRankWeights(options.weights);
    spec.ranks = options.ranks;
    spec.gridRows = rows;
    spec.weights = options.weights;
}

void addWeightsOption(Command& command, std::string& weights) {
    command.option("--weights", weights, "HOW",
                   "By what ranks share the work: measured (each one's speed, corrected on the "
                   "way), uniform; numbers for ranks, as 2,1,1, or machines, as alpha:2,beta:1; "
                   "log, logistic, logistic-planes or functions of what a machine has: see the "
                   "manual's page on clusters");
}

JobSpec makeJobSpec(const ReconstructionOptions& o, const std::stop_token& stop) {
    JobSpec spec;
    spec.scan = scanOf(o);
    spec.volume = gridOf(o, spec.scan);
    throwOnError(validate(spec.volume, spec.scan.geometry), "request");
    spec.filter.window = parseFilterWindow(o.window);
    spec.filter.cutoff = o.cutoff;
    setCorrections(o, spec);
    spec.output.path = fs::absolute(o.out).lexically_normal();
    spec.output.type = voxelType(o);
    spec.output.range = o.range;
    if (o.range && !((*o.range)[1] > (*o.range)[0]))
        throw InputError(fmt::format(
            "--range is {} to {} /mm; its upper limit must be greater than its lower limit.",
            (*o.range)[0], (*o.range)[1]));
    setEngine(o, spec);
    if (o.threads < 0 || o.threads > 4096)
        throw InputError(fmt::format("--threads is {}; it must be 0 to 4096.", o.threads));
    spec.threads = o.threads;
    if (o.batchViews < 1 || o.batchViews > 1024)
        throw InputError(fmt::format("--batch is {}; it must be 1 to 1024.", o.batchViews));
    spec.batchViews = o.batchViews;
    if (o.memory) spec.memoryBytes = parseBytes(*o.memory, "--memory");
    if (o.skipBadViews) {
        const int threads = spec.threads > 0 ? spec.threads : availableThreads();
        const std::vector<Index> bad = findBadViews(spec.scan, threads, stop);
        std::vector<Index>& skip = spec.scan.projections.skipViews;
        skip = united(std::move(skip), bad);
    }
    return spec;
}

}  // namespace gantry
