#include "core/work/rank_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/work/volume_store.h"

namespace gantry {

namespace {

using Bytes = RankRequests::Bytes;

enum class Asked : Index { rows, slices, flush };

// The header of a question. rows: detector rows [begin, end) of a view; slices: [begin, end)
// follow.
struct RankQuestion {
    Asked what = Asked::flush;
    Index view = 0;
    IndexRange range;
};

// Slices go in pieces of about that many bytes, so that neither side holds much.
constexpr Index kPieceBytes = 2'000'000;
constexpr int kThreads = 2;  // threads that answer the others

Bytes bytesOf(const RankQuestion& question, std::span<const std::byte> content = {}) {
    Bytes bytes(sizeof(question) + content.size());
    std::memcpy(bytes.data(), &question, sizeof(question));
    std::copy(content.begin(), content.end(), bytes.begin() + sizeof(question));
    return bytes;
}

Index sliceBytesOf(const VolumeGrid& grid) {
    return grid.voxels[0] * grid.voxels[1] * Index{sizeof(float)};
}

class RemoteSource final : public ProjectionSource {
  public:
    RemoteSource(std::shared_ptr<const ProjectionSource> own, const RankStorage& storage,
                 std::stop_token stop)
        : m_own(std::move(own)), m_storage(storage), m_stop(std::move(stop)) {}

    [[nodiscard]] const SourceInfo& info() const override { return m_own->info(); }
    [[nodiscard]] std::string viewName(Index view) const override { return m_own->viewName(view); }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        const Bytes read = m_storage.line->ask(0, bytesOf({Asked::rows, view, rows}), m_stop);
        require(read.size() == pixels.size(), "a rank has read another number of pixels");
        std::copy(read.begin(), read.end(), pixels.begin());
    }

  private:
    std::shared_ptr<const ProjectionSource> m_own;  // the same files, opened here for their headers
    const RankStorage m_storage;
    const std::stop_token m_stop;
};

class RemoteSink final : public VolumeSink {
  public:
    RemoteSink(const RankStorage& storage, std::stop_token stop)
        : m_storage(storage), m_stop(std::move(stop)) {}

    void flush() override { ask({Asked::flush, 0, {}}, {}); }
    void discard() noexcept override {}  // the writing rank does it

  private:
    void ask(const RankQuestion& question, std::span<const std::byte> content) {
        (void)m_storage.line->ask(m_storage.writer(), bytesOf(question, content), m_stop);
    }
    void put(Index zBegin, Span3<const float> voxels, int) override {
        const Index sliceBytes = voxels.size(1) * voxels.size(2) * Index{sizeof(float)};
        const Index piece = std::max<Index>(1, kPieceBytes / sliceBytes);
        for (Index z = 0; z < voxels.size(0); z += piece) {
            const Index end = std::min(z + piece, voxels.size(0));
            ask({Asked::slices, 0, {zBegin + z, zBegin + end}},
                std::as_bytes(std::span(
                    voxels.row(z, 0),
                    static_cast<std::size_t>((end - z) * voxels.size(1) * voxels.size(2)))));
        }
    }
    void complete(int, const std::stop_token&) override {}  // the writing rank does it

    const RankStorage m_storage;
    const std::stop_token m_stop;
};

// Answers questions on a rank that serves others.
class Server {
  public:
    Server(const OpenScan& scan, VolumeSink* sink, const VolumeGrid& grid, int threads)
        : m_scan(scan), m_sink(sink), m_grid(grid), m_threads(threads) {}

    [[nodiscard]] Bytes answer(std::span<const std::byte> bytes) const {
        RankQuestion question;
        require(bytes.size() >= sizeof(question), "a rank has asked half a question");
        std::memcpy(&question, bytes.data(), sizeof(question));
        if (question.what == Asked::rows) return read(question);
        if (!m_sink) return {};  // the volume already has its final name
        if (question.what == Asked::slices) write(question, bytes.subspan(sizeof(question)));
        if (question.what == Asked::flush) m_sink->flush();
        return {};
    }

  private:
    [[nodiscard]] Bytes read(const RankQuestion& question) const {
        Bytes pixels(static_cast<std::size_t>(question.range.size() * m_scan.storedRowBytes()));
        m_scan.source->readRows(question.view, question.range, pixels);
        return pixels;
    }
    void write(const RankQuestion& question, std::span<const std::byte> content) const {
        const Index slices = question.range.size();
        require(std::ssize(content) == slices * sliceBytesOf(m_grid),
                "a rank has sent another number of voxels");
        HostBuffer<float> voxels(slices * m_grid.voxels[0] * m_grid.voxels[1]);
        std::memcpy(voxels.data(), content.data(), content.size());
        m_sink->write(question.range.begin,
                      {voxels.data(), slices, m_grid.voxels[1], m_grid.voxels[0]}, m_threads);
    }

    const OpenScan& m_scan;
    VolumeSink* m_sink;
    const VolumeGrid& m_grid;
    int m_threads;
};

}  // namespace

SinkNeeds RankStorage::needs(const OpenScan& scan, const JobSpec& spec) const {
    SinkNeeds needs = sinkNeedsOf(spec);
    if (!line) return needs;
    if (!writes()) {
        needs.folder.clear();
        needs.threadBytes = 0;
    }
    needs.threadBytes *= 2;  // slices of others are written at the same time as its own
    const VolumeGrid& grid = spec.volume;
    // A question and its answer; the asking ranks hold no more, one for each thread that reads or
    // writes.
    const Index view = scan.stored.rows * scan.storedRowBytes();
    const Index slices =
        std::min(std::max(kPieceBytes, sliceBytesOf(grid)), grid.voxels[2] * sliceBytesOf(grid));
    needs.hostBytes += kThreads * 2 * (view + slices);
    return needs;
}

std::string describe(const RankStorage& storage) {
    if (storage.writer() == 0) return "Rank 0 reads and writes for all.";
    return fmt::format("Rank 0 reads for all, and rank {} writes.", storage.writer());
}

OpenScan readThrough(OpenScan scan, const RankStorage& storage, std::stop_token stop) {
    if (!storage.reads())
        scan.source = std::make_shared<RemoteSource>(scan.source, storage, std::move(stop));
    return scan;
}

std::unique_ptr<VolumeSink> writeThrough(const RankStorage& storage, std::stop_token stop) {
    return std::make_unique<RemoteSink>(storage, std::move(stop));
}

void spawnStorage(Runner& runner, const RankStorage& storage, const OpenScan& scan,
                  VolumeSink* sink, const VolumeGrid& grid, int threads,
                  const std::stop_token& stop) {
    if (!storage.line || !(storage.reads() || storage.writes())) return;
    const Server server(scan, sink, grid, std::max(1, threads / kThreads));
    for (int i = 0; i < kThreads; ++i)
        runner.spawn("", [&storage, server, stop](Lane& lane) {
            // Ends when the run ends or fails.
            std::stop_source either;
            const auto end = [&either] { either.request_stop(); };
            const std::stop_callback atEnd(stop, end);
            const std::stop_callback atFailure(lane.stop(), end);
            try {
                storage.line->serve(
                    [&](std::span<const std::byte> question) { return server.answer(question); },
                    either.get_token());
            } catch (const Cancelled&) {
                if (!stop.stop_requested()) throw;
            }
        });
}

}  // namespace gantry
