#pragma once

#include <array>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/scan/open_scan.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// The part of a scan that goes into a stack.
struct StackRequest {
    Index maxViews = 0;              ///< evenly chosen from all views
    std::vector<Index> chosen = {};  ///< or these views of the source, in ascending order
    IndexRange rows;  ///< of the detector; rows that fill no whole binned row are left out
    std::array<Index, 2> binning = {1, 1};
};

/// Bytes of the stack.
[[nodiscard]] Index stackBytes(const OpenScan& scan, const StackRequest& request);
/// Bytes that whole views take besides, while the stack is loaded: one view a thread (fewer threads
/// if views are large), and the memory of their corrections; those that need all views come after
/// the others.
[[nodiscard]] Index readingBytes(const OpenScan& scan, const StackRequest& request, int threads);

/// Reads views and converts them to line integrals, without rectifying or padding them; for a
/// corrected() scan with its corrections.
/// onProgress: gets the part that is done, from any thread
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] ViewStack loadViewStack(const OpenScan& scan, const StackRequest& request,
                                      int threads, const std::function<void(double)>& onProgress,
                                      const std::stop_token& stop);

/// Reads some of the source's views and passes each on as line integrals of these detector rows,
/// [1][v][u], without rectifying or padding them: `i` is its place in `chosen`. For work that needs
/// one view at a time; the pixels are valid during the call only.
/// body: called from several threads
/// onProgress: gets the part that is done, from any thread
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/align/find_alignment_test.cpp, tests/core/calibrate/calibrate_test.cpp
void visitViews(const OpenScan& scan, std::span<const Index> chosen, IndexRange rows, int threads,
                const std::function<void(std::size_t i, Span3<const float> view)>& body,
                const std::function<void(double)>& onProgress, const std::stop_token& stop);

}  // namespace gantry
