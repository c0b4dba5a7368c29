#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/remote/job/remote_job.h"
#include "core/remote/scheduler/host_findings.h"

namespace gantry {

[[nodiscard]] nlohmann::ordered_json toJson(const RemoteJob& job);
[[nodiscard]] nlohmann::ordered_json toJson(const HostFinding& finding);

/// States where the job's volume is.
[[nodiscard]] std::string volumeWords(const RemoteJob& job);

}  // namespace gantry
