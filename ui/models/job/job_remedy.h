#pragma once

#include <QString>
#include <optional>
#include <variant>
#include <vector>

#include "core/work/job_forecast.h"

namespace gantry {

/// A change of a request that makes it possible, for a button.
struct Remedy {
    QString text;                 ///< "Use 256 voxels"
    std::optional<JobSpec> spec;  ///< none: the user has to choose another place
};

/// Why a request cannot run here, and what helps.
struct Refusal {
    QString sentence;
    std::vector<Remedy> remedies;  ///< each was tried: with it the request is accepted
    bool isOfDisk = false;         ///< it may no longer hold when others have changed the disk
};

/// The forecast of a request from known facts, or why it is refused: see forecastJob(). Accesses
/// disks and plans every remedy, so it must not run in the GUI thread. Tests:
/// tests/ui/models/job_remedy_test.cpp
[[nodiscard]] std::variant<JobForecast, Refusal> forecastOrRefusal(const OpenScan& scan,
                                                                   const JobSpec& spec,
                                                                   const Machine& machine,
                                                                   const Facts& facts);

/// The request of a job that failed with ErrorCode::deviceMemory, with half the memory of the
/// smallest GPU; on the CPU if it already had a limit.
[[nodiscard]] JobSpec withLessOfTheGpu(const JobSpec& spec, const Machine& machine);

}  // namespace gantry
