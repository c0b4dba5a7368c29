#include <memory>

#include "app/commands/commands.h"
#include "app/run_job.h"
#include "core/recon/job_directory.h"

namespace gantry {

void addWorker(Command program) {
    struct Options {
        std::filesystem::path job;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    Command command = program.command(
        "worker", "Run the job of a folder, or go on with one that was interrupted");
    command.required("job", options->job, "JOBDIR", "The job's folder: it holds job.json");
    command.flag("--json", options->json, "Print one JSON document");
    command.examples("  gantry worker volume.mha.job");
    command.action([options](Session& session) {
        const JobDirectory job =
            JobDirectory::open(std::filesystem::absolute(options->job).lexically_normal());
        return runAndPrint(job, session, options->json);
    });
}

}  // namespace gantry
