#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/field_options.h"
#include "app/cli/launch_ranks.h"
#include "app/cli/many_jobs.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/remote_run.h"
#include "app/cli/run_job.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/base/written_place.h"
#include "core/geometry/check/validate.h"
#include "core/job/job_directory.h"
#include "core/job/job_fields.h"
#include "core/job/job_file.h"
#include "core/job/job_status.h"
#include "core/job/provenance.h"
#include "core/work/run_job.h"
#include "core/work/scan_stack.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Further scans of the same object, between which the stage moved it along the axis.
struct StackOptions {
    std::vector<std::filesystem::path> scans;
    std::optional<double> stepMm;
    std::vector<double> heightsMm;

    [[nodiscard]] bool isAsked() const {
        return !scans.empty() || stepMm.has_value() || !heightsMm.empty();
    }
};

std::vector<double> heightsFrom(const StackOptions& o) {
    const std::size_t count = o.scans.size() + 1;
    if (o.stepMm && !o.heightsMm.empty())
        throw InputError("--step-mm and --heights-mm both say how high scans are: give one.");
    std::vector<double> heights = o.heightsMm;
    for (std::size_t i = 0; i < count && o.heightsMm.empty(); ++i)
        heights.push_back(static_cast<double>(i) * o.stepMm.value_or(0));
    if (heights.size() != count)
        throwError<InputError>("--heights-mm has {} heights, and there are {} scans.",
                               heights.size(), count);
    return heights;
}

std::string howHeightsAreKnown(const StackOptions& o) {
    if (o.stepMm)
        return fmt::format(
            "Between one scan and the next the object was lowered by {:g} mm, as "
            "--step-mm says.",
            *o.stepMm);
    return o.heightsMm.empty() ? "The heights are as the scans' own geometries have them."
                               : "The heights are those that --heights-mm says.";
}

// A stack during its reconstruction: the part of each scan, upwards.
class StackRun {
  public:
    StackRun(const ReconstructionOptions& first, const StackOptions& stack, Session& session)
        : m_session(session), m_heightsNote(howHeightsAreKnown(stack)) {
        const std::vector<double> heights = heightsFrom(stack);
        if (stack.scans.empty())
            throw InputError("--step-mm and --heights-mm go with --stack, which names the scans.");
        std::vector<StackedScan> scans;
        std::vector<JobSpec> specs;
        for (std::size_t i = 0; i < heights.size(); ++i) {
            ReconstructionOptions options = first;
            if (i > 0) options.scan = stack.scans[i - 1];
            specs.push_back(makeJobSpec(options, session.stop()));
            scans.push_back({specs.back().scan, heights[i]});
        }
        m_output = specs.front().output;
        checkOutputPlace(m_output.path);
        m_threads = specs.front().threads > 0 ? specs.front().threads : availableThreads();
        // If all three sizes are given, or the scan's file has a volume, that volume is made.
        const bool isGiven = (first.voxels && first.voxels->find('x') != std::string::npos) ||
                             (!first.voxels && specs.front().scan.volume);
        m_grid = isGiven ? specs.front().volume : gridOfStack(scans, specs.front().volume);
        m_whole = specs.front();
        m_whole.volume = m_grid;
        takeParts(scans, std::move(specs));
    }

    void reconstruct(bool json) {
        createFolder();
        for (std::size_t i = 0; i < m_specs.size(); ++i) {
            ProgressLine progress(fmt::format("Scan {} of {}", i + 1, m_specs.size()), json);
            try {
                reconstruct(m_specs[i], progress);
            } catch (const InputError& error) {
                throw InputError(m_names[i] + ": " + error.message(), error.details());
            } catch (const ResourceError& error) {
                throw ResourceError(m_names[i] + ": " + error.message(), error.details());
            }
        }
    }

