#include "core/scan/guess/guess_arc.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/io/memory_source.h"
#include "core/scan/guess/guess_scan.h"
#include "core/scan/guess/view_rows.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

// The head stands off the axis: from either side it would look much the same.
SimulationSpec parallelScan(Index views, double arcDeg) {
    SimulationSpec spec = test::smallScan(views, 130, 5, 220);
    auto& beam = spec.geometry.trajectory.emplace<ParallelBeam>();
    beam.arcDeg = arcDeg;
    beam.views = views;
    spec.phantom.placement.scaleMm = 80;
    spec.phantom.placement.centerMm = {9, 14, 0};
    spec.photons = 50000;
    return spec;
}

// What is guessed of a scan whose description is lost.
GuessedScan guessOf(const SimulationSpec& spec, const fs::path& folder) {
    (void)test::simulated(spec, folder);
    fs::remove(folder / "scan.json");
    Inspection bare;
    bare.path = folder;
    return guessScan(bare);
}

std::string reasonOf(const GuessedScan& guess, const std::string& field) {
    const auto found =
        std::ranges::find_if(guess.guesses, [&](const auto& one) { return one.field == field; });
    return found != guess.guesses.end() ? found->reason : "no guess";
}

bool isUnsure(const GuessedScan& guess, const std::string& field) {
    const auto found =
        std::ranges::find_if(guess.guesses, [&](const auto& one) { return one.field == field; });
    return found != guess.guesses.end() && found->isUnsure;
}

TEST(GuessArc, AMirroredLastViewIsHalfATurnOfAParallelBeam) {
    const TemporaryFolder folder;
    SimulationSpec spec = parallelScan(90, 180);
    spec.geometry.detector.offsetMm[0] = 7.3;
    const GuessedScan guess = guessOf(spec, folder / "scan");
    EXPECT_EQ(guess.scan.geometry.angles().arcDeg, 180);
    EXPECT_NEAR(guess.scan.geometry.axisColumn(), spec.geometry.axisColumn(), 0.3);
    EXPECT_TRUE(guess.scan.geometry.isParallel());
    EXPECT_NE(reasonOf(guess, "trajectory.type").find("mirror images"), std::string::npos);
    EXPECT_FALSE(isUnsure(guess, "trajectory.type"));  // half a turn is too short for a fan
    EXPECT_FALSE(isUnsure(guess, "detector.offsetMm[0]"));
    EXPECT_NE(reasonOf(guess, "trajectory.arcDeg").find("mirror image"), std::string::npos);
}

// Line integrals of balls in a parallel beam, [s][v][u], the first view at 0°.
struct BallViews {
    static constexpr Index kColumns = 112;
    static constexpr Index kRows = 16;
    static constexpr double kPitchMm = 0.6;
    static constexpr double kAxisColumn = 53;
    std::vector<float> pixels;
    Index views;

    BallViews(Index count, double stepDeg) : views(count) {
        struct Ball {
            double x, y, z, radius, density;
        };
        constexpr Ball kBalls[] = {
            {0, 0, 0, 20, 0.02}, {8, 3, 2, 4, 0.02}, {-6, 9, -3, 3, -0.02}, {2, -11, 5, 3, 0.03}};
        for (Index s = 0; s < views; ++s) {
            const double angle = radians(static_cast<double>(s) * stepDeg);
            for (Index pixel = 0; pixel < kRows * kColumns; ++pixel) {
                const double u = (static_cast<double>(pixel % kColumns) - kAxisColumn) * kPitchMm;
                const double v =
                    (static_cast<double>(pixel / kColumns) - (kRows - 1) / 2.0) * kPitchMm;
                double sum = 0;
                for (const Ball& ball : kBalls) {
                    const double du = u - ball.x * std::cos(angle) - ball.y * std::sin(angle);
                    const double dv = v - ball.z;
                    const double half = ball.radius * ball.radius - du * du - dv * dv;
                    if (half > 0) sum += 2 * ball.density * std::sqrt(half);
                }
                pixels.push_back(static_cast<float>(sum));
            }
        }
    }
};

