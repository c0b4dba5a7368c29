#pragma once

#include <vector>

#include "core/job/job_fields.h"

namespace gantry {

/// A row that the table of options does not have, a correction of the views.
inline const FileField<JobSpec>& extraRow() {
    static const FileField<JobSpec> row = {
        {"prep", "sharpness", FieldPresence::defaulted, "",
         "how much of what is fine stays; 0: none"},
        [](JobSpec& job) -> double& { return job.corrections.lag.views; },
        {.flag = "--sharpness",
         .form = "F",
         .group = kOutputOptions,
         .label = "Sharpness",
         .what = "sharpness",
         .unit = "of all",
         .step = 0.25,
         .low = 0.25,
         .high = 2}};
    return row;
}

/// The table of options with that row.
inline std::vector<FileField<JobSpec>> tableWithExtraRow() {
    std::vector<FileField<JobSpec>> table(jobFields().begin(), jobFields().end());
    table.push_back(extraRow());
    return table;
}

}  // namespace gantry
