#include "core/scan/flux/air_beam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/io/memory_source.h"
#include "core/scan/corrected_scan.h"
#include "core/scan/open_scan.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

// Views of a round body whose middle moves from column 65 to 85, with air of 25 columns and more on
// either side, by a beam that falls from 0.55 to 0.45 of the flat field's.
class AirOfViews : public testing::Test {
  protected:
    static constexpr Index kViews = 60;
    static constexpr Index kRows = 48;
    static constexpr Index kColumns = 150;
    double m_radius = 40;
    double m_noise = 0.01;  // standard deviation of a pixel in the open beam, as a share
    ProjectionKind m_kind = ProjectionKind::counts;
    // Changes line integrals of view s after they were made.
    std::function<void(Index s, Span3<float> view)> m_change = [](Index, Span3<float>) {};

    static double beamOf(Index s) {
        return 0.55 - 0.1 * static_cast<double>(s) / static_cast<double>(kViews - 1);
    }

    [[nodiscard]] OpenScan scan(const std::vector<Index>& leftOut = {}) {
        ScanGeometry geometry;
        ParallelBeam beam;
        beam.arcDeg = 180;
        beam.views = kViews;
        geometry.trajectory = beam;
        geometry.detector = {.columns = kColumns, .rows = kRows, .pitchMm = {0.5, 0.5}};
        m_pixels.assign(static_cast<std::size_t>(kViews * kRows * kColumns), 0);
        const Span3<float> views(m_pixels.data(), kViews, kRows, kColumns);
        std::mt19937 random(3);
        for (Index s = 0; s < kViews; ++s)
            makeView(s, views.slices({s, s + 1}), random);
        const OpenScan opened =
            openScan(geometry, std::make_shared<MemorySource>(views), m_kind, calibration());
        return leftOut.empty() ? opened : withGeometry(opened, geometry, leftOut);
    }

    [[nodiscard]] static std::shared_ptr<const AirBeam> beamOf(
        const OpenScan& scan, const std::vector<Index>& region = {}, int threads = 2) {
        return AirBeams().of(scan, {FluxMethod::air, region}, threads, {});
    }

    static void expectBeams(const OpenScan& scan, const AirBeam& found, double tolerance) {
        ASSERT_EQ(std::ssize(found.offsets), scan.stored.views);
        for (Index s = 0; s < scan.stored.views; ++s)
            EXPECT_NEAR(std::exp(found.offsets[s].at(0, 0)) / beamOf(scan.numberOf(s)), 1,
                        tolerance)
                << s;
    }

  private:
    [[nodiscard]] std::shared_ptr<const DetectorCalibration> calibration() const {
        if (m_kind == ProjectionKind::attenuation) return nullptr;
        auto fields = std::make_shared<DetectorCalibration>();
        fields->rows = kRows;
        fields->columns = kColumns;
        fields->dark = HostBuffer<float>(kRows * kColumns);
        fields->flat = HostBuffer<float>(kRows * kColumns);
        for (Index i = 0; i < kRows * kColumns; ++i) {
            fields->dark[i] = 100;
            fields->flat[i] = flatAt(i);
        }
        return fields;
    }
    static float flatAt(Index i) { return static_cast<float>(20100 + 37 * (i % 53)); }

    void makeView(Index s, Span3<float> view, std::mt19937& random) {
        std::normal_distribution<double> normal(0, 1);
        const double middle = 75 + 10 * std::sin(0.3 * static_cast<double>(s));
        for (Index i = 0; i < kRows * kColumns; ++i) {
            const double across = (static_cast<double>(i % kColumns) - middle) / m_radius;
            const double depth = std::abs(across) < 1 ? std::sqrt(1 - across * across) : 0;
            view.data()[i] = static_cast<float>(1.5 * depth - std::log(beamOf(s)));
        }
        m_change(s, view);
        for (Index i = 0; i < kRows * kColumns; ++i) {
            float& value = view.data()[i];
            const double share = std::exp(-static_cast<double>(value));
            const double seen = std::max(1e-4, share + m_noise * std::sqrt(share) * normal(random));
            value = m_kind == ProjectionKind::attenuation
                        ? static_cast<float>(-std::log(seen))
                        : 100 + std::round(static_cast<float>(seen) * (flatAt(i) - 100));
        }
    }

    std::vector<float> m_pixels;
};

