#include "app/cli/reconstruction_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/field_options.h"
#include "app/cli/guesses_text.h"
#include "app/cli/terminal.h"
#include "app/wiring/wiring.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/base/trial_process.h"
#include "core/geometry/check/validate.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/io/series/view_numbers.h"
#include "core/io/volume/calibration.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/stored_volume.h"
#include "core/job/job_fields.h"
#include "core/job/varied_field.h"
#include "core/plan/cluster/rank_weights.h"
#include "core/scan/guess/described_scan.h"
#include "core/scan/guess/find_scan.h"
#include "core/scan/inspect/inspect_scan.h"
#include "core/scan/inspect/name_order.h"
#include "core/scan/open_scan.h"
#include "core/work/iteration_planning.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kAsJobSays = "job";

// The kernels of this build; of the CPU's the usual one first.
std::vector<std::string> kernelsOf(std::string_view field) {
    std::vector<std::string> names;
    if (field == "gpuKernel") names.emplace_back(kAnyKernel);
    const bool isOfCpu = field == "cpuKernel";
    if (!isOfCpu && names.empty()) return names;
    for (const Kernel& kernel : isOfCpu ? cpuKernelList() : gpuKernelList())
        names.push_back(kernel.name);
    if (isOfCpu) std::ranges::reverse(names);
    return names;
}

// Those of the corrections of views, which are beside each other in the table.
std::span<const FileField<JobSpec>> correctionFields() {
    const auto isCorrection = [](const FileField<JobSpec>& field) {
        return field.shape.section == "prep";
    };
    const auto begin = std::ranges::find_if(jobFields(), isCorrection);
    return {begin, std::find_if_not(begin, jobFields().end(), isCorrection)};
}

void addViewOptions(Command& command, ReconstructionOptions& o) {
    addSettingOptions(command, o);
    command.flag("--skip-bad-views", o.skipBadViews,
                 "Leave out every view whose file is missing, damaged or unlike the others; "
                 "compressed files are read through once for that");
}

}  // namespace

void addReconstructionOptions(Command& command, ReconstructionOptions& o) {
    addFieldOptions(command, jobFields(), o.job, {kIterativeOptions});
    addFieldOptions(command, jobFields(), o.job, {kOutputOptions});
    addViewOptions(command, o);
}

void addSliceOptions(Command& command, ReconstructionOptions& o) {
    addFieldOptions(command, correctionFields(), o.job, {kOutputOptions});
    addViewOptions(command, o);
}

void addSettingOptions(Command& command, ReconstructionOptions& o) {
    addRow(command, gridFields(), "voxels", o.voxels);
    addRow(command, gridFields(), "pitchMm", o.pitchMm);
    addRow(command, gridFields(), "centerMm", o.centerMm);
    command.option("--entry", o.entry, "NAME", kEntryHelp);
    addRow(command, scanFileFields(), "detector.offsetMm", o.offsetMm, "instead of the scan's");
    addFieldOptions(command, jobFields(), o.job, {kMethodOptions}, kernelsOf);
    command.choice("--preset", o.preset, {"maker"},
                   "Filter and corrections as the scanner's program had them, as far as Gantry has "
                   "an equal and no other option says otherwise; gantry inspect lists them");
    command.option("--skip-views", o.skipViews, "N,N-N",
                   "Views to leave out, numbered from 0, with those that the scan leaves out");
}

void addRunOptions(Command& command, RunOptions& o) {
    for (const char* path : {"engine", "devices", "deviceMemoryBytes", "memoryBytes"}) {
        const FileField<JobSpec>& field = fieldOf(jobFields(), path);
        OptionField option = optionOf(field, JobSpec(), {});
        if (field.kind() == FieldKind::choice)
            option.words.insert(option.words.begin(), kAsJobSays);
        const std::string flag(field.option.flag);
        command.add(flag, formOf(option),
                    helpOf(field.shape, field.option, "by default as the job says"), {},
                    [&o, &field, option, flag](const std::string& text) {
                        const FieldValue value = optionValue(option, text);
                        o.words.insert(o.words.end(), {flag, text});
                        if (text == kAsJobSays) return;
                        o.changes.emplace_back([&field, value](JobSpec& spec) {
                            field.assign(spec, value);
                            if (field.shape.name == "engine" && spec.engine == Engine::cpu)
                                leaveGpus(spec);
                        });
                    });
    }
}

