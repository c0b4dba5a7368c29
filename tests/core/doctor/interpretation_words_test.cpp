#include "core/doctor/interpretation_words.h"

#include <gtest/gtest.h>

#include "tests/core/doctor/stored_scan.h"

namespace gantry {
namespace {

using enum Convention;

TEST(InterpretationWords, ReadingsAreNamedByWhatTheyChange) {
    EXPECT_EQ(nameOf(Interpretation()), "as it is declared");
    EXPECT_EQ(nameOf(Interpretation{{direction, rows}}), "rotation reversed, images upside down");
}

TEST(InterpretationWords, ChangesAreThoseOfTheFile) {
    ScanFile scan;
    scan.geometry = test::obliqueScan();
    const auto changes = changesOf(scan, {{direction, columns, rows, detectorOffsetU}});
    ASSERT_EQ(changes.size(), 4U);
    EXPECT_EQ(changes[0].field, "trajectory.arcDeg");
    EXPECT_EQ(changes[0].before, "360");
    EXPECT_EQ(changes[0].after, "-360");
    EXPECT_EQ(changes[1].field, "detector.offsetMm");
    EXPECT_EQ(changes[1].before, "[7.3,-18]");
    EXPECT_EQ(changes[1].after, "[-7.3,-18]");
    EXPECT_EQ(changes[2].field, "detector.firstRow");
    EXPECT_EQ(changes[2].before, "\"top\"");
    EXPECT_EQ(changes[2].after, "\"bottom\"");
    EXPECT_EQ(changes[3].field, "detector.mirrored");
    EXPECT_EQ(changes[3].after, "true");
    EXPECT_TRUE(changesOf(scan, {}).empty());
}

TEST(InterpretationWords, ListsOfAnglesAreCutShort) {
    ScanFile scan;
    scan.geometry = test::obliqueScan();
    scan.geometry.cone().views = 5;
    scan.geometry.cone().anglesDeg = {0, 70, 140, 210, 280};
    const auto changes = changesOf(scan, {{start}});
    ASSERT_FALSE(changes.empty());
    EXPECT_EQ(changes.back().field, "trajectory.anglesDeg");
    EXPECT_EQ(changes.back().after, "180, 250, … (5 numbers)");
}

TEST(InterpretationWords, WhatTiedReadingsShareIsSaid) {
    Diagnosis diagnosis;
    diagnosis.groups.resize(3);
    diagnosis.groups[0].interpretation = {{offsetInPixels}};
    diagnosis.groups[1].interpretation = {{direction, offsetInPixels}};
    diagnosis.tied = 2;
    EXPECT_EQ(summaryOf(diagnosis),
              "The scan fits with: detector's offset in pixels instead of mm. The views cannot "
              "tell which of these is right: detector's offset in pixels instead of mm; rotation "
              "reversed, detector's offset in pixels instead of mm.");
    diagnosis.tied = 1;
    diagnosis.certainty = Certainty::likely;
    EXPECT_EQ(summaryOf(diagnosis),
              "The scan fits with: detector's offset in pixels instead of mm (likely).");
}

}  // namespace
}  // namespace gantry
