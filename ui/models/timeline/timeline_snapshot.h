#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/lane_use.h"
#include "core/pipeline/timeline_store.h"
#include "core/plan/performance_model.h"
#include "ui/models/timeline/timeline_axis.h"

namespace gantry {

/// Between an interrupted run and the resumed one.
struct TimelinePause {
    std::int64_t atNs = 0;
    std::int64_t lengthNs = 0;

    [[nodiscard]] double seconds() const { return 1e-9 * static_cast<double>(lengthNs); }
};

/// All that is known of a job's time at one moment. Immutable once it is shown. Its clock stands
/// still in the pauses: the run that was resumed begins where the one before ended.
struct TimelineSnapshot {
    QString folder;
    int generation = 0;  ///< changes when the job's log was started anew
    TimelineStore store;
    std::map<int, std::string> hosts;  ///< the machine's name of each rank; of one rank nothing
    std::vector<LaneUse> uses;         ///< of the store's lanes, in their order
    TimelineSummary summary;
    std::vector<TimelinePause> pauses;
    std::optional<Forecast> forecast;
    bool isOver = false;     ///< done, failed or cancelled
    bool isReading = false;  ///< more of the file is still to come
    Index unreadLines = 0;   ///< of the file: damaged, or of another version
    QString problem;         ///< why nothing can be read; empty: nothing is wrong

    [[nodiscard]] TimeRange run() const { return {store.beginNs(), store.endNs()}; }
    [[nodiscard]] double pausedSeconds() const;
    /// The spans on the job's own clock, pauses included.
    [[nodiscard]] std::vector<TimelineSpan> spansWithPauses() const;
};

}  // namespace gantry
