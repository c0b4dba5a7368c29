#pragma once

#include <functional>
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
    ScanGeometry geometry;  ///< of the views, which are simulated
    /// What they are reconstructed with, where that is deliberately another one.
    std::optional<ScanGeometry> reconstructAs;
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

/// What a volume shows of a piece: all that its kind can be measured by.
struct PieceMeasures {
    std::optional<CylinderMeasures> cylinder;
    std::vector<MtfPoint> expectedMtf;  ///< of the cylinder's, where the system is known
    std::optional<SphereMeasures> spheres;
    std::optional<LikelyCause> cause;  ///< from the spheres, where the geometry is known
    double columnMm = 0;               ///< of the detector, at the axis, where that is known
};

/// A piece simulated, reconstructed and compared with itself.
struct VerifiedPiece {
    TestPiece piece;
    Volume truth;  ///< voxels of the reconstruction's grid, each the mean of 27 points
    Volume result;
    VolumeComparison comparison;
    PieceMeasures measures;
    std::string engine;
    double seconds = 0;  ///< of the reconstruction, simulated views included
};

/// Simulates the views of a piece, one when it is needed, reconstructs them as a job would, and
/// measures the volume.
/// @throws InputError, ResourceError as openScan(), learnAndPlan() and reconstruct(); Cancelled
/// Tests: tests/core/verify/verify_run_test.cpp
[[nodiscard]] VerifiedPiece verifyPiece(const TestPiece& piece, const VerifyRequest& request,
                                        const VerifyContext& context);

/// A volume of a real test piece. spheres: their true places; none: it is a cylinder
/// geometry: what it was reconstructed with, where that is known: then causes are looked for
/// @throws InputError as measureCylinder(), findSpheres() and measureSpheres()
[[nodiscard]] PieceMeasures measureVolume(const Volume& volume,
                                          const std::vector<KnownSphere>& spheres,
                                          const ScanGeometry* geometry, int threads);

/// The MTF in a slice that this geometry and filter should have: linear interpolation between
/// columns of width τ at the axis, the filter's window and a Gaussian blur of the views:
/// sinc²(f·τ) · window(2·f·τ / cut-off) · exp(−2·(π·σ·τ·f)²). Views of a
/// detector that is not upright are resampled for it, and sinc² counts twice: it is the least then.
[[nodiscard]] double expectedMtf(const ScanGeometry& geometry, const FilterSpec& filter,
                                 double blurPx, double perMm);

/// The variance of a sphere's edge about its equator in such a system, as measureSpheres() finds
/// it: of the MTF above, and of the trilinear interpolation between voxels, which widens by a sixth
/// of a voxel's square.
[[nodiscard]] double expectedEdgeVarianceMm2(const ScanGeometry& geometry, const FilterSpec& filter,
                                             double blurPx, double voxelMm);

}  // namespace gantry
