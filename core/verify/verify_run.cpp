#include "core/verify/verify_run.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/filter/ramp_kernel.h"
#include "core/geometry/views/aligned_views.h"
#include "core/io/volume/memory_sink.h"
#include "core/machine/measure.h"
#include "core/recon/reconstruct.h"
#include "core/verify/edge_rays.h"
#include "core/verify/find_spheres.h"
#include "core/verify/phantom_source.h"

namespace gantry {

namespace {

constexpr int kSupersampling = 3;

int threadsOf(const ReconstructionRequest& request) {
    return request.threads > 0 ? request.threads : availableThreads();
}

// Reconstructs into `verified.result`.
void reconstructPiece(const VerifyRequest& request, const VerifyContext& context,
                      VerifiedPiece& verified) {
    const auto source =
        std::make_shared<PhantomSource>(verified.piece.phantom, request.geometry, request.blurPx);
    // The effect of geometry faults on edges is computed for an upright detector.
    OpenScan scan =
        openScan(request.declared(), source, ProjectionKind::attenuation, {}, FilterRows::upright);
    if (!request.skipViews.empty())
        scan = withGeometry(scan, request.declared(), request.skipViews);
    verified.result = {request.reconstruction.volume,
                       HostBuffer<float>(request.reconstruction.volume.count())};
    // Counts the result, and the truth that it will be compared with.
    const SinkNeeds held = {
        .hostBytes = 2 * verified.result.voxels.sizeBytes(), .outputBytes = 0, .folder = {}};
    const PlannedRun planned = learnAndPlan(scan, request.reconstruction, context.backends, held,
                                            Purpose::run, {}, context.stop);
    verified.engine = engineName(planned.plan);
    RunObserver observer;
    observer.progress = [&](const Progress& progress) {
        if (context.onProgress) context.onProgress(progress.fraction);
    };
    MemorySink sink(verified.result.span());
    (void)reconstruct(scan, request.reconstruction, planned.plan, context.backends, sink, observer,
                      context.stop);
    sink.finish();
}

}  // namespace

double expectedMtf(const ScanGeometry& geometry, const FilterSpec& filter, double blurPx,
                   double perMm) {
    const double x = perMm * alignedDetector(geometry).pitchAtAxisMm;
    const double interpolation = x == 0 ? 1 : std::pow(std::sin(kPi * x) / (kPi * x), 2);
    const double resampling = geometry.isAligned() ? 1 : interpolation;
    return interpolation * resampling * windowGain(filter.window, 2 * x / filter.cutoff) *
           std::exp(-2 * std::pow(kPi * blurPx * x, 2));
}

double expectedEdgeVarianceMm2(const ScanGeometry& geometry, const FilterSpec& filter,
                               double blurPx, double voxelMm) {
    const double columnMm = alignedDetector(geometry).pitchAtAxisMm;
    // The variance follows from the MTF's curvature at frequency 0.
    const double f = 0.01 / columnMm;
    const double ofMtf =
        (1 - expectedMtf(geometry, filter, blurPx, f)) / (2 * std::pow(kPi * f, 2));
    return ofMtf + voxelMm * voxelMm / 6;
}

VerifiedPiece verifyPiece(const TestPiece& piece, const VerifyRequest& request,
                          const VerifyContext& context) {
    const std::int64_t begin = nowNs();
    const ScanGeometry& declared = request.declared();
    const VolumeGrid& grid = request.reconstruction.volume;
    const FilterSpec& filter = request.reconstruction.filter;
    const int threads = threadsOf(request.reconstruction);
    VerifiedPiece verified;
    verified.piece = piece;
    reconstructPiece(request, context, verified);
    verified.seconds = secondsSince(begin);
    verified.truth = voxelised(piece.phantom, grid, kSupersampling, threads);
    verified.comparison = compareVolumes(verified.result, verified.truth, {}, threads);
    verified.comparison.regions = compareRegions(verified.result, piece.phantom);
    PieceMeasures& measures = verified.measures;
    measures.columnMm = alignedDetector(declared).pitchAtAxisMm;
    if (piece.cylinder) {
        measures.cylinder = measureCylinder(verified.result, piece.cylinder);
        for (const MtfPoint& point : measures.cylinder->mtf)
            measures.expectedMtf.push_back(
                {point.perMm, expectedMtf(declared, filter, request.blurPx, point.perMm)});
    }
    if (piece.spheres.size() >= 3) {
        measures.spheres = measureSpheres(verified.result, piece.spheres, threads);
        measures.cause = likelyCause(
            declared, *measures.spheres, voxelMm(grid),
            expectedEdgeVarianceMm2(declared, filter, request.blurPx, voxelMm(grid)), true);
    }
    return verified;
}

PieceMeasures measureVolume(const Volume& volume, const std::vector<KnownSphere>& spheres,
                            const ScanGeometry* geometry, int threads) {
    PieceMeasures measures;
    if (spheres.empty()) {
        measures.cylinder = measureCylinder(volume);
        return measures;
    }
    const std::vector<KnownSphere> found = findSpheres(volume, spheres);
    std::vector<Vec3> centersMm;
    for (const MeasuredSphere& sphere : measureSpheres(volume, found, threads).spheres)
        centersMm.push_back(sphere.centerMm);
    // Three of its spheres have placed the piece; now all of them correct its pose.
    measures.spheres = measureSpheres(volume, fittedOnto(centersMm, found), threads);
    if (!geometry) return measures;
    measures.columnMm = alignedDetector(*geometry).pitchAtAxisMm;
    measures.cause =
        likelyCause(*geometry, *measures.spheres, voxelMm(volume.grid),
                    expectedEdgeVarianceMm2(*geometry, {}, 0, voxelMm(volume.grid)), false);
    return measures;
}

}  // namespace gantry