// linspace(0, 180, n) has both ends, arange(n)·180/n lacks the last.
TEST(GuessArc, HalfATurnWithBothEndsIsToldFromOneWithout) {
    for (const Index count : {61, 90})
        for (const bool hasBoth : {true, false}) {
            const double stepDeg = 180.0 / static_cast<double>(hasBoth ? count - 1 : count);
            const BallViews balls(count, stepDeg);
            const MemorySource source(Span3<const float>(balls.pixels.data(), count,
                                                         BallViews::kRows, BallViews::kColumns));
            const ArcGuess guess = guessArc(source, StripReader(source, nullptr, nullptr, true));
            EXPECT_TRUE(guess.isSure) << guess.arcReason;
            EXPECT_TRUE(guess.isParallel);
            EXPECT_NEAR(guess.arcDeg, stepDeg * static_cast<double>(count), 1e-9) << count;
            EXPECT_NEAR(guess.axisColumn.value_or(0), BallViews::kAxisColumn, 0.3) << count;
        }
}

// Where the step does not show, the guess may be wrong, but never surely so.
TEST(GuessArc, AnEndOfHalfATurnIsRightOrUnsure) {
    const TemporaryFolder folder;
    for (const double photons : {50000.0, 2000.0})
        for (const bool hasBoth : {true, false}) {
            SimulationSpec spec = parallelScan(61, hasBoth ? 180.0 * 61 / 60 : 180);
            spec.photons = photons;
            const GuessedScan guess =
                guessOf(spec, folder / fmt::format("{}_{}", photons, hasBoth));
            const double off = guess.scan.geometry.angles().arcDeg - spec.geometry.angles().arcDeg;
            EXPECT_TRUE(std::abs(off) < 1e-9 || isUnsure(guess, "trajectory.arcDeg"))
                << photons << hasBoth;
        }
}

TEST(GuessArc, AStepThatIsLostInTheNoiseLeavesTheEndOfHalfATurnUnsure) {
    const TemporaryFolder folder;
    SimulationSpec spec = parallelScan(361, 180);
    spec.photons = 60;
    const GuessedScan guess = guessOf(spec, folder / "scan");
    EXPECT_TRUE(isUnsure(guess, "trajectory.arcDeg"));
    EXPECT_TRUE(reasonOf(guess, "trajectory.arcDeg").starts_with("Not sure"));
}

TEST(GuessArc, WhereOnlyTheLastStepIsInDoubtTheHalfTurnIsTold) {
    const TemporaryFolder folder;
    SimulationSpec spec = parallelScan(181, 181);
    spec.photons = 2000;
    const GuessedScan guess = guessOf(spec, folder / "scan");
    EXPECT_TRUE(isUnsure(guess, "trajectory.arcDeg"));
    EXPECT_EQ(guess.scan.geometry.angles().arcDeg, 181);
    EXPECT_TRUE(reasonOf(guess, "trajectory.arcDeg")
                    .starts_with("Not sure: the last view is nearly the mirror image of the first"))
        << reasonOf(guess, "trajectory.arcDeg");
}

TEST(GuessArc, ALastViewThatIsTheFirstAgainIsSeen) {
    const TemporaryFolder folder;
    const SimulationSpec spec = parallelScan(61, 360.0 * 61 / 60);
    const GuessedScan guess = guessOf(spec, folder / "scan");
    EXPECT_NEAR(guess.scan.geometry.angleDeg(60), 360, 1e-9) << guess.scan.geometry.angles().arcDeg;
}

