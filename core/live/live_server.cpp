#include "core/live/live_server.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/live/job_slices.h"
#include "core/live/live_messages.h"

namespace gantry {

namespace {

// Reads lines from a descriptor; a read ends when a stop is requested.
class Lines {
  public:
    explicit Lines(int descriptor) : m_descriptor(descriptor) {}

    // Nothing at the end, or when a stop is requested.
    std::optional<std::string> next(const std::stop_token& stop) {
        std::size_t end = 0;
        while ((end = m_read.find('\n')) == std::string::npos)
            if (!readMore(stop)) return std::nullopt;
        std::string line = m_read.substr(0, end);
        m_read.erase(0, end + 1);
        return line;
    }

  private:
    bool readMore(const std::stop_token& stop) {
        constexpr int kPollEveryMs = 100;
        constexpr std::size_t kMaxBytes = 64'000'000;  // of a line
        pollfd waiting = {m_descriptor, POLLIN, 0};
        while (!stop.stop_requested()) {
            const int ready = ::poll(&waiting, 1, kPollEveryMs);
            if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
            char bytes[65536];
            const ssize_t count = ready < 0 ? 0 : ::read(m_descriptor, bytes, sizeof bytes);
            if (count < 0 && errno == EINTR) continue;
            if (count > 0) m_read.append(bytes, static_cast<std::size_t>(count));
            return count > 0 && m_read.size() <= kMaxBytes;
        }
        return false;
    }

    int m_descriptor;
    std::string m_read;
};

// Keeps the newest line, read by its own thread.
class NewestLine {
  public:
    explicit NewestLine(Lines& in)
        : m_thread([this, &in](const std::stop_token& stop) {
              while (std::optional<std::string> line = in.next(stop))
                  put(std::move(line));
              put(std::nullopt);
          }) {}

    // Waits for a line that was not taken yet; nothing when the stream has ended. Requests `stop`
    // as soon as a newer one arrives.
    std::optional<std::string> take(std::stop_source& stop, const std::stop_token& outer) {
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait(lock, outer, [this] { return m_isNew; })) return std::nullopt;
        m_isNew = false;
        stop = m_stop = std::stop_source();
        return m_line;
    }

  private:
    void put(std::optional<std::string> line) {
        const std::scoped_lock lock(m_mutex);
        m_line = std::move(line);
        m_isNew = true;
        m_stop.request_stop();
        m_changed.notify_all();
    }

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::optional<std::string> m_line;
    bool m_isNew = false;
    std::stop_source m_stop;
    std::jthread m_thread;
};

// Writes lines from any thread.
class Teller {
  public:
    explicit Teller(std::ostream& out) : m_out(out) {}

    void tell(const LiveReply& reply) {
        const std::scoped_lock lock(m_mutex);
        m_out << toLine(reply) << std::endl;
    }
    // Reports the progress of loading, at most a hundred times in all.
    void tellLoading(double fraction) {
        const std::scoped_lock lock(m_mutex);
        if (fraction < m_told + 0.01 && fraction < 1) return;
        m_told = fraction;
        m_out << toLine(LiveReply(LiveLoading{fraction})) << std::endl;
    }

  private:
    std::mutex m_mutex;
    std::ostream& m_out;
    double m_told = 0;
};

class Server {
  public:
    Server(std::ostream& out, const std::filesystem::path& pictures, const Backends& backends,
           int threads)
        : m_teller(out),
          m_pictures(pictures, File::Mode::update),
          m_backends(backends),
          m_threads(threads) {}

    void open(std::string_view line, const std::stop_token& stop) {
        const LiveOpen asked = parseLiveOpen(line, kWhere);
        m_slices.emplace(
            asked.spec, asked.place, m_backends, m_threads,
            [this](double fraction) { m_teller.tellLoading(fraction); }, stop);
        const LiveSlices::Needs& needs = m_slices->needs();
        m_teller.tell(
            LiveReady{needs.binning, asked.place.device ? needs.deviceBytes : needs.hostBytes});
    }

    void make(std::string_view line, const std::stop_token& stop) {
        const LiveAsked asked = parseLiveAsked(line, kWhere);
        try {
            Index at = 0;
            m_slices->render(
                asked.spec, asked.planes,
                [&](const SliceStep& step) { at = put(asked.number, step, at); }, stop);
        } catch (const Cancelled&) {
            // A newer request has arrived.
        } catch (const ResourceError& error) {
            m_teller.tell(LiveRefused{asked.number, messageOf(error)});
        } catch (const InputError& error) {
            m_teller.tell(LiveRefused{asked.number, messageOf(error)});
        }
    }

  private:
    static constexpr const char* kWhere = "the request for live slices";

    // Writes pictures from that byte on; returns where the next ones go.
    Index put(Index number, const SliceStep& step, Index at) {
        LivePictures reply = {number, step.binning, step.isFinal, {}};
        for (const Span3<const float>& picture : step.pictures) {
            const auto bytes =
                std::as_bytes(std::span(picture.data(), static_cast<std::size_t>(picture.count())));
            m_pictures.writeAt(at, bytes);
            reply.places.push_back({picture.size(2), picture.size(1), at});
            at += std::ssize(bytes);
        }
        m_teller.tell(reply);
        return at;
    }

    Teller m_teller;
    File m_pictures;
    const Backends& m_backends;
    int m_threads;
    std::optional<JobSlices> m_slices;
};

}  // namespace

void serveLiveSlices(int in, std::ostream& out, const std::filesystem::path& pictures,
                     const Backends& backends, int threads, const std::stop_token& stop) {
    Server server(out, pictures, backends, threads);
    Lines lines(in);
    const std::optional<std::string> first = lines.next(stop);
    if (!first) return;
    server.open(*first, stop);
    NewestLine newest(lines);
    std::stop_source newer;
    while (const std::optional<std::string> line = newest.take(newer, stop))
        server.make(*line, newer.get_token());
}

}  // namespace gantry