    // @returns how well neighbours match
    std::vector<StackFit> join(bool json) {
        std::vector<StackPart> parts;
        for (std::size_t i = 0; i < m_specs.size(); ++i)
            parts.push_back({m_names[i], openStoredVolume(m_specs[i].output.path), m_slices[i]});
        std::vector<StackFit> fits = stackFits(parts);
        ProgressLine progress("Joining", json);
        const std::unique_ptr<VolumeSink> sink = openSink(m_output, m_grid, SinkStart::fresh);
        try {
            joinStack(
                parts, m_grid, *sink, m_threads, [&](double share) { progress.update(share); },
                m_session.stop());
        } catch (...) {
            sink->discard();
            throw;
        }
        progress.end();
        writeRecord(fits);
        for (const JobSpec& spec : m_specs) {
            std::error_code ignored;
            fs::remove(spec.output.path, ignored);
        }
        return fits;
    }

    void print(const std::vector<StackFit>& fits, bool json) const {
        const auto [nX, nY, nZ] = m_grid.voxels;
        nlohmann::ordered_json parts = nlohmann::ordered_json::array();
        std::vector<std::pair<std::string, std::string>> fields;
        for (std::size_t i = 0; i < m_specs.size(); ++i) {
            const IndexRange slices = m_slices[i];
            parts.push_back({{"scan", m_names[i]},
                             {"heightMm", m_heightsMm[i]},
                             {"slices", {slices.begin, slices.end}},
                             {"job", jobFolderFor(m_specs[i].output.path).string()}});
            fields.emplace_back(fmt::format("slices {} to {}", slices.begin, slices.end - 1),
                                fmt::format("{}, at {:g} mm", m_names[i], m_heightsMm[i]));
        }
        nlohmann::ordered_json overlaps = nlohmann::ordered_json::array();
        for (const StackFit& fit : fits) {
            overlaps.push_back({{"lower", fit.lower},
                                {"upper", fit.upper},
                                {"slices", fit.slices},
                                {"isKnown", fit.isKnown},
                                {"shiftMm", fit.shiftSlices * m_grid.pitchMm[2]},
                                {"difference", fit.difference}});
            fields.emplace_back("overlap", fit.sentence(m_grid.pitchMm[2]));
        }
        fields.emplace_back(
            "volume", fmt::format("{} × {} × {} voxels in {}", nX, nY, nZ, m_output.path.string()));
        const std::string record = provenancePath(m_output.path).string();
        fields.emplace_back("record", record);
        fields.emplace_back("jobs", m_folder.string());
        if (json)
            showJson({{"volume", m_output.path.string()},
                      {"record", record},
                      {"voxels", m_grid.voxels},
                      {"pitchMm", m_grid.pitchMm},
                      {"centerMm", m_grid.centerMm},
                      {"parts", parts},
                      {"overlaps", overlaps}});
        else
            show("Stack\n{}", textFields(fields));
    }

  private:
    void takeParts(const std::vector<StackedScan>& scans, std::vector<JobSpec> specs) {
        for (const JobSpec& spec : specs) {
            JobSpec whole = spec;
            whole.output = m_output;
            requireInputsSpared(whole, {});
        }
        const std::vector<IndexRange> slices = slicesOfStack(scans, m_grid);
        m_folder = m_output.path;
        if (!m_folder.has_filename()) m_folder = m_folder.parent_path();
        m_folder += ".stack";
        std::vector<std::size_t> upwards(scans.size());
        std::iota(upwards.begin(), upwards.end(), std::size_t{0});
        std::ranges::stable_sort(upwards, {}, [&](std::size_t i) { return slices[i].begin; });
        for (const std::size_t i : upwards) {
            JobSpec spec = std::move(specs[i]);
            spec.volume = partOfStack(m_grid, slices[i], scans[i]);
            throwOnError(validate(spec.volume, spec.geometry()), spec.scan.path.string());
            spec.output = {m_folder / fmt::format("scan_{:02}.mha", i + 1), PixelType::float32, {}};
            m_names.push_back(spec.scan.path.string());
            m_heightsMm.push_back(scans[i].heightMm);
            m_slices.push_back(slices[i]);
            m_specs.push_back(std::move(spec));
        }
    }
    // Called while the parts exist, which an interrupted run uses again.
    void writeRecord(const std::vector<StackFit>& fits) const {
        std::vector<RecordedScan> scans;
        for (std::size_t i = 0; i < m_specs.size(); ++i) {
            const fs::path& part = m_specs[i].output.path;
            scans.push_back({m_names[i], m_heightsMm[i], m_slices[i], jobFolderFor(part), part});
        }
        std::vector<std::string> notes = {m_heightsNote};
        for (const StackFit& fit : fits)
            notes.push_back(fit.sentence(m_grid.pitchMm[2]));
        writeFileAtomically(provenancePath(m_output.path), stackRecord(m_whole, scans, notes));
    }
    void createFolder() const {
        if (!isFolder(m_folder)) makeFolder(m_folder);
    }
    // A part that an earlier run has finished for the same request is kept, an interrupted one is
    // resumed.
    void reconstruct(const JobSpec& spec, ProgressLine& progress) {
        const fs::path folder = jobFolderFor(spec.output.path);
        const bool isKnown = isFolder(folder) && isSameJob(folder, spec);
        if (isKnown && pathExists(spec.output.path) && pathExists(provenancePath(spec.output.path)))
            return;
        const JobDirectory job =
            isKnown ? JobDirectory::open(folder) : JobDirectory::create(folder, spec);
        (void)runJob(job, {m_session.backends(), m_session.stop(),
                           [&](const Progress& state) { progress.update(state); }});
        progress.end();
    }
    static bool isSameJob(const fs::path& folder, const JobSpec& spec) {
        try {
            return toJson(readJobRequest(folder)) == toJson(spec);
        } catch (const InputError&) {
            return false;  // no job, or one of an older program, so it is made again
        }
    }

