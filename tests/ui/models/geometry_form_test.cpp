#include "ui/models/scan/geometry_form.h"

#include <gtest/gtest.h>

#include <QStringList>
#include <algorithm>
#include <limits>
#include <set>

#include "ui/models/scan/derived_values.h"

namespace gantry::test {
namespace {

ScanFile benchScan() {
    ScanFile scan;
    ScanGeometry& geometry = scan.geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = 720;
    geometry.detector.columns = 1024;
    geometry.detector.rows = 768;
    geometry.detector.pitchMm = {0.4, 0.4};
    return scan;
}

ScanField fieldOf(const QString& name) {
    for (ScanField& field : scanFields())
        if (field.name == name) return field;
    ADD_FAILURE() << "no field " << name.toStdString();
    return {};
}

QString derived(const ScanGeometry& geometry, const QString& name) {
    for (const DerivedValue& value : derivedValues(geometry))
        if (value.name == name) return value.text;
    return "no such value";
}

TEST(GeometryForm, EveryFieldSaysWhatItDoes) {
    std::set<QString> names;
    for (const ScanField& field : scanFields()) {
        EXPECT_TRUE(names.insert(field.name).second) << field.name.toStdString();
        EXPECT_FALSE(field.label.isEmpty());
        EXPECT_FALSE(field.what.isEmpty());
        EXPECT_GT(field.toolTip.size(), 30) << field.name.toStdString();
        if (!field.linkedTo.isEmpty()) {
            EXPECT_EQ(fieldOf(field.linkedTo).linkedTo, field.name);
        }
    }
}

TEST(GeometryForm, IsMadeOfTheRowsThatHaveTexts) {
    QStringList labels;
    QStringList groups;
    for (const ScanField& field : scanFields()) {
        labels << field.label;
        if (groups.isEmpty() || groups.back() != field.group) groups << field.group;
    }
    EXPECT_EQ(groups.join(", "), "Distances, Detector, Alignment, Trajectory, Images");
    EXPECT_EQ(
        labels.join(", "),
        "Beam, Source–object, Source–detector, Columns, Rows, Pitch u, Pitch v, First row, "
        "First column, Detector offset u, Centre of rotation, Detector offset v, Roll, Tilt, "
        "Slant, Source offset u, Source offset v, Views, Start angle, Arc, Direction, Angles, "
        "Pixels are, Projections, Entry, Dark field, Dark field after, Flat field, Flat field "
        "after, "
        "Open beam, Saturation level, Bad pixels, Beam monitor");
}

TEST(GeometryForm, NumbersAreSetAndReadBack) {
    for (const ScanField& field : scanFields()) {
        if (field.kind() != FieldKind::number && field.kind() != FieldKind::whole) continue;
        ScanFile scan = benchScan();
        field.assign(scan, 7.0);
        EXPECT_EQ(field.number(scan), 7) << field.name.toStdString();
        ScanFile again = benchScan();
        EXPECT_FALSE(again.geometry == scan.geometry) << field.name.toStdString();
    }
}

// Whatever validate() complains about has to have a row to say it beside.
TEST(GeometryForm, EveryProblemOfAGeometryHasItsField) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = geometry.cone().sourceToDetectorMm = nan;
    geometry.cone().sourceOffsetMm = {nan, nan};
    geometry.cone().startDeg = geometry.cone().arcDeg = nan;
    geometry.detector.pitchMm = geometry.detector.offsetMm = {nan, nan};
    geometry.detector.rollDeg = geometry.detector.tiltDeg = geometry.detector.slantDeg = nan;
    const std::vector<Problem> problems = validate(geometry);
    ASSERT_GE(problems.size(), 14U);
    const std::vector<ScanField> fields = scanFields();
    for (const Problem& problem : problems) {
        const auto named = std::count_if(fields.begin(), fields.end(), [&](const ScanField& field) {
            return field.sameAs.isEmpty() && isNamed(field, problem.field);
        });
        EXPECT_EQ(named, 1) << problem.field;
    }
}

TEST(GeometryForm, AParallelBeamHasItsAnglesAndNoDistances) {
    ScanFile scan = benchScan();
    scan.geometry.cone().startDeg = 12;
    scan.geometry.detector.slantDeg = 1;
    const ScanField beam = fieldOf("trajectory.type");
    beam.assign(scan, "parallel");
    ASSERT_TRUE(scan.geometry.isParallel());
    EXPECT_EQ(beam.value(scan), FieldValue("parallel"));
    EXPECT_EQ(scan.geometry.angles(), (GantryAngles{12, 360, 720, {}}));
    EXPECT_EQ(scan.geometry.detector.slantDeg, 0);
    for (const char* name : {"trajectory.sourceToIsocenterMm", "trajectory.sourceToDetectorMm",
                             "trajectory.sourceOffsetMm[0]", "detector.slantDeg"}) {
        const ScanField field = fieldOf(name);
        EXPECT_FALSE(field.applies(scan)) << name;
        field.assign(scan, 7.0);  // to no effect
        EXPECT_EQ(field.number(scan), 0) << name;
    }
    for (const char* name : {"trajectory.startDeg", "trajectory.arcDeg", "trajectory.views"}) {
        EXPECT_TRUE(fieldOf(name).applies(scan)) << name;
        fieldOf(name).assign(scan, 90.0);
        EXPECT_EQ(fieldOf(name).number(scan), 90) << name;
    }
    EXPECT_EQ(derived(scan.geometry, "fanAndCone"), "parallel");
    EXPECT_EQ(derived(scan.geometry, "neededArc"), "180°");
    EXPECT_TRUE(beamNote(scan.geometry).isEmpty());
    beam.assign(scan, "cone");
    ASSERT_TRUE(scan.geometry.isCone());
    EXPECT_EQ(scan.geometry.cone().views, 90);
    // 90° of a cone lack rays, of which validate() only warns.
    EXPECT_NO_THROW(throwOnError(validate(scan.geometry), "the scan"));
}

TEST(GeometryForm, NamesWithoutIndexMeanBothAxes) {
    EXPECT_TRUE(isNamed(fieldOf("detector.pitchMm[0]"), "detector.pitchMm"));
    EXPECT_TRUE(isNamed(fieldOf("detector.pitchMm[1]"), "detector.pitchMm"));
    EXPECT_FALSE(isNamed(fieldOf("detector.pitchMm[1]"), "detector.pitchMm[0]"));
    EXPECT_TRUE(isNamed(fieldOf("trajectory.anglesDeg"), "trajectory.anglesDeg[3]"));
    EXPECT_TRUE(isNamed(fieldOf("trajectory.arcDeg"), "trajectory"));
    EXPECT_FALSE(isNamed(fieldOf("projections.flat"), "projections.flatValue"));
}

TEST(GeometryForm, DirectionIsTheArcsSign) {
    ScanFile scan = benchScan();
    const ScanField direction = fieldOf("trajectory.direction");
    const ScanField arc = fieldOf("trajectory.arcDeg");
    direction.assign(scan, "clockwise");
    EXPECT_EQ(scan.geometry.cone().arcDeg, -360);
    EXPECT_EQ(arc.number(scan), 360);
    arc.assign(scan, 200.0);
    EXPECT_EQ(scan.geometry.cone().arcDeg, -200) << "a new arc keeps the direction";
    direction.assign(scan, "counter-clockwise");
    EXPECT_EQ(scan.geometry.cone().arcDeg, 200);
    arc.assign(scan, -180.0);
    EXPECT_EQ(direction.value(scan), FieldValue("clockwise"));
}

TEST(GeometryForm, SentencesOfProblemsStandAlone) {
    const std::vector<ScanField> fields = scanFields();
    ScanGeometry geometry = benchScan().geometry;
    geometry.detector.rollDeg = 70;
    geometry.detector.pitchMm[0] = -5;
    const std::vector<Problem> problems = validate(geometry);
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problemSentence(problems[0], fields),
              "Pixel pitch along u is -5 mm; it must be greater than 0.");
    EXPECT_EQ(problemSentence(problems[1], fields),
              "Roll is 70°; it must be between -60° and 60°.");
    geometry = benchScan().geometry;
    geometry.detector.offsetMm[0] = 900;
    EXPECT_TRUE(problemSentence(validate(geometry).front(), fields)
                    .startsWith("The rotation axis falls outside the detector: "));
}

