#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "core/geometry/scan_geometry.h"
#include "core/io/scan_file/scan_file.h"
#include "core/phantom/phantom_file.h"

namespace gantry {

/// A detector that gives a part of each view's signal with the views after it.
struct LagFault {
    double share = 0;  ///< of a view's signal, that comes later; 0: none
    double views = 1;  ///< after so many views 1/e of what is still to come is left
};

/// What is wrong with a simulated scan, besides noise and dead pixels. Where each is, is drawn by
/// the scan's seed and written to truth.json beside it.
struct SimulatedFaults {
    /// Each view is shifted by up to so many pixels along u and v, as where the source's spot
    /// moves.
    double viewShiftPx = 0;
    /// How far the last view's picture has drifted along u and v; fast at first, as a source does
    /// that warms up.
    std::array<double, 2> driftPx = {0, 0};
    Index stripes = 0;       ///< columns with another gain in all views than in the flat field
    double stripeShare = 0;  ///< by so much more or less than 1
    /// A detector of so many modules along u and v, nearly equal in size, whose gains in all views
    /// differ from those in the flat field by up to moduleShare of 1; {1, 1}: none.
    std::array<Index, 2> modules = {1, 1};
    double moduleShare = 0;
    /// By how much a block of an eighth of the columns is brighter from the middle view on.
    double moduleStep = 0;
    LagFault lag = {};

    // The following apply to counts only.
    /// By how much the open beam is brighter at the right edge after the scan, and darker at the
    /// left one, than before it; evenly in between. Flat frames are taken at both times.
    double flatDrift = 0;
    Index stuckPixels = 0;  ///< pixels with the same counts in all frames
    Index zingers = 0;      ///< single pixels that are brighter in single views
    double zingerCounts = 0;
};

/// A simulated scan of a phantom, in the form in which a scanner would store it.
struct SimulationSpec {
    enum class Layout {
        files,      ///< one TIFF file an image
        multiPage,  ///< one TIFF file for all views, one for all dark and all flat frames
    };

    std::string name = "simulated";
    PhantomFile phantom;
    ScanGeometry geometry;  ///< written to scan.json
    /// Distance of the true rotation axis from the declared one, along the gantry's u.
    double axisErrorMm = 0;

    ProjectionKind kind = ProjectionKind::counts;
    Layout layout = Layout::files;
    bool deflate = false;
    /// How bright the beam of the first and of the last view is, as a share of the flat field's; it
    /// changes evenly in between.
    std::array<double, 2> flux = {1, 1};
    SimulatedFaults faults;

    // The following apply to counts only.
    double flatCounts = 60000;  ///< of the open beam at its brightest
    double darkCounts = 100;
    Index fieldFrames = 5;    ///< dark frames, and flat frames
    double photons = 0;       ///< of the open beam at its brightest; 0: no noise
    double readoutNoise = 0;  ///< standard deviation, counts
    std::uint64_t seed = 1;   ///< for noise, pixel structure, dead pixels and faults
    Index deadPixels = 0;     ///< pixels without signal, listed in the scan's mask of bad pixels
};

struct SimulationContext {
    int threads = 1;
    std::stop_token stop;
    std::function<void(double fraction)> onProgress;  ///< from any thread
};

struct SimulationResult {
    std::filesystem::path scanFile;
    Index bytes = 0;                  ///< of all files
    Index clippedPixels = 0;          ///< counts beyond 16 bits, but for zingers
    std::filesystem::path truthFile;  ///< empty: nothing is wrong with the scan
};

/// Projects the phantom analytically and writes scan.json, phantom.json and the TIFF files: 16-bit
/// counts with dark and flat fields, or line integrals in 32-bit floats; and truth.json, where
/// anything is wrong with the scan. Everything is written to a
/// folder with a temporary name, which is renamed to `folder` when complete.
/// @param replace  a simulation in `folder` may be replaced
/// @throws InputError   the request is wrong, or `folder` contains something
/// @throws ResourceError  the disk has less room than the scan needs
/// @throws Cancelled; nothing is left then
/// Tests: tests/core/simulate/simulate_test.cpp
SimulationResult simulateScan(const SimulationSpec& spec, const std::filesystem::path& folder,
                              bool replace, const SimulationContext& context);

}  // namespace gantry
