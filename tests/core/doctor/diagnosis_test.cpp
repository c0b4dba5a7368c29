#include "core/doctor/diagnosis.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "core/doctor/interpretation_words.h"
#include "tests/core/doctor/stored_scan.h"

namespace gantry {
namespace {

using test::Storage;
using test::StoredScan;

Diagnosis diagnosed(const StoredScan& scan, const ScanGeometry& declared) {
    const auto preview = makeCpuPlanePreview(2);
    DiagnosisOptions options;
    options.threads = 2;
    return diagnose(scan.open(scan.truth()), declared, *preview, options);
}

const Interpretation* findInterpretation(const InterpretationGroup& group,
                                         const Interpretation& wanted) {
    if (group.interpretation == wanted) return &group.interpretation;
    for (const SameViews& same : group.others)
        if (same.interpretation == wanted) return &same.interpretation;
    return nullptr;
}

const Relation* relationOf(const InterpretationGroup& group, const Interpretation& wanted) {
    for (const SameViews& same : group.others)
        if (same.interpretation == wanted) return &same.relation;
    return nullptr;
}

std::string listOf(const InterpretationGroup& group) {
    std::string list = nameOf(group.interpretation);
    for (const SameViews& same : group.others)
        list += "; " + nameOf(same.interpretation);
    return list;
}

// A scan that is declared otherwise than it was taken, and the reading that mends it.
struct Wrong {
    const char* name;
    void (*make)(ScanGeometry& declared, Storage& storage);
    Interpretation cure;

    friend void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }
};

using C = Convention;

const Wrong kWrong[] = {
    {"direction", [](ScanGeometry& g, Storage&) { g.cone().arcDeg *= -1; }, {{C::direction}}},
    {"mirrored", [](ScanGeometry&, Storage& s) { s.mirrored = true; }, {{C::columns}}},
    {"upsideDown", [](ScanGeometry&, Storage& s) { s.upsideDown = true; }, {{C::rows}}},
    {"order", [](ScanGeometry&, Storage& s) { s.lastFirst = true; }, {{C::order}}},
    {"signU",
     [](ScanGeometry& g, Storage&) { g.detector.offsetMm[0] *= -1; },
     {{C::detectorOffsetU}}},
    {"signV",
     [](ScanGeometry& g, Storage&) { g.detector.offsetMm[1] *= -1; },
     {{C::detectorOffsetV}}},
    {"pixels",
     [](ScanGeometry& g, Storage&) {
         for (std::size_t axis = 0; axis < 2; ++axis)
             g.detector.offsetMm[axis] /= g.detector.pitchMm[axis];
     },
     {{C::offsetInPixels}}},
    {"timesPitch",
     [](ScanGeometry& g, Storage&) {
         for (std::size_t axis = 0; axis < 2; ++axis)
             g.detector.offsetMm[axis] *= g.detector.pitchMm[axis];
     },
     {{C::offsetTimesPitch}}},
    {"radians",
     [](ScanGeometry& g, Storage&) {
         g.cone().startDeg = radians(g.cone().startDeg);
         g.cone().arcDeg = radians(g.cone().arcDeg);
     },
     {{C::anglesInRadians}}},
    {"two",
     [](ScanGeometry& g, Storage&) {
         g.cone().arcDeg *= -1;
         g.detector.offsetMm[1] *= -1;
     },
     {{C::direction, C::rows}}},
};

struct Object {
    const char* name;
    Phantom (*make)();

