#include "core/cluster/mpi/mpi_group.h"

#include <algorithm>
#include <cstddef>

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/cluster/mpi/mpi_check.h"

namespace gantry {

namespace {

// Blocks are sent in pieces: some can be in transit while others are copied, and arriving pieces
// show that data move.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kPiecesAtOnce = 4;  // from and to each other rank

// Messages between two ranks arrive in order, so an exchange sends pieces from each rank to each
// other. MPI's nonblocking collectives are no faster (an all-to-all takes 0.9 to 1.1 times as long,
// a reduction 1.1 to 1.5 times: see the manual's page on clusters), and MPI can neither cancel nor
// free one that has begun, so a rank could not leave those that have failed. Here blocks may also
// lie anywhere in memory and have any length.
class MpiGroup final : public RankGroup {
  public:
    MpiGroup(MPI_Comm all, std::vector<int> ranks, int kind, KeptMemory& kept)
        : m_all(all), m_ranks(std::move(ranks)), m_kind(kind), m_kept(kept) {
        int own = 0;
        check(MPI_Comm_rank(all, &own), "tell a rank's number");
        const auto found = std::find(m_ranks.begin(), m_ranks.end(), own);
        require(found != m_ranks.end(), "a rank uses a group that it is not part of");
        m_own = static_cast<int>(found - m_ranks.begin());
    }

    [[nodiscard]] int rank() const override { return m_own; }
    [[nodiscard]] int size() const override { return static_cast<int>(m_ranks.size()); }

    void exchange(std::span<const std::span<const std::byte>> give,
                  std::span<const std::span<std::byte>> take, std::shared_ptr<const void> memory,
                  const std::stop_token& stop) override {
        require(give.size() == m_ranks.size() && take.size() == m_ranks.size(),
                "an exchange has a block for each rank of the group");
        m_requests.clear();
        try {
            move(give, take, stop);
        } catch (...) {
            m_kept.keep(std::move(memory));
            giveUp();
            throw;
        }
    }

  private:
    // Moves all blocks piece by piece, a limited number at a time. All ranks take them in the same
    // order, and at least one round of them at once, so that none waits for a piece that will not
    // come.
    void move(std::span<const std::span<const std::byte>> give,
              std::span<const std::span<std::byte>> take, const std::stop_token& stop) {
        std::size_t longest = 0;
        for (int i = 0; i < size(); ++i)
            if (i != m_own) longest = std::max({longest, give[at(i)].size(), take[at(i)].size()});
        const std::size_t max = 2 * at(size() - 1) * kPiecesAtOnce;
        Pause pause;
        for (std::size_t begin = 0; begin < longest; begin += kPieceBytes) {
            // Each rank begins with a different one, so that not all send to the same rank first.
            for (int i = 1; i < size(); ++i)
                receive(take[at((m_own + size() - i) % size())], begin,
                        m_ranks[at((m_own + size() - i) % size())]);
            for (int i = 1; i < size(); ++i)
                send(give[at((m_own + i) % size())], begin, m_ranks[at((m_own + i) % size())]);
            await(max - std::min(max, 2 * at(size() - 1)), pause, stop);
        }
        await(0, pause, stop);
    }
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    template <class Bytes>
    static Bytes pieceOf(Bytes block, std::size_t begin) {
        const std::size_t from = std::min(begin, block.size());
        return block.subspan(from, std::min(kPieceBytes, block.size() - from));
    }
    void receive(std::span<std::byte> block, std::size_t begin, int from) {
        const std::span<std::byte> piece = pieceOf(block, begin);
        if (piece.empty()) return;
        check(MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, from, m_kind, m_all,
                        &m_requests.emplace_back(MPI_REQUEST_NULL)),
              "take a block from another rank");
    }
    void send(std::span<const std::byte> block, std::size_t begin, int to) {
        const std::span<const std::byte> piece = pieceOf(block, begin);
        if (piece.empty()) return;
        check(MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, to, m_kind, m_all,
                        &m_requests.emplace_back(MPI_REQUEST_NULL)),
              "give a block to another rank");
    }
    // Waits until at most `max` pieces are in transit.
    void await(std::size_t max, Pause& pause, const std::stop_token& stop) {
        while (m_requests.size() > max) {
            m_done.resize(m_requests.size());
            m_statuses.resize(m_requests.size());
            int count = 0;
            const int code = MPI_Testsome(static_cast<int>(m_requests.size()), m_requests.data(),
                                          &count, m_done.data(), m_statuses.data());
            check(code == MPI_ERR_IN_STATUS ? errorAmong(count) : code,
                  "exchange blocks with other ranks");
            if (count > 0) {
                std::erase(m_requests, MPI_REQUEST_NULL);
                pause.moved();
                continue;
            }
            if (stop.stop_requested()) throw Cancelled();
            pause.take();
        }
    }
    // The first error of the requests that were just tested.
    [[nodiscard]] int errorAmong(int count) const {
        const auto end = m_statuses.begin() + count;
        const auto failed = std::find_if(m_statuses.begin(), end, [](const MPI_Status& status) {
            return status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING;
        });
        return failed == end ? MPI_ERR_IN_STATUS : failed->MPI_ERROR;
    }
    // The other ranks may be gone, so it waits for nothing.
    void giveUp() noexcept {
        for (MPI_Request& request : m_requests) {
            if (request == MPI_REQUEST_NULL) continue;
            MPI_Cancel(&request);
            MPI_Request_free(&request);
        }
    }

    MPI_Comm m_all;
    std::vector<int> m_ranks;  ///< the group's, by their numbers among all ranks
    int m_kind;
    KeptMemory& m_kept;
    int m_own = 0;
    std::vector<MPI_Request> m_requests;  ///< of the current exchange
    std::vector<int> m_done;              ///< indices of completed requests, for MPI
    std::vector<MPI_Status> m_statuses;   ///< of completed requests
};

}  // namespace

std::unique_ptr<RankGroup> makeMpiGroup(MPI_Comm all, std::vector<int> ranks, int kind,
                                        KeptMemory& kept) {
    return std::make_unique<MpiGroup>(all, std::move(ranks), kind, kept);
}

}  // namespace gantry
