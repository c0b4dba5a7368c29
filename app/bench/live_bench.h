#pragma once

#include "app/bench/preview_bench.h"
#include "core/live/live_place.h"

namespace gantry {

/// Time from a request of the desktop to its pictures in shared memory.
struct LiveTiming {
    double medianSeconds = 0;
    double slowestSeconds = 0;
};

/// Three live slices of a scan, as the desktop gets them from `gantry live`.
struct LiveFigures {
    double openSeconds = 0;  ///< until all views have been read
    Index binning = 1;
    Index bytes = 0;         ///< that they take where the slices are made
    LiveTiming crosshair;    ///< other slices of the same geometry
    LiveTiming centreFirst;  ///< a moved centre of rotation: the first pictures
    LiveTiming centre;       ///< the same until those of a whole reconstruction
    LiveTiming filter;       ///< another filter, until those of a whole reconstruction
};

/// Serves live slices of a scan of random counts in a folder in memory.
/// @throws Cancelled, InputError, ResourceError
[[nodiscard]] LiveFigures benchLive(const PreviewProblem& problem, const LivePlace& place,
                                    const Backends& backends, const BenchContext& context);

}  // namespace gantry
