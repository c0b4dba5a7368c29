#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/lane_use.h"
#include "core/pipeline/progress.h"
#include "core/pipeline/timeline_store.h"
#include "core/plan/performance_model.h"
#include "ui/models/timeline/timeline_axis.h"

namespace gantry {

/// A pause between an interrupted run and the resumed one.
struct TimelinePause {
    std::int64_t atNs = 0;
    std::int64_t lengthNs = 0;

    [[nodiscard]] double seconds() const { return 1e-9 * static_cast<double>(lengthNs); }
};

/// Everything known about a job's time at one moment. Immutable once it is shown. Its clock stops
/// in pauses: the resumed run begins where the one before ended.
struct TimelineSnapshot {
    QString folder;
    int generation = 0;  ///< changes when the job's log was started again
    TimelineStore store;
    std::map<int, std::string> hosts;  ///< the machine's name of each rank; empty for one rank
    std::vector<LaneUse> uses;         ///< of the store's lanes, in their order
    TimelineSummary summary;
    std::vector<TimelinePause> pauses;
    std::optional<Forecast> forecast;
    std::vector<IterationFigures> iterations;  ///< of an iterative method
    bool isOver = false;                       ///< done, failed or cancelled
    bool isReading = false;                    ///< more of the file is still to be read
    Index unreadLines = 0;  ///< lines of the file that are damaged, or of another version
    QString problem;        ///< why nothing can be read; empty: no problem

    [[nodiscard]] TimeRange run() const { return {store.beginNs(), store.endNs()}; }
    [[nodiscard]] double pausedSeconds() const;
    /// The spans on the job's own clock, pauses included.
    [[nodiscard]] std::vector<TimelineSpan> spansWithPauses() const;
};

}  // namespace gantry
