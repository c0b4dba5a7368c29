#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/plan/job_spec.h"
#include "core/remote/job/remote_job.h"
#include "core/remote/shell/host_files.h"
#include "core/remote/transfer/fetched_folder.h"

namespace gantry {

/// Checks that each fetched file has the size that its host listed.
/// @throws ResourceError naming the first that has not
void requireListedSizes(const std::string& host, const FetchedFolder& fetched,
                        const std::vector<HostFile>& files);

/// Checks that the fetched files are a volume of the voxels and the type that the request names.
/// @throws ResourceError
/// Tests: tests/core/remote/fetched_volume_test.cpp, tests/cli/test_hostile_host.py
void requireVolumeOf(const JobSpec& spec, const std::string& host, const FetchedFolder& fetched);

/// Moves fetched files to their places below the volume's folder. What was there when the job was
/// handed over, or was fetched for it since, is replaced: its user has named it as the output.
/// @throws InputError for a file that something else wrote since; nothing is moved then
/// Tests: tests/core/remote/fetched_volume_test.cpp, tests/cli/test_hostile_host.py
void takeVolume(const RemoteJob& job, const FetchedFolder& fetched,
                const std::vector<HostFile>& files, const std::filesystem::path& folder);

}  // namespace gantry
