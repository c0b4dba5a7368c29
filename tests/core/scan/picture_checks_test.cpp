#include "core/scan/inspect/picture_checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/io/memory_source.h"
#include "tests/support/random_values.h"

namespace gantry {
namespace {

struct Ball {
    double x, y, z, radiusMm, perMm;
};

// A body with three balls off the axis, 0.8 at its darkest.
const std::vector<Ball> kObject = {
    {0, 0, 0, 20, 0.02}, {8, 3, 2, 4, 0.02}, {-6, 9, -3, 3, -0.02}, {2, -11, 5, 3, 0.03}};

// Line integrals of balls from the positions of resources/help/architecture.md, with noise.
class PictureChecks : public testing::Test {
  protected:
    ScanGeometry m_geometry = [] {
        ScanGeometry geometry;
        geometry.cone().sourceToIsocenterMm = 300;
        geometry.cone().sourceToDetectorMm = 450;
        geometry.cone().arcDeg = 360;
        geometry.cone().views = 90;
        geometry.detector = {.columns = 96, .rows = 88, .pitchMm = {0.8, 0.8}};
        return geometry;
    }();
    // What the scan really was, where that is not what it states.
    ScanGeometry m_real;
    std::vector<Ball> m_object = kObject;
    float m_noise = 0.002F;
    // Changes view s after it was made.
    std::function<void(Index s, Span3<float> view)> m_change = [](Index, Span3<float>) {};

    void SetUp() override { m_real = m_geometry; }

    [[nodiscard]] std::vector<std::string> problems() {
        const Index nU = m_geometry.detector.columns;
        const Index nV = m_geometry.detector.rows;
        const Index nP = m_geometry.views();
        m_pixels.assign(static_cast<std::size_t>(nP * nV * nU), 0);
        const Span3<float> views(m_pixels.data(), nP, nV, nU);
        std::mt19937 random(1);
        test::NormalValues<float> noise;
        for (Index s = 0; s < nP; ++s) {
            const ViewPose pose = viewPose(m_real, s);
            for (Index v = 0; v < nV; ++v)
                for (Index u = 0; u < nU; ++u)
                    views(s, v, u) =
                        static_cast<float>(lineIntegral(pose, static_cast<double>(u) - 47.5,
                                                        static_cast<double>(v) - 43.5)) +
                        m_noise * noise(random);
            m_change(s, views.slices({s, s + 1}));
        }
        const OpenScan scan = openScan(m_geometry, std::make_shared<MemorySource>(views));
        std::vector<std::string> sentences;
        for (const Problem& problem : checkPictures(scan, 2, {})) {
            EXPECT_EQ(problem.severity, Problem::Severity::warning);
            sentences.push_back(problem.field + ": " + problem.message);
        }
        return sentences;
    }

    void expectOnly(const std::string& field, const std::vector<std::string>& words) {
        const std::vector<std::string> found = problems();
        ASSERT_EQ(found.size(), 1U) << (found.size() > 1 ? found[0] + "\n" + found[1] : "");
        EXPECT_EQ(found[0].substr(0, field.size() + 2), field + ": ");
        for (const std::string& word : words)
            EXPECT_NE(found[0].find(word), std::string::npos) << found[0];
    }

  private:
    // In plain numbers: without the optimiser, calls of functions of vectors take most of the time.
    [[nodiscard]] double lineIntegral(const ViewPose& pose, double u, double v) const {
        const double pixelX = pose.detectorCenterMm.x + u * pose.uStepMm.x + v * pose.vStepMm.x;
        const double pixelY = pose.detectorCenterMm.y + u * pose.uStepMm.y + v * pose.vStepMm.y;
        const double pixelZ = pose.detectorCenterMm.z + u * pose.uStepMm.z + v * pose.vStepMm.z;
        const Vec3& source = pose.sourceMm;
        const double rayX = pose.isParallel ? source.x : pixelX - source.x;
        const double rayY = pose.isParallel ? source.y : pixelY - source.y;
        const double rayZ = pose.isParallel ? source.z : pixelZ - source.z;
        const double squareOfRay = rayX * rayX + rayY * rayY + rayZ * rayZ;
        double sum = 0;
        for (const Ball& ball : m_object) {
            const double toX = ball.x - pixelX;
            const double toY = ball.y - pixelY;
            const double toZ = ball.z - pixelZ;
            const double crossX = toY * rayZ - toZ * rayY;
            const double crossY = toZ * rayX - toX * rayZ;
            const double crossZ = toX * rayY - toY * rayX;
            const double squareAside =
                (crossX * crossX + crossY * crossY + crossZ * crossZ) / squareOfRay;
            const double square = ball.radiusMm * ball.radiusMm - squareAside;
            if (square > 0) sum += 2 * ball.perMm * std::sqrt(square);
        }
        return sum;
    }

