#include "core/scan/stack/load_view_stack.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "core/base/parallel.h"
#include "core/engine/view_steps.h"
#include "core/pipeline/batch.h"
#include "core/scan/corrected_scan.h"
#include "core/scan/view_stages.h"

namespace gantry {

namespace {

// The same views, neither rectified nor padded.
OpenScan plain(const OpenScan& scan) {
    OpenScan views = scan;
    views.rectifier = Rectifier(scan.description.geometry, FilterRows::own);
    views.redundancy.padBefore = views.redundancy.padAfter = 0;
    views.geometry.detector.columns = scan.source->info().columns;
    return views;
}

std::vector<Index> chosenBy(const StackRequest& request, Index views) {
    if (!request.chosen.empty()) return request.chosen;
    const Index count = std::min(views, std::max<Index>(1, request.maxViews));
    std::vector<Index> chosen;
    chosen.reserve(count);
    for (Index i = 0; i < count; ++i)
        chosen.push_back(i * views / count);
    return chosen;
}

// The buffers into which a thread reads one view after the other.
class OneView {
  public:
    Span3<const float> read(const OpenScan& scan, Index view, IndexRange rows,
                            const std::stop_token& stop) {
        const Index columns = scan.source->info().columns;
        if (!m_preparer) {
            m_preparer.emplace(scan, 1);
            m_batch.rows = rows;
            m_batch.storedRows = scan.withRepairRows(rows);
            m_batch.stored =
                HostBuffer<std::byte>(m_batch.storedRows.size() * scan.storedRowBytes());
            m_batch.values = HostBuffer<float>(rows.size() * columns);
        }
        m_batch.views = {view, view + 1};
        loadViews(scan, m_batch, 1, stop);
        (void)m_preparer->prepare(m_batch, stop);
        return m_batch.valueBlock(0, columns);
    }

  private:
    Batch m_batch;
    std::optional<ViewPreparer> m_preparer;
};

// Bytes of a view as stored and as line integrals, and of the pixels that are averaged into its.
Index viewBytes(const OpenScan& scan, IndexRange rows) {
    const Index columns = scan.source->info().columns;
    return scan.withRepairRows(rows).size() * scan.storedRowBytes() +
           rows.size() * columns * Index{sizeof(float)} +
           (scan.beforeSelection ? scan.readingBytes() : 0);
}

// Threads that read: as many as there is room for their views.
int readersFor(const OpenScan& scan, IndexRange rows, int threads) {
    constexpr Index kMaxBytes = 256'000'000;
    const Index max = kMaxBytes / std::max<Index>(1, viewBytes(scan, rows));
    return static_cast<int>(std::clamp<Index>(max, 1, std::max(1, threads)));
}

// Bytes that a view of a corrected() scan is made from, and that making it needs.
Index correctionBytes(const OpenScan& scan, IndexRange rows) {
    if (!scan.uncorrected) return 0;
    const SourceInfo& info = scan.uncorrected->stored;
    Index read = 0;
    for (const StepRows& block : stepRows(scan, rows))
        read += block.read.size();
    return read * (scan.uncorrected->storedRowBytes() + info.columns * Index{sizeof(float)}) +
           workspaceBytes(scan.corrections.ofSingleViews(), {info.views, info.rows, info.columns});
}

Index viewsOf(const StackRequest& request, const OpenScan& scan) {
    return request.chosen.empty() ? std::min(request.maxViews, scan.source->info().views)
                                  : std::ssize(request.chosen);
}

}  // namespace

Index readingBytes(const OpenScan& scan, const StackRequest& request, int threads) {
    const Index rows = request.rows.size() / request.binning[1];
    const Index rings =
        allViewsBytes(scan.corrections, viewsOf(request, scan),
                      scan.source->info().columns / request.binning[0], request.binning[0]);
    return std::max(readersFor(scan, request.rows, threads) *
                        (viewBytes(scan, request.rows) + correctionBytes(scan, request.rows)),
                    std::min<Index>(threads, rows) * rings);
}

Index stackBytes(const OpenScan& scan, const StackRequest& request) {
    return viewsOf(request, scan) * (request.rows.size() / request.binning[1]) *
           (scan.source->info().columns / request.binning[0]) * Index{sizeof(float)};
}

ViewStack loadViewStack(const OpenScan& scan, const StackRequest& request, int threads,
                        const std::function<void(double)>& onProgress,
                        const std::stop_token& stop) {
    const SourceInfo& info = scan.source->info();
    const std::vector<Index> chosen = chosenBy(request, info.views);

    ViewStack stack;
    stack.binning = request.binning;
    stack.firstRow = request.rows.begin;
    stack.rows = request.rows.size() / request.binning[1];
    stack.columns = info.columns / request.binning[0];
    stack.pixels = HostBuffer<float>(std::ssize(chosen) * stack.rows * stack.columns);
    stack.views.reserve(chosen.size());
    for (const Index view : chosen)
        stack.views.push_back(scan.numberOf(view));

    const Span3<float> pixels = {stack.pixels.data(), std::ssize(chosen), stack.rows,
                                 stack.columns};
    visitViews(
        scan, chosen, request.rows, threads,
        [&](std::size_t i, Span3<const float> view) {
            const auto s = static_cast<Index>(i);
            binView(view, request.binning, pixels.slices({s, s + 1}));
        },
        onProgress, stop);
    correctAllViews(stack, scan.corrections, threads, stop);
    return stack;
}

void visitViews(const OpenScan& scan, std::span<const Index> chosen, IndexRange rows, int threads,
                const std::function<void(std::size_t i, Span3<const float> view)>& body,
                const std::function<void(double)>& onProgress, const std::stop_token& stop) {
    const OpenScan views = plain(scan);
    const auto count = std::ssize(chosen);
    const int readers = readersFor(scan, rows, threads);
    std::vector<OneView> slots(readers);
    std::atomic<Index> done = 0;
    parallelFor(
        readers, count, 1,
        [&](Index begin, Index end, int worker) {
            OneView& slot = slots[worker];
            for (Index s = begin; s < end; ++s) {
                const auto i = static_cast<std::size_t>(s);
                body(i, slot.read(views, chosen[i], rows, stop));
                onProgress(static_cast<double>(++done) / static_cast<double>(count));
            }
        },
        stop);
}

}  // namespace gantry
