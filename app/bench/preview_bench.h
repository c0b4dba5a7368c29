#pragma once

#include "app/bench/kernel_bench.h"
#include "core/engine/plane_preview.h"

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

}  // namespace gantry
