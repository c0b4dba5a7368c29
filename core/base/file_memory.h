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

/// The memory of parts of a file in memory (tmpfs), taken before they are written, by a thread of
/// its own in the order in which the parts are given, and by those that write ahead of it. Each
/// piece is taken once: the system clears memory that is taken twice there and then, on one thread,
/// and memory that is taken once when it is copied to, on all threads that copy. So where several
/// processes write one file, none takes what another writes.
/// Tests: tests/core/base/file_memory_test.cpp
class FileMemory {
  public:
    /// parts: bytes of the file, apart from each other, that nobody else writes. The file must
    /// outlive this.
    FileMemory(File& file, std::span<const IndexRange> parts);
    ~FileMemory();
    FileMemory(const FileMemory&) = delete;
    FileMemory& operator=(const FileMemory&) = delete;

    /// Takes what was not taken yet of these bytes, and waits for what others are taking; from any
    /// thread. @returns Room::unknown beyond the parts, on disks, and where there is no room
    [[nodiscard]] File::Room take(Index offset, Index bytes);

  private:
    enum class State : std::uint8_t { untaken, underWay, taken, failed };
    struct Piece {
        IndexRange bytes;
        std::atomic<State> state = State::untaken;
    };

    /// @returns whether its memory is there
    bool takePiece(Piece& piece);
    void takeAhead(const std::stop_token& stop);

    File& m_file;
    std::vector<Piece> m_pieces;         // from the file's begin on
    std::vector<std::size_t> m_inOrder;  // of m_pieces
    std::jthread m_ahead;
};

}  // namespace gantry
