#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/remote/host.h"

namespace gantry {

/// ssh with its options and that line for the host's login shell. The user's configuration counts,
/// or the file that GANTRY_SSH_CONFIG names. No password is ever asked for.
/// @throws ResourceError where there can be no folder of this user alone for the connection
[[nodiscard]] std::vector<std::string> sshWords(const Host& host, const std::string& line);

/// A folder that this user alone may enter, for the sockets of shared connections. It is made, or
/// checked, each time. @throws ResourceError
[[nodiscard]] std::filesystem::path connectionFolder();

/// ssh's last words, as a sentence.
[[nodiscard]] std::string sshReason(std::string_view complaints);
/// What helps against them.
/// Tests: tests/core/remote/host_shell_test.cpp, tests/cli/test_remote_faults.py
[[nodiscard]] std::string sshAdvice(std::string_view complaints, const std::string& host);

}  // namespace gantry
