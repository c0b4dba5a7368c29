#include "core/cluster/mpi/mpi_communicator.h"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/cluster/mpi/mpi_check.h"
#include "core/cluster/mpi/mpi_group.h"
#include "core/cluster/mpi/mpi_requests.h"

namespace gantry {

namespace {

// Texts and the messages of leave() have tags of their own.
constexpr int kText = 1;
constexpr int kParting = 2;
constexpr auto kPause = std::chrono::milliseconds(1);

int countOf(const std::string& text) {
    require(text.size() <= std::size_t{std::numeric_limits<int>::max()},
            "a text for other ranks is longer than MPI can send");
    return static_cast<int>(text.size());
}

class MpiCommunicator final : public Communicator {
  public:
    MpiCommunicator();
    ~MpiCommunicator() override;
    MpiCommunicator(const MpiCommunicator&) = delete;
    MpiCommunicator& operator=(const MpiCommunicator&) = delete;

    [[nodiscard]] int rank() const override { return m_rank; }
    [[nodiscard]] int size() const override { return m_size; }
    std::string broadcast(const std::string& text, const Waiting& waiting) override;
    std::vector<std::string> gather(const std::string& text, const Waiting& waiting) override;
    void barrier(const Waiting& waiting) override;
    void send(int to, const std::string& text) override { post(to, kText, text); }
    std::optional<RankMessage> receive() override { return take(kText); }
    [[nodiscard]] bool hasGroups() const override { return m_hasThreads; }
    std::unique_ptr<RankGroup> group(std::vector<int> ranks, int kind) override;
    std::unique_ptr<RankRequests> line() override;
    bool leave(double maxSeconds) override;
    [[noreturn]] void abort(int exitCode) override;

  private:
    // A text being sent; MPI reads its memory until it has left.
    struct Sent {
        std::string text;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    void requireThreads() const;
    void await(MPI_Request& request, const Waiting& waiting);
    void post(int to, int tag, const std::string& text);
    [[nodiscard]] std::optional<RankMessage> take(int tag);
    void forgetSent();

    int m_rank = 0;
    int m_size = 1;
    MPI_Comm m_collectives = MPI_COMM_NULL;
    MPI_Comm m_texts = MPI_COMM_NULL;
    MPI_Comm m_blocks = MPI_COMM_NULL;
    MPI_Comm m_questions = MPI_COMM_NULL;
    bool m_hasThreads = false;
    KeptMemory m_kept;  ///< of abandoned exchanges
    std::list<Sent> m_sent;
    bool m_mayEnd = false;
};

MpiCommunicator::MpiCommunicator() {
    int provided = 0;
    // One thread uses this class, and another thread each group.
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "start");
    m_hasThreads = provided == MPI_THREAD_MULTIPLE;
    check(MPI_Comm_dup(MPI_COMM_WORLD, &m_collectives), "start");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &m_texts), "start");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &m_blocks), "start");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &m_questions), "start");
    MPI_Comm_set_errhandler(m_collectives, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(m_texts, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(m_blocks, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(m_questions, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(m_collectives, &m_rank), "start");
    check(MPI_Comm_size(m_collectives, &m_size), "start");
}

MpiCommunicator::~MpiCommunicator() {
    // If a rank has not left, MPI_Finalize would wait for it.
    if (!m_mayEnd) return;
    forgetSent();
    MPI_Comm_free(&m_questions);
    MPI_Comm_free(&m_blocks);
    MPI_Comm_free(&m_texts);
    MPI_Comm_free(&m_collectives);
    MPI_Finalize();
}

void MpiCommunicator::await(MPI_Request& request, const Waiting& waiting) {
    for (;;) {
        int isDone = 0;
        check(MPI_Test(&request, &isDone, MPI_STATUS_IGNORE), "wait for the other ranks");
        if (isDone != 0) return;
        if (waiting.stop.stop_requested()) throw Cancelled();
        if (waiting.attend) waiting.attend();
        std::this_thread::sleep_for(kPause);
    }
}

std::string MpiCommunicator::broadcast(const std::string& text, const Waiting& waiting) {
    MPI_Request request = MPI_REQUEST_NULL;
    int length = isFirst() ? countOf(text) : 0;
    check(MPI_Ibcast(&length, 1, MPI_INT, 0, m_collectives, &request), "send to all ranks");
    await(request, waiting);
    std::string all = isFirst() ? text : std::string(static_cast<std::size_t>(length), '\0');
    check(MPI_Ibcast(all.data(), length, MPI_CHAR, 0, m_collectives, &request),
          "send to all ranks");
    await(request, waiting);
    return all;
}

std::vector<std::string> MpiCommunicator::gather(const std::string& text, const Waiting& waiting) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int length = countOf(text);
    std::vector<int> lengths(isFirst() ? static_cast<std::size_t>(m_size) : 0);
    check(MPI_Igather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, m_collectives, &request),
          "gather from the ranks");
    await(request, waiting);
    std::vector<int> offsets;
    std::size_t total = 0;
    for (const int one : lengths) {
        require(total <= std::size_t{std::numeric_limits<int>::max()},
                "texts of all ranks are longer than MPI can gather");
        offsets.push_back(static_cast<int>(total));
        total += static_cast<std::size_t>(one);
    }
    std::string all(total, '\0');
    check(MPI_Igatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                       MPI_CHAR, 0, m_collectives, &request),
          "gather from the ranks");
    await(request, waiting);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        texts.push_back(
            all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
    return texts;
}

