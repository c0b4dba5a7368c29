#pragma once

#include "core/scan/inspect/inspect_scan.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// Reads images of a source: their statistics, and which of them look wrong: constant, damaged,
/// saturated, or much darker or brighter than their neighbours.
/// saturation: larger values are clipped.
/// @throws Cancelled, ResourceError
/// Tests: tests/core/scan/inspect_test.cpp
void inspectImages(const ProjectionSource& source, std::optional<double> saturation,
                   const InspectOptions& options, SeriesInspection& series);

/// Looks at the saturated ones among these images again where they are views of the scan, without
/// its dead pixels: the gaps between a detector's modules are often stored as the largest value.
/// @throws InputError, Cancelled, ResourceError
/// Tests: tests/core/scan/inspect_test.cpp
void judgeSaturatedAgain(const OpenScan& scan, double saturation, const std::stop_token& stop,
                         std::vector<SuspectFrame>& suspects);

}  // namespace gantry