    std::vector<float> m_pixels;
};

TEST_F(PictureChecks, FindNothingInAGoodScan) {
    EXPECT_EQ(problems(), std::vector<std::string>());
}

TEST_F(PictureChecks, FindNothingInAnOffsetScanAShortScanAndAParallelBeam) {
    m_geometry.detector.offsetMm[0] = 14;
    m_real = m_geometry;
    // The object passes the short edge, as it must.
    const std::vector<std::string> offset = problems();
    EXPECT_EQ(offset, std::vector<std::string>());
    m_geometry.detector.offsetMm[0] = 0;
    m_geometry.cone().arcDeg = 210;
    m_real = m_geometry;
    EXPECT_EQ(problems(), std::vector<std::string>());
    m_geometry.trajectory =
        ParallelBeam{{.startDeg = 3, .arcDeg = 180, .views = 90, .anglesDeg = {}}};
    m_geometry.detector.pitchMm = {0.6, 0.6};
    m_real = m_geometry;
    EXPECT_EQ(problems(), std::vector<std::string>());
}

TEST_F(PictureChecks, SayThatTheObjectIsWiderThanTheDetector) {
    m_object[0].radiusMm = 40;
    m_object[0].perMm = 0.01;
    const std::vector<std::string> found = problems();
    ASSERT_FALSE(found.empty());
    EXPECT_NE(found[0].find("the left and right edges of the detector in 48 of the 48 views"),
              std::string::npos)
        << found[0];
    for (const std::string& sentence : found)
        EXPECT_EQ(sentence.find("beam"), std::string::npos) << sentence;
}

TEST_F(PictureChecks, SayOnWhichSideAndInHowManyViewsItIsCutOff) {
    m_object.push_back({22, 0, 0, 5, 0.03});
    const std::vector<std::string> found = problems();
    ASSERT_FALSE(found.empty());
    EXPECT_NE(found[0].find("the left or the right edge of the detector in"), std::string::npos)
        << found[0];
}

TEST_F(PictureChecks, SayThatTheObjectGoesOnAboveAndBelow) {
    for (int z = -60; z <= 60; z += 10)
        m_object.push_back({1, 2, static_cast<double>(z), 10, 0.01});
    expectOnly("projections.files", {"goes on above and below the detector in 48 of the 48"});
}

TEST_F(PictureChecks, SayThatTheBeamWasWeakerThanInTheFlatFrames) {
    m_change = [](Index, Span3<float> view) {
        for (Index i = 0; i < view.count(); ++i)
            view.data()[i] += 0.693F;
    };
    expectOnly("projections.flat", {"0.50 of the flat field", "weaker"});
}

// 1.2 % of the beam are 1.5 % of the darkest line integral, which makes levels wrong by half of it.
TEST_F(PictureChecks, SayWhichDifferenceOfTheBeamIsSeenInTheLevels) {
    m_change = [](Index, Span3<float> view) {
        for (Index i = 0; i < view.count(); ++i)
            view.data()[i] += 0.012F;
    };
    expectOnly("projections.flat", {"0.988 of the flat field"});
    m_change = [](Index, Span3<float> view) {
        for (Index i = 0; i < view.count(); ++i)
            view.data()[i] += 0.003F;
    };
    EXPECT_EQ(problems(), std::vector<std::string>());
}

TEST_F(PictureChecks, SayThatTheBeamDrifts) {
    m_change = [](Index s, Span3<float> view) {
        for (Index i = 0; i < view.count(); ++i)
            view.data()[i] += 0.001F * static_cast<float>(s) - 0.045F;
    };
    expectOnly("projections.flat", {"drifts by 8.5 %"});
}

TEST_F(PictureChecks, SayThatATurnWasAHalfOne) {
    // With steps of 12° and more, neighbours no longer show what is between them.
    for (const Index views : {90, 30, 16}) {
        m_geometry.trajectory = ParallelBeam{{.arcDeg = 360, .views = views, .anglesDeg = {}}};
        m_geometry.detector.pitchMm = {0.6, 0.6};
        m_real = m_geometry;
        m_real.angles().arcDeg = 182;
        expectOnly("trajectory.arcDeg", {"mirror image", "an arc of 18"});
    }
}

TEST_F(PictureChecks, SayThatAHalfFanScanHasTheOtherOffset) {
    m_real.detector.offsetMm[0] = 14;
    m_geometry.detector.offsetMm[0] = -14;
    const std::vector<std::string> found = problems();
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.back().substr(0, 22), "detector.offsetMm[0]: ") << found.back();
    EXPECT_NE(found.back().find("about column 30.0, as if the sign"), std::string::npos)
        << found.back();
}

TEST_F(PictureChecks, SayThatAConeOf240DegreesIsNoWholeTurn) {
    m_real.cone().arcDeg = 240;
    expectOnly("trajectory.arcDeg", {"270° later instead of 180°", "an arc of 240°"});
}

// One that is a flat field, for example, has no center of mass.
TEST_F(PictureChecks, TellNoAxisFromAViewWithoutTheObject) {
    m_geometry.trajectory = ParallelBeam{{.arcDeg = 180, .views = 45, .anglesDeg = {}}};
    m_geometry.detector.pitchMm = {0.6, 0.6};
    m_real = m_geometry;
    std::mt19937 random(4);
    test::NormalValues<float> noise(m_noise);
    m_change = [&](Index s, Span3<float> view) {
        for (Index i = 0; s == 20 && i < view.count(); ++i)
            view.data()[i] = noise(random);
    };
    for (const std::string& found : problems())
        EXPECT_EQ(found.find("symmetrical about column"), std::string::npos) << found;
}

TEST_F(PictureChecks, DoNotTakeAnOffsetTurnForAHalfOne) {
    // Round about the axis where both sides are seen, with a ball beyond that moves by a millimetre
    // in a step.
    m_geometry.detector.offsetMm[0] = 14;
    m_geometry.angles().views = 20;
    m_real = m_geometry;
    m_object = {{0, 0, 0, 12, 0.02}, {20, 0, 0, 3, 0.05}};
    for (const std::string& problem : problems())
        EXPECT_EQ(problem.find("mirror image"), std::string::npos) << problem;
}

TEST_F(PictureChecks, SayThatTheObjectMoved) {
    // It sinks by 3 mm in the end, which are 5.6 px.
    m_change = [&](Index s, Span3<float>) {
        for (std::size_t i = 0; i < m_object.size(); ++i)
            m_object[i].z = kObject[i].z - 3.0 * static_cast<double>(s + 1) / 90;
    };
    const std::vector<std::string> found = problems();
    ASSERT_EQ(found.size(), 1U) << found.front();
    EXPECT_NE(found[0].find("the object moved by"), std::string::npos) << found[0];
}

// A step of 0.3 mm along the axis and of 0.4 mm across it, seen enlarged, is 0.6 and 0.8 px.
TEST_F(PictureChecks, SayThatTheObjectMovedByLessThanAPixel) {
    m_change = [&](Index s, Span3<float>) {
        const double moved = s + 1 >= 40 ? 1.0 : 0.0;
        for (std::size_t i = 0; i < m_object.size(); ++i)
            m_object[i].z = kObject[i].z + 0.3 * moved;
    };
    expectOnly("projections.files", {"0.6 px along the columns between views 39 and 41"});
    // Across it, along the rays there: only what follows shows it.
    m_change = [&](Index s, Span3<float>) {
        const double moved = s + 1 >= 23 ? 1.0 : 0.0;
        for (std::size_t i = 0; i < m_object.size(); ++i) {
            m_object[i].x = kObject[i].x + 0.4 * moved;
            m_object[i].z = kObject[i].z;
        }
    };
    expectOnly("projections.files", {"0.8 px across the rotation axis between views"});
}

// A thin plate is narrow in one view and wide in the next.
TEST_F(PictureChecks, TakeNoThinPlateForAMovement) {
    m_object.clear();
    for (int i = -14; i <= 14; ++i)
        m_object.push_back({0.3 * i + 1, 1.1 * i - 2, 0.5, 0.8, 0.3});
    for (const std::string& found : problems())
        EXPECT_EQ(found.find("moved"), std::string::npos) << found;
}

// Its shadow's edges do move then, and a drifting beam changes levels alone.
TEST_F(PictureChecks, DoNotTakeACutOffObjectForAMovingOne) {
    m_object[0].radiusMm = 32;
    m_object[0].perMm = 0.0125;
    m_change = [](Index s, Span3<float> view) {
        for (Index i = 0; i < view.count(); ++i)
            view.data()[i] += 0.002F * static_cast<float>(s);
    };
    for (const std::string& found : problems())
        EXPECT_EQ(found.find("moved"), std::string::npos) << found;
}

// A simulation without noise, with both ends of a turn: their views are alike to the bit.
TEST_F(PictureChecks, DoNotTakeViewsFromTheSameSideForCopies) {
    m_geometry.cone().arcDeg = 364;
    m_geometry.cone().views = 91;
    m_real = m_geometry;
    std::vector<float> first;
    m_change = [&](Index s, Span3<float> view) {
        if (s == 0) first.assign(view.data(), view.data() + view.count());
        if (s == 90) std::copy(first.begin(), first.end(), view.data());
    };
    EXPECT_EQ(problems(), std::vector<std::string>());
}

TEST_F(PictureChecks, SayThatAViewIsACopy) {
    std::vector<float> kept;
    m_change = [&](Index s, Span3<float> view) {
        if (s == 40) kept.assign(view.data(), view.data() + view.count());
        if (s == 41) std::copy(kept.begin(), kept.end(), view.data());
    };
    expectOnly("projections.files", {"view 41 is a copy of view 40"});
}

TEST_F(PictureChecks, DoNotTakeViewsBesideTheObjectForCopies) {
    m_object = {{32, 0, 0, 4, 0.03}};
    m_noise = 0;
    for (const std::string& sentence : problems())
        EXPECT_EQ(sentence.find("copy"), std::string::npos) << sentence;
}

TEST_F(PictureChecks, SayThatTheDetectorHasBlocks) {
    m_change = [](Index, Span3<float> view) {
        for (Index v = 0; v < view.size(1); ++v)
            for (Index u = 48; u < view.size(2); ++u)
                view(0, v, u) += 0.012F;
    };
    expectOnly("projections.flat", {"blocks that step", "column 48"});
    // A column that is off alone makes a ring, but no block.
    m_change = [](Index, Span3<float> view) {
        for (Index v = 0; v < view.size(1); ++v)
            view(0, v, 30) += 0.05F;
    };
    EXPECT_EQ(problems(), std::vector<std::string>());
}

TEST_F(PictureChecks, SayThatAModuleChangedDuringTheScan) {
    m_change = [](Index s, Span3<float> view) {
        for (Index v = 0; s >= 45 && v < view.size(1); ++v)
            for (Index u = 42; u < 58; ++u)
                view(0, v, u) += 0.012F;
    };
    expectOnly("projections.flat", {"column 42, 58 in the second half of the views alone"});
}

TEST_F(PictureChecks, SayThatOneOfFourModulesIsOff) {
    m_change = [](Index, Span3<float> view) {
        for (Index v = 44; v < view.size(1); ++v)
            for (Index u = 48; u < view.size(2); ++u)
                view(0, v, u) += 0.02F;
    };
    expectOnly("projections.flat", {"blocks that step", "column 48 and row 44, where four"});
}

TEST_F(PictureChecks, SayThatTheObjectSlipped) {
    // The stage turns by 12° more at once.
    std::vector<double> angles;
    for (Index s = 0; s < 90; ++s)
        angles.push_back(static_cast<double>(4 * s + (s < 52 ? 0 : 12)));
    m_real.angles().anglesDeg = angles;
    expectOnly("projections.files", {"jumps between views 51 and 52 (", "one side of the jump"});
}

TEST_F(PictureChecks, SayThatTheObjectMovedThereAndBack) {
    m_change = [&](Index s, Span3<float>) {
        const double aside = s + 1 >= 30 && s + 1 < 61 ? 2.0 : 0.0;  // mm, 3.75 px
        for (std::size_t i = 0; i < m_object.size(); ++i)
            m_object[i].x = kObject[i].x + aside;
    };
    expectOnly("projections.files", {"between views 29 and 30 (", "between views 60 and 61 ("});
}

TEST_F(PictureChecks, SayThatNothingTurned) {
    m_real.angles().anglesDeg.assign(90, 20.0);
    expectOnly("projections.files", {"all 90 views are alike but for noise", "nothing turned"});
    // What is round looks so, too.
    m_object.resize(1);
    EXPECT_EQ(problems(), std::vector<std::string>());
}

TEST_F(PictureChecks, SayThatTheStageStoodStill) {
    std::vector<double> angles;
    for (Index s = 0; s < 90; ++s)
        angles.push_back(static_cast<double>(4 * (s < 40 || s >= 50 ? s : 40)));
    m_real.angles().anglesDeg = angles;
    const std::vector<std::string> found = problems();
    ASSERT_FALSE(found.empty());
    EXPECT_NE(found[0].find("views 40 to 49 show the same side"), std::string::npos) << found[0];
    // A ball far from the axis hardly moves where it turns back at the side.
    m_real = m_geometry;
    m_object = {{9, 0, 0, 3, 0.05}};
    EXPECT_EQ(problems(), std::vector<std::string>());
}

// Balls far from the axis are seen in the rows about the mid-plane from one side alone.
TEST_F(PictureChecks, TakeNoEmptyRowsForAStandstill) {
    m_object = {{0, 18, 3.3, 1.5, 0.3}, {5, 17, 3.5, 1.5, 0.3}};
    m_noise = 0;
    for (const std::string& found : problems())
        EXPECT_EQ(found.find("show the same side"), std::string::npos) << found;
}

// Several objects, one of which is a thin plate that is seen edge-on from two sides.
TEST_F(PictureChecks, TakeNoQuickChangeForASlip) {
    m_object = {{8, 3, 2, 4, 0.05}, {-6, 9, -3, 3, 0.04}, {2, -11, 5, 3, 0.03}};
    for (int i = -14; i <= 14; ++i)
        m_object.push_back({0.3 * i, 1.1 * i, 0, 0.8, 0.3});
    m_change = [](Index s, Span3<float> view) {
        for (Index i = 0; i < view.count(); ++i)
            view.data()[i] += s < 37 ? 0.0F : 0.004F;  // a beam that is weaker from then on
    };
    for (const std::string& found : problems()) {
        EXPECT_EQ(found.find("jumps"), std::string::npos) << found;
        EXPECT_EQ(found.find("same side but for noise"), std::string::npos) << found;
    }
}

TEST_F(PictureChecks, SayThatTheAxisIsElsewhere) {
    m_real.detector.offsetMm[0] = 6 * 0.8;
    expectOnly("detector.offsetMm[0]", {"on column 47.5", "about column 41.5"});
    m_real.detector.offsetMm[0] = -2.3 * 0.8;
    expectOnly("detector.offsetMm[0]", {"on column 47.5", "about column 49.8"});
    m_real.detector.offsetMm[0] = 1 * 0.8;
    EXPECT_EQ(problems(), std::vector<std::string>());
}

TEST_F(PictureChecks, FindTheAxisOfAnObjectThatTurnsFarFromIt) {
    for (Ball& ball : m_object)
        ball.x += 3;
    EXPECT_EQ(problems(), std::vector<std::string>());
    m_real.detector.offsetMm[0] = 2.3 * 0.8;
    expectOnly("detector.offsetMm[0]", {"on column 47.5", "about column 45.2"});
    m_real.detector.offsetMm[0] = 0;
    m_geometry.trajectory =
        ParallelBeam{{.startDeg = 10, .arcDeg = 180, .views = 25, .anglesDeg = {}}};
    m_geometry.detector.pitchMm = {0.53, 0.53};
    m_real = m_geometry;
    EXPECT_EQ(problems(), std::vector<std::string>());
    m_real.detector.offsetMm[0] = 2.3 * 0.53;
    expectOnly("detector.offsetMm[0]", {"on column 47.5", "about column 45.2"});
}

}  // namespace
}  // namespace gantry