    Session& m_session;
    std::string m_heightsNote;
    JobSpec m_whole;  // taken from the first scan
    OutputFormat m_output;
    VolumeGrid m_grid;
    int m_threads = 1;
    fs::path m_folder;
    // One for each scan, upwards.
    std::vector<std::string> m_names;
    std::vector<double> m_heightsMm;
    std::vector<IndexRange> m_slices;
    std::vector<JobSpec> m_specs;
};

void addStackOptions(Command& command, StackOptions& o) {
    command.repeated("--stack", o.scans, "SCAN",
                     "A further scan of the same object at another height, for one volume of all; "
                     "may be given several times. Where scans overlap they go over into each other "
                     "evenly");
    command.option("--step-mm", o.stepMm, "MM",
                   "With --stack: how much lower the object stood in each scan than in the one "
                   "before; negative: higher. By default heights are as the scans' geometries say");
    command.option("--heights-mm", o.heightsMm, "0,4.5,9",
                   "With --stack, in place of --step-mm: how much lower it stood in each");
}

// Reconstructs the first scan's and the further ones' parts of one volume, a job each in the
// folder "OUT.stack", and joins them, with a record of this beside the volume; prints how well
// they match. If called again after an interruption, it keeps the finished parts and resumes the
// unfinished one.
// @throws InputError naming the option or the scan; ResourceError, Cancelled. @returns exit code
// Tests: tests/cli/test_main_path.py
int runStack(const ReconstructionOptions& first, const StackOptions& stack, bool json,
             Session& session) {
    StackRun run(first, stack, session);
    run.reconstruct(json);
    const std::vector<StackFit> fits = run.join(json);
    run.print(fits, json);
    return 0;
}

struct ReconstructOptions {
    ReconstructionOptions request;
    ManyJobs many;
    StackOptions stack;
    HostOptions host;
    std::filesystem::path job;
    bool forecast = false;
    bool json = false;
};

JobSpec specOf(const ReconstructOptions& options, Session& session) {
    JobSpec spec = options.host.isAsked() && options.host.wishes.way == DataWay::there
                       ? makeHostJobSpec(options.request, options.host, session)
                       : makeJobSpec(options.request, session.stop());
    checkSharing(spec);
    return spec;
}

fs::path folderOf(const ReconstructOptions& options, const JobSpec& spec) {
    return options.job.empty() ? jobFolderFor(spec.output.path)
                               : fs::absolute(options.job).lexically_normal();
}

