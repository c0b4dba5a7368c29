#include "ui/models/timeline/timeline_snapshot.h"

namespace gantry {

double TimelineSnapshot::pausedSeconds() const {
    std::int64_t sum = 0;
    for (const TimelinePause& pause : pauses)
        sum += pause.lengthNs;
    return 1e-9 * static_cast<double>(sum);
}

std::vector<TimelineSpan> TimelineSnapshot::spansWithPauses() const {
    std::vector<TimelineSpan> spans = store.spans();
    for (TimelineSpan& span : spans) {
        std::int64_t paused = 0;
        for (const TimelinePause& pause : pauses)
            if (pause.atNs <= span.beginNs) paused += pause.lengthNs;
        span.beginNs += paused;
        span.endNs += paused;
    }
    return spans;
}

}  // namespace gantry
