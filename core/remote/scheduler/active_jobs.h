#pragma once

#include <string>

#include "core/remote/host/host.h"

namespace gantry {

/// A shell function `activeJobs` for the host, which is called in its scratch folder. It prints a
/// line "NUMBER gantry-ID" for each job of this user there that waits or runs, whichever machine
/// has sent it, and fails if the scheduler does not answer.
[[nodiscard]] std::string activeJobsFunction(const Host& host);

}  // namespace gantry
