#pragma once

#include <stop_token>

#include "core/prep/corrections.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// The scan with these corrections, as it is planned, run and shown; the scan itself if there are
/// none. Its pixels are selected() first, unless they were already. Where modules are to be
/// levelled they become levelled(). Where the beam is to be measured that is done here, unless it
/// was before for the same files (OpenScan::airBeams), and becomes the views' offsets; by all
/// threads that there are for `threads` 0. If other corrections change pixels, these are line
/// integrals in float without bad pixels; its source has made those of single views. HeldViews of a
/// run, sinogram() and loadViewStack() make those that need all views.
/// @throws InputError where the corrections are not possible for its trajectory or its views;
///         Cancelled, and what reading views throws, where modules or the beam are to be measured
/// Tests: tests/core/scan/held_views_test.cpp, tests/core/scan/air_beam_test.cpp
[[nodiscard]] OpenScan corrected(OpenScan scan, const Corrections& corrections, int threads = 0,
                                 const std::stop_token& stop = {});

}  // namespace gantry
