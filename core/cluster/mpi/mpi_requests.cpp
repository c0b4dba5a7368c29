#include "core/cluster/mpi/mpi_requests.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/cluster/mpi/mpi_check.h"

namespace gantry {

namespace {

constexpr int kQuestion = 0;              // the tag of all questions; answers have one of their own
constexpr unsigned kAnswerTags = 30'000;  // MPI allows at least 32767
constexpr const char* kWhat = "speak with another rank";

// The first byte of an answer.
enum class Outcome : std::uint8_t { done, inputError, otherError };

using Bytes = RankRequests::Bytes;

class MpiRequests final : public RankRequests {
  public:
    MpiRequests(MPI_Comm all, KeptMemory& kept) : m_all(all), m_kept(kept) {}

    Bytes ask(int rank, Bytes question, const std::stop_token& stop) override {
        const int tag = 1 + static_cast<int>(m_asked++ % kAnswerTags);
        const auto first = reinterpret_cast<const std::byte*>(&tag);
        question.insert(question.end(), first, first + sizeof(tag));
        send(rank, kQuestion, std::move(question), stop);
        std::optional<Message> answer;
        for (Pause pause; !(answer = receive(rank, tag, stop)); pause.take())
            if (stop.stop_requested()) throw Cancelled();
        return contentOf(std::move(answer->bytes));
    }

    void serve(const Answer& answer, const std::stop_token& stop) override {
        for (Pause pause; !stop.stop_requested(); pause.take()) {
            std::optional<Message> question = receive(MPI_ANY_SOURCE, kQuestion, stop);
            if (!question) continue;
            pause = {};
            int tag = 0;
            const std::span<const std::byte> asked = question->bytes;
            require(asked.size() >= sizeof(tag), "a rank has asked nothing");
            std::memcpy(&tag, asked.data() + asked.size() - sizeof(tag), sizeof(tag));
            send(question->from, tag, outcomeOf(answer, asked.first(asked.size() - sizeof(tag))),
                 stop);
        }
    }

  private:
    struct Message {
        int from = 0;
        Bytes bytes;
    };

    // The content comes first, so that it need not be moved to add the outcome.
    static Bytes outcomeOf(const Answer& answer, std::span<const std::byte> question) {
        const auto failed = [](Outcome outcome, const std::exception& error) {
            const std::string text = messageOf(error);
            const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
            Bytes all(bytes.begin(), bytes.end());
            all.push_back(static_cast<std::byte>(outcome));
            return all;
        };
        try {
            Bytes bytes = answer(question);
            bytes.push_back(static_cast<std::byte>(Outcome::done));
            return bytes;
        } catch (const InputError& error) {
            return failed(Outcome::inputError, error);
        } catch (const std::exception& error) {
            return failed(Outcome::otherError, error);
        }
    }

    static Bytes contentOf(Bytes answer) {
        require(!answer.empty(), "a rank has answered nothing");
        const auto outcome = static_cast<Outcome>(answer.back());
        answer.pop_back();
        if (outcome == Outcome::done) return answer;
        const std::string text(reinterpret_cast<const char*>(answer.data()), answer.size());
        if (outcome == Outcome::inputError) throw InputError(text);
        throw ResourceError(text);
    }

    void send(int to, int tag, Bytes bytes, const std::stop_token& stop) {
        const auto held = std::make_shared<const Bytes>(std::move(bytes));
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Isend(held->data(), countOf(*held), MPI_BYTE, to, tag, m_all, &request), kWhat);
        await(request, held, stop);
    }

    // Receives a message that has arrived, if there is one.
    std::optional<Message> receive(int from, int tag, const std::stop_token& stop) {
        int isThere = 0;
        MPI_Message arrived = MPI_MESSAGE_NULL;
        MPI_Status status = {};
        check(MPI_Improbe(from, tag, m_all, &isThere, &arrived, &status), kWhat);
        if (isThere == 0) return std::nullopt;
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        const auto held = std::make_shared<Bytes>(static_cast<std::size_t>(size));
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Imrecv(held->data(), size, MPI_BYTE, &arrived, &request), kWhat);
        await(request, held, stop);
        return Message{status.MPI_SOURCE, std::move(*held)};
    }

    void await(MPI_Request& request, std::shared_ptr<const void> memory,
               const std::stop_token& stop) {
        for (Pause pause;; pause.take()) {
            int isDone = 0;
            check(MPI_Test(&request, &isDone, MPI_STATUS_IGNORE), kWhat);
            if (isDone != 0) return;
            if (!stop.stop_requested()) continue;
            // The other rank may be gone, so it does not wait.
            m_kept.keep(std::move(memory));
            MPI_Request_free(&request);
            throw Cancelled();
        }
    }

    static int countOf(const Bytes& bytes) {
        require(bytes.size() <= std::size_t{std::numeric_limits<int>::max()},
                "a message to another rank is longer than MPI can send");
        return static_cast<int>(bytes.size());
    }

    MPI_Comm m_all;
    KeptMemory& m_kept;
    std::atomic<unsigned> m_asked{0};
};

}  // namespace

std::unique_ptr<RankRequests> makeMpiRequests(MPI_Comm all, KeptMemory& kept) {
    return std::make_unique<MpiRequests>(all, kept);
}

}  // namespace gantry
