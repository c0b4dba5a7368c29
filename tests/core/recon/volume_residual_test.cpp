#include "core/recon/volume_residual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/io/memory_source.h"
#include "core/io/volume/open_sink.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

constexpr Index kViewsOfBall = 7;
constexpr double kBallPerMm = 0.02;
const Vec3 kBallMm{6, -8, 3};
constexpr double kBallRadiusMm = 30;

// A ball's analytic views, and volumes of voxels of 1.5 × 1.5 × 2 mm.
class VolumeResidualTest : public testing::Test {
  protected:
    VolumeResidualTest() {
        m_geometry.cone().sourceToIsocenterMm = 600;
        m_geometry.cone().sourceToDetectorMm = 1200;
        m_geometry.cone().views = kViewsOfBall;
        m_geometry.detector = {.columns = 53, .rows = 41, .pitchMm = {4, 4.5}, .offsetMm = {3, -2}};
        m_geometry.detector.rollDeg = 3;
        const Detector& detector = m_geometry.detector;
        m_views = HostBuffer<float>(kViewsOfBall * detector.rows * detector.columns);
        const Phantom ball = {"ball",
                              {{PhantomShape::Kind::ellipsoid,
                                kBallMm,
                                {kBallRadiusMm, kBallRadiusMm, kBallRadiusMm},
                                {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}},
                                kBallPerMm}}};
        for (Index s = 0; s < kViewsOfBall; ++s)
            projectPhantom(ball, viewPose(m_geometry, s), detector, {0, detector.rows},
                           viewPixels(s));
        m_scan = std::make_shared<const OpenScan>(openScan(
            m_geometry, std::make_shared<MemorySource>(Span3<const float>(
                            m_views.data(), kViewsOfBall, detector.rows, detector.columns))));
    }

    std::span<float> viewPixels(Index s) {
        const Index pixels = m_geometry.detector.rows * m_geometry.detector.columns;
        return {m_views.data() + s * pixels, static_cast<std::size_t>(pixels)};
    }

    // A volume that has `share` of the ball's attenuation.
    std::filesystem::path volumeOf(double share) {
        const VolumeGrid grid = {{49, 47, 37}, {1.5, 1.5, 2}, {6, -8, 3}};
        const auto& [nX, nY, nZ] = grid.voxels;
        HostBuffer<float> voxels(grid.count());
        const Span3<float> values(voxels.data(), nZ, nY, nX);
        for (Index z = 0; z < nZ; ++z)
            for (Index y = 0; y < nY; ++y)
                for (Index x = 0; x < nX; ++x) {
                    const Vec3 mm = grid.positionMm(static_cast<double>(x), static_cast<double>(y),
                                                    static_cast<double>(z));
                    const double radius =
                        std::hypot(mm.x - kBallMm.x, mm.y - kBallMm.y, mm.z - kBallMm.z);
                    values(z, y, x) = static_cast<float>(
                        share * kBallPerMm *
                        std::clamp((kBallRadiusMm - radius) / 1.6 + 0.5, 0.0, 1.0));
                }
        const std::filesystem::path path = m_folder / "volume.mha";
        const auto sink = openSink({.path = path}, grid, SinkStart::fresh);
        sink->write(0, values);
        sink->finish();
        return path;
    }

    ViewResidual residual(double share, Index view) {
        return VolumeResidual(m_scan, volumeOf(share), 2, 1'000'000'000).of(view, {});
    }

    test::TemporaryFolder m_folder;
    ScanGeometry m_geometry;
    HostBuffer<float> m_views;
    std::shared_ptr<const OpenScan> m_scan;
};

TEST_F(VolumeResidualTest, OfAnEmptyVolumeIsWhatIsMeasured) {
    const ViewResidual made = residual(0, 2);
    EXPECT_EQ(made.image.rows, 41);
    EXPECT_EQ(made.image.columns, 53);
    const auto view = viewPixels(2);
    EXPECT_TRUE(std::ranges::equal(made.image.pixels.span(), view));
    EXPECT_EQ(made.residualRms, made.measuredRms);
    double squares = 0;
    for (const float pixel : view)
        squares += static_cast<double>(pixel) * static_cast<double>(pixel);
    EXPECT_NEAR(made.measuredRms, std::sqrt(squares / static_cast<double>(view.size())), 1e-9);
}

TEST_F(VolumeResidualTest, OfAPartOfTheBallIsTheRest) {
    // Rays that graze the ball differ, as its voxels are about as wide as a pixel.
    const ViewResidual whole = residual(1, 4);
    EXPECT_LT(whole.residualRms, 0.03 * whole.measuredRms);
    const ViewResidual made = residual(0.75, 4);
    EXPECT_NEAR(made.residualRms / made.measuredRms, 0.25, 0.01);
    // In the middle of the ball's projection, 2 · 30 mm · 0.02 /mm.
    EXPECT_NEAR(*std::ranges::max_element(made.image.pixels.span()), 0.25 * 1.2, 0.03);
}

TEST_F(VolumeResidualTest, IsTheSameWithinLittleMemory) {
    const std::filesystem::path volume = volumeOf(0.5);
    const ViewResidual whole = VolumeResidual(m_scan, volume, 2, 1'000'000'000).of(5, {});
    // The first limit that is enough is enough for a slice at a time.
    ViewResidual parts;
    for (double bytes = 400'000; parts.measuredRms == 0; bytes *= 1.02) {
        try {
            parts = VolumeResidual(m_scan, volume, 2, static_cast<Index>(bytes)).of(5, {});
        } catch (const ResourceError&) {
            continue;
        }
    }
    ASSERT_EQ(parts.image.pixels.count(), whole.image.pixels.count());
    for (Index i = 0; i < whole.image.pixels.count(); ++i)
        EXPECT_NEAR(parts.image.pixels[i], whole.image.pixels[i], 2e-6) << i;  // sums in floats
}

TEST_F(VolumeResidualTest, EndsWhenAsked) {
    std::stop_source source;
    source.request_stop();
    VolumeResidual made(m_scan, volumeOf(1), 2, 1'000'000'000);
    EXPECT_THROW((void)made.of(0, source.get_token()), Cancelled);
    EXPECT_LT(made.of(0, {}).residualRms, 0.02);
}

}  // namespace
}  // namespace gantry
