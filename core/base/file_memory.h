#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/base/types.h"

namespace gantry {

/// Allocates the memory of parts of a file in memory (tmpfs) before they are written: in a thread
/// of its own, in the order of the parts, and in threads that write ahead of it. Each piece is
/// allocated by one caller only: memory that two threads allocate at the same time is cleared at
/// once, by one thread, but other memory is cleared when data is copied to it, by every thread that
/// copies. So if several processes write one file, none allocates what another writes.
/// Tests: tests/core/base/file_memory_test.cpp
class FileMemory {
  public:
    /// parts: bytes of the file, not adjacent, that nobody else writes. The file must outlive this.
    FileMemory(File& file, std::span<const IndexRange> parts);
    ~FileMemory();
    FileMemory(const FileMemory&) = delete;
    FileMemory& operator=(const FileMemory&) = delete;

    /// Allocates the rest of these bytes, and waits for what other threads are allocating; safe
    /// from any thread.
    /// @returns Room::unknown beyond the parts, on disks, and where there is no room
    [[nodiscard]] File::Room take(Index offset, Index bytes);

  private:
    enum class State : std::uint8_t { untaken, underWay, taken, failed };
    struct Piece {
        IndexRange bytes;
        std::atomic<State> state = State::untaken;
    };

    /// @returns whether its memory is allocated
    bool takePiece(Piece& piece);
    void takeAhead(const std::stop_token& stop);

    File& m_file;
    std::vector<Piece> m_pieces;         // in order of their position
    std::vector<std::size_t> m_inOrder;  // indices of m_pieces
    std::jthread m_ahead;
};

}  // namespace gantry
