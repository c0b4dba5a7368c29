#include "core/base/file_memory.h"

#include <algorithm>
#include <numeric>

namespace gantry {

namespace {

// small, so that other threads wait only milliseconds
constexpr Index kPieceBytes = Index{16} << 20;

// Splits parts into pieces, in order; pieces share no pages unless parts do.
std::vector<IndexRange> piecesOf(std::span<const IndexRange> parts) {
    std::vector<IndexRange> pieces;
    for (const IndexRange& part : parts)
        for (Index begin = part.begin; begin < part.end; begin = pieces.back().end)
            pieces.push_back({begin, std::min(part.end, (begin / kPieceBytes + 1) * kPieceBytes)});
    return pieces;
}

}  // namespace

FileMemory::FileMemory(File& file, std::span<const IndexRange> parts) : m_file(file) {
    const std::vector<IndexRange> pieces = piecesOf(parts);
    std::vector<std::size_t> byPlace(pieces.size());
    std::iota(byPlace.begin(), byPlace.end(), 0);
    std::ranges::sort(
        byPlace, [&](std::size_t a, std::size_t b) { return pieces[a].begin < pieces[b].begin; });
    m_pieces = std::vector<Piece>(pieces.size());
    m_inOrder.resize(pieces.size());
    for (std::size_t i = 0; i < byPlace.size(); ++i) {
        m_pieces[i].bytes = pieces[byPlace[i]];
        m_inOrder[byPlace[i]] = i;
    }
    m_ahead = std::jthread([this](const std::stop_token& stop) { takeAhead(stop); });
}

FileMemory::~FileMemory() = default;

void FileMemory::takeAhead(const std::stop_token& stop) {
    for (const std::size_t piece : m_inOrder)
        if (stop.stop_requested() || !takePiece(m_pieces[piece])) return;
}

bool FileMemory::takePiece(Piece& piece) {
    State found = State::untaken;
    if (piece.state.compare_exchange_strong(found, State::underWay)) {
        found =
            m_file.takeMemory(piece.bytes.begin, piece.bytes.size()) ? State::taken : State::failed;
        piece.state = found;
        piece.state.notify_all();
    }
    while (found == State::underWay) {
        piece.state.wait(State::underWay);
        found = piece.state;
    }
    return found == State::taken;
}

File::Room FileMemory::take(Index offset, Index bytes) {
    const Index end = offset + bytes;
    auto piece = std::partition_point(m_pieces.begin(), m_pieces.end(),
                                      [&](const Piece& one) { return one.bytes.end <= offset; });
    for (; offset < end; ++piece) {
        if (piece == m_pieces.end() || piece->bytes.begin > offset) return File::Room::unknown;
        if (!takePiece(*piece)) return File::Room::unknown;
        offset = piece->bytes.end;
    }
    return File::Room::taken;
}

}  // namespace gantry