// A beam that tilts over the detector while it becomes weaker: by up to 24 % along u, 10 % along v.
TEST_F(AirOfViews, GivesThePlaneOfABeamThatTilts) {
    const auto tilt = [](Index s) {
        const double part = static_cast<double>(s) / static_cast<double>(kViews - 1);
        return std::array{0.24 * part / kColumns, -0.1 * part / kRows};
    };
    m_change = [&](Index s, Span3<float> view) {
        for (Index v = 0; v < kRows; ++v)
            for (Index u = 0; u < kColumns; ++u)
                view(0, v, u) -= static_cast<float>(tilt(s)[0] * static_cast<double>(u) +
                                                    tilt(s)[1] * static_cast<double>(v));
    };
    const OpenScan scan = this->scan();
    const auto found = AirBeams().of(scan, {FluxMethod::plane, {}}, 2, {});
    for (Index s = 0; s < kViews; ++s)
        for (const auto& [u, v] : {std::pair{0, 0}, std::pair{149, 0}, std::pair{75, 47}})
            EXPECT_NEAR(found->offsets[s].at(u, v),
                        std::log(beamOf(s)) + tilt(s)[0] * u + tilt(s)[1] * v, 2e-3)
                << s << ' ' << u << ' ' << v;
    EXPECT_NE(found->notes[1].find("Across the detector it differs by up to 3"), std::string::npos)
        << found->notes[1];
    // What is corrected is a body of even level: air is 0 in all corners.
    const OpenScan even = corrected(scan, {.flux = {FluxMethod::plane, {}}}, 2);
    EXPECT_EQ(even.offsets, found->offsets);
    // Air on one side tells nothing of the other.
    const auto oneSide = AirBeams().of(scan, {FluxMethod::plane, {0, 0, 20, 48}}, 2, {});
    EXPECT_EQ(oneSide->offsets[9].alongU, 0);
    EXPECT_NEAR(oneSide->offsets[59].alongV, -0.1 / kRows, 2e-4);
    EXPECT_NE(oneSide->notes[1].find("one side of the object only"), std::string::npos);
}

TEST_F(AirOfViews, GivesTheBeamOfEachViewOfCounts) {
    const OpenScan scan = this->scan();
    const auto found = beamOf(scan);
    ASSERT_EQ(found->regions.size(), 2U);
    EXPECT_EQ(found->regions[0].columns.begin, 0);
    EXPECT_EQ(found->regions[1].columns.end, kColumns);
    for (const PixelRegion& region : found->regions) {
        EXPECT_EQ(region.rows, (IndexRange{0, kRows}));
        EXPECT_GE(region.columns.size(), 18);
        EXPECT_LE(region.columns.size(), 25);
    }
    expectBeams(scan, *found, 0.002);
    ASSERT_EQ(found->notes.size(), 1U);
    EXPECT_NE(found->notes[0].find("The beam of the views is 0.50 of the flat fields' (0.4"),
              std::string::npos)
        << found->notes[0];
    EXPECT_NE(found->notes[0].find("by the air in columns 0 to "), std::string::npos);
}

TEST_F(AirOfViews, GivesTheBeamOfEachViewOfAttenuation) {
    m_kind = ProjectionKind::attenuation;
    const OpenScan scan = this->scan();
    const auto found = beamOf(scan);
    expectBeams(scan, *found, 0.002);
    EXPECT_NE(found->notes[0].find("of the one that their line integrals refer to"),
              std::string::npos)
        << found->notes[0];
}

TEST_F(AirOfViews, CancelsABeamThatIsWeakerOnOneSide) {
    m_change = [](Index, Span3<float> view) {
        for (Index i = 0; i < view.count(); ++i)
            view.data()[i] += 0.006F * (static_cast<float>(i % kColumns) / (kColumns - 1) - 0.5F);
    };
    const OpenScan scan = this->scan();
    const auto found = beamOf(scan);
    EXPECT_EQ(found->regions.size(), 2U);
    expectBeams(scan, *found, 0.002);
}

// A clamp that comes to the right side in a few views.
TEST_F(AirOfViews, IsThatOfTheSideThatTheObjectNeverCovers) {
    m_change = [](Index s, Span3<float> view) {
        for (Index v = 0; v < kRows && s > 20 && s < 28; ++v)
            for (Index u = 130; u < kColumns; ++u)
                view(0, v, u) += 0.2F;
    };
    const OpenScan scan = this->scan();
    const auto found = beamOf(scan);
    ASSERT_EQ(found->regions.size(), 1U);
    EXPECT_EQ(found->regions[0].columns.begin, 0);
    expectBeams(scan, *found, 0.002);
}

// A table below the object.
TEST_F(AirOfViews, IsThatOfTheRowsWithoutObject) {
    m_change = [](Index, Span3<float> view) {
        for (Index v = 0; v < 12; ++v)
            for (Index u = 0; u < kColumns; ++u)
                view(0, v, u) += 0.8F;
    };
    const OpenScan scan = this->scan();
    const auto found = beamOf(scan);
    for (const PixelRegion& region : found->regions)
        EXPECT_EQ(region.rows, (IndexRange{12, kRows}));
    expectBeams(scan, *found, 0.002);
}

