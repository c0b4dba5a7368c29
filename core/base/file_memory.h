#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/file.h"

namespace gantry {

/// The memory of a file in memory (tmpfs), taken before it is written to, by threads of its own
/// from the file's begin on, and by those that write ahead of them. Each piece is taken once.
/// Tests: tests/core/base/file_memory_test.cpp
class FileMemory {
  public:
    /// Of the bytes before `end` of a file that is as long. It must outlive this and be written by
    /// nobody else.
    FileMemory(File& file, Index end);
    ~FileMemory();
    FileMemory(const FileMemory&) = delete;
    FileMemory& operator=(const FileMemory&) = delete;

    /// Takes what was not taken yet of these bytes, and waits for what others are taking; from any
    /// thread. @returns Room::unknown on disks, and where there is no room
    [[nodiscard]] File::Room take(Index offset, Index bytes);

  private:
    enum class State : std::uint8_t { untaken, underWay, taken, failed };

    bool takePiece(Index piece);
    void takeAhead(const std::stop_token& stop);

    File& m_file;
    Index m_end;
    std::vector<std::atomic<State>> m_pieces;
    std::atomic<Index> m_next = 0;  ///< piece that is to be taken ahead
    std::vector<std::jthread> m_ahead;
};

}  // namespace gantry
