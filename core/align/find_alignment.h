#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "core/align/finding.h"
#include "core/engine/plane_preview.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// The evidence for the centre of rotation.
enum class CentreFinder {
    automatic,  ///< the first of the others that gives a result
    rays,       ///< rays measured from both ends: see centreFromRays()
    pairs,      ///< views half a turn apart, for parallel beams: see centreFromPairs()
    slices      ///< sharpness of slices: see centreFromSlices()
};

struct AlignmentOptions {
    CentreFinder centreFinder = CentreFinder::automatic;
    double centreRangePx = 0;  ///< to either side; 0: a tenth of the columns
    bool findRoll = true;      ///< and the tilt too
    int threads = 1;
    /// Gets the current step and the part of the whole that is done; called from any thread.
    std::function<void(const std::string& what, double fraction)> onProgress;
    std::stop_token stop;
};

/// The detector's misalignment in a scan, found from its own views.
struct Alignment {
    Finding centre;           ///< px
    Finding roll;             ///< degrees
    Finding tilt;             ///< degrees
    double centreColumn = 0;  ///< of the axis' projection in the geometry as declared
};

/// Finds the centre of rotation, and the detector's roll and tilt, from what the views of a scan
/// say about each other: rays measured from both ends, planes through two sources, the sharpness
/// of slices. Each number has its uncertainty, or the reason why the views do not tell it.
/// preview: makes slices, on any device
/// @throws InputError where the scan cannot be reconstructed; ResourceError, Cancelled
/// Tests: tests/core/align/find_alignment_test.cpp
[[nodiscard]] Alignment findAlignment(const OpenScan& scan, PlanePreview& preview,
                                      const AlignmentOptions& options);

/// The memory that findAlignment() takes, bytes.
[[nodiscard]] Index alignmentBytes(const OpenScan& scan, const AlignmentOptions& options);

/// The geometry with what was found: the centre, and a roll or tilt that is significant.
[[nodiscard]] ScanGeometry withAlignment(const ScanGeometry& geometry, const Alignment& alignment);
/// With a change of the detector.
[[nodiscard]] ScanGeometry withMisalignment(const ScanGeometry& geometry,
                                            const Misalignment& misalignment);

}  // namespace gantry
