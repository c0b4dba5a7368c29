#pragma once

#include <array>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/scan/open_scan.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// What of a scan goes into a stack.
struct StackRequest {
    Index mostViews = 0;             ///< evenly chosen from those there are
    std::vector<Index> chosen = {};  ///< or these of the source's, upwards
    IndexRange rows;  ///< of the detector; the rest that is no whole binned row is left out
    std::array<Index, 2> binning = {1, 1};
};

/// Bytes of the stack.
[[nodiscard]] Index stackBytes(const OpenScan& scan, const StackRequest& request);
/// Bytes that whole views take beside it while it is loaded: one view a thread, and of large views
/// fewer at once, down to one; and what their corrections need, rings after the others.
[[nodiscard]] Index readingBytes(const OpenScan& scan, const StackRequest& request, int threads);

/// Reads views and turns them into line integrals, without rectifying or padding them; of a
/// corrected() scan with its corrections.
/// onProgress: the share that is done, from any thread
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] ViewStack loadViewStack(const OpenScan& scan, const StackRequest& request,
                                      int threads, const std::function<void(double)>& onProgress,
                                      const std::stop_token& stop);

/// Reads some of the source's views and hands each on as line integrals of these detector rows,
/// [1][v][u], without rectifying or padding them: `i` is its place in `chosen`. For work that needs
/// one view at a time, whose pixels hold for the call alone.
/// body: called from several threads
/// onProgress: the share that is done, from any thread
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/align/find_alignment_test.cpp, tests/core/calibrate/calibrate_test.cpp
void visitViews(const OpenScan& scan, std::span<const Index> chosen, IndexRange rows, int threads,
                const std::function<void(std::size_t i, Span3<const float> view)>& body,
                const std::function<void(double)>& onProgress, const std::stop_token& stop);

}  // namespace gantry
