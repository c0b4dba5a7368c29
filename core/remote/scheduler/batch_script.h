#pragma once

#include <string>

#include "core/remote/host/host.h"
#include "core/remote/job/job_resources.h"

namespace gantry {

/// The script that runs a job on a host, below the job's folder there: written to be read and
/// edited. words: of the command that its ranks run; that of a job if empty
[[nodiscard]] std::string batchScript(const Host& host, const JobResources& resources,
                                      const std::string& id, const std::string& words = {});

/// The script that a scheduler starts for each job of an array: it runs the script of that job,
/// whose folders there are ID-1 to ID-count side by side. script: of one of them, for what it asks
[[nodiscard]] std::string arrayScript(const Host& host, const std::string& script,
                                      const std::string& id, int count);

/// Shell lines that set the host's variables; and those that load its modules and set up what else
/// it needs.
[[nodiscard]] std::string variableLines(const Host& host);
[[nodiscard]] std::string moduleLines(const Host& host);
/// All of these: they prepare the start of gantry.
[[nodiscard]] std::string setupLines(const Host& host);
/// Shell words that start the ranks of a job; none where it has one and needs no launcher.
[[nodiscard]] std::string launcherWords(const Host& host, const JobResources& resources);
/// Shell words that start it.
[[nodiscard]] std::string gantryWords(const Host& host);

}  // namespace gantry