void MpiCommunicator::barrier(const Waiting& waiting) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(m_collectives, &request), "wait for the other ranks");
    await(request, waiting);
}

void MpiCommunicator::forgetSent() {
    std::erase_if(m_sent, [](Sent& sent) {
        int isDone = 0;
        MPI_Test(&sent.request, &isDone, MPI_STATUS_IGNORE);
        return isDone != 0;
    });
}

void MpiCommunicator::post(int to, int tag, const std::string& text) {
    forgetSent();
    Sent& sent = m_sent.emplace_back(Sent{text, MPI_REQUEST_NULL});
    check(
        MPI_Isend(sent.text.data(), countOf(sent.text), MPI_CHAR, to, tag, m_texts, &sent.request),
        "send to another rank");
}

std::optional<RankMessage> MpiCommunicator::take(int tag) {
    int isThere = 0;
    MPI_Status status = {};
    check(MPI_Iprobe(MPI_ANY_SOURCE, tag, m_texts, &isThere, &status), "look for messages");
    if (isThere == 0) return std::nullopt;
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    RankMessage message;
    message.from = status.MPI_SOURCE;
    message.text.resize(static_cast<std::size_t>(length));
    check(MPI_Recv(message.text.data(), length, MPI_CHAR, message.from, tag, m_texts,
                   MPI_STATUS_IGNORE),
          "receive from another rank");
    return message;
}

void MpiCommunicator::requireThreads() const {
    if (!m_hasThreads)
        throw ResourceError(
            "This MPI lets one thread at a time use it, so ranks can exchange neither views nor "
            "voxels. Use as many rows as ranks, --exchange rows and --io parallel, or an MPI with "
            "MPI_THREAD_MULTIPLE.");
}

std::unique_ptr<RankRequests> MpiCommunicator::line() {
    requireThreads();
    return makeMpiRequests(m_questions, m_kept);
}

std::unique_ptr<RankGroup> MpiCommunicator::group(std::vector<int> ranks, int kind) {
    requireThreads();
    return makeMpiGroup(m_blocks, std::move(ranks), kind, m_kept);
}

bool MpiCommunicator::leave(double maxSeconds) {
    const std::int64_t begin = nowNs();
    for (int other = 0; other < m_size; ++other)
        if (other != m_rank) post(other, kParting, {});
    int missing = m_size - 1;
    while (secondsSince(begin) < maxSeconds) {
        while (take(kParting))
            --missing;
        while (take(kText)) {
        }  // discards what nobody waits for any more
        forgetSent();
        if (missing == 0 && m_sent.empty()) {
            m_mayEnd = true;
            return true;
        }
        std::this_thread::sleep_for(kPause);
    }
    return false;
}

void MpiCommunicator::abort(int exitCode) {
    MPI_Abort(MPI_COMM_WORLD, exitCode);
    std::_Exit(exitCode);
}

}  // namespace

bool isStartedByMpi() {
    // These are set by Open MPI and PRRTE, by launchers with PMIx, and by MPICH and Slurm's PMI.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
        if (std::getenv(name) != nullptr) return true;
    return false;
}

std::unique_ptr<Communicator> startMpi(const StartLimit& limit) {
    // Nothing can interrupt MPI_Init, so another thread watches the time.
    std::jthread watch;
    if (limit.giveUp)
        watch = std::jthread([&limit](const std::stop_token& hasStarted) {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable_any nothing;
            const auto wait = std::chrono::duration<double>(limit.seconds);
            nothing.wait_for(lock, hasStarted, wait, [] { return false; });
            if (!hasStarted.stop_requested()) limit.giveUp();
        });
    return std::make_unique<MpiCommunicator>();
}

const char* whyNoMpi() {
    return "";
}

std::vector<const char*> variablesForRoot() {
#ifdef OPEN_MPI
    return {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"};
#else
    return {};
#endif
}

}  // namespace gantry
