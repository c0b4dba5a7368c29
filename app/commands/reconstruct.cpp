#include <memory>
#include <optional>
#include <string>

#include "app/cli/field_options.h"
#include "app/cli/launch_ranks.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/remote_run.h"
#include "app/cli/run_job.h"
#include "app/cli/stack_run.h"
#include "app/commands/commands.h"
#include "core/base/error.h"
#include "core/job/job_directory.h"
#include "core/job/job_fields.h"

namespace gantry {

namespace {

struct ReconstructOptions {
    ReconstructionOptions request;
    StackOptions stack;
    HostOptions host;
    std::filesystem::path job;
    bool forecast = false;
    bool json = false;
};

JobSpec specOf(const ReconstructOptions& options, Session& session) {
    JobSpec spec = options.host.isAsked() && options.host.data == "there"
                       ? makeHostJobSpec(options.request, options.host, session)
                       : makeJobSpec(options.request, session.stop());
    checkSharing(spec);
    return spec;
}

int reconstruct(const ReconstructOptions& options, Session& session) {
    const int ranks = options.request.job.ranks;
    checkRanks(ranks);
    if (options.stack.isAsked()) {
        if (ranks > 1 || options.host.isAsked() || options.forecast || !options.job.empty())
            throw InputError(
                "--stack makes a job of each scan, one after the other in this process: it goes "
                "without --ranks, --host, --job and --forecast.");
        return runStack(options.request, options.stack, options.json, session);
    }
    const JobSpec spec = specOf(options, session);
    const std::filesystem::path folder =
        options.job.empty() ? jobFolderFor(spec.output.path)
                            : std::filesystem::absolute(options.job).lexically_normal();
    if (options.host.isAsked()) return runOnHost(spec, folder, options.host, options.json, session);
    std::optional<JobDirectory> job = JobDirectory::create(folder, spec);
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
    command.required("scan", options->request.scan, "SCAN", kScanHelp);
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
        "  gantry reconstruct scan/ --ranks 4\n"
        "  gantry reconstruct scan/ --ranks 3 --weights 2,1,1\n"
        "  gantry reconstruct scan/ --host cluster --nodes 4\n"
        "To resume an interrupted run: gantry worker volume.mha.job");
    command.action([options](Session& session) { return reconstruct(*options, session); });
}

}  // namespace gantry
