#pragma once

#include <span>

#include "core/base/field_table.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The fields of a job.json but its scan and its volume, as it is written.
/// Tests: tests/core/job/job_directory_test.cpp
[[nodiscard]] std::span<const FileField<JobSpec>> jobFields();

}  // namespace gantry
