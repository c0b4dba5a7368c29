#include "core/scan/modules/module_levels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/scan/corrected_scan.h"
#include "core/scan/open_scan.h"
#include "core/scan/stack/load_view_stack.h"
#include "core/simulate/faults.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

// Modules of simulated scans are levelled by what truth.json says of them.
namespace gantry {
namespace {

constexpr Corrections kFit = {.modules = {.method = ModuleMethod::fit}};
constexpr Index kColumnsOfTiles = 201;
constexpr Index kRowsOfTiles = 119;
constexpr std::size_t kPixelsOfTiles = std::size_t{kColumnsOfTiles} * kRowsOfTiles;

struct Tiles {
    ScanFile scan;
    std::vector<double> offsets;  // [v][u] of the truth, 0 on the mean
    std::vector<Index> columns, rows;
};

class ModulesOfScans : public testing::Test {
  protected:
    // A body beside the axis, which is some columns off the middle of the detector.
    ModulesOfScans() : m_spec(test::smallScan(121, kColumnsOfTiles, kRowsOfTiles, 100)) {
        m_spec.geometry.detector.offsetMm = {7.3, -2.6};
        m_spec.phantom = {"shepp-logan",
                          {.scaleMm = 17, .centerMm = {1.4, -2.2, 0.7}, .density = 0.02}};
        m_spec.layout = SimulationSpec::Layout::multiPage;
        m_spec.fieldFrames = 20;
        m_spec.photons = 100000;
    }

    [[nodiscard]] Tiles made(std::array<Index, 2> modules, double share) {
        m_spec.faults.modules = modules;
        m_spec.faults.moduleShare = share;
        Tiles tiles;
        tiles.scan = test::simulated(m_spec, m_folder / std::to_string(++m_scans));
        tiles.offsets.assign(kPixelsOfTiles, 0);
        if (share == 0) return tiles;
        const auto truth =
            nlohmann::json::parse(test::fileBytes(tiles.scan.folder / kTruthFileName))["modules"];
        tiles.columns = truth["columns"].get<std::vector<Index>>();
        tiles.rows = truth["rows"].get<std::vector<Index>>();
        const auto gains = truth["gains"].get<std::vector<double>>();
        const auto moduleOf = [](const std::vector<Index>& edges, Index place) {
            return std::ranges::count_if(edges, [place](Index edge) { return edge <= place; });
        };
        for (Index i = 0; i < std::ssize(tiles.offsets); ++i)
            tiles.offsets[i] = -std::log(
                gains[moduleOf(tiles.rows, i / kColumnsOfTiles) * (std::ssize(tiles.columns) + 1) +
                      moduleOf(tiles.columns, i % kColumnsOfTiles)]);
        const double mean =
            std::accumulate(tiles.offsets.begin(), tiles.offsets.end(), 0.0) / kPixelsOfTiles;
        for (double& offset : tiles.offsets)
            offset -= mean;
        return tiles;
    }

    // The largest error of a pixel's offset.
    static double worst(const OpenScan& levelled, const Tiles& tiles) {
        const std::vector<float> found =
            levelled.modules->fitted.ofPixels({.count = {kColumnsOfTiles, kRowsOfTiles}});
        double worst = 0;
        for (std::size_t i = 0; i < kPixelsOfTiles; ++i)
            worst = std::max(worst, std::abs(static_cast<double>(found[i]) - tiles.offsets[i]));
        return worst;
    }

    // Line integrals of all rows of a view.
    static std::vector<float> viewOf(const OpenScan& scan, Index view) {
        std::vector<float> pixels;
        const std::vector<Index> chosen = {view};
        visitViews(
            scan, chosen, {0, scan.stored.rows}, 1,
            [&](std::size_t, Span3<const float> values) {
                pixels.assign(values.data(), values.data() + values.count());
            },
            [](double) {}, {});
        return pixels;
    }

    SimulationSpec m_spec;

