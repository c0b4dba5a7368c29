#include "core/verify/verify_run.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/filter/ramp_kernel.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/views/aligned_views.h"
#include "core/io/projection_source.h"
#include "core/io/volume/memory_sink.h"
#include "core/machine/measure.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "core/recon/reconstruct.h"
#include "core/verify/edge_rays.h"
#include "core/verify/find_spheres.h"

namespace gantry {

namespace {

// Views of a phantom, as line integrals, computed when they are read: nothing is stored.
// Tests: tests/core/verify/verify_run_test.cpp
class PhantomSource final : public ProjectionSource {
  public:
    /// blurPx: standard deviation of the Gaussian with which focal spot and detector blur every
    /// view, pixels; 0: none
    PhantomSource(Phantom phantom, const ScanGeometry& geometry, double blurPx);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;
    [[nodiscard]] std::string viewName(Index view) const override;

  private:
    void readBlurred(Index view, IndexRange rows, std::span<float> out) const;

    Phantom m_phantom;
    ScanGeometry m_geometry;
    SourceInfo m_info;
    std::vector<float> m_kernel;  ///< half of it, from its middle; empty: no blur
};

std::vector<float> halfGaussian(double sigma) {
    std::vector<float> half;
    if (!(sigma > 0)) return half;
    const int reach = static_cast<int>(std::ceil(4 * sigma));
    double sum = 0;
    for (int i = 0; i <= reach; ++i) {
        half.push_back(static_cast<float>(std::exp(-0.5 * std::pow(i / sigma, 2))));
        sum += (i == 0 ? 1 : 2) * static_cast<double>(half.back());
    }
    for (float& weight : half)
        weight = static_cast<float>(weight / sum);
    return half;
}

// out[i] = Σ kernel[|k|]·in[i + k], where `in` begins kernel.size() − 1 elements before `out`'s
// first.
void blurAlong(std::span<const float> kernel, const float* in, Index stride, Index count,
               float* out, Index outStride) {
    const auto reach = std::ssize(kernel) - 1;
    for (Index i = 0; i < count; ++i) {
        float sum = 0;
        for (Index k = -reach; k <= reach; ++k)
            sum += kernel[std::abs(k)] * in[(i + reach + k) * stride];
        out[i * outStride] = sum;
    }
}

PhantomSource::PhantomSource(Phantom phantom, const ScanGeometry& geometry, double blurPx)
    : m_phantom(std::move(phantom)), m_geometry(geometry), m_kernel(halfGaussian(blurPx)) {
    m_info.views = geometry.views();
    m_info.rows = geometry.detector.rows;
    m_info.columns = geometry.detector.columns;
    m_info.format = "simulated, 32-bit float";
    m_info.readsRowsAlone = true;
    m_info.storedBytes =
        m_info.views * m_info.rows * m_info.columns * static_cast<Index>(sizeof(float));
}

void PhantomSource::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    const std::span<float> out = {reinterpret_cast<float*>(pixels.data()),
                                  static_cast<std::size_t>(rows.size() * m_info.columns)};
    if (m_kernel.empty())
        projectPhantom(m_phantom, viewPose(m_geometry, view), m_geometry.detector, rows, out);
    else
        readBlurred(view, rows, out);
}

// Computes the view on a detector that is larger by the kernel's reach on every side.
void PhantomSource::readBlurred(Index view, IndexRange rows, std::span<float> out) const {
    const auto reach = std::ssize(m_kernel) - 1;
    Detector larger = m_geometry.detector;
    larger.columns += 2 * reach;
    larger.rows += 2 * reach;
    const Index columns = m_info.columns;
    const Index moreRows = rows.size() + 2 * reach;
    std::vector<float> sharp(moreRows * larger.columns);
    projectPhantom(m_phantom, viewPose(m_geometry, view), larger,
                   {rows.begin, rows.begin + moreRows}, sharp);
    std::vector<float> alongU(moreRows * columns);
    for (Index v = 0; v < moreRows; ++v)
        blurAlong(m_kernel, sharp.data() + v * larger.columns, 1, columns,
                  alongU.data() + v * columns, 1);
    for (Index u = 0; u < columns; ++u)
        blurAlong(m_kernel, alongU.data() + u, columns, rows.size(), out.data() + u, columns);
}

std::string PhantomSource::viewName(Index view) const {
    return fmt::format("simulated view {}", view);
}

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
