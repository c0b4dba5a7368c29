#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Processors that this process may use.
[[nodiscard]] int availableThreads();
/// Their numbers, in order; empty where the system does not tell.
[[nodiscard]] std::vector<int> availableCores();

/// Work on indices [begin, end) by worker number `worker` of the call, 0 <= worker < threads.
using ParallelBody = std::function<void(Index begin, Index end, int worker)>;

/// Calls body on pieces of [0, count), each at most `grain` long, from up to `threads` threads, and
/// returns when all are done. Workers get pieces as they become free. The first exception ends the
/// loop and is rethrown here. A loop inside a loop's body runs only on that body's thread.
/// @throws Cancelled when `stop` is requested before all pieces are done
/// Tests: tests/core/base/parallel_test.cpp
void parallelFor(int threads, Index count, Index grain, const ParallelBody& body,
                 const std::stop_token& stop = {});

}  // namespace gantry
