#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/file.h"

namespace gantry {

/// The memory of a file in memory (tmpfs), taken before it is written to, by a thread of its own
/// from the file's begin on, and by those that write ahead of it. Each piece is taken once: the
/// system clears memory that is taken twice there and then, on one thread, and memory that is
/// taken once when it is copied to, on all threads that copy.
/// Tests: tests/core/base/file_memory_test.cpp
class FileMemory {
  public:
    /// Of the bytes before `end`. The file must outlive this and be written by nobody else.
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

    File& m_file;
    Index m_end;
    std::vector<std::atomic<State>> m_pieces;
    std::jthread m_ahead;
};

}  // namespace gantry
