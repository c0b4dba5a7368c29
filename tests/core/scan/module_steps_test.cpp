#include "core/scan/modules/module_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "core/scan/modules/module_edges.h"

// Views made by hand, whose steps are known.
namespace gantry {
namespace {

constexpr Index kHigh = 41;
constexpr Index kWide = 77;

Profile profileOf(Index places, const std::function<double(double)>& value) {
    Profile profile;
    for (Index i = 0; i < places; ++i)
        profile.values.push_back(value(static_cast<double>(i)));
    profile.usable.assign(profile.values.size(), true);
    return profile;
}

double bent(double x) {
    return 0.3 + 0.02 * x - 0.0007 * x * x + 0.00001 * x * x * x;
}

// [view] the same image with noise of its own, line integrals.
std::unique_ptr<SteadyProfiles> viewsOf(
    Index views, double noise, const std::function<double(Index s, Index v, Index u)>& value) {
    auto profiles =
        std::make_unique<SteadyProfiles>(kHigh, kWide, views, std::span<const unsigned char>());
    std::mt19937 random(5);
    std::normal_distribution<double> normal(0, noise);
    std::vector<float> view(static_cast<std::size_t>(kHigh * kWide));
    for (Index s = 0; s < views; ++s) {
        for (Index i = 0; i < kHigh * kWide; ++i)
            view[i] = static_cast<float>(value(s, i / kWide, i % kWide) +
                                         (noise > 0 ? normal(random) : 0.0));
        profiles->add(s, {view.data(), 1, kHigh, kWide});
    }
    return profiles;
}

// A ball whose middle moves along the columns, over a turn of 90 views.
double ballAt(Index s, Index v, Index u) {
    const double x = static_cast<double>(u) - 38 - 7 * std::sin(0.07 * static_cast<double>(s));
    const double y = static_cast<double>(v) - 20;
    return 0.03 * std::sqrt(std::max(0.0, 24.0 * 24 - x * x - y * y));
}

std::array<EdgesFound, 2> searched(const SteadyProfiles& profiles) {
    return {findModuleEdges(profiles, DetectorSide::columns),
            findModuleEdges(profiles, DetectorSide::rows)};
}

TEST(StepFit, IsExactOnABentProfile) {
    const Profile profile =
        profileOf(40, [](double x) { return bent(x) + (x >= 17 ? -0.013 : 0); });
    const auto fit = fitStep(profile, 17, {}, 1e-6);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->step, -0.013, 1e-9);
    EXPECT_TRUE(fit->outliers.empty());
    EXPECT_NEAR(fitStep(profile, 28, {}, 0)->step, 0, 1e-9);
}

TEST(StepFit, LeavesASingleColumnOut) {
    Profile profile = profileOf(40, [](double x) { return bent(x) + (x >= 17 ? 0.01 : 0); });
    profile.values[18] += 0.2;
    const auto fit = fitStep(profile, 17, {}, 1e-5);
    EXPECT_NEAR(fit->step, 0.01, 1e-9);
    EXPECT_EQ(fit->outliers, std::vector<Index>{18});
    EXPECT_NEAR(fitStep(profile, 19, {}, 1e-5)->step, 0, 0.02);
}

TEST(StepFit, BridgesAGapOfDeadPixels) {
    Profile profile = profileOf(40, [](double x) { return bent(x) + (x >= 17 ? 0.01 : 0); });
    for (const Index dead : {16, 17, 18}) {
        profile.values[dead] = 7;
        profile.usable[dead] = false;
    }
    EXPECT_NEAR(fitStep(profile, 17, {}, 1e-5)->step, 0.01, 1e-9);
    profile.usable.assign(40, false);
    EXPECT_FALSE(fitStep(profile, 17, {}, 1e-5));
}

TEST(StepFit, TellsItsOwnNoise) {
    std::mt19937 random(8);
    std::normal_distribution<double> normal(0, 0.003);
    double squares = 0;
    double gain = 0;
    constexpr int kTimes = 4000;
    for (int i = 0; i < kTimes; ++i) {
        const auto fit = fitStep(profileOf(30, [&](double) { return normal(random); }), 15, {}, 0);
        squares += fit->step * fit->step;
        gain = fit->gain;
    }
    // The spread of so many is known to 1.1 %.
    EXPECT_NEAR(std::sqrt(squares / kTimes) / (0.003 * gain), 1, 0.05);
}

TEST(SteadyProfiles, ShowWhatIsAlikeInAllViews) {
    const auto ofDetector = [](Index v, Index u) {
        return 0.01 * std::sin(1.7 * static_cast<double>(u)) + 0.003 * static_cast<double>(v);
    };
    const auto profiles = viewsOf(31, 0, [&](Index s, Index v, Index u) {
        // The edge of an object is at another column in each view.
        return ofDetector(v, u) + (u >= 20 + s ? 1.0 : 0) + 0.1 * static_cast<double>(s % 3);
    });
    EXPECT_EQ(profiles->places(DetectorSide::columns), kWide);
    EXPECT_EQ(profiles->places(DetectorSide::rows), kHigh);
    EXPECT_EQ(profiles->linesOf(DetectorSide::columns, 15).end, kHigh);
    for (const ViewsOf views : {ViewsOf::all, ViewsOf::firstHalf, ViewsOf::secondHalf}) {
        const Profile along = profiles->profile(DetectorSide::columns, 5, views);
        for (Index u = 1; u < kWide; ++u)
            EXPECT_NEAR(along.values[u] - along.values[u - 1],
                        ofDetector(3, u) - ofDetector(3, u - 1), 1e-6);
        const Profile up = profiles->profile(DetectorSide::rows, 9, views);
        for (Index v = 1; v < kHigh; ++v)
            EXPECT_NEAR(up.values[v] - up.values[v - 1], 0.003, 1e-6);
    }
}

TEST(SteadyProfiles, LeaveBadPixelsOut) {
    std::vector<unsigned char> bad(static_cast<std::size_t>(kHigh * kWide));
    std::vector<float> view(bad.size());
    for (Index i = 0; i < kHigh * kWide; ++i) {
        const bool isGap = i % kWide == 30;
        const bool isHole = i == 7 * kWide + 50;
        bad[i] = isGap || isHole ? 1 : 0;
        view[i] = bad[i] != 0 ? 9 : 0.25F * static_cast<float>(i % kWide);
    }
    SteadyProfiles profiles(kHigh, kWide, 1, bad);
    profiles.add(0, {view.data(), 1, kHigh, kWide});
    for (Index band = 0; band < 16; ++band) {
        const Profile along = profiles.profile(DetectorSide::columns, band, ViewsOf::all);
        EXPECT_FALSE(along.usable[30]);
        for (const Index u : {29, 31, 76})
            EXPECT_NEAR(along.values[u] - along.values[0], 0.25 * static_cast<double>(u), 1e-5);
        EXPECT_EQ(along.usable[50], !profiles.linesOf(DetectorSide::columns, band).contains(7));
    }
}

TEST(ModuleEdges, AreFoundWhereModulesBegin) {
    for (const double step : {0.02, 0.05, -0.1}) {
        const auto profiles = viewsOf(90, 0.008, [&](Index s, Index v, Index u) {
            return ballAt(s, v, u) + (u >= 29 ? step : 0) + (u >= 53 ? -1.3 * step : 0) +
                   (v >= 19 ? 0.8 * step : 0);
        });
        EXPECT_EQ(findModuleEdges(*profiles, DetectorSide::columns).edges,
                  (std::vector<Index>{29, 53}))
            << step;
        EXPECT_EQ(findModuleEdges(*profiles, DetectorSide::rows).edges, std::vector<Index>{19})
            << step;
    }
}

// An upright cylinder on the axis has its edges on the same columns in all views and rows.
TEST(ModuleEdges, AreNotThoseOfAnObjectOrOfRings) {
    for (const double middle : {38.0, 38.3, 38.5, 38.8})
        for (const double noise : {0.0, 0.02}) {
            const auto profiles = viewsOf(90, noise, [&](Index, Index, Index u) {
                double sum = 0;  // over the pixel
                for (int i = 0; i < 16; ++i) {
                    const double x = static_cast<double>(u) + (i - 7.5) / 16 - middle;
                    sum += 0.09 * std::sqrt(std::max(0.0, 22.0 * 22 - x * x)) / 16;
                }
                return sum + (u == 20 || u == 45 || u == 46 ? 0.05 : 0) + (u == 61 ? -0.08 : 0);
            });
            const EdgesFound found = findModuleEdges(*profiles, DetectorSide::columns);
            EXPECT_EQ(found.edges, std::vector<Index>()) << middle << " " << noise;
        }
}

TEST(ModuleEdges, ThatStepInOneHalfOfTheViewsAreTold) {
    const auto profiles = viewsOf(80, 0.02, [&](Index s, Index v, Index u) {
        return ballAt(s, v, u) + (u >= 29 && s >= 30 ? 0.03 : 0);
    });
    const EdgesFound found = findModuleEdges(*profiles, DetectorSide::columns);
    EXPECT_EQ(found.edges, std::vector<Index>());
    EXPECT_EQ(found.unsteady, std::vector<Index>{29});
}

TEST(ModuleOffsets, FitTheStepsWithinTheirErrors) {
    const std::vector<double> truth = {0.012, -0.02, 0.004, -0.007, 0.015, 0.0};
    const ModuleGrid grid = {{29, 53}, {19}};
    const auto profiles = viewsOf(90, 0.02, [&](Index s, Index v, Index u) {
        return ballAt(s, v, u) +
               truth[(v >= 19 ? 3 : 0) + (u >= 53   ? 2
                                          : u >= 29 ? 1
                                                    : 0)] +
               (u == 31 || u == 60 ? 0.09 : 0);
    });
    const ModuleOffsets fitted = fitModules(*profiles, grid, searched(*profiles));
    const std::vector<float> pixels = fitted.ofPixels({.count = {kWide, kHigh}});
    double sum = 0;
    for (const float pixel : pixels)
        sum += static_cast<double>(pixel);
    const std::array<Index, 3> widths = {29, 24, 24};
    double area = 0;
    for (std::size_t i = 0; i < 6; ++i)
        area += truth[i] * static_cast<double>(widths[i % 3] * (i < 3 ? 19 : 22)) / (kHigh * kWide);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_GT(fitted.errors[i], 0);
        // The edges of a ball of 24 pixels are within some pixels of those of the modules.
        EXPECT_LT(fitted.errors[i], 0.0035);
        EXPECT_NEAR(fitted.offsets[i], truth[i] - area, 4 * fitted.errors[i]) << i;
    }
    // Offsets within three errors of 0 become 0, so that the mean may be as far off.
    EXPECT_NEAR(sum / (kHigh * kWide), 0, 0.003);
    const std::vector<float> binned =
        fitted.ofPixels({.count = {kWide / 2, kHigh / 2}, .binning = {2, 2}});
    EXPECT_NEAR(static_cast<double>(binned[14]), (fitted.offsets[0] + fitted.offsets[1]) / 2, 1e-6);
}

TEST(ModuleOffsets, AreNoneWhereNothingSteps) {
    const auto profiles = viewsOf(90, 0.02, ballAt);
    const ModuleOffsets fitted = fitModules(*profiles, {{29, 53}, {19}}, searched(*profiles));
    EXPECT_EQ(fitted.levelled(), 0);
    EXPECT_EQ(fitted.largest(), 0);
}

}  // namespace
}  // namespace gantry
