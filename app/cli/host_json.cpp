#include "app/cli/host_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/terminal.h"
#include "core/base/error.h"
#include "core/job/job_status.h"

namespace gantry {

using Json = nlohmann::ordered_json;

Json toJson(const RemoteJob& job) {
    return {{"id", job.id},
            {"host", job.host},
            {"state", name(job.state)},
            {"message", job.message},
            {"job", job.folder.string()},
            {"there", job.place},
            {"number", job.number},
            {"nodes", job.nodes},
            {"ranks", job.ranks},
            {"minutes", job.minutes},
            {"fraction", job.state == RemoteState::done ? 1.0 : endOfLog(job.folder).fraction()},
            {"fetched", job.isFetched},
            {"volume", volumeWords(job)}};
}

Json toJson(const HostFinding& finding) {
    return {{"what", finding.what},
            {"good", finding.isGood},
            {"found", finding.found},
            {"advice", finding.advice}};
}

std::string volumeWords(const RemoteJob& job) {
    try {
        std::string path = readJobRequest(job.folder).output.path.string();
        if (job.isFetched) return path;
        return fmt::format("on {}, in {}/out", job.host, job.place);
    } catch (const InputError&) {
        return "unknown";
    }
}

void printJobs(const std::vector<RemoteJob>& jobs) {
    if (jobs.size() == 1) return showJson(toJson(jobs.front()));
    Json all = Json::array();
    for (const RemoteJob& job : jobs)
        all.push_back(toJson(job));
    showJson(all);
}

}  // namespace gantry
