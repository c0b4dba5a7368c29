#pragma once

#include <exception>
#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace gantry {

/// A sentence's end that says why the system refused: "permission denied; check …".
/// code: as of errno
[[nodiscard]] std::string systemReason(int code);

/// Throws "PATH WHAT: REASON." as the error that fits what the system refused. This alone decides
/// what counts as the machine's fault (a full or failing disk, limits, memory) and what as the
/// user's (names, permissions).
/// what: "cannot be written"
/// @throws ResourceError  of the machine's; InputError  of the user's; DiskFault
/// Tests: tests/core/base/system_fault_test.cpp
[[noreturn]] void throwSystemFault(const std::filesystem::path& path, const char* what, int code);

/// A disk that fails to read or write: an InputError, because of many views that cannot be read one
/// may be left out like a damaged one; but the machine's fault, and not the user's.
class DiskFault : public InputError {
  public:
    using InputError::InputError;
};

/// Whether an error of the system is the machine's and not the user's.
[[nodiscard]] bool isMachinesFault(int code) noexcept;

/// The exit code of the program that ends with this error: 1 failed, 2 wrong usage or input, 130
/// cancelled.
[[nodiscard]] int exitCodeOf(const std::exception& error) noexcept;

}  // namespace gantry
