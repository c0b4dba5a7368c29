#include "core/base/file_memory.h"

#include <algorithm>

namespace gantry {

namespace {

constexpr Index kPieceBytes = Index{16} << 20;  // what others wait for takes milliseconds

Index piecesOf(Index bytes) {
    return (bytes + kPieceBytes - 1) / kPieceBytes;
}

}  // namespace

FileMemory::FileMemory(File& file, Index end)
    : m_file(file),
      m_end(end),
      m_pieces(static_cast<std::size_t>(piecesOf(end))),
      m_ahead([this](const std::stop_token& stop) {
          for (Index piece = 0; piece < piecesOf(m_end) && !stop.stop_requested(); ++piece)
              if (!takePiece(piece)) return;
      }) {}

FileMemory::~FileMemory() = default;

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