TEST(GuessArc, AFullTurnOfAParallelBeamGivesTheAxisToo) {
    const TemporaryFolder folder;
    for (const Index views : {180, 201}) {
        SimulationSpec spec = parallelScan(views, 360);
        spec.geometry.detector.offsetMm[0] = -4;
        const GuessedScan guess = guessOf(spec, folder / std::to_string(views));
        EXPECT_EQ(guess.scan.geometry.angles().arcDeg, 360);
        EXPECT_NEAR(guess.scan.geometry.axisColumn(), spec.geometry.axisColumn(), 0.3) << views;
        // A small fan would look alike over a whole turn.
        EXPECT_TRUE(guess.scan.geometry.isParallel());
        EXPECT_TRUE(isUnsure(guess, "trajectory.type"));
        EXPECT_NE(reasonOf(guess, "trajectory.type").find("below about 10°"), std::string::npos);
    }
}

TEST(GuessArc, AFullTurnOfAConeBeamSaysNothingOfTheAxis) {
    const TemporaryFolder folder;
    SimulationSpec spec = test::smallScan(180, 96, 40, 410);
    spec.geometry.detector.offsetMm[0] = 5;
    const GuessedScan guess = guessOf(spec, folder / "scan");
    EXPECT_EQ(guess.scan.geometry.angles().arcDeg, 360);
    EXPECT_NE(reasonOf(guess, "trajectory.arcDeg").find("full turn"), std::string::npos);
    EXPECT_EQ(reasonOf(guess, "trajectory.arcDeg").find("Not sure"), std::string::npos);
    EXPECT_EQ(guess.scan.geometry.cone().sourceToIsocenterMm, 600);
    EXPECT_EQ(guess.scan.geometry.detector.offsetMm[0], 0);
    EXPECT_NE(reasonOf(guess, "detector.offsetMm[0]"), "no guess");
}

TEST(GuessArc, WhatNothingSpeaksForIsNotSure) {
    const TemporaryFolder folder;
    SimulationSpec quarter = parallelScan(90, 90);
    SimulationSpec shortScan = test::smallScan(110, 96, 9, 410);
    shortScan.geometry.angles().arcDeg = 220;
    SimulationSpec few = parallelScan(8, 180);
    SimulationSpec fromTheFront = parallelScan(120, 180);  // each end is its own mirror image
    fromTheFront.phantom.placement.centerMm = {0, 0, 0};
    int number = 0;
    for (const SimulationSpec& spec : {quarter, shortScan, few, fromTheFront}) {
        const GuessedScan guess = guessOf(spec, folder / std::to_string(++number));
        EXPECT_EQ(guess.scan.geometry.angles().arcDeg, 360) << number;
        EXPECT_TRUE(reasonOf(guess, "trajectory.arcDeg").starts_with("Not sure")) << number;
        EXPECT_EQ(guess.scan.geometry.detector.offsetMm[0], 0) << number;
    }
}

