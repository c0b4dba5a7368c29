#pragma once

#include <string>
#include <vector>

#include "core/plan/job_spec.h"
#include "core/remote/shell/host_files.h"

namespace gantry {

/// Whether a job on a host makes this file in its folder and it is fetched from there. The request,
/// the lock, the name and the logs of a job are never fetched.
/// Tests: tests/core/remote/fetched_names_test.cpp
[[nodiscard]] bool isFetchedRecord(const std::string& name);

/// Whether this file, by its name below the volume's folder, belongs to the volume of a job or to
/// its record. It may be unfinished.
/// @throws InputError as outputNames()
[[nodiscard]] bool isOfVolume(const JobSpec& spec, const std::string& name);

/// The files of the list that belong to the job's volume.
/// left: gets the names of the others
/// @throws InputError if they have more bytes than the volume of the request can have
[[nodiscard]] std::vector<HostFile> filesOfVolume(const JobSpec& spec,
                                                  const std::vector<HostFile>& listed,
                                                  std::vector<std::string>& left);

/// "HOST lists 3 files that this job does not write, such as '.bashrc'; they are not fetched."
[[nodiscard]] std::string leftFilesNotice(const std::string& host,
                                          const std::vector<std::string>& left);

}  // namespace gantry
