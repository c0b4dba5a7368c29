#pragma once

#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

#include "core/job/event_log.h"

namespace gantry::test {

/// The spans of a run as the CPU engine writes them: load, prepare and filter, back-project, store,
/// each waiting for the one before and at most three batches ahead of back-projection. In the order
/// in which they end.
inline std::vector<TimelineSpan> pipelineSpans(int batches, double batchMs = 40, int rank = 0) {
    std::mt19937 random(static_cast<unsigned>(rank + 1));
    std::uniform_real_distribution<double> jitter(0.8, 1.25);
    std::vector<TimelineSpan> spans;
    std::vector<std::int64_t> done;
    std::int64_t loaded = 0;
    std::int64_t filtered = 0;
    std::int64_t projected = 0;
    const auto work = [&](const char* lane, Stage stage, Index batch, std::int64_t& at,
                          std::int64_t from, double ms, Index bytes, Index updates) {
        const std::int64_t begin = std::max(at, from);
        at = begin + static_cast<std::int64_t>(1e6 * ms * jitter(random));
        spans.push_back({rank, lane, stage, begin, at, 0, batch, bytes, updates});
    };
    for (int b = 0; b < batches; ++b) {
        const std::int64_t room = b >= 3 ? done[static_cast<std::size_t>(b - 3)] : 0;
        work("load", Stage::load, b, loaded, room, batchMs * 0.35, 33'554'432, 0);
        work("filter", Stage::prepare, b, filtered, loaded, batchMs * 0.12, 67'108'864, 0);
        work("filter", Stage::filter, b, filtered, 0, batchMs * 0.5, 67'108'864, 0);
        const bool hiccup = b == batches / 2;
        work("back-project", Stage::backproject, b, projected, filtered, batchMs * (hiccup ? 5 : 1),
             67'108'864, static_cast<Index>(2.5e8 * batchMs));
        done.push_back(projected);
    }
    std::int64_t stored = 0;
    for (int chunk = 0; chunk < 8; ++chunk) {
        work("back-project", Stage::download, chunk, projected, 0, batchMs * 0.3, 67'108'864, 0);
        work("store", Stage::store, chunk, stored, projected, batchMs, 67'108'864, 0);
    }
    std::sort(spans.begin(), spans.end(),
              [](const auto& a, const auto& b) { return a.endNs < b.endNs; });
    return spans;
}

/// Writes spans into a job's log, as its worker does.
inline void writeSpans(const std::filesystem::path& folder,
                       const std::vector<TimelineSpan>& spans) {
    EventLog log(folder / "events.jsonl");
    for (const TimelineSpan& span : spans)
        log.span(span);
}

inline void writeState(const std::filesystem::path& folder, JobState state) {
    EventLog(folder / "events.jsonl").state(state);
}

}  // namespace gantry::test