TEST(GeometryForm, SentencesNameWhatTheyAreAboutAsAnOperatorDoes) {
    const std::vector<ScanField> fields = scanFields();
    const ScanGeometry geometry = benchScan().geometry;
    VolumeGrid grid = fitGrid(geometry, 64);
    grid.voxels[2] = 0;
    grid.pitchMm[0] = -1;
    const std::vector<Problem> ofVolume = validate(grid, geometry);
    ASSERT_EQ(ofVolume.size(), 2U);
    EXPECT_EQ(problemSentence(ofVolume[0], fields),
              "Voxel pitch along x is -1 mm; it must be greater than 0.");
    EXPECT_EQ(problemSentence(ofVolume[1], fields),
              "Number of voxels along z is 0; it must be at least 1.");

    ScanGeometry listed = geometry;
    listed.cone().anglesDeg = {0, 90, 180, 270};
    const ProblemText ofViews = problemText(validate(listed).front(), fields);
    EXPECT_EQ(ofViews.subject, "Number of views");
    EXPECT_EQ(ofViews.rest, "is 720, but the list of angles has 4.");

    const Problem sentence = {Problem::Severity::error, "detector.rows", "the images differ"};
    EXPECT_EQ(problemText(sentence, fields).subject, "");
    EXPECT_EQ(problemText(sentence, fields).rest, "The images differ.");
}

