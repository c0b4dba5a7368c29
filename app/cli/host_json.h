#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/remote/job/remote_job.h"
#include "core/remote/scheduler/host_findings.h"

namespace gantry {

[[nodiscard]] nlohmann::ordered_json toJson(const RemoteJob& job);
[[nodiscard]] nlohmann::ordered_json toJson(const HostFinding& finding);

/// Prints jobs as one JSON document, for other programs: a list, but one alone by itself.
void printJobs(const std::vector<RemoteJob>& jobs);

/// States where the job's volume is.
[[nodiscard]] std::string volumeWords(const RemoteJob& job);

}  // namespace gantry
