#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "core/geometry/volume_grid.h"
#include "core/metrics/image_error.h"
#include "core/metrics/region.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::jobOf;
using test::reconstructed;
using test::simulated;

// RTK's published thresholds for FDK (its own test suite): Shepp-Logan of scale 116 and density 2
// → 1.02, 128³ voxels of 2 mm, 128² pixels of 4 mm, 600 and 1200 mm; mean |error| and PSNR for a
// peak of 2 over the whole volume.
struct Threshold {
    const char* name;
    Index views;
    double arcDeg;
    std::array<double, 2> sourceOffsetMm;
    std::array<double, 2> detectorOffsetMm;
    bool maskFieldOfView;
    double maxMae;
    double minPsnrDb;
};

// Zero where some view does not see: beyond the nearer edge of the detector, and above and below
// what the cone covers at the voxel's nearest distance to the source. Gantry's own field of view of
// a turn goes to the farther edge.
void clearOutsideFieldOfView(const ScanGeometry& geometry, Volume& volume) {
    const FieldOfView field = fieldOfView(geometry);
    const VolumeGrid& grid = volume.grid;
    const double sod = geometry.cone().sourceToIsocenterMm;
    const double sourceZ = geometry.cone().sourceOffsetMm[1];
    for (Index z = 0; z < grid.voxels[2]; ++z)
        for (Index y = 0; y < grid.voxels[1]; ++y)
            for (Index x = 0; x < grid.voxels[0]; ++x) {
                const Vec3 at = grid.positionMm(double(x), double(y), double(z));
                const double radius = std::hypot(at.x, at.y);
                const double nearest = (sod - radius) / sod;
                const bool seen = radius <= field.everyViewMm &&
                                  at.z - sourceZ <= (field.zMaxMm - sourceZ) * nearest &&
                                  at.z - sourceZ >= (field.zMinMm - sourceZ) * nearest;
                if (!seen) volume.span()(z, y, x) = 0;
            }
}

class RtkThreshold : public testing::TestWithParam<Threshold> {};

TEST_P(RtkThreshold, IsMetOrBeaten) {
    const Threshold& threshold = GetParam();
    const test::TemporaryFolder folder;
    SimulationSpec scan = test::smallScan(threshold.views, 128, 128, 512);
    scan.phantom.placement = {116, {}, 1};
    scan.kind = ProjectionKind::attenuation;
    scan.geometry.cone().arcDeg = threshold.arcDeg;
    scan.geometry.cone().sourceOffsetMm = threshold.sourceOffsetMm;
    scan.geometry.detector.offsetMm = threshold.detectorOffsetMm;
    JobSpec spec = jobOf(simulated(scan, folder / "scan"), 0, folder / "volume.mha");
    spec.volume = {{128, 128, 128}, {2, 2, 2}, {0, 0, 0}};
    Volume volume = reconstructed(spec);
    if (threshold.maskFieldOfView) clearOutsideFieldOfView(spec.scan.geometry, volume);
    const Volume truth = test::truthOf(scan.phantom, spec.volume, 1);
    const ImageError error = imageError(volume.span(), truth.span(), 2.0);
    RecordProperty("mae", fmt::format("{:.4f}", error.mae));
    RecordProperty("psnrDb", fmt::format("{:.2f}", error.psnrDb));
    EXPECT_LT(error.mae, threshold.maxMae);
    EXPECT_GT(error.psnrDb, threshold.minPsnrDb);
}

INSTANTIATE_TEST_SUITE_P(
    ImageQuality, RtkThreshold,
    testing::Values(Threshold{"SourceOffset", 180, 360, {20, 15}, {0, 0}, true, 0.03, 26},
                    Threshold{"DetectorOffsetRight", 180, 360, {0, 0}, {120, 0}, false, 0.061, 24},
                    Threshold{"DetectorOffsetLeft", 180, 360, {0, 0}, {-120, 0}, false, 0.061, 24},
                    Threshold{"ShortScan", 110, 240, {0, 0}, {0, 0}, false, 0.09, 22}),
    [](const auto& threshold) { return std::string(threshold.param.name); });

// Uniform regions of the head in and near the mid-plane: spheres inside the brain (ellipsoid 2 and
// nothing else), the two ventricles and the large ellipsoid above them, all several voxels from any
// edge.
TEST(ImageQuality, UniformRegionsAreWithinHalfAPercentOfTheTruth) {
    const test::TemporaryFolder folder;
    const SimulationSpec scan = test::smallScan(360, 256, 256, 410);
    const JobSpec spec = jobOf(simulated(scan, folder / "scan"), 256, folder / "volume.mha");
    const Volume volume = reconstructed(spec);
    const Phantom phantom = makePhantom(scan.phantom.phantom, scan.phantom.placement);
    for (const Vec3 centerMm : {Vec3{0, -35, 0}, Vec3{45, 15, 0}, Vec3{-45, 15, 4}, Vec3{0, 70, -6},
                                Vec3{0, 40, -5}, Vec3{-22, 2, -14}, Vec3{24, 0, -15}}) {
        const double radiusMm = 5;
        const double truth = phantom.attenuationAt(centerMm);
        const RegionStatistics region =
            sphereStatistics(volume.span(), volume.grid, centerMm, radiusMm);
        EXPECT_NEAR(region.mean, truth, 0.005 * truth)
            << "at " << centerMm.x << ", " << centerMm.y << ", " << centerMm.z;
    }
}

}  // namespace
}  // namespace gantry
