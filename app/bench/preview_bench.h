#pragma once

#include "app/bench/kernel_bench.h"
#include "core/engine/plane_preview.h"
#include "core/live/live_place.h"

namespace gantry {

/// A live preview to measure: three orthogonal planes of pixels² from nP views of nU² pixels.
struct PreviewProblem {
    Index nU = 1024;
    Index nP = 720;
    Index pixels = 1024;

    [[nodiscard]] std::string title() const;  ///< "1024² × 720 → 3 planes of 1024²"
    [[nodiscard]] double updates() const;     ///< of one rendering
};

/// The times that a user waits.
struct PreviewFigures {
    PreviewProblem problem;
    double uploadSeconds = 0;  ///< setViews, once a scan
    int renderings = 0;
    /// Time from a changed geometry to the planes in host memory: projection matrices of all views,
    /// setGeometry and render.
    double medianSeconds = 0;
    double slowestSeconds = 0;  ///< after the first few
    double error = 0;  ///< relative RMSE against double precision on the CPU, uniform [0,1) views

    [[nodiscard]] double gups() const;
};

/// Renders repeatedly while the centre of rotation moves, as in a drag.
/// @throws Cancelled, ResourceError
[[nodiscard]] PreviewFigures benchPreview(PlanePreview& projector, const PreviewProblem& problem,
                                          const BenchContext& context);

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
