#pragma once

#include "core/scan/inspect/inspect_scan.h"

namespace gantry {

/// Reads images of a source: their statistics, and which of them look wrong: constant, damaged,
/// saturated, or much darker or brighter than their neighbours.
/// saturation: larger values are clipped.
/// @throws Cancelled, ResourceError
/// Tests: tests/core/scan/inspect_test.cpp
void inspectImages(const ProjectionSource& source, std::optional<double> saturation,
                   const InspectOptions& options, SeriesInspection& series);

}  // namespace gantry
