#include "app/bench/live_bench.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "app/bench/bench_folder.h"
#include "app/bench/bench_scan.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/io/scan_file/scan_file.h"
#include "core/live/live_messages.h"
#include "core/live/live_server.h"

namespace gantry {

namespace {

constexpr int kFirstTries = 3;
constexpr int kTimes = 15;  // number of times that each change is made

// Splits the server's output into messages, for which another thread waits.
class ToldLines : public std::streambuf {
  public:
    // Nothing when the server has ended.
    std::optional<LiveTold> next() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_text.find('\n') != std::string::npos || m_ended; });
        const std::size_t end = m_text.find('\n');
        if (end == std::string::npos) return std::nullopt;
        const std::string line = m_text.substr(0, end);
        m_text.erase(0, end + 1);
        return parseLiveTold(line, "the server of live slices");
    }
    void end() {
        const std::scoped_lock lock(m_mutex);
        m_ended = true;
        m_changed.notify_all();
    }

  protected:
    int overflow(int c) override {
        const char one = static_cast<char>(c);
        return xsputn(&one, 1) == 1 ? c : traits_type::eof();
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        const std::scoped_lock lock(m_mutex);
        m_text.append(text, static_cast<std::size_t>(count));
        m_changed.notify_all();
        return count;
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::string m_text;
    bool m_ended = false;
};

// A server in a thread, used as the desktop uses its process.
class Server {
  public:
    Server(const std::filesystem::path& pictures, const Backends& backends) {
        File(pictures, File::Mode::create).close();
        if (::pipe(m_pipe.data()) != 0) throw ResourceError("No pipe can be opened.");
        m_thread = std::jthread([this, pictures, &backends](const std::stop_token& stop) {
            try {
                std::ostream out(&m_told);
                serveLiveSlices(m_pipe[0], out, pictures, backends, availableThreads(), stop);
            } catch (...) {
                m_failure = std::current_exception();
            }
            m_told.end();
        });
    }
    ~Server() {
        ::close(m_pipe[1]);
        m_thread.join();
        ::close(m_pipe[0]);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    void send(const std::string& line) {
        const std::string all = line + "\n";
        for (std::size_t sent = 0; sent < all.size();) {
            const ssize_t count = ::write(m_pipe[1], all.data() + sent, all.size() - sent);
            if (count < 0 && errno != EINTR) throw ResourceError("The pipe is broken.");
            if (count > 0) sent += static_cast<std::size_t>(count);
        }
    }
    // The next message of that kind.
    template <class Told>
    Told await(const std::stop_token& stop) {
        while (std::optional<LiveTold> told = m_told.next()) {
            if (stop.stop_requested()) throw Cancelled();
            if (const auto* refused = std::get_if<LiveRefused>(&*told))
                throw InputError(refused->sentence);
            if (auto* wanted = std::get_if<Told>(&*told)) return std::move(*wanted);
        }
        if (m_failure) std::rethrow_exception(m_failure);
        throw InternalError("live slices ended by themselves");
    }

  private:
    ToldLines m_told;
    std::array<int, 2> m_pipe = {-1, -1};
    std::exception_ptr m_failure;
    std::jthread m_thread;
};

LiveTiming timingOf(std::vector<double> seconds) {
    seconds.erase(seconds.begin(), seconds.begin() + kFirstTries);
    std::sort(seconds.begin(), seconds.end());
    return {seconds[seconds.size() / 2], seconds.back()};
}

}  // namespace

LiveFigures benchLive(const PreviewProblem& problem, const LivePlace& place,
                      const Backends& backends, const BenchContext& context) {
    const BenchProblem size = {problem.nU, problem.nP, problem.pixels};
    const BenchFolder folder(memoryFolder());
    JobSpec spec;
    spec.scan = readScanFile(writeBenchScan(
        {"live", problem.title(), size.geometry(), size.grid(), {}}, folder.path(), context.stop));
    spec.volume = size.grid();

    LiveFigures figures;
    Server server(folder.path() / "pictures", backends);
    std::int64_t begin = nowNs();
    server.send(toLine(LiveOpen{spec, place}));
    const auto ready = server.await<LiveReady>(context.stop);
    figures.openSeconds = secondsSince(begin);
    figures.binning = ready.binning;
    figures.bytes = ready.bytes;

    LiveAsked asked = {0, spec, {}};
    Vec3 through;
    // Measures from each request to its first pictures, and to its last ones.
    const auto measure = [&](auto change) {
        std::array<std::vector<double>, 2> seconds;
        for (int i = 0; i < kFirstTries + kTimes; ++i) {
            ++asked.number;
            change(i);
            const auto planes = orthogonalPlanes(spec.volume, through, problem.pixels);
            asked.planes.assign(planes.begin(), planes.end());
            begin = nowNs();
            server.send(toLine(asked));
            auto shown = server.await<LivePictures>(context.stop);
            seconds[0].push_back(secondsSince(begin));
            while (!shown.isFinal)
                shown = server.await<LivePictures>(context.stop);
            seconds[1].push_back(secondsSince(begin));
        }
        return std::array{timingOf(std::move(seconds[0])), timingOf(std::move(seconds[1]))};
    };
    Detector& detector = asked.spec.scan.geometry.detector;
    figures.crosshair = measure([&](int i) { through.z = 0.7 * i; })[1];
    const auto centre = measure([&](int i) { detector.offsetMm[0] = 0.05 * i; });
    figures.centreFirst = centre[0];
    figures.centre = centre[1];
    figures.filter = measure([&](int i) { asked.spec.filter.cutoff = 1 - 0.01 * (i + 1); })[1];
    return figures;
}

}  // namespace gantry
