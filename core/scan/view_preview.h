#pragma once

#include <stop_token>

#include "core/base/host_buffer.h"
#include "core/filter/filter_spec.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// An image of float pixels; [row][column], column fastest.
struct FloatImage {
    Index rows = 0;
    Index columns = 0;
    HostBuffer<float> pixels;
};

/// One view after each step of its processing, in Gantry's order (row 0 is the lowest v).
struct ViewPreview {
    Index view = 0;
    FloatImage stored;     ///< as in the file: counts, or attenuation
    FloatImage corrected;  ///< line integrals on the aligned detector
    FloatImage filtered;   ///< what is back-projected; the columns of the detector, without padding
};

/// Reads, corrects and filters one view as a reconstruction would; for a corrected() scan with all
/// corrections except those that need every view: lag and rings.
/// @throws Cancelled, InputError
/// Tests: tests/core/scan/view_preview_test.cpp
[[nodiscard]] ViewPreview previewView(const OpenScan& scan, Index view, const FilterSpec& filter,
                                      int threads, const std::stop_token& stop);

/// Reads only the stored pixels, which needs no valid geometry of the scan.
[[nodiscard]] FloatImage storedView(const ProjectionSource& source, Index view);

/// Line integrals of one row in all views: [view][column]; for a corrected() scan with all
/// corrections.
/// @throws Cancelled, InputError
[[nodiscard]] FloatImage sinogram(const OpenScan& scan, Index row, int threads,
                                  const std::stop_token& stop);

/// The sinogram filtered as the reconstruction would: [view][column], without padding.
[[nodiscard]] FloatImage filteredSinogram(const OpenScan& scan, const FloatImage& sinogram,
                                          Index row, const FilterSpec& filter, int threads,
                                          const std::stop_token& stop);

}  // namespace gantry