// Only the scan's files go to a host.
void checkHostMethod(const MethodSpec& method) {
    if (!method.isIterative()) return;
    if (method.startsFromFile() || method.hasMaskFile())
        throwError<InputError>(
            "{} names a file of this machine, which a host lacks. Use a word in its place, or "
            "reconstruct here.",
            method.startsFromFile() ? "--start" : "--mask");
}

int reconstructOnHost(const ReconstructOptions& options, Session& session) {
    if (options.many.isAsked() && !options.job.empty())
        throw InputError("--job names the folder of one job; with several, leave it out.");
    std::vector<NewJob> jobs;
    for (const ReconstructionOptions& request : requestsOf(options.request, options.many)) {
        ReconstructOptions one = options;
        one.request = request;
        JobSpec spec = specOf(one, session);
        checkHostMethod(spec.method);
        fs::path folder = folderOf(options, spec);
        jobs.push_back({std::move(folder), std::move(spec)});
    }
    return runOnHost(jobs, options.host, options.json, session);
}

int reconstruct(ReconstructOptions options, Session& session) {
    options.request.scan = options.many.scans.front();
    const int ranks = options.request.job.ranks;
    if (options.stack.isAsked()) {
        if (ranks > 1 || options.host.isAsked() || options.forecast || !options.job.empty() ||
            options.many.isAsked())
            throw InputError(
                "--stack makes a job of each scan, one after the other in this process: it goes "
                "with one SCAN, and without --ranks, --host, --job, --over and --forecast.");
        return runStack(options.request, options.stack, options.json, session);
    }
    if (options.host.isAsked()) return reconstructOnHost(options, session);
    if (options.many.isAsked())
        throw InputError(
            "Several scans, and values by --over, are jobs that a host runs: add --host NAME, or "
            "start one at a time.");
    checkSharing(options.request.job);
    checkRanks(ranks);
    const JobSpec spec = specOf(options, session);
    const fs::path folder = folderOf(options, spec);
    std::optional<JobDirectory> job = createJobHere({folder, spec}, session.stop());
    if (ranks == 1)
        return runAndPrint(*job, session, options.json,
                           options.forecast ? Purpose::forecast : Purpose::run);
    job.reset();  // releases the job's lock, so that rank 0 can open the job
    std::vector<std::string> arguments = {"worker", folder.string()};
    if (options.json) arguments.emplace_back("--json");
    return runRanks(ranks, arguments, session.stop());
}

}  // namespace

void addReconstruct(Command program) {
    auto options = std::make_shared<ReconstructOptions>();
    Command command = program.command("reconstruct", "Reconstruct the volume of a scan");
    addManyJobs(command, options->many);
    addReconstructionOptions(command, options->request);
    addStackOptions(command, options->stack);
    command.option("--job", options->job, "FOLDER",
                   "Folder for request, events and report; by default the volume's name with .job");
    command.flag(
        "--forecast", options->forecast,
        "First measure this machine for a second or two: the report then shows the forecast "
        "of every stage beside the measurement");
    addFieldOptions(command, jobFields(), options->request.job, {kSharingOptions, kRunOptions});
    addHostOptions(command, options->host);
    command.flag("--json", options->json, "Print one JSON document");
    command.examples(
        "  gantry reconstruct scan/scan.json --voxels 256 --out volume.mha\n"
        "  gantry reconstruct scan/ --voxels 512x512x300 --pitch-mm 0.2 --window hann\n"
        "  gantry reconstruct scan/ --memory 4G --type uint16 --range 0,0.05 --out slices/\n"
        "  gantry reconstruct scan/ --skip-views 99,100\n"
        "  gantry reconstruct a/ --stack b/ --stack c/ --step-mm 4.5 --out tall.mha\n"
        "  gantry reconstruct scan/ --method sirt --iterations 50\n"
        "  gantry reconstruct scan/ --ranks 4\n"
        "  gantry reconstruct scan/ --ranks 3 --weights 2,1,1\n"
        "  gantry reconstruct scan/ --host cluster --nodes 4\n"
        "  gantry reconstruct a/ b/ --over cutoff=0.5,0.8 --host cluster\n"
        "To resume an interrupted run: gantry worker volume.mha.job");
    command.action([options](Session& session) { return reconstruct(*options, session); });
}

}  // namespace gantry
