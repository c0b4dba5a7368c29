#pragma once

#include <array>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/scan/open_scan.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// What of a scan goes into a stack.
struct StackRequest {
    Index mostViews = 0;  ///< evenly chosen from those there are
    IndexRange rows;      ///< of the detector; the rest that is no whole binned row is left out
    std::array<Index, 2> binning = {1, 1};
};

/// Bytes of the stack.
[[nodiscard]] Index stackBytes(const OpenScan& scan, const StackRequest& request);

/// Reads views and turns them into line integrals, without rectifying or padding them.
/// onProgress: the share that is done, from any thread
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] ViewStack loadViewStack(const OpenScan& scan, const StackRequest& request,
                                      int threads, const std::function<void(double)>& onProgress,
                                      const std::stop_token& stop);

}  // namespace gantry
