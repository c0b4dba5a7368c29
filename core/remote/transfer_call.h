#pragma once

#include <stop_token>
#include <string>

#include "core/remote/host_shell.h"

namespace gantry {

/// Timeout of a call that prints nothing while a host reads large files; ssh itself detects a dead
/// host.
inline constexpr double kLongQuietSeconds = 3600;

/// A script whose lines "NAME" set n to the name that w holds as octalText().
[[nodiscard]] std::string transferScript(std::string text);

/// Runs such a script with that folder as $1 and these lines as input. A failure is a ResourceError
/// that names the folder, with the host's own words.
[[nodiscard]] ShellAnswer askOfFolder(const HostShell& shell, const char* script,
                                      const std::string& folder, std::string lines,
                                      const std::stop_token& stop);
[[noreturn]] void failOnFolder(const HostShell& shell, const std::string& folder,
                               const ShellAnswer& answer);

}  // namespace gantry
