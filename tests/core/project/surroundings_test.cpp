#include "core/project/surroundings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/iterate/iteration.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "core/project/cpu_projector.h"

namespace gantry {
namespace {

constexpr Index kRegionViews = 48;
constexpr double kLevel = 0.01;         // 1/mm
constexpr double kInsertLevel = 0.005;  // more, in a part of the region

// Views of a ball of 60 mm with a smaller one in it, of which a box of 24 mm is asked for.
class RegionScan {
  public:
    RegionScan() {
        m_scan.cone().sourceToIsocenterMm = 600;
        m_scan.cone().sourceToDetectorMm = 1200;
        m_scan.cone().views = kRegionViews;
        m_scan.detector = {.columns = 81, .rows = 79, .pitchMm = {4, 4}};
        const std::array<Vec3, 3> axes = {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
        const Phantom ball = {
            "ball",
            {{PhantomShape::Kind::ellipsoid, {4, -3, 2}, {60, 60, 60}, axes, kLevel},
             {PhantomShape::Kind::ellipsoid, {16, 10, 0}, {6, 6, 6}, axes, kInsertLevel}}};
        const Detector& detector = m_scan.detector;
        m_views.resize(static_cast<std::size_t>(kRegionViews * detector.rows * detector.columns));
        for (Index s = 0; s < kRegionViews; ++s)
            projectPhantom(ball, viewPose(m_scan, s), detector, {0, detector.rows}, viewOf(s));
        box = {{15, 15, 11}, {1.6, 1.6, 1.6}, {14, 8, 2}};
    }

    /// The box by SIRT from the views as they are now.
    [[nodiscard]] std::vector<float> made() const {
        const IterativeMethod method{.kind = Sirt{.isAccelerated = true}, .iterations = 20};
        HostSpace space(projectedViews(m_scan), box, Subsets(kRegionViews, 1), {.threads = 2},
                        [](ProjectedViews views, int threads) {
                            return makeCpuProjector(std::move(views), threads);
                        });
        space.setViews({0, kRegionViews}, span());
        Iteration run(space, method);
        run.begin({});
        while (run.report().stop == StopReason::none)
            run.step({});
        std::vector<float> volume(static_cast<std::size_t>(box.count()));
        space.read(run.volume(), 0, volume);
        return volume;
    }

    void takeOffWhatIsAround() {
        Surroundings around(projectedViews(m_scan), m_scan, box, {}, 2);
        around.setViews({0, kRegionViews}, span());
        around.make({});
        const auto& [columns, rows] = std::pair(m_scan.detector.columns, m_scan.detector.rows);
        for (Index s = 0; s < kRegionViews; ++s) {
            const std::span<float> view = viewOf(s);
            const Span3<const float> used = around.without(s, {view.data(), 1, rows, columns}, {});
            std::copy_n(used.data(), used.count(), view.data());
        }
    }

    VolumeGrid box;

  private:
    [[nodiscard]] std::span<float> viewOf(Index s) {
        const auto pixels =
            static_cast<std::size_t>(m_scan.detector.rows * m_scan.detector.columns);
        return std::span(m_views).subspan(static_cast<std::size_t>(s) * pixels, pixels);
    }
    [[nodiscard]] Span3<const float> span() const {
        return {m_views.data(), kRegionViews, m_scan.detector.rows, m_scan.detector.columns};
    }

    ScanGeometry m_scan;
    std::vector<float> m_views;
};

// Means of voxels outside of the insert: near the middle, and near the box's faces.
struct Levels {
    double middle = 0;
    double rim = 0;
};

Levels levelsOf(const std::vector<float>& volume, const VolumeGrid& box) {
    double sums[2] = {};
    double counts[2] = {};
    const auto& [nX, nY, nZ] = box.voxels;
    for (Index z = 1; z < nZ - 1; ++z)
        for (Index y = 1; y < nY - 1; ++y)
            for (Index x = 1; x < nX - 1; ++x) {
                const Vec3 place = box.positionMm(static_cast<double>(x), static_cast<double>(y),
                                                  static_cast<double>(z));
                if (std::hypot(place.x - 16, place.y - 10, place.z) < 8) continue;
                const bool isRim = x < 3 || y < 3 || x >= nX - 3 || y >= nY - 3;
                sums[isRim ? 1 : 0] += volume[static_cast<std::size_t>((z * nY + y) * nX + x)];
                counts[isRim ? 1 : 0] += 1;
            }
    return {sums[0] / counts[0], sums[1] / counts[1]};
}

TEST(Surroundings, ARegionHasItsOwnLevelWithoutABowl) {
    RegionScan scan;
    // The attenuation around goes into the box, much of it along the faces.
    EXPECT_GT(levelsOf(scan.made(), scan.box).rim, 1.5 * kLevel);
    scan.takeOffWhatIsAround();
    const std::vector<float> volume = scan.made();
    const Levels levels = levelsOf(volume, scan.box);
    EXPECT_NEAR(levels.middle, kLevel, 0.01 * kLevel);
    EXPECT_NEAR(levels.rim, kLevel, 0.01 * kLevel);
    // The middle of the insert, which pixels of 2 mm at the object blur.
    EXPECT_NEAR(volume[static_cast<std::size_t>((4 * 15 + 8) * 15 + 8)], kLevel + kInsertLevel,
                0.15 * kInsertLevel);
}

}  // namespace
}  // namespace gantry