    friend void PrintTo(const Object& object, std::ostream* out) { *out << object.name; }
};

class WrongConvention : public testing::TestWithParam<std::tuple<Object, Wrong>> {};

TEST_P(WrongConvention, IsFound) {
    const auto& [object, wrong] = GetParam();
    const ScanGeometry truth = test::obliqueScan();
    ScanGeometry declared = truth;
    Storage storage;
    wrong.make(declared, storage);
    const Diagnosis found = diagnosed(StoredScan(object.make(), truth, storage), declared);
    EXPECT_EQ(found.tied, 1U) << summaryOf(found);
    EXPECT_FALSE(found.isAsDeclared);
    EXPECT_FALSE(found.fitsBadly);
    // The wrong sign along u is a shift of the axis by 4.7 px, too; a wrong unit would leave the
    // offset along v wrong, which the head's halves, nearly alike, do not tell for certain.
    const bool isShift = wrong.cure == Interpretation{{C::detectorOffsetU}};
    const bool isUnit = wrong.cure == Interpretation{{C::offsetInPixels}};
    EXPECT_EQ(found.certainty, isShift || isUnit ? Certainty::likely : Certainty::sure);
    EXPECT_EQ(found.shiftedAxis.has_value(), isShift);
    if (isShift) {
        EXPECT_NEAR(std::abs(found.shiftedAxis->shiftPx), 2 * 7.3 / 3.1, 0.2);
        EXPECT_NE(summaryOf(found).find("It fits as well as it is declared with the axis 4.7 px"),
                  std::string::npos)
            << summaryOf(found);
    }
    EXPECT_TRUE(findInterpretation(found.groups.front(), wrong.cure))
        << listOf(found.groups.front());
}

const Object kObjects[] = {
    {"head", test::headOffAxis}, {"pebbles", test::pebbles}, {"bracket", test::bracket}};

// One of the three objects for each convention, in turn: all pairs take some time.
std::vector<std::tuple<Object, Wrong>> inTurn() {
    std::vector<std::tuple<Object, Wrong>> pairs;
    for (const Wrong& wrong : kWrong)
        pairs.emplace_back(kObjects[pairs.size() % std::size(kObjects)], wrong);
    return pairs;
}

INSTANTIATE_TEST_SUITE_P(Diagnosis, WrongConvention, testing::ValuesIn(inTurn()),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param).name) + "_" +
                                    std::get<1>(test.param).name;
                         });

constexpr const char* kRight =
    "Directions, flips, signs and the order of the views are right as they are (sure).";

class RightScan : public testing::TestWithParam<Object> {};

TEST_P(RightScan, IsRightAsItIs) {
    const ScanGeometry truth = test::obliqueScan();
    const Diagnosis found = diagnosed(StoredScan(GetParam().make(), truth), truth);
    EXPECT_EQ(summaryOf(found), kRight);
    EXPECT_TRUE(found.whyUnusable.empty());
    EXPECT_FALSE(found.isCentreOff()) << found.centre.value;
    EXPECT_TRUE(
        centreOf(found).starts_with("Opposite views put the centre of rotation within 1 px"))
        << centreOf(found);
}

INSTANTIATE_TEST_SUITE_P(Diagnosis, RightScan, testing::ValuesIn(kObjects),
                         [](const auto& test) { return std::string(test.param.name); });

// Conventions are judged, and the axis is a matter of its own.
// Of half a turn no ray is seen twice. A rotation the other way mirrors the object along the rays,
// which no view tells.
TEST(Diagnosis, AParallelBeamIsDiagnosed) {
    ScanGeometry truth = test::obliqueScan();
    for (const double arcDeg : {180.0, 360.0}) {
        truth.trajectory =
            ParallelBeam{{.startDeg = 20, .arcDeg = arcDeg, .views = 90, .anglesDeg = {}}};
        truth.detector.offsetMm = {0, 0};
        const StoredScan scan(test::pebbles(), truth);
        const Diagnosis right = diagnosed(scan, truth);
        EXPECT_TRUE(right.isAsDeclared) << summaryOf(right);
        EXPECT_FALSE(right.fitsBadly);
        const Relation* const reversed = relationOf(right.groups.front(), {{C::direction}});
        ASSERT_TRUE(reversed) << listOf(right.groups.front());
        EXPECT_TRUE(reversed->isMirrored);
        ScanFile file;
        file.geometry = truth;
        const std::vector<FieldChange> changes = changesOf(file, {{C::direction}});
        ASSERT_EQ(changes.size(), 1U);
        EXPECT_EQ(changes[0].field, "trajectory.arcDeg");
    }
}

