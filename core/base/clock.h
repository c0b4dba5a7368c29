#pragma once

#include <cstdint>

namespace gantry {

/// Nanoseconds of a clock that never jumps; the same in every thread of the process.
[[nodiscard]] std::int64_t nowNs();
/// Seconds since then; more than 0.
[[nodiscard]] double secondsSince(std::int64_t beginNs);

/// Processor time that this process has used in all its threads, user and system, in seconds.
[[nodiscard]] double processCpuSeconds();

}  // namespace gantry
