#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/backends.h"
#include "core/io/volume/read_volume.h"
#include "core/plan/request.h"
#include "core/report/compare_volumes.h"
#include "core/verify/cylinder_measures.h"
#include "core/verify/likely_cause.h"
#include "core/verify/sphere_measures.h"
#include "core/verify/test_piece.h"

namespace gantry {

/// The scan and settings that are verified.
struct VerifyRequest {
    ScanGeometry geometry;  ///< of the simulated views
    /// The geometry to reconstruct with, if it deliberately differs.
    std::optional<ScanGeometry> reconstructAs;
    std::vector<std::string> wrongOnPurpose;  ///< how it differs, a sentence each
    std::vector<Index> skipViews;
    ReconstructionRequest reconstruction;
    double blurPx = 0;  ///< of focal spot and detector: see PhantomSource

    [[nodiscard]] const ScanGeometry& declared() const {
        return reconstructAs ? *reconstructAs : geometry;
    }
};

struct VerifyContext {
    const Backends& backends;
    std::stop_token stop;
    std::function<void(double fraction)> onProgress;  ///< any thread
};

/// The measures of a piece in a volume: all that apply to its kind.
struct PieceMeasures {
    std::optional<CylinderMeasures> cylinder;
    std::vector<MtfPoint> expectedMtf;  ///< of the cylinder, if the system is known
    std::optional<SphereMeasures> spheres;
    std::optional<LikelyCause> cause;  ///< from the spheres, if the geometry is known
    double columnMm = 0;               ///< width of a detector column at the axis, if known
};

/// A piece that was simulated, reconstructed and compared with the truth.
struct VerifiedPiece {
    TestPiece piece;
    Volume truth;  ///< voxels of the reconstruction's grid, each the mean of 27 points
    Volume result;
    VolumeComparison comparison;
    PieceMeasures measures;
    std::string engine;
    double seconds = 0;  ///< of the reconstruction, including simulating views
};

/// Simulates the views of a piece when they are needed, reconstructs them as in a job, and measures
/// the volume.
/// @throws InputError, ResourceError as openScan(), learnAndPlan() and reconstruct(); Cancelled
/// Tests: tests/core/verify/verify_run_test.cpp
[[nodiscard]] VerifiedPiece verifyPiece(const TestPiece& piece, const VerifyRequest& request,
                                        const VerifyContext& context);

/// Measures the volume of a real test piece. spheres: their true positions; none: it is a cylinder
/// geometry: what it was reconstructed with, if known: then causes are searched
/// @throws InputError as measureCylinder(), findSpheres() and measureSpheres()
[[nodiscard]] PieceMeasures measureVolume(const Volume& volume,
                                          const std::vector<KnownSphere>& spheres,
                                          const ScanGeometry* geometry, int threads);

/// The MTF in a slice that is expected for this geometry and filter: linear interpolation between
/// columns of width τ at the axis, the filter's window and a Gaussian blur of the views:
/// sinc²(f·τ) · window(2·f·τ / cut-off) · exp(−2·(π·σ·τ·f)²). Views of a detector that is not
/// upright are resampled, and sinc² counts twice: it is then a lower bound.
[[nodiscard]] double expectedMtf(const ScanGeometry& geometry, const FilterSpec& filter,
                                 double blurPx, double perMm);

/// The expected variance of a sphere's edge about its equator, as measureSpheres() defines it: from
/// the MTF above, and from the trilinear interpolation between voxels, which adds a sixth of a
/// voxel's square.
[[nodiscard]] double expectedEdgeVarianceMm2(const ScanGeometry& geometry, const FilterSpec& filter,
                                             double blurPx, double voxelMm);

/// All measures of a piece, including whole curves, for programs.
[[nodiscard]] nlohmann::ordered_json toJson(const PieceMeasures& measures);

}  // namespace gantry
