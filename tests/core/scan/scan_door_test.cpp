#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/io/memory_source.h"
#include "core/scan/open_scan.h"

// What an opened scan hands to every later stage, against what was declared.
namespace gantry {
namespace {

constexpr Index kViews = 48;
constexpr Index kColumns = 61;
constexpr Index kRows = 47;

ScanGeometry centred() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1150;
    geometry.cone().startDeg = 20;
    geometry.cone().views = kViews;
    geometry.detector = {.columns = kColumns, .rows = kRows, .pitchMm = {6, 5}};
    return geometry;
}

ScanGeometry with(void (*change)(ScanGeometry&)) {
    ScanGeometry geometry = centred();
    change(geometry);
    return geometry;
}

OpenScan opened(const ScanGeometry& geometry) {
    static const std::vector<float> pixels(kViews * kRows * kColumns);
    return openScan(
        geometry,
        std::make_shared<MemorySource>(Span3<const float>(pixels.data(), kViews, kRows, kColumns)),
        ProjectionKind::attenuation, {}, FilterRows::upright);
}

struct DoorCase {
    const char* name;
    void (*change)(ScanGeometry&);
    Redundancy redundancy;
};

class ScanDoor : public testing::TestWithParam<DoorCase> {
  protected:
    ScanGeometry m_declared = with(GetParam().change);
    OpenScan m_scan = opened(m_declared);
    const AlignedViews& m_views = m_scan.geometry;
    double m_added = static_cast<double>(m_scan.redundancy.padBefore);
};

// Source and detector written out from the conventions of resources/help/architecture.md, of a
// detector that is not rotated.
TEST_P(ScanDoor, EveryViewLooksFromItsSourceThroughItsPixels) {
    ASSERT_EQ(m_views.views, kViews);
    ASSERT_EQ(m_views.matrices.size(), static_cast<std::size_t>(kViews));
    const Detector& real = m_declared.detector;
    for (Index s = 0; s < kViews; ++s) {
        const double a = radians(m_declared.angleDeg(s));
        const Vec3 u = {std::cos(a), std::sin(a), 0};
        const Vec3 n = {-std::sin(a), std::cos(a), 0};
        const Vec3 v = {0, 0, 1};
        const Vec3 source = m_declared.cone().sourceOffsetMm[0] * u +
                            m_declared.cone().sourceOffsetMm[1] * v -
                            m_declared.cone().sourceToIsocenterMm * n;
        for (const double column : {0.0, 12.5, 60.0}) {
            for (const double row : {0.0, 30.25, 46.0}) {
                const Vec3 pixel =
                    ((column - (kColumns - 1) / 2.0) * real.pitchMm[0] + real.offsetMm[0]) * u +
                    ((row - (kRows - 1) / 2.0) * real.pitchMm[1] + real.offsetMm[1]) * v +
                    (m_declared.cone().sourceToDetectorMm - m_declared.cone().sourceToIsocenterMm) *
                        n;
                const Vec3 at = source + 0.4 * (pixel - source);
                const auto seen =
                    m_views.matrices[static_cast<std::size_t>(s)].project(at.x, at.y, at.z);
                EXPECT_NEAR(seen.u, column + m_added, 1e-9);
                EXPECT_NEAR(seen.v, row, 1e-9);
                EXPECT_NEAR(seen.z, 0.4 * m_declared.cone().sourceToDetectorMm, 1e-9);
            }
        }
    }
}

TEST_P(ScanDoor, TheDetectorIsTheDeclaredOneWithWhatIsAdded) {
    const AlignedDetector& detector = m_views.detector;
    EXPECT_EQ(m_scan.redundancy.kind, GetParam().redundancy);
    EXPECT_EQ(detector.columns,
              kColumns + m_scan.redundancy.padBefore + m_scan.redundancy.padAfter);
    EXPECT_EQ(detector.rows, kRows);
    EXPECT_EQ(detector.pitchMm, m_declared.detector.pitchMm);
    const double toIsocenter =
        m_declared.cone().sourceToIsocenterMm / m_declared.cone().sourceToDetectorMm;
    EXPECT_NEAR(detector.pitchAtAxisMm, 6 * toIsocenter, 1e-12);
    EXPECT_NEAR(detector.axisColumn(), m_declared.axisColumn() + m_added, 1e-9);
    EXPECT_NEAR(detector.midplaneRow(), m_declared.midplaneRow(), 1e-9);
    if (m_scan.redundancy.kind == Redundancy::offsetDetector) {
        const double middle = (static_cast<double>(detector.columns) - 1) / 2;
        EXPECT_LE(std::abs(detector.axisColumn() - middle), 0.5);
    }
}

TEST_P(ScanDoor, ViewsStandForTheirShareOfTheArc) {
    EXPECT_EQ(m_views.weightsRad, angularWeightsRad(m_declared));
    double sum = 0;
    for (std::size_t s = 0; s < m_views.weightsRad.size(); ++s) {
        EXPECT_EQ(m_views.anglesDeg[s], m_declared.angleDeg(static_cast<Index>(s)));
        sum += degrees(m_views.weightsRad[s]);
    }
    EXPECT_NEAR(sum, m_declared.coverageDeg(), 1e-9);
}

TEST_P(ScanDoor, WhatIsLeftOutIsSharedOut) {
    const std::vector<Index> leftOut = {0, 17, 18, kViews - 1};
    const OpenScan kept = withGeometry(m_scan, m_declared, leftOut);
    EXPECT_EQ(kept.redundancy.kind, m_scan.redundancy.kind);
    EXPECT_EQ(kept.geometry.detector, m_views.detector);
    ASSERT_EQ(kept.geometry.views, kViews - 4);
    double sum = 0;
    for (Index i = 0; i < kept.geometry.views; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const auto number = static_cast<std::size_t>(kept.numberOf(i));
        EXPECT_EQ(kept.geometry.matrices[at], m_views.matrices[number]);
        EXPECT_EQ(kept.geometry.anglesDeg[at], m_views.anglesDeg[number]);
        sum += degrees(kept.geometry.weightsRad[at]);
    }
    // An open arc is shorter without its first and last view.
    const bool isOpen = m_scan.redundancy.kind == Redundancy::shortScan;
    const double steps = isOpen ? 2 : 0;
    EXPECT_NEAR(sum, m_declared.coverageDeg() * (1 - steps / kViews), 1e-9);
}

void listAngles(ScanGeometry& geometry) {
    for (Index s = 0; s < kViews; ++s)
        geometry.cone().anglesDeg.push_back(7.5 * static_cast<double>(s * 5 % kViews) +
                                            0.3 * static_cast<double>(s % 7));
}

INSTANTIATE_TEST_SUITE_P(
    Scans, ScanDoor,
    testing::Values(DoorCase{"Centred", [](ScanGeometry&) {}, Redundancy::fullCircle},
                    DoorCase{"Clockwise", [](ScanGeometry& g) { g.cone().arcDeg = -360; },
                             Redundancy::fullCircle},
                    DoorCase{"OffsetDetector",
                             [](ScanGeometry& g) {
                                 g.detector.offsetMm = {91, -4};
                             },
                             Redundancy::offsetDetector},
                    DoorCase{"OffsetToTheLeft",
                             [](ScanGeometry& g) {
                                 g.detector.offsetMm = {-77, 4};
                             },
                             Redundancy::offsetDetector},
                    DoorCase{"ShiftedSource",
                             [](ScanGeometry& g) {
                                 g.cone().sourceOffsetMm = {4, -3};
                             },
                             Redundancy::offsetDetector},
                    DoorCase{"RolledAndTilted",
                             [](ScanGeometry& g) {
                                 g.detector.rollDeg = 2;
                                 g.detector.tiltDeg = -3;
                                 g.detector.slantDeg = 4;
                             },
                             Redundancy::fullCircle},
                    DoorCase{"RolledAndOffset",
                             [](ScanGeometry& g) {
                                 g.detector.rollDeg = -2;
                                 g.detector.offsetMm = {91, 0};
                             },
                             Redundancy::offsetDetector},
                    DoorCase{"ShortScan", [](ScanGeometry& g) { g.cone().arcDeg = 230; },
                             Redundancy::shortScan},
                    DoorCase{"ListedAngles", listAngles, Redundancy::fullCircle}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace gantry
