#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>

#include "core/base/types.h"

namespace gantry {

/// The checksum that POSIX' `cksum` prints, which every host has: CRC-32 of the polynomial
/// 04C11DB7, highest bit first, the length behind the bytes.
/// Tests: tests/core/remote/checksum_test.cpp
class PosixChecksum {
  public:
    void add(std::span<const std::byte> bytes);
    /// The checksum of all bytes so far.
    [[nodiscard]] std::uint32_t value() const;

  private:
    std::uint32_t m_crc = 0;
    std::uint64_t m_bytes = 0;
};

/// The checksum of a whole file, read in pieces. @throws InputError, Cancelled
[[nodiscard]] std::uint32_t checksumOf(const std::filesystem::path& file,
                                       const std::stop_token& stop);

}  // namespace gantry