TEST(GuessArc, AnglesThatNamesStatePlainlyAreTaken) {
    EXPECT_EQ(angleInName("walnut_012.5deg"), 12.5);
    EXPECT_EQ(angleInName("Angle_090"), 90);
    EXPECT_EQ(angleInName("scan-theta=3.25"), 3.25);
    EXPECT_EQ(angleInName("7°"), 7);
    for (const char* name : {"proj_0012", "triangle_12", "12", "degree", "", "angle"})
        EXPECT_FALSE(angleInName(name)) << name;

    const TemporaryFolder folder;
    const SimulationSpec spec = test::smallScan(24, 20, 12, 410);
    (void)test::simulated(spec, folder / "scan");
    fs::remove(folder / "scan/scan.json");
    std::vector<fs::path> views;
    for (const auto& entry : fs::directory_iterator(folder / "scan/proj"))
        views.push_back(entry.path());
    std::ranges::sort(views);
    for (std::size_t s = 0; s < views.size(); ++s)
        fs::rename(views[s], folder / fmt::format("scan/proj/head_{:06.2f}deg.tif",
                                                  30 + 8.5 * static_cast<double>(s)));
    Inspection bare;
    bare.path = folder / "scan";
    const GuessedScan guess = guessScan(bare);
    EXPECT_EQ(guess.scan.geometry.angles().startDeg, 30);
    EXPECT_NEAR(guess.scan.geometry.angles().arcDeg, 24 * 8.5, 1e-9);
    EXPECT_NE(reasonOf(guess, "trajectory.arcDeg").find("names"), std::string::npos);
    EXPECT_TRUE(guess.scan.geometry.isCone());

    // Each file has its own angle, whatever the order of the files.
    for (std::size_t s = 0; s < views.size(); ++s)
        fs::rename(folder / fmt::format("scan/proj/head_{:06.2f}deg.tif",
                                        30 + 8.5 * static_cast<double>(s)),
                   folder / fmt::format("scan/proj/{:02}_{:06.2f}deg.tif", s * 7 % 24,
                                        30 + 8.5 * static_cast<double>(s)));
    const std::vector<double> listed = guessScan(bare).scan.geometry.angles().anglesDeg;
    ASSERT_EQ(listed.size(), 24U);
    EXPECT_NEAR(listed[7], 30 + 8.5, 1e-9);
    for (std::size_t s = 0; s < views.size(); ++s)
        fs::rename(folder / fmt::format("scan/proj/{:02}_{:06.2f}deg.tif", s * 7 % 24,
                                        30 + 8.5 * static_cast<double>(s)),
                   folder / fmt::format("scan/proj/head_{:06.2f}deg.tif",
                                        30 + 8.5 * static_cast<double>(s)));

    // Half a turn is too short for any fan.
    for (int s = 0; s < 24; ++s)
        fs::rename(folder / fmt::format("scan/proj/head_{:06.2f}deg.tif", 30 + 8.5 * s),
                   folder / fmt::format("scan/proj/half_{:06.2f}deg.tif", 7.5 * s));
    EXPECT_TRUE(guessScan(bare).scan.geometry.isParallel());
}

// A strip is smoothed, which neither moves nor dims what it shows.
TEST(GuessArc, ASmoothedStripKeepsPlaceAndStrength) {
    constexpr std::size_t kColumns = 41;
    std::vector<float> pixels(2 * kColumns, 0.0F);  // a view, and its mirror image
    pixels[17] = pixels[2 * kColumns - 1 - 17] = 3;
    pixels[23] = pixels[2 * kColumns - 1 - 23] = 5;
    const MemorySource views(Span3<const float>(pixels.data(), 2, 1, kColumns));
    const StripReader strips(views, nullptr, nullptr, true);
    const RowStrip strip = strips.read(0);
    double sum = 0;
    double moment = 0;
    for (std::size_t u = 0; u < kColumns; ++u) {
        sum += static_cast<double>(strip.values[u]);
        moment += static_cast<double>(u) * static_cast<double>(strip.values[u]);
    }
    // Sums of floats of that size.
    EXPECT_NEAR(sum, 8, 1e-5);
    EXPECT_NEAR(moment / sum, (17 * 3 + 23 * 5) / 8.0, 1e-5);
    EXPECT_NEAR(mirrorMatch(strip, strips.read(1)).column, 20, 0.05);  // the middle, to its step
}

TEST(GuessArc, ALastViewOneAndAHalfStepsShortOfTheFirstStillEndsATurn) {
    const TemporaryFolder folder;
    SimulationSpec spec = parallelScan(90, 360 * 90 / 90.5);
    spec.geometry.angles().startDeg = 37;  // from the front it would be its own mirror image
    spec.photons = 0;
    const GuessedScan guess = guessOf(spec, folder / "scan");
    EXPECT_EQ(guess.scan.geometry.angles().arcDeg, 360);
    const std::string reason = reasonOf(guess, "trajectory.arcDeg");
    EXPECT_NE(reason.find("one step short of the first"), std::string::npos) << reason;
}

}  // namespace
}  // namespace gantry
