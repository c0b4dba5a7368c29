#pragma once

#include <QString>
#include <optional>
#include <variant>
#include <vector>

#include "core/work/job_forecast.h"

namespace gantry {

/// A change of a request that lets it run, for a button.
struct Remedy {
    QString text;                 ///< "Use 256 voxels"
    std::optional<JobSpec> spec;  ///< none: another place is to be chosen
};

/// Why a request cannot run here, and what can be done.
struct Refusal {
    QString sentence;
    std::vector<Remedy> remedies;  ///< each tried: with it the request is not refused
};

/// The forecast of a request by what is known, or why it is refused: see forecastJob(). Looks at
/// disks and plans every remedy: not for the GUI thread.
/// Tests: tests/ui/models/job_remedy_test.cpp
[[nodiscard]] std::variant<JobForecast, Refusal> forecastOrRefusal(const OpenScan& scan,
                                                                   const JobSpec& spec,
                                                                   const Machine& machine,
                                                                   const Facts& facts);

/// The request of a job that failed with ErrorCode::deviceMemory, with half the memory of the
/// smallest GPU; on the CPU where it had a limit already.
[[nodiscard]] JobSpec withLessOfTheGpu(const JobSpec& spec, const Machine& machine);

}  // namespace gantry
