#include "app/bench/preview_bench.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <cstdint>
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
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/cpu/cpu_backend.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/io/scan_file/scan_file.h"
#include "core/live/live_messages.h"
#include "core/live/live_server.h"

namespace gantry {

namespace {

constexpr int kWarmUps = 3;
constexpr int kMinRenderings = 5;
constexpr auto kQuick = PlanePreview::Precision::quick;
constexpr int kMaxRenderings = 200;
// Size of the planes on which the error is measured: the CPU takes long for them.
constexpr Index kErrorPixels = 96;

// Random pixels in [0, 1) that depend only on their index, so that all threads can make them.
HostBuffer<float> randomPixels(Index count, const std::stop_token& stop) {
    HostBuffer<float> pixels(count);
    const auto fill = [&](Index first, Index end, int) {
        for (Index i = first; i < end; ++i) {
            auto bits = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U;
            bits = (bits ^ (bits >> 32)) * 0xD6E8FEB86659FD93U;
            pixels[i] = static_cast<float>(bits >> 40) * 0x1p-24F;
        }
    };
    parallelFor(availableThreads(), count, Index{1} << 20, fill, stop);
    return pixels;
}

// ‖found − wanted‖/‖wanted‖ over all pictures.
double relativeRmse(const std::vector<Span3<const float>>& found,
                    const std::vector<Span3<const float>>& wanted) {
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (Index p = 0; p < wanted[i].count(); ++p) {
            const auto truth = static_cast<double>(wanted[i].data()[p]);
            difference += std::pow(static_cast<double>(found[i].data()[p]) - truth, 2);
            size += truth * truth;
        }
    return std::sqrt(difference / size);
}

constexpr int kFirstTries = 3;
constexpr int kTimes = 15;  // number of times that each change is made

// Splits the server's output into messages, for which another thread waits.
class ReplyLines : public std::streambuf {
  public:
    // Nothing when the server has ended.
    std::optional<LiveReply> next() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_text.find('\n') != std::string::npos || m_ended; });
        const std::size_t end = m_text.find('\n');
        if (end == std::string::npos) return std::nullopt;
        const std::string line = m_text.substr(0, end);
        m_text.erase(0, end + 1);
        return parseLiveReply(line, "the server of live slices");
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
                std::ostream out(&m_replies);
                serveLiveSlices(m_pipe[0], out, pictures, backends, availableThreads(), stop);
            } catch (...) {
                m_failure = std::current_exception();
            }
            m_replies.end();
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
    template <class Reply>
    Reply await(const std::stop_token& stop) {
        while (std::optional<LiveReply> reply = m_replies.next()) {
            if (stop.stop_requested()) throw Cancelled();
            if (const auto* refused = std::get_if<LiveRefused>(&*reply))
                throw InputError(refused->sentence);
            if (auto* wanted = std::get_if<Reply>(&*reply)) return std::move(*wanted);
        }
        if (m_failure) std::rethrow_exception(m_failure);
        throw InternalError("live slices ended by themselves");
    }

  private:
    ReplyLines m_replies;
    std::array<int, 2> m_pipe = {-1, -1};
    std::exception_ptr m_failure;
    std::jthread m_thread;
};

LiveTiming timingOf(std::vector<double> seconds) {
    seconds.erase(seconds.begin(), seconds.begin() + kFirstTries);
    std::ranges::sort(seconds);
    return {seconds[seconds.size() / 2], seconds.back()};
}

}  // namespace

std::string PreviewProblem::title() const {
    return fmt::format("{}² × {} → 3 planes of {}²", nU, nP, pixels);
}

double PreviewProblem::updates() const {
    return 3 * static_cast<double>(pixels) * static_cast<double>(pixels) * static_cast<double>(nP);
}

double PreviewFigures::gups() const {
    return problem.updates() / medianSeconds / (1 << 30);
}

PreviewFigures benchPreview(PlanePreview& projector, const PreviewProblem& problem,
                            const BenchContext& context) {
    const BenchProblem scan = {problem.nU, problem.nP, problem.pixels};
    ScanGeometry geometry = scan.geometry();
    const VolumeGrid grid = scan.grid();
    const Vec3 through = {0.11 * grid.pitchMm[0], 10.7 * grid.pitchMm[1], -20.3 * grid.pitchMm[2]};
    const HostBuffer<float> pixels =
        randomPixels(problem.nP * problem.nU * problem.nU, context.stop);
    const Span3<const float> views = {pixels.data(), problem.nP, problem.nU, problem.nU};

    PreviewFigures figures;
    figures.problem = problem;
    std::int64_t begin = nowNs();
    projector.setViews(views, context.stop);
    figures.uploadSeconds = secondsSince(begin);

    const auto planes = orthogonalPlanes(grid, through, problem.pixels);
    std::vector<double> seconds;
    double measured = 0;
    for (int i = 0; i < kMaxRenderings; ++i) {
        if (i >= kWarmUps + kMinRenderings && measured > context.secondsEach) break;
        begin = nowNs();
        geometry.detector.offsetMm[0] = 0.1 * i * geometry.detector.pitchMm[0];
        projector.setGeometry(projectionMatrices(geometry));
        (void)projector.render(planes, kQuick, context.stop);
        measured += secondsSince(begin);
        if (i >= kWarmUps) seconds.push_back(secondsSince(begin));
        if (context.onProgress) context.onProgress(std::min(1.0, measured / context.secondsEach));
    }
    std::ranges::sort(seconds);
    figures.renderings = static_cast<int>(seconds.size());
    figures.medianSeconds = seconds[seconds.size() / 2];
    figures.slowestSeconds = seconds.back();

    const auto coarse = orthogonalPlanes(grid, through, std::min(problem.pixels, kErrorPixels));
    const auto exact = makeReferencePlanePreview(availableThreads());
    exact->setViews(views, context.stop);
    exact->setGeometry(projectionMatrices(geometry));
    figures.error =
        relativeRmse(projector.render(coarse, kQuick, context.stop),
                     exact->render(coarse, PlanePreview::Precision::exact, context.stop));
    return figures;
}

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