  private:
    test::TemporaryFolder m_folder;
    int m_scans = 0;
};

// With noise of 0.3 % a pixel of a view in the air, and of 0.07 % in the mean flat field, a step
// along 59 pixels is known to 0.02 %; what the object adds is more.
constexpr double kMaxErrorOfNoise = 0.002;

TEST_F(ModulesOfScans, AreFittedAtAllStrengths) {
    // Each layout and each strength, those that are hardest to see most often.
    const std::vector<std::pair<std::array<Index, 2>, double>> kinds = {
        {{2, 2}, 0.005}, {{4, 1}, 0.005}, {{1, 4}, 0.02},
        {{3, 2}, 0.005}, {{2, 2}, 0.1},   {{3, 2}, 0.02}};
    for (const auto& [modules, share] : kinds) {
        const Tiles tiles = made(modules, share);
        const OpenScan scan = corrected(openScan(tiles.scan), kFit, test::kThreads);
        EXPECT_LT(worst(scan, tiles), kMaxErrorOfNoise)
            << modules[0] << " " << modules[1] << " " << share << " "
            << scan.modules->notes.front();
    }
}

TEST_F(ModulesOfScans, AreFittedBesideRings) {
    m_spec.faults.stripes = 9;
    m_spec.faults.stripeShare = 0.03;
    for (const double share : {0.005, 0.02, 0.1}) {
        const Tiles tiles = made({3, 2}, share);
        const OpenScan scan = corrected(openScan(tiles.scan), kFit, test::kThreads);
        EXPECT_LT(worst(scan, tiles), 2 * kMaxErrorOfNoise)
            << share << " " << scan.modules->notes.front();
    }
}

TEST_F(ModulesOfScans, ThatDoNotStepStayAsTheyAre) {
    const OpenScan opened = openScan(made({1, 1}, 0).scan);
    const OpenScan found = corrected(opened, kFit, test::kThreads);
    EXPECT_EQ(found.calibration, opened.calibration);
    EXPECT_NE(found.modules->notes[0].find("No module of the detector was levelled: "),
              std::string::npos);
    const Corrections given = {
        .modules = {.method = ModuleMethod::fit, .columnsPx = {61, 132}, .rowsPx = {40}}};
    const OpenScan told = corrected(opened, given, test::kThreads);
    EXPECT_EQ(told.calibration, opened.calibration);
    EXPECT_NE(told.modules->notes[0].find("none steps by more than its noise"), std::string::npos);
}

TEST_F(ModulesOfScans, MayBeginWhereTheUserSays) {
    const Tiles tiles = made({3, 2}, 0.02);
    const OpenScan opened = openScan(tiles.scan);
    const Corrections given = {
        .modules = {.method = ModuleMethod::fit, .columnsPx = tiles.columns, .rowsPx = tiles.rows}};
    const OpenScan scan = corrected(opened, given, test::kThreads);
    EXPECT_LT(worst(scan, tiles), kMaxErrorOfNoise);
    EXPECT_NE(scan.modules->notes[0].find("modules begin at columns 67, 134 and row 59."),
              std::string::npos)
        << scan.modules->notes[0];
    const Corrections outside = {.modules = {.method = ModuleMethod::fit, .rowsPx = {117}}};
    EXPECT_ERROR((void)corrected(opened, outside, 1), InputError,
                 "prep.moduleRowsPx (--module-rows) has an edge at 117, and the detector has 119 "
                 "rows; a module must have at least 4.");
}

TEST_F(ModulesOfScans, GiveTheSameBitsWithAnyThreadsAndStayKnown) {
    const OpenScan opened = openScan(made({2, 2}, 0.02).scan);
    const OpenScan one = corrected(openScan(opened.description), kFit, 1);
    const OpenScan three = corrected(opened, kFit, 3);
    EXPECT_EQ(one.modules->fitted.offsets, three.modules->fitted.offsets);
    EXPECT_EQ(one.modules->fitted.errors, three.modules->fitted.errors);
    EXPECT_TRUE(std::ranges::equal(one.calibration->flat.span(), three.calibration->flat.span()));
    // It is not levelled twice, nor fitted again.
    EXPECT_EQ(corrected(three, kFit).calibration, three.calibration);
    EXPECT_EQ(corrected(withRows(three, FilterRows::own), kFit).modules, three.modules);
    EXPECT_EQ(withRows(three, FilterRows::own).calibration, opened.calibration);
    EXPECT_FALSE(three.uncorrected);
}

TEST_F(ModulesOfScans, OfAttenuationAreLevelledInTheViews) {
    m_spec.kind = ProjectionKind::attenuation;
    m_spec.photons = 0;
    const Tiles integrals = made({2, 2}, 0.02);
    const OpenScan opened = openScan(integrals.scan);
    const OpenScan scan = corrected(opened, kFit, test::kThreads);
    EXPECT_LT(worst(scan, integrals), kMaxErrorOfNoise) << scan.modules->notes.front();
    const std::vector<float> before = viewOf(opened, 17);
    const std::vector<float> after = viewOf(scan, 17);
    const std::vector<float> fitted =
        scan.modules->fitted.ofPixels({.count = {kColumnsOfTiles, kRowsOfTiles}});
    for (std::size_t i = 0; i < kPixelsOfTiles; ++i)
        ASSERT_NEAR(before[i] - after[i], fitted[i], 1e-6) << i;
    // It is not levelled twice.
    EXPECT_EQ(viewOf(corrected(scan, kFit), 17), after);
    EXPECT_EQ(viewOf(withRows(scan, FilterRows::own), 17), before);
}

TEST_F(ModulesOfScans, AreLevelledBeforePixelsAreAveraged) {
    const Tiles tiles = made({2, 2}, 0.1);
    const OpenScan opened = openScan(tiles.scan);
    Corrections both = kFit;
    both.pixels.bin = 2;
    const OpenScan fine = corrected(opened, kFit, test::kThreads);
    const OpenScan coarse = corrected(selected(opened, {.bin = 2}), both, test::kThreads);
    EXPECT_EQ(coarse.modules->fitted.offsets, fine.modules->fitted.offsets);
    const std::vector<float> view = viewOf(coarse, 40);
    m_spec.faults = {};
    const OpenScan clean = selected(openScan(made({1, 1}, 0).scan), {.bin = 2});
    const std::vector<float> truth = viewOf(clean, 40);
    // The second column of a pair may be of the next module. What all modules are off by, and the
    // noise of a view, stay.
    std::vector<double> differences;
    for (std::size_t i = 0; i < view.size(); ++i)
        differences.push_back(static_cast<double>(view[i] - truth[i]));
    const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) /
                        static_cast<double>(differences.size());
    for (const double difference : differences)
        EXPECT_NEAR(difference, mean, 0.02);
}

TEST_F(ModulesOfScans, ThatStepHalfwayAreTold) {
    m_spec.faults.moduleStep = 0.05;
    const OpenScan opened = openScan(made({1, 1}, 0).scan);
    const OpenScan scan = corrected(opened, kFit, test::kThreads);
    EXPECT_EQ(scan.calibration, opened.calibration);
    ASSERT_EQ(scan.modules->notes.size(), 2U);
    EXPECT_NE(scan.modules->notes[1].find("not alike in all views"), std::string::npos);
}

}  // namespace
}  // namespace gantry
