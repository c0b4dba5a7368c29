#pragma once

#include <stop_token>

#include "core/prep/corrections.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// How rows are extended before they are filtered, from about 50 of the scan's views. The object's
/// attenuation, where it is not given, is the median of a coarse slice through the field of view,
/// which is made several times, each time with rows extended by the attenuation of the last one.
/// scan: as stored, before corrected(); its beam is measured where the corrections ask for that
/// @returns none if the object passes no edge, or if the extension is off
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/recon/cut_off_test.cpp
[[nodiscard]] RowExtension findExtension(const OpenScan& scan, const Corrections& corrections,
                                         int threads, const std::stop_token& stop);

/// The scan whose rows are extended so.
[[nodiscard]] OpenScan withExtension(const OpenScan& opened, const RowExtension& extension);

/// The scan as a run takes it that settles nothing else: its rows extended as they need be, then
/// corrected(). Arguments and errors as theirs.
[[nodiscard]] OpenScan extendedAndCorrected(const OpenScan& stored, const Corrections& corrections,
                                            int threads, const std::stop_token& stop);

}  // namespace gantry
