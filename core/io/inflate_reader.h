#pragma once

#include <memory>
#include <span>

#include "core/base/file.h"
#include "core/base/types.h"

namespace gantry {

/// Reads a zlib or gzip stream inside a file at any position of the inflated data. Going forward
/// costs inflating what is skipped; going back starts at the nearest of at most 64 resting points,
/// which reading forward leaves behind (about 40 kB each).
/// Several threads may read; they take turns.
/// Tests: tests/core/io/metaimage_test.cpp
class InflateReader {
  public:
    /// The stream takes `storedBytes` of the file from `begin` and must inflate to exactly
    /// `inflatedBytes`.
    InflateReader(File file, Index begin, Index storedBytes, Index inflatedBytes);
    ~InflateReader();

    /// Fills `bytes` from `offset` of the inflated data. Reading the last byte also checks the
    /// stream's checksum.
    /// @throws InputError naming the file when the stream is damaged or of another length
    void read(Index offset, std::span<std::byte> bytes);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace gantry
