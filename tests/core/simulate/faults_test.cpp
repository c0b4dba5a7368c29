#include "core/simulate/faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/prep/line_integrals.h"
#include "core/scan/open_scan.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

// What is wrong with a simulated scan is what its truth.json says, and nothing else.
namespace gantry {
namespace {

constexpr Index kViews = 9;
constexpr Index kRows = 23;
constexpr Index kColumns = 41;

// A simulated scan as its files have it.
struct Made {
    ScanFile scan;
    HostBuffer<float> pixels;  // as stored
    nlohmann::json truth;

    [[nodiscard]] double at(Index s, Index v, Index u) const {
        return pixels[(s * kRows + v) * kColumns + u];
    }
};

class Faults : public testing::Test {
  protected:
    Faults() : m_spec(test::smallScan(kViews, kColumns, kRows, 410)) {
        m_spec.geometry.detector.offsetMm = {6, -3};
        m_spec.fieldFrames = 2;
    }

    [[nodiscard]] Made made() {
        Made result;
        result.scan = test::simulated(m_spec, m_folder / std::to_string(++m_scans));
        const std::string truth = test::fileBytes(result.scan.folder / kTruthFileName);
        if (!truth.empty()) result.truth = nlohmann::json::parse(truth);
        result.pixels = test::readAll(
            *openSource(matchFiles(result.scan.folder, result.scan.projections.files), {}));
        return result;
    }
    [[nodiscard]] Made madeWithout() {
        const SimulatedFaults faults = std::exchange(m_spec.faults, {});
        Made result = made();
        m_spec.faults = faults;
        return result;
    }
    void takeAttenuation() { m_spec.kind = ProjectionKind::attenuation; }

    // Every pixel is that of the scan without faults, plus what the truth says.
    static void expectAdded(const Made& found, const Made& clean,
                            const std::function<double(Index s, Index v, Index u)>& added) {
        for (Index s = 0; s < kViews; ++s)
            for (Index v = 0; v < kRows; ++v)
                for (Index u = 0; u < kColumns; ++u)
                    ASSERT_NEAR(found.at(s, v, u), clean.at(s, v, u) + added(s, v, u), 1e-6)
                        << s << " " << v << " " << u;
    }