fs::path scanFileAt(const fs::path& path) {
    return isFolder(path) ? path / "scan.json" : path;
}

namespace {

// The volume wanted: the scan's own, or fitted, as far as the options do not say otherwise.
VolumeGrid gridOf(const ReconstructionOptions& o, const JobSpec& spec) {
    const bool isFitted = !spec.scan.volume || spec.corrections.truncation.fieldOfViewMm > 0;
    VolumeGrid grid = isFitted ? spec.fittedVolume() : *spec.scan.volume;
    const std::array<double, 3> extent = {static_cast<double>(grid.voxels[0]) * grid.pitchMm[0],
                                          static_cast<double>(grid.voxels[1]) * grid.pitchMm[1],
                                          static_cast<double>(grid.voxels[2]) * grid.pitchMm[2]};
    if (o.pitchMm && !(*o.pitchMm > 0))
        throwError<InputError>("--pitch-mm is {} mm; it must be greater than 0.", *o.pitchMm);
    const auto across = [](double length, double pitch) {
        return std::max<Index>(1, static_cast<Index>(std::floor(length / pitch + 1e-6)));
    };
    if (o.voxels) {
        const bool all = o.voxels->find('x') != std::string::npos;
        const std::array<Index, 3> voxels = readVoxels(*o.voxels, "--voxels");
        for (const Index n : voxels)
            if (n < 1 || n > 100'000)
                throwError<InputError>("--voxels is {}; it must be 1 to 100000.", n);
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

// A kernel implies its engine.
void setKernel(JobSpec& spec) {
    if (spec.cpuKernel.empty()) {
        spec.cpuKernel = kUsualCpuKernel;
    } else {
        if (spec.engine == Engine::gpu)
            throwError<InputError>(
                "--kernel {} runs on the CPU. Use --engine cpu, or choose a kernel of the GPU.",
                spec.cpuKernel);
        spec.engine = Engine::cpu;
    }
    if (spec.gpuKernel == kAnyKernel) return;
    if (spec.engine == Engine::cpu)
        throwError<InputError>(
            "--kernel {} runs on GPUs. Use --engine gpu, or choose a kernel of the CPU.",
            spec.gpuKernel);
    std::vector<std::string> exact;
    for (const Kernel& kernel : gpuKernelList())
        if (!kernel.isFast) exact.push_back(kernel.name);
    const bool isFast = std::ranges::any_of(gpuKernelList(), [&](const Kernel& kernel) {
        return kernel.name == spec.gpuKernel && kernel.isFast;
    });
    if (isFast && !spec.fast)
        throwError<InputError>(
            "--kernel {} is not exact: it interpolates in texture hardware or in half floats. Add "
            "--precision fast, or choose an exact kernel: {}.",
            spec.gpuKernel, listed(exact, "or"));
}

// An option of another method would have no effect.
void checkMethodOptions(const JobSpec& spec) {
    const JobSpec usual;
    for (const FileField<JobSpec>& field : jobFields()) {
        const bool isOfMethod =
            field.shape.section == "method" || field.option.group == kSharingOptions;
        const bool isOfAnother =
            isOfMethod && field.applies && !field.applies(spec) && !field.isSame(spec, usual);
        if (isOfAnother)
            throwError<InputError>(
                "{} has no effect with --method {}. Leave it out, or choose another method.",
                field.option.flag, kMethods[static_cast<std::size_t>(spec.method.method)].word);
    }
    throwOnError(validate(spec.method), "request");
}

// Names of volumes are kept whole, as a job may run elsewhere than where it was asked for.
void completePaths(MethodSpec& method) {
    const auto complete = [](std::string& path) {
        path = fs::absolute(path).lexically_normal().string();
    };
    if (method.startsFromFile()) complete(method.start);
    if (method.hasMaskFile()) complete(method.mask);
}

}  // namespace

JobSpec withRunOptions(JobSpec spec, const RunOptions& o) {
    for (const auto& change : o.changes)
        change(spec);
    return spec;
}

namespace {

// The scan as it is described, or as its images state and show it, which is told on stderr.
ScanFile describedOrGuessed(const fs::path& path, const std::string& entry) {
    const TrialBudget budget;
    const fs::path whole = fs::absolute(path).lexically_normal();
    if (!pathExists(whole) || whole.extension() == ".json") return readScanFile(scanFileAt(whole));
    refuseOtherFiles(whole);
    if (entry.empty() && !pathExists(whole / "scan.json") && isStoredVolume(whole))
        throwError<InputError>(
            "{} is a volume, or cannot be told from one. If it holds projections, gantry inspect "
            "{} --write scan.json describes them.",
            path.string(), path.string());
    ScanAtPath at = scanAt(whole, entry);
    if (at.isDescribed) return std::move(at.scan);
    if (at.description) {
        show(stderr,
             "{} is described by {}. What that leaves open is taken as below; gantry inspect {} "
             "--write scan.json writes the scan.\n{}",
             path.string(), at.description->file.filename().string(), at.description->file.string(),
             guessesText(at.guesses));
        return std::move(at.scan);
    }
    show(stderr,
         "{} has no description. What its images state and show is used; gantry inspect {} --write "
         "scan.json writes it.\n{}",
         path.string(), path.string(), guessesText(at.guesses));
    return std::move(at.scan);
}

// What the scanner's program reconstructed with, where the command line says nothing else.
void takeMakersSettings(JobSpec& spec) {
    const std::vector<MakersSetting> settings = makersSettings(spec.scan);
    if (settings.empty())
        throwError<InputError>(
            "--preset maker: no file of the scanner's maker is known that says how its program "
            "reconstructed {}.",
            spec.scan.path.string());
    for (const MakersSetting& one : settings) {
        const bool isTaken =
            !one.option.empty() && assignIfUsual(spec, one.option, one.optionValue);
        show(stderr, "{} {} ({}): {}\n", one.name, one.value, one.place,
             isTaken              ? fmt::format("{} = {}", one.option, one.optionValue)
             : one.option.empty() ? "not taken, " + one.note
                                  : "not taken, as another option says otherwise");
    }
}

ScanFile scanOf(const ReconstructionOptions& o) {
    ScanFile scan = describedOrGuessed(o.scan, o.entry);
    if (!o.entry.empty()) scan.projections.entry = o.entry;
    if (o.offsetMm) scan.geometry.detector.offsetMm = *o.offsetMm;
    throwOnError(validate(scan.geometry), scan.path.string());
    throwOnError(contradictedByNames(scan), scan.path.string());
    if (!o.skipViews) return scan;
    std::vector<Index>& skip = scan.projections.skipViews;
    skip = united(std::move(skip), parseViewNumbers(*o.skipViews, "--skip-views"));
    if (const std::string fault = leaveOutFault(skip, scan.geometry.views()); !fault.empty())
        throwError<InputError>("--skip-views: {}", fault);
    return scan;
}

}  // namespace

void checkSharing(const JobSpec& spec) {
    requireSharable(spec, spec.ranks);
    if (const Index rows = spec.gridRows; rows > 0 && spec.ranks % rows != 0)
        throwError<InputError>(
            "--grid-rows is {}; it must divide the {} ranks, or be 0 for the rows that are "
            "predicted to be fastest.",
            rows, spec.ranks);
    (void)parseRankWeights(spec.weights);
}

JobSpec makeJobSpec(const ReconstructionOptions& o, const std::stop_token& stop) {
    JobSpec spec = o.job;
    spec.scan = scanOf(o);
    if (!o.preset.empty()) takeMakersSettings(spec);
    throwOnError(validate(spec.corrections), "request");
    checkMethodOptions(spec);
    completePaths(spec.method);
    spec.volume = gridOf(o, spec);
    throwOnError(validate(spec.volume, spec.geometry()), "request");
    spec.output.path = fs::absolute(spec.output.path).lexically_normal();
    checkVoxels(spec.output);
    if (const auto& range = spec.output.range; range && !((*range)[1] > (*range)[0]))
        throwError<InputError>(
            "--range is {} to {} {}; its upper limit must be greater than its lower limit.",
            (*range)[0], (*range)[1], name(readCalibration(spec.output.calibration).unit));
    setKernel(spec);
    if (o.skipBadViews) {
        const int threads = spec.threads > 0 ? spec.threads : availableThreads();
        const std::vector<Index> bad = findBadViews(spec.scan, threads, stop);
        std::vector<Index>& skip = spec.scan.projections.skipViews;
        skip = united(std::move(skip), bad);
    }
    return spec;
}

}  // namespace gantry