TEST_F(AirOfViews, IsNotDisturbedByDeadPixelsAndZingers) {
    m_change = [](Index s, Span3<float> view) {
        std::mt19937 random(static_cast<std::uint32_t>(s));
        for (int i = 0; i < 40; ++i)
            view.data()[random() % static_cast<std::uint32_t>(view.count())] -= 2;  // bright
        for (Index i = 7; i < view.count(); i += 211)
            view.data()[i] = 8;  // dark in all views
    };
    const OpenScan scan = this->scan();
    const auto found = beamOf(scan);
    EXPECT_EQ(found->regions.size(), 2U);
    expectBeams(scan, *found, 0.003);
}

TEST_F(AirOfViews, IsRefusedInASentenceWhereThereIsNone) {
    m_radius = 90;
    const OpenScan scan = this->scan();
    try {
        (void)beamOf(scan);
        ADD_FAILURE() << "the rim of the object was taken for air";
    } catch (const InputError& error) {
        EXPECT_EQ(error.field(), "prep.flux");
        EXPECT_NE(std::string(error.what())
                      .find("no part of the detector shows only air in all "
                            "views"),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(AirOfViews, IsTakenFromTheRegionThatIsGiven) {
    const OpenScan scan = this->scan();
    const auto found = beamOf(scan, {2, 5, 20, 40});
    ASSERT_EQ(found->regions, (std::vector<PixelRegion>{{{2, 20}, {5, 40}}}));
    EXPECT_EQ(found->notes.size(), 1U);
    expectBeams(scan, *found, 0.003);
    EXPECT_ERROR((void)beamOf(scan, {140, 0, 151, 40}), InputError,
                 "prep.airRegion (--air) is 140, 0, 151, 40: it ends behind the detector, which "
                 "has 150 columns and 48 rows.");
    const auto uneven = beamOf(scan, {10, 0, 60, 40});
    ASSERT_EQ(uneven->notes.size(), 2U);
    EXPECT_NE(uneven->notes[1].find("(prep.airRegion) varies by "), std::string::npos)
        << uneven->notes[1];
}

TEST_F(AirOfViews, GivesTheSameBitsWithAnyThreadsAndStaysKnown) {
    const OpenScan scan = this->scan();
    const auto one = beamOf(scan, {}, 1);
    const auto three = beamOf(scan, {}, 3);
    EXPECT_EQ(one->regions, three->regions);
    EXPECT_EQ(one->offsets, three->offsets);
    EXPECT_EQ(one->notes, three->notes);
    const Corrections air = {.flux = {.method = FluxMethod::air}};
    const OpenScan normalised = corrected(scan, air);
    EXPECT_EQ(normalised.offsets, one->offsets);
    EXPECT_FALSE(normalised.uncorrected);
    EXPECT_EQ(corrected(withRows(scan, FilterRows::own), air).air, normalised.air);
    EXPECT_EQ(corrected(normalised, air).offsets, one->offsets);
}

TEST_F(AirOfViews, FollowsTheViewsWhereOthersAreLeftOut) {
    const OpenScan scan = this->scan({0, 1, 17});
    EXPECT_EQ(scan.stored.views, kViews - 3);
    expectBeams(scan, *beamOf(scan), 0.002);
}

TEST_F(AirOfViews, WinsOverABeamMonitor) {
    const OpenScan stored = scan();
    DetectorCalibration stated;
    stated.rows = kRows;
    stated.columns = kColumns;
    stated.dark = HostBuffer<float>(kRows * kColumns);
    stated.flat = HostBuffer<float>(kRows * kColumns);
    std::copy_n(stored.calibration->dark.data(), kRows * kColumns, stated.dark.data());
    std::copy_n(stored.calibration->flat.data(), kRows * kColumns, stated.flat.data());
    stated.beam.assign(kViews, 0.9F);
    const OpenScan monitored =
        openScan(stored.description.geometry, stored.source, ProjectionKind::counts,
                 std::make_shared<const DetectorCalibration>(std::move(stated)));
    EXPECT_NEAR(monitored.offsetOf(3).level, std::log(0.9), 1e-6);
    const OpenScan normalised = corrected(monitored, {.flux = {.method = FluxMethod::air}});
    EXPECT_EQ(normalised.offsets, beamOf(stored)->offsets);
    EXPECT_NE(normalised.air->notes.back().find("beam monitor"), std::string::npos);
}

// Two rows have the noise and the fixed pattern of a synchrotron's camera.
TEST(AirOfTheTooth, IsFoundOnBothSides) {
    const OpenScan scan = openScan(readScanFile(GANTRY_SAMPLES "/tooth/scan.json"));
    const auto found = AirBeams().of(scan, {FluxMethod::air, {}}, 2, {});
    ASSERT_EQ(found->regions.size(), 2U);
    for (const PixelRegion& region : found->regions)
        EXPECT_GE(region.columns.size(), 100);
    for (const BeamOffset& offset : found->offsets)
        EXPECT_NEAR(offset.level, 0, 0.02);
    EXPECT_EQ(found->notes.size(), 1U) << found->notes.back();
}

}  // namespace
}  // namespace gantry
