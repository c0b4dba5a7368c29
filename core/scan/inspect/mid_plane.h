#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/scan/inspect/picture_facts.h"
#include "core/scan/inspect/sinogram.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// What the rows about the mid-plane show, of all views if these rows can be read alone or are few,
/// and otherwise of the views that are looked at.
struct MidPlane {
    /// [view of the source] hashOf() eight rows; none where they show nothing but even air. Empty:
    /// not all views were read.
    std::vector<std::optional<std::uint64_t>> hashes;
    Sinogram sinogram;
};

/// facts: of the views that are looked at
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/scan/picture_checks_test.cpp
[[nodiscard]] MidPlane readMidPlane(const OpenScan& scan, const std::vector<PictureFacts>& facts,
                                    int threads, const std::stop_token& stop);

}  // namespace gantry