// A half acquisition that stopped after half a turn, and one of a whole turn whose rays agree in
// several readings. Without noise, slices that are wrong may be the sharper ones.
TEST(Diagnosis, ARoundPartBesideTheMiddleOfParallelRaysCannotTell) {
    const Phantom round{"round",
                        {test::ellipsoid({0, 0, 0}, {60, 60, 60}, 0.02),
                         test::ellipsoid({3, 6, 0}, {12, 12, 12}, 0.02)}};
    ScanGeometry truth = test::obliqueScan();
    truth.detector.pitchMm = {2, 2};
    for (const double arcDeg : {180.0, 360.0}) {
        truth.trajectory = ParallelBeam{{.arcDeg = arcDeg, .views = 90, .anglesDeg = {}}};
        for (const double offsetMm : {-27.0, 45.0}) {
            truth.detector.offsetMm = {offsetMm, 0};
            const StoredScan scan(round, truth, {.photons = 0});
            const Diagnosis found = diagnosed(scan, truth);
            EXPECT_TRUE(found.isAsDeclared) << summaryOf(found);
            if (arcDeg > 200) continue;
            EXPECT_EQ(found.certainty, Certainty::cannotTell);
            EXPECT_NE(summaryOf(found).find("no ray is measured from both ends"), std::string::npos)
                << summaryOf(found);
        }
    }
}

TEST(Diagnosis, AShiftedAxisIsToldBesideRightConventions) {
    constexpr double kShiftPx = 2.8;
    ScanGeometry declared = test::obliqueScan();
    declared.detector.offsetMm = {0, 0};
    for (const double side : {-1.0, 1.0}) {
        ScanGeometry truth = declared;
        truth.detector.offsetMm[0] = side * kShiftPx * truth.detector.pitchMm[0];
        const Diagnosis found = diagnosed(StoredScan(test::bracket(), truth), declared);
        EXPECT_TRUE(found.isAsDeclared);
        EXPECT_NE(summaryOf(found).find("right as they are"), std::string::npos)
            << summaryOf(found);
        EXPECT_TRUE(found.isCentreOff());
        EXPECT_NEAR(std::abs(found.centre.value), kShiftPx, 0.2);
        EXPECT_TRUE(
            centreOf(found).starts_with("Opposite views put the centre of rotation about "
                                        "2."))
            << centreOf(found);
        EXPECT_NE(centreOf(found).find("gantry align"), std::string::npos);
    }
}

// The wrong unit or sign of the offset is nearer to a shifted axis than the declared one, and yet
// neither is where it is.
TEST(Diagnosis, AShiftedAxisIsNotTakenForAnotherUnitOrSignOfTheOffset) {
    struct Shifted {
        double declaredMm;
        double trueMm;
    };
    for (const auto& [declaredMm, trueMm] :
         {Shifted{4, 8.5}, Shifted{12, 7.5}, Shifted{-4.5, 1}, Shifted{3, 14}}) {
        SCOPED_TRACE(declaredMm);
        ScanGeometry declared = test::obliqueScan();
        declared.detector.offsetMm = {declaredMm, 0};
        ScanGeometry truth = declared;
        truth.detector.offsetMm[0] = trueMm;
        const Diagnosis found = diagnosed(StoredScan(test::pebbles(), truth), declared);
        EXPECT_TRUE(found.isAsDeclared) << summaryOf(found);
        EXPECT_EQ(found.certainty, Certainty::likely) << summaryOf(found);
        EXPECT_TRUE(found.isCentreOff());
        EXPECT_NEAR(std::abs(found.centre.value), std::abs(trueMm - declaredMm) / 3.1, 0.2);
    }
}

TEST(Diagnosis, WhereTheAxisIsNotJudgedThatIsStated) {
    const ScanGeometry truth = test::obliqueScan();
    const Diagnosis found = diagnosed(StoredScan({"nothing", {}}, truth), truth);
    EXPECT_FALSE(found.isCentreOff());
    EXPECT_EQ(centreOf(found),
              "A shift of the axis is not judged here: Align (gantry align) finds it.");
}

// A short scan has each ray once or twice.
TEST(Diagnosis, AShortScanThatIsReversedIsFound) {
    ScanGeometry truth = test::obliqueScan();
    truth.cone().arcDeg = -225;
    truth.detector.offsetMm = {0, 0};
    ScanGeometry declared = truth;
    declared.cone().arcDeg = 225;
    const StoredScan scan(test::pebbles(), truth);
    EXPECT_TRUE(diagnosed(scan, truth).isAsDeclared);
    const Diagnosis found = diagnosed(scan, declared);
    EXPECT_NE(found.certainty, Certainty::cannotTell);
    EXPECT_EQ(found.groups.front().interpretation, (Interpretation{{C::direction}}));
}

