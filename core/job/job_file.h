#pragma once

#include <span>
#include <string>

#include "core/job/job_fields.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// table: of what the file has beside the scan and the volume
/// @throws InputError naming the file and field
[[nodiscard]] JobSpec parseJobSpec(const std::string& json, const std::string& where,
                                   std::span<const FileField<JobSpec>> table = jobFields());
[[nodiscard]] std::string toJson(const JobSpec& spec,
                                 std::span<const FileField<JobSpec>> table = jobFields());

/// A request except its scan, in the form that is kept beside a scan's file: the fields of
/// job.json, with the volume only if it is not fitted to the field of view. Tests:
/// tests/ui/workspace/settings_file_test.cpp
[[nodiscard]] std::string settingsJson(const JobSpec& spec, bool withVolume);
/// Reads what settingsJson() wrote.
/// @returns whether it contains a volume; otherwise the volume is unchanged
/// @throws InputError naming the file and field; then `spec` is unchanged
[[nodiscard]] bool takeSettings(const std::string& json, const std::string& where, JobSpec& spec);

}  // namespace gantry