    test::TemporaryFolder m_folder;
    SimulationSpec m_spec;
    int m_scans = 0;
};

TEST_F(Faults, NoneMakeNoTruth) {
    EXPECT_TRUE(made().truth.is_null());
    EXPECT_FALSE(std::filesystem::exists(m_folder / "1" / kTruthFileName));
}

// A detector that lacks columns is one of fewer columns beside the beam's middle.
TEST_F(Faults, ACutDetectorIsASmallerOneFartherOut) {
    takeAttenuation();
    const Made whole = made();
    Detector& detector = m_spec.geometry.detector;
    constexpr Index kLeft = 9;
    constexpr Index kRight = 4;
    detector.columns -= kLeft + kRight;
    detector.offsetMm[0] += 0.5 * (kLeft - kRight) * detector.pitchMm[0];
    const Made cut = made();
    for (Index row = 0; row < kViews * kRows; ++row)
        for (Index u = 0; u < detector.columns; ++u)
            ASSERT_NEAR(cut.pixels[row * detector.columns + u],
                        whole.pixels[row * kColumns + kLeft + u], 1e-6);
}

TEST_F(Faults, AShiftMovesThePictureOfItsView) {
    takeAttenuation();
    m_spec.geometry.trajectory =
        ParallelBeam{{.startDeg = 0, .arcDeg = 180, .views = kViews, .anglesDeg = {}}};
    m_spec.faults.viewShiftPx = 1.5;
    const Made clean = madeWithout();
    const Made shifted = made();
    const auto middleOf = [](const Made& made, Index s) {
        std::array<double, 3> sums{};
        for (Index v = 0; v < kRows; ++v)
            for (Index u = 0; u < kColumns; ++u) {
                sums[0] += made.at(s, v, u) * static_cast<double>(u);
                sums[1] += made.at(s, v, u) * static_cast<double>(v);
                sums[2] += made.at(s, v, u);
            }
        return std::array{sums[0] / sums[2], sums[1] / sums[2]};
    };
    ASSERT_EQ(shifted.truth["viewShiftsPx"].size(), kViews);
    double max = 0;
    for (Index s = 0; s < kViews; ++s) {
        const auto was = middleOf(clean, s);
        const auto is = middleOf(shifted, s);
        for (const std::size_t i : {0, 1}) {
            const double shift = shifted.truth["viewShiftsPx"][s][i];
            // Pixels of 10 mm sample the object's edges roughly.
            EXPECT_NEAR(is[i] - was[i], shift, 0.1) << s;
            max = std::max(max, std::abs(shift));
        }
    }
    EXPECT_LE(max, 1.5);
    EXPECT_GT(max, 1);
}

// By the response to single views, summed one by one; the first view was there for long.
TEST_F(Faults, LagGivesAPartOfEachViewWithThoseAfterIt) {
    takeAttenuation();
    constexpr double kShare = 0.07;
    constexpr double kFading = 0.75;  // from view to view
    m_spec.faults.lag = {kShare, -1 / std::log(kFading)};
    const Made clean = madeWithout();
    const Made lagging = made();
    EXPECT_EQ(lagging.truth["lag"]["share"], kShare);
    EXPECT_EQ(lagging.truth["lag"]["views"], m_spec.faults.lag.views);
    double max = 0;
    expectAdded(lagging, clean, [&](Index s, Index v, Index u) {
        const auto signal = [&](Index view) { return std::exp(-clean.at(view, v, u)); };
        double read = (1 - kShare) * signal(s) +
                      kShare * std::pow(kFading, static_cast<double>(s)) * signal(0);
        for (Index j = 0; j < s; ++j)
            read += kShare * (1 - kFading) * std::pow(kFading, static_cast<double>(s - 1 - j)) *
                    signal(j);
        const double added = -std::log(read) - clean.at(s, v, u);
        max = std::max(max, std::abs(added));
        return added;
    });
    EXPECT_GT(max, 0.01);
}

// A drift has no random part, and comes on top of shifts that have.
TEST_F(Faults, ADriftGrowsFromTheFirstViewToTheLast) {
    takeAttenuation();
    m_spec.faults.viewShiftPx = 0.25;
    const nlohmann::json shifts = made().truth["viewShiftsPx"];
    m_spec.faults.driftPx = {4, -3};
    const nlohmann::json both = made().truth["viewShiftsPx"];
    ASSERT_EQ(both.size(), kViews);
    double before = -1;
    for (Index s = 0; s < kViews; ++s) {
        const double u = both[s][0].get<double>() - shifts[s][0].get<double>();
        const double v = both[s][1].get<double>() - shifts[s][1].get<double>();
        // Three time constants, as the manual has it; roundings of numbers of a few pixels.
        const double share =
            (1 - std::exp(-3.0 * static_cast<double>(s) / (kViews - 1))) / (1 - std::exp(-3.0));
        EXPECT_NEAR(u, 4 * share, 1e-12);
        EXPECT_NEAR(v, -3 * share, 1e-12);
        EXPECT_GT(u, before);
        before = u;
    }
    m_spec.faults.driftPx = {0, 101};
    EXPECT_ERROR((void)made(), InputError, "The drift of the views (--drift-px)");
}

TEST_F(Faults, StripesAreInAllViewsAndNotInTheFlatField) {
    takeAttenuation();
    m_spec.faults.stripes = 5;
    m_spec.faults.stripeShare = 0.03;
    const Made found = made();
    std::vector<double> gain(kColumns, 1);
    ASSERT_EQ(found.truth["stripes"].size(), 5);
    for (const auto& stripe : found.truth["stripes"]) {
        EXPECT_NEAR(std::abs(stripe["gain"].get<double>() - 1), 0.03, 1e-9);
        gain[stripe["column"].get<std::size_t>()] = stripe["gain"];
    }
    expectAdded(found, madeWithout(), [&](Index, Index, Index u) { return -std::log(gain[u]); });
    m_spec.kind = ProjectionKind::counts;
    const OpenScan with = openScan(made().scan);
    const OpenScan without = openScan(madeWithout().scan);
    EXPECT_TRUE(
        std::ranges::equal(with.calibration->flat.span(), without.calibration->flat.span()));
}

TEST_F(Faults, ModulesHaveGainsInAllViewsThatTheFlatFieldHasNot) {
    takeAttenuation();
    m_spec.faults.modules = {3, 2};
    m_spec.faults.moduleShare = 0.03;
    const Made found = made();
    const auto& truth = found.truth["modules"];
    EXPECT_EQ(truth["columns"], (std::vector<Index>{13, 27}));
    EXPECT_EQ(truth["rows"], std::vector<Index>{11});
    const auto gains = truth["gains"].get<std::vector<double>>();
    ASSERT_EQ(gains.size(), 6);
    for (const double gain : gains)
        EXPECT_LE(std::abs(gain - 1), 0.03);
    expectAdded(found, madeWithout(), [&](Index, Index v, Index u) {
        return -std::log(gains[(v >= 11 ? 3 : 0) + (u >= 27 ? 2 : u >= 13 ? 1 : 0)]);
    });
    m_spec.kind = ProjectionKind::counts;
    const OpenScan with = openScan(made().scan);
    const OpenScan without = openScan(madeWithout().scan);
    EXPECT_TRUE(
        std::ranges::equal(with.calibration->flat.span(), without.calibration->flat.span()));
}

TEST_F(Faults, AModuleStepsHalfway) {
    takeAttenuation();
    m_spec.faults.moduleStep = -0.05;
    const Made found = made();
    const auto& truth = found.truth["moduleStep"];
    const Index first = truth["firstColumn"];
    const Index last = truth["lastColumn"];
    EXPECT_EQ(truth["firstView"], kViews / 2);
    EXPECT_EQ(last - first + 1, kColumns / 8);
    expectAdded(found, madeWithout(), [&](Index s, Index, Index u) {
        return s >= kViews / 2 && u >= first && u <= last ? -std::log(0.95) : 0;
    });
}

TEST_F(Faults, ZingersAreWhereTheTruthListsThem) {
    m_spec.faults.zingers = 40;
    m_spec.faults.zingerCounts = 25000;
    const Made found = made();
    const auto& truth = found.truth["zingers"];
    EXPECT_EQ(truth["number"], 40);
    EXPECT_EQ(truth["counts"], 25000);
    ASSERT_EQ(truth["pixels"].size(), 40);
    std::vector<double> added(kViews * kRows * kColumns);
    for (const auto& pixel : truth["pixels"])
        added[(pixel["view"].get<Index>() * kRows + pixel["row"].get<Index>()) * kColumns +
              pixel["column"].get<Index>()] = 25000;
    EXPECT_EQ(std::ranges::count(added, 25000), 40);
    const Made clean = madeWithout();
    expectAdded(found, clean, [&](Index s, Index v, Index u) {
        return std::min(added[(s * kRows + v) * kColumns + u], 65535 - clean.at(s, v, u));
    });
}

TEST_F(Faults, StuckPixelsAreFoundWithoutAMask) {
    m_spec.faults.stuckPixels = 7;
    m_spec.deadPixels = 3;
    const Made found = made();
    const auto& truth = found.truth["stuckPixels"];
    ASSERT_EQ(truth.size(), 7);
    const OpenScan open = openScan(found.scan);
    for (const auto& pixel : truth) {
        const Index row = pixel["row"];
        const Index column = pixel["column"];
        for (Index s = 0; s < kViews; ++s)
            EXPECT_EQ(found.at(s, row, column), pixel["counts"].get<double>());
        EXPECT_EQ(open.calibration->bad[row * kColumns + column], 1);
    }
    EXPECT_EQ(std::ranges::count(open.calibration->bad.span(), 1), 10);
}

// Gantry's flat field between the two is the beam of each view.
TEST_F(Faults, AFlatFieldThatDriftsIsKnownInEveryView) {
    m_spec.faults.flatDrift = 0.1;
    Made found = made();
    EXPECT_EQ(found.truth["flatAfter"]["gainAtLeftEdge"], 0.9);
    EXPECT_EQ(found.truth["flatAfter"]["gainAtRightEdge"], 1.1);
    const OpenScan open = openScan(found.scan);
    ASSERT_TRUE(open.calibration->changes());
    takeAttenuation();
    const Made ideal = madeWithout();
    for (Index s = 0; s < kViews; ++s)
        (void)toLineIntegrals(*open.calibration, 0,
                              {found.pixels.data() + s * kRows * kColumns, 1, kRows, kColumns}, s);
    for (Index i = 0; i < found.pixels.count(); ++i)
        // Counts of some 5000 and more, rounded in views and flat frames.
        ASSERT_NEAR(found.pixels[i], ideal.pixels[i], 3e-4) << i;
}

TEST_F(Faults, TheFluxOfEveryViewIsToldAndTheAxis) {
    m_spec.flux = {0.5, 0.9};
    m_spec.axisErrorMm = 2;
    const nlohmann::json truth = made().truth;
    ASSERT_EQ(truth["flux"].size(), kViews);
    EXPECT_EQ(truth["flux"][0], 0.5);
    EXPECT_EQ(truth["flux"][kViews - 1], 0.9);
    EXPECT_NEAR(truth["flux"][kViews / 2].get<double>(), 0.7, 1e-12);
    EXPECT_EQ(truth["centerOfRotationErrorMm"], 2);
}

TEST_F(Faults, AreTheSameForASeed) {
    m_spec.faults = {.viewShiftPx = 1,
                     .stripes = 3,
                     .stripeShare = 0.02,
                     .moduleStep = 0.04,
                     .flatDrift = 0.1,
                     .stuckPixels = 4,
                     .zingers = 20,
                     .zingerCounts = 9000};
    const Made one = made();
    const Made same = made();
    EXPECT_EQ(one.truth, same.truth);
    EXPECT_TRUE(std::ranges::equal(one.pixels.span(), same.pixels.span()));
    m_spec.seed = 2;
    const nlohmann::json other = made().truth;
    for (const char* fault : {"viewShiftsPx", "stripes", "stuckPixels", "zingers"})
        EXPECT_NE(other[fault], one.truth[fault]) << fault;
    // Each is drawn by itself.
    m_spec.seed = 1;
    m_spec.faults.stripes = 0;
    EXPECT_EQ(made().truth["zingers"], one.truth["zingers"]);
}

TEST_F(Faults, ManyZingersAreCountedOnly) {
    m_spec.geometry.cone().views = 120;
    m_spec.faults.zingers = 10'001;
    const nlohmann::json truth = made().truth["zingers"];
    EXPECT_EQ(truth["number"], 10'001);
    EXPECT_FALSE(truth.contains("pixels"));
}

TEST_F(Faults, BeyondTheirRangesAreRefused) {
    struct Case {
        SimulatedFaults faults;
        const char* words;
    };
    const Case kCases[] = {
        {{.viewShiftPx = 101}, "(--shift-px) must be 0 to 100 pixels, and 101 was asked for"},
        {{.stripes = 21}, "(--stripes) must be 0 to half of the detector's 41 columns, and 21"},
        {{.stripes = 1, .stripeShare = NAN}, "(--stripes) must be 0 to 0.9, and nan"},
        {{.modules = {6, 1}}, "(--module-gains) must be 1 or more, of 8 pixels at least, along 41"},
        {{.modules = {2, 2}, .moduleShare = 1}, "(--module-gains) must be 0 to 0.9, and 1"},
        {{.moduleStep = -1}, "(--module-step) must be -0.9 to 0.9, and -1"},
        {{.lag = {0.6, 1}}, "(--lag) must be 0 to 0.5, and 0.6"},
        {{.lag = {0.1, 0}}, "in which lag fades (--lag) must be 0.1 to 1000000, and 0"},
        {{.flatDrift = 1}, "(--flat-drift) must be -0.9 to 0.9, and 1"},
        {{.stuckPixels = 95}, "(--stuck-pixels) must be 0 to 94, a tenth"},
        {{.zingers = 849}, "(--zingers) must be 0 to 848, and 849"},
        {{.zingers = 1, .zingerCounts = 65536}, "(--zingers) must be 0 to 65535, and 65536"}};
    for (const Case& one : kCases) {
        m_spec.faults = one.faults;
        EXPECT_ERROR((void)made(), InputError, one.words);
    }
    takeAttenuation();
    for (const auto& [faults, option] :
         {std::pair{SimulatedFaults{.flatDrift = 0.1}, "--flat-drift"},
          {SimulatedFaults{.stuckPixels = 1}, "--stuck-pixels"},
          {SimulatedFaults{.zingers = 1}, "--zingers"}}) {
        m_spec.faults = faults;
        EXPECT_ERROR((void)made(), InputError,
                     std::string(option) + " changes counts, which views of attenuation do not");
    }
}

}  // namespace
}  // namespace gantry
