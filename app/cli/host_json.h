#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/remote/job/job_host.h"

namespace gantry {

[[nodiscard]] nlohmann::ordered_json toJson(const RemoteJob& job);
[[nodiscard]] nlohmann::ordered_json toJson(const HostFinding& finding);

/// States where the job's volume is.
[[nodiscard]] std::string volumeWords(const RemoteJob& job);

}  // namespace gantry