// Half a detector's width aside, where objects are cut off in every view.
TEST(Diagnosis, AnOffsetDetectorOnTheWrongSideIsFound) {
    ScanGeometry truth = test::obliqueScan();
    truth.detector.offsetMm = {60, 0};
    ScanGeometry declared = truth;
    declared.detector.offsetMm[0] = -60;
    const StoredScan scan(test::bracket(), truth);
    EXPECT_TRUE(diagnosed(scan, truth).isAsDeclared);
    const Diagnosis found = diagnosed(scan, declared);
    EXPECT_EQ(found.tied, 1U);
    EXPECT_EQ(found.groups.front().interpretation, (Interpretation{{C::detectorOffsetU}}));
}

TEST(Diagnosis, WhatNoViewTellsIsNamedWithTheRightReading) {
    ScanGeometry centred = test::obliqueScan();
    centred.detector.offsetMm = {0, 0};
    const Diagnosis found =
        diagnosed(StoredScan(test::bracket(), centred, {.upsideDown = true}), centred);
    EXPECT_EQ(summaryOf(found), kRight);
    const InterpretationGroup& best = found.groups.front();
    const Relation* const upsideDown = relationOf(best, {{C::rows}});
    ASSERT_TRUE(upsideDown) << listOf(best);
    EXPECT_EQ(nameOf(*upsideDown), "mirrored top to bottom");
    const Relation* const opposite = relationOf(best, {{C::start}});
    ASSERT_TRUE(opposite) << listOf(best);
    EXPECT_EQ(nameOf(*opposite), "rotated by 180° about the axis");
    const Relation* const mirrored = relationOf(best, {{C::direction, C::columns}});
    ASSERT_TRUE(mirrored) << listOf(best);
    EXPECT_EQ(nameOf(*mirrored), "mirrored left to right");
    const Relation* const over = relationOf(best, {{C::direction, C::columns, C::rows}});
    ASSERT_TRUE(over) << listOf(best);
    EXPECT_EQ(nameOf(*over), "upside down");
}

// Without an offset, mirrored images and a reverse rotation are the same views.
TEST(Diagnosis, MirroredImagesOfACentredScanAreAReverseRotationToo) {
    ScanGeometry centred = test::obliqueScan();
    centred.detector.offsetMm = {0, 0};
    const Diagnosis found =
        diagnosed(StoredScan(test::pebbles(), centred, {.mirrored = true}), centred);
    EXPECT_EQ(found.groups.front().interpretation, (Interpretation{{C::direction}}));
    const Relation* const mirrored = relationOf(found.groups.front(), {{C::columns}});
    ASSERT_TRUE(mirrored);
    EXPECT_EQ(nameOf(*mirrored), "mirrored left to right");
}

TEST(Diagnosis, ARoundObjectCannotTell) {
    const Phantom ball{"ball", {test::ellipsoid({0, 0, 0}, {27, 27, 27}, 0.02)}};
    const ScanGeometry truth = test::obliqueScan();
    ScanGeometry reversed = truth;
    reversed.cone().arcDeg *= -1;
    const auto expectNoAnswer = [&](const Phantom& phantom, const ScanGeometry& declared) {
        const Diagnosis found = diagnosed(StoredScan(phantom, truth), declared);
        EXPECT_EQ(found.certainty, Certainty::cannotTell) << phantom.name;
        EXPECT_GT(found.tied, 1U);
        EXPECT_TRUE(found.isAsDeclared);  // nothing speaks for a change
    };
    expectNoAnswer(test::roundPart(), truth);
    expectNoAnswer(ball, reversed);
}

// A head in few and coarse views, whose upper and lower half are nearly alike: little tells the
// sign of the offset along v, and edges between pixels must not pass for it.
TEST(Diagnosis, WhatIsHardToTellIsNotCalledWrong) {
    const Phantom head =
        makePhantom("shepp-logan", {.scaleMm = 45, .centerMm = {}, .density = 0.01});
    ScanGeometry truth = test::obliqueScan();
    truth.cone().sourceToIsocenterMm = 600;
    truth.cone().sourceToDetectorMm = 1100;
    truth.detector.pitchMm = {4, 4};
    truth.detector.offsetMm = {9, -20};
    for (const double photons : {0.0, 2000.0}) {
        const StoredScan scan(head, truth, {.photons = photons});
        const Diagnosis found = diagnosed(scan, truth);
        EXPECT_TRUE(found.isAsDeclared) << photons << ": " << summaryOf(found);
    }
}

