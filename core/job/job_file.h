#pragma once

#include <string>

#include "core/plan/job_spec.h"

namespace gantry {

/// @throws InputError naming the file and field
[[nodiscard]] JobSpec parseJobSpec(const std::string& json, const std::string& where);
[[nodiscard]] std::string toJson(const JobSpec& spec);

/// A request except its scan, in the form that is kept beside a scan's file: the fields of
/// job.json, with the volume only if it is not fitted to the field of view. Tests:
/// tests/ui/workspace/settings_file_test.cpp
[[nodiscard]] std::string settingsJson(const JobSpec& spec, bool withVolume);
/// Reads what settingsJson() wrote.
/// @returns whether it contains a volume; otherwise the volume is unchanged
/// @throws InputError naming the file and field; then `spec` is unchanged
[[nodiscard]] bool takeSettings(const std::string& json, const std::string& where, JobSpec& spec);

}  // namespace gantry
