#include "core/base/clock.h"

#include <sys/resource.h>
#include <algorithm>

#include <chrono>

namespace gantry {

std::int64_t nowNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double secondsSince(std::int64_t beginNs) {
    return 1e-9 * static_cast<double>(std::max<std::int64_t>(1, nowNs() - beginNs));
}

double processCpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace gantry
