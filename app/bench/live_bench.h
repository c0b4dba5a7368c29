#pragma once

#include "app/bench/preview_bench.h"
#include "core/live/live_place.h"

namespace gantry {

/// From a request of the desktop to its pictures in the memory that both share.
struct LiveTiming {
    double medianSeconds = 0;
    double slowestSeconds = 0;
};

/// Three live slices of a scan, as the desktop gets them of `gantry live`.
struct LiveFigures {
    double openSeconds = 0;  ///< until all views are read and held
    Index binning = 1;
    Index bytes = 0;         ///< that they take where the slices are made
    LiveTiming crosshair;    ///< other slices of the same geometry
    LiveTiming centreFirst;  ///< a moved centre of rotation: the first pictures
    LiveTiming centre;       ///< and those of a whole reconstruction
    LiveTiming filter;       ///< another filter, the latter
};

/// Serves live slices of a scan of random counts in a folder in memory.
/// @throws Cancelled, InputError, ResourceError
[[nodiscard]] LiveFigures benchLive(const PreviewProblem& problem, const LivePlace& place,
                                    const Backends& backends, const BenchContext& context);

}  // namespace gantry
