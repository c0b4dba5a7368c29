#pragma once

/// @file
/// The centre of rotation, and the detector's roll and tilt, from the views themselves.

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <gantry/engines.h>
#include <gantry/scan.h>

namespace gantry {

/// What tells the centre.
enum class CentreMethod {
    automatic,  ///< the first of these that can tell
    rays,       ///< that are measured from both ends
    pairs,      ///< of views half a turn apart, of parallel beams
    slices      ///< that are sharpest
};

/// What is looked for, and how.
struct CentreRequest {
    CentreMethod method = CentreMethod::automatic;  ///< what tells the centre
    double rangePx = 0;                             ///< to either side; 0: a tenth of the columns
    bool rollAndTilt = false;                       ///< find these, too
    int threads = 0;                                ///< 0: as many as this machine has
    /// What is at work, and the share of the whole that is done; from any thread.
    std::function<void(const std::string& what, double fraction)> progress = {};
    std::stop_token stop = {};  ///< ends the search, with Cancelled
};

/// A number that was looked for.
struct FoundNumber {
    bool isFound = false;    ///< whether the views can tell
    double change = 0;       ///< from the geometry as declared, px or degrees
    double uncertainty = 0;  ///< standard deviation, in the same unit
    std::string reason;      ///< how it was found, or why the views cannot tell
};

/// What the views say about the centre of rotation, the roll and the tilt.
struct FoundCentre {
    FoundNumber centre;         ///< px
    FoundNumber roll;           ///< degrees
    FoundNumber tilt;           ///< degrees
    double declaredColumn = 0;  ///< on which the axis is seen with the geometry as declared
    ScanGeometry geometry;      ///< the scan's, with what was found
};

/// @throws InputError where the scan cannot be reconstructed; ResourceError, Cancelled
/// Tests: tests/install/test_install.py
[[nodiscard]] FoundCentre findCentre(const Scan& scan, const Engines& engines,
                                     const CentreRequest& request = {});

}  // namespace gantry