TEST(Diagnosis, EmptyViewsTellNothing) {
    const ScanGeometry truth = test::obliqueScan();
    const Diagnosis found = diagnosed(StoredScan({"nothing", {}}, truth), truth);
    EXPECT_TRUE(found.fitsBadly);
    EXPECT_EQ(found.certainty, Certainty::cannotTell);
    EXPECT_TRUE(found.isAsDeclared);
}

TEST(Diagnosis, AScanThatCannotBeReconstructedSaysWhy) {
    const ScanGeometry truth = test::obliqueScan();
    ScanGeometry declared = truth;
    declared.cone().startDeg = 0;
    declared.cone().arcDeg = radians(360);
    const Diagnosis found = diagnosed(StoredScan(test::pebbles(), truth), declared);
    EXPECT_NE(found.whyUnusable.find("arc"), std::string::npos) << found.whyUnusable;
    EXPECT_EQ(found.groups.front().interpretation, (Interpretation{{C::anglesInRadians}}));
}

TEST(Diagnosis, CalibratedPosesHaveTheirFlipsFound) {
    const ScanGeometry truth = test::obliqueScan();
    std::vector<ViewPose> poses;
    for (Index s = 0; s < truth.views(); ++s)
        poses.push_back(viewPose(truth, s));
    const ScanGeometry posed = geometryOfPoses(poses, truth.detector.columns, truth.detector.rows);
    const StoredScan scan(test::bracket(), truth, {.mirrored = true});
    const auto preview = makeCpuPlanePreview(2);
    const Diagnosis found = diagnose(scan.open(posed), posed, *preview, {});
    EXPECT_EQ(found.certainty, Certainty::sure);
    EXPECT_EQ(found.groups.front().interpretation, (Interpretation{{C::columns}}));
}

// Views that no test could hold.
class LargeViews final : public ProjectionSource {
  public:
    explicit LargeViews(const ScanGeometry& geometry) {
        m_info.views = geometry.views();
        m_info.rows = geometry.detector.rows;
        m_info.columns = geometry.detector.columns;
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index, IndexRange, std::span<std::byte>) const override { FAIL(); }
    [[nodiscard]] std::string viewName(Index) const override { return "view"; }

  private:
    SourceInfo m_info;
};

TEST(Diagnosis, TakesLittleMemoryHoweverLargeTheScanIs) {
    const auto needed = [](Index columns, Index rows, int threads) {
        ScanGeometry geometry = test::obliqueScan();
        geometry.cone().views = 2048;
        geometry.detector = {.columns = columns, .rows = rows, .pitchMm = {0.1, 0.1}};
        return Trials::bytesNeeded(openScan(geometry, std::make_shared<LargeViews>(geometry)),
                                   threads);
    };
    // 240 views of 128², as floats, four times, three numbers for each of 64 planes of 7,140 pairs,
    // and whole views, as they are stored and as line integrals.
    constexpr Index kOwn = 4 * 240 * 128 * 128 * 4 + 7140 * 64 * 3 * 8;
    constexpr Index kView = 2048 * 2048 * (4 + 4);
    EXPECT_EQ(needed(2048, 2048, 2), kOwn + 2 * kView);
    EXPECT_EQ(needed(2048, 2048, 128), kOwn + 7 * kView);  // 235 MB of them
    EXPECT_LT(needed(100, 30'000, 2), 240'000'000);
}

TEST(Diagnosis, ProgressRisesAndCanBeStopped) {
    const ScanGeometry truth = test::obliqueScan();
    const StoredScan scan(test::bracket(), truth);
    const auto preview = makeCpuPlanePreview(1);
    DiagnosisOptions options;
    double last = 0;
    options.onProgress = [&](const std::string& what, double fraction) {
        EXPECT_FALSE(what.empty());
        EXPECT_GE(fraction, last);
        last = fraction;
    };
    (void)diagnose(scan.open(truth), truth, *preview, options);
    EXPECT_EQ(last, 1);
    std::stop_source stop;
    options.stop = stop.get_token();
    options.onProgress = [&](const std::string&, double fraction) {
        if (fraction > 0.5) stop.request_stop();
    };
    EXPECT_THROW((void)diagnose(scan.open(truth), truth, *preview, options), Cancelled);
}

}  // namespace
}  // namespace gantry
