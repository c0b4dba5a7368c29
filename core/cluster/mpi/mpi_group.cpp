#include "core/cluster/mpi/mpi_group.h"

#include <algorithm>
#include <cstddef>

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/cluster/mpi/mpi_check.h"

namespace gantry {

namespace {

// MPI counts in int, so longer blocks go in pieces.
constexpr std::size_t kMostBytesAtOnce = std::size_t{1} << 30;

// Messages between two ranks arrive in order, so an exchange is one of each rank to each other:
// what collectives of MPI do inside, but with blocks anywhere in memory, of any length, and without
// a rank that has failed being waited for.
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
            // Each begins with the rank behind it, so that not all send to the same one first.
            for (int i = 1; i < size(); ++i)
                receive(take, (m_own + size() - i) % size());
            for (int i = 1; i < size(); ++i)
                send(give, (m_own + i) % size());
            await(stop);
        } catch (...) {
            m_kept.keep(std::move(memory));
            giveUp();
            throw;
        }
    }

  private:
    template <class Block, class Begin>
    void inPieces(Block block, const Begin& begin) {
        while (!block.empty()) {
            const std::size_t count = std::min(block.size(), kMostBytesAtOnce);
            begin(block.data(), static_cast<int>(count),
                  &m_requests.emplace_back(MPI_REQUEST_NULL));
            block = block.subspan(count);
        }
    }
    void receive(std::span<const std::span<std::byte>> take, int from) {
        const auto i = static_cast<std::size_t>(from);
        inPieces(take[i], [&](std::byte* data, int count, MPI_Request* request) {
            check(MPI_Irecv(data, count, MPI_BYTE, m_ranks[i], m_kind, m_all, request),
                  "take a block from another rank");
        });
    }
    void send(std::span<const std::span<const std::byte>> give, int to) {
        const auto i = static_cast<std::size_t>(to);
        inPieces(give[i], [&](const std::byte* data, int count, MPI_Request* request) {
            check(MPI_Isend(data, count, MPI_BYTE, m_ranks[i], m_kind, m_all, request),
                  "give a block to another rank");
        });
    }
    void await(const std::stop_token& stop) {
        const auto count = static_cast<int>(m_requests.size());
        for (Pause pause;; pause.take()) {
            int isDone = 0;
            check(MPI_Testall(count, m_requests.data(), &isDone, MPI_STATUSES_IGNORE),
                  "exchange blocks with other ranks");
            if (isDone != 0) return;
            if (stop.stop_requested()) throw Cancelled();
        }
    }
    // The other ranks may be gone, so nothing is waited for.
    void giveUp() noexcept {
        for (MPI_Request& request : m_requests) {
            if (request == MPI_REQUEST_NULL) continue;
            MPI_Cancel(&request);
            MPI_Request_free(&request);
        }
    }

    MPI_Comm m_all;
    std::vector<int> m_ranks;  ///< of the group, by their numbers among all
    int m_kind;
    KeptMemory& m_kept;
    int m_own = 0;
    std::vector<MPI_Request> m_requests;  ///< of the exchange at hand
};

}  // namespace

std::unique_ptr<RankGroup> makeMpiGroup(MPI_Comm all, std::vector<int> ranks, int kind,
                                        KeptMemory& kept) {
    return std::make_unique<MpiGroup>(all, std::move(ranks), kind, kept);
}

}  // namespace gantry
