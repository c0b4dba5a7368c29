#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/filter/redundancy.h"
#include "core/io/projection_source.h"
#include "core/io/scan_file.h"
#include "core/prep/calibration.h"
#include "core/prep/rectify.h"

namespace gantry {

/// A scan whose files have been found, opened and checked against its geometry. Copies share the
/// open files and the fields.
struct OpenScan {
    ScanFile description;
    std::shared_ptr<const ProjectionSource> source;
    std::shared_ptr<const DetectorCalibration> calibration;
    Rectifier rectifier;
    RedundancyPlan redundancy;
    /// Of the projections, dark and flat fields and the mask, in this order.
    std::vector<std::filesystem::path> files;
    /// What filter and back-projection see: rectified, and an offset detector padded to reach as
    /// far on either side of the axis.
    ScanGeometry geometry;
};

/// Opens projections, dark and flat fields and the bad-pixel mask; averages the fields.
/// @throws InputError naming the file or field: invalid geometry, files that are missing, differ in
///         size, or are not as many as the views of the geometry
/// Tests: tests/core/recon/reconstruct_test.cpp, tests/core/recon/tooth_test.cpp
/// @throws Cancelled
[[nodiscard]] OpenScan openScan(const ScanFile& description, const std::stop_token& stop = {});

/// The scan with another geometry on the same files, which are not read again.
/// @throws InputError as openScan() would: invalid geometry, or one of another detector size or
///         number of views than the files have
/// Tests: tests/core/recon/open_scan_test.cpp
[[nodiscard]] OpenScan withGeometry(const OpenScan& opened, const ScanGeometry& geometry);

/// Counts from which on a pixel of that type is clipped, unless the scan says otherwise: the
/// largest that 8 or 16 bits hold. None for wider types.
[[nodiscard]] std::optional<double> defaultSaturation(PixelType type);

/// One whole view as float. view: [v][u]
/// @throws InputError
void readView(const ProjectionSource& source, Index view, std::span<float> pixels);

}  // namespace gantry
