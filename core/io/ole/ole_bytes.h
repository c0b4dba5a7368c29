#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/types.h"

namespace gantry {

// Values in the bytes of an OLE compound file, which are little-endian. The span must have them.
// Tests: tests/core/io/ole_file_test.cpp

[[nodiscard]] inline int oleShort(std::span<const std::byte> bytes, Index at) {
    return static_cast<int>(bytes[at]) | static_cast<int>(bytes[at + 1]) << 8;
}

[[nodiscard]] inline std::uint32_t oleNumber(std::span<const std::byte> bytes, Index at) {
    return static_cast<std::uint32_t>(oleShort(bytes, at)) |
           static_cast<std::uint32_t>(oleShort(bytes, at + 2)) << 16;
}

/// UTF-16 as UTF-8; what no path can hold (a slash, control characters, half a pair) becomes "_".
[[nodiscard]] std::string oleName(std::span<const std::byte> utf16);

}  // namespace gantry