TEST(GeometryForm, ListedAnglesAreSummedUpAndMadeRegular) {
    ScanGeometry geometry = benchScan().geometry;
    for (int s = 0; s < 720; ++s)
        geometry.cone().anglesDeg.push_back(0.5 * s);
    EXPECT_EQ(anglesText(geometry), "720 listed angles, 0° to 359.5°");
    const ScanGeometry regular = withRegularAngles(geometry);
    EXPECT_TRUE(regular.cone().anglesDeg.empty());
    EXPECT_EQ(regular.cone().arcDeg, 360);
    EXPECT_EQ(regular.cone().startDeg, 0);
    EXPECT_EQ(regular.views(), 720);
    std::reverse(geometry.cone().anglesDeg.begin(), geometry.cone().anglesDeg.end());
    EXPECT_EQ(withRegularAngles(geometry).cone().arcDeg, -360);
    EXPECT_EQ(withRegularAngles(geometry).cone().startDeg, 359.5);
}

TEST(GeometryForm, AnOffsetIsAlsoToldInPixels) {
    ScanFile scan = benchScan();
    scan.geometry.detector.offsetMm[0] = 5;
    EXPECT_EQ(fieldOf("detector.offsetMm[0]").note(scan), "12.5 px off");
    const ScanField centre = fieldOf("detector.axisColumn");
    EXPECT_EQ(centre.number(scan), 499);
    centre.assign(scan, 520.5);
    EXPECT_NEAR(scan.geometry.axisColumn(), 520.5, 1e-9);
    for (const char* name : {"detector.offsetMm[0]", "detector.axisColumn"})
        EXPECT_TRUE(isNamed(fieldOf(name), "detector.offsetMm[0]"));
    const ScanField offset = fieldOf("detector.offsetMm[0]");
    EXPECT_EQ(offset.otherUnits[0].toValue(scan, 12.5), 5) << "px off";
    EXPECT_EQ(offset.otherUnits[1].toValue(scan, 499), 5) << "px";

    scan.geometry.detector.pitchMm[0] = 0;
    EXPECT_TRUE(fieldOf("detector.offsetMm[0]").note(scan).isEmpty());
}

TEST(GeometryForm, APracticallyParallelBeamIsSaid) {
    ScanGeometry geometry = benchScan().geometry;
    EXPECT_TRUE(beamNote(geometry).isEmpty());
    geometry.cone().sourceToIsocenterMm = 1e6;
    geometry.cone().sourceToDetectorMm = 1e6 + 1;
    geometry.detector.pitchMm = {0.01, 0.01};
    EXPECT_TRUE(beamNote(geometry).startsWith("The beam is practically parallel: "));
    // A synchrotron's beamline: 145 m, half a metre, a field of 10 mm.
    geometry.cone().sourceToIsocenterMm = 145000;
    geometry.cone().sourceToDetectorMm = 145500;
    EXPECT_FALSE(beamNote(geometry).isEmpty());
    // A microscope: the source is near, whatever the magnification.
    geometry.cone().sourceToIsocenterMm = 100;
    geometry.cone().sourceToDetectorMm = 100.5;
    EXPECT_TRUE(beamNote(geometry).isEmpty());
}

TEST(GeometryForm, FilesInTheScansFolderAreNamedRelatively) {
    ScanFile scan;
    scan.folder = "/data/walnut";
    EXPECT_EQ(nameInScan(scan, "/data/walnut/dark"), "dark");
    EXPECT_EQ(nameInScan(scan, "/data/other/dark"), "/data/other/dark");
}

TEST(DerivedValues, AreThoseOfTheGeometry) {
    const ScanGeometry geometry = benchScan().geometry;
    EXPECT_EQ(derived(geometry, "magnification"), "2 ×");
    EXPECT_EQ(derived(geometry, "voxel"), "0.2 mm");
    EXPECT_EQ(derived(geometry, "fanAndCone"), "19.4° × 14.6°");
    EXPECT_EQ(derived(geometry, "step"), "0.5°");
    EXPECT_EQ(derived(geometry, "neededArc"), "199.37°");
    EXPECT_TRUE(derived(geometry, "fieldOfView").startsWith("⌀ 201.9 × 153.6"));
}

TEST(DerivedValues, SayNothingOfAWrongGeometry) {
    for (const DerivedValue& value : derivedValues({})) {
        EXPECT_EQ(value.text, "–") << value.name.toStdString();
        EXPECT_FALSE(value.toolTip.isEmpty());
    }
}

TEST(DerivedValues, ATooShortArcIsToldWhatItNeeds) {
    ScanGeometry geometry = benchScan().geometry;
    geometry.cone().arcDeg = 90;
    EXPECT_EQ(derived(geometry, "neededArc"), "199.37°");
}

}  // namespace
}  // namespace gantry::test
