#include "core/base/file_memory.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace gantry {

namespace {

constexpr Index kPieceBytes = Index{16} << 20;  // what others wait for takes milliseconds
// The system clears memory as it hands it out, some GB/s a thread.
constexpr int kMostThreads = 8;
constexpr int kOneOf = 4;  // threads of the machine: the others copy

Index piecesOf(Index bytes) {
    return (bytes + kPieceBytes - 1) / kPieceBytes;
}

}  // namespace

FileMemory::FileMemory(File& file, Index end)
    : m_file(file), m_end(end), m_pieces(static_cast<std::size_t>(piecesOf(end))) {
    const int threads = std::clamp(availableThreads() / kOneOf, 1, kMostThreads);
    for (int i = 0; i < threads; ++i)
        m_ahead.emplace_back([this](const std::stop_token& stop) { takeAhead(stop); });
}

FileMemory::~FileMemory() = default;

void FileMemory::takeAhead(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const Index piece = m_next++;
        if (piece >= piecesOf(m_end) || !takePiece(piece)) return;
    }
}

bool FileMemory::takePiece(Index piece) {
    std::atomic<State>& state = m_pieces[static_cast<std::size_t>(piece)];
    State found = State::untaken;
    if (state.compare_exchange_strong(found, State::underWay)) {
        const Index begin = piece * kPieceBytes;
        found = m_file.takeMemory(begin, std::min(kPieceBytes, m_end - begin)) ? State::taken
                                                                               : State::failed;
        state = found;
        state.notify_all();
    }
    while (found == State::underWay) {
        state.wait(State::underWay);
        found = state;
    }
    return found == State::taken;
}

File::Room FileMemory::take(Index offset, Index bytes) {
    for (Index piece = offset / kPieceBytes; piece < piecesOf(std::min(m_end, offset + bytes));
         ++piece)
        if (!takePiece(piece)) return File::Room::unknown;
    return File::Room::taken;
}

}  // namespace gantry
