#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// Options that ssh and sftp share. They use the user's configuration, or the file that
/// GANTRY_SSH_CONFIG names, and never ask for a password.
/// @throws ResourceError if no folder can be made that only this user may enter, for the connection
[[nodiscard]] std::vector<std::string> sshOptions();

/// ssh's last words, as a sentence.
[[nodiscard]] std::string sshReason(std::string_view complaints);
/// Advice on ssh's errors.
/// Tests: tests/core/remote/host_shell_test.cpp, tests/cli/test_remote_faults.py
[[nodiscard]] std::string sshAdvice(std::string_view complaints, const std::string& host);

}  // namespace gantry
