#include "ui/models/scan/tenfold_change.h"

#include <gtest/gtest.h>

#include <string>

namespace gantry {
namespace {

ScanGeometry benchScanner() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1150;
    geometry.cone().views = 360;
    geometry.detector.columns = 511;
    geometry.detector.rows = 380;
    geometry.detector.pitchMm = {0.2, 0.2};
    return geometry;
}

std::string changeTo(const ScanGeometry& after) {
    return tenfoldChange(benchScanner(), after).toStdString();
}

TEST(TenfoldChange, AMisreadDistanceShowsInTheMagnification) {
    ScanGeometry after = benchScanner();
    after.cone().sourceToIsocenterMm = 1;
    EXPECT_EQ(changeTo(after),
              "Magnification changed more than tenfold: 1.917 → 1150 ×. Check the number and its "
              "unit.");
}

TEST(TenfoldChange, APitchInTheWrongUnitIsSeen) {
    ScanGeometry after = benchScanner();
    after.detector.pitchMm[1] = 200;
    EXPECT_NE(changeTo(after).find("pitch along v"), std::string::npos);
    after = benchScanner();
    after.detector.pitchMm[0] = 0.0002;
    EXPECT_NE(changeTo(after).find("0.2 → 0.0002 mm"), std::string::npos);
}

TEST(TenfoldChange, TheFieldOfViewCountsToo) {
    ScanGeometry after = benchScanner();
    after.detector.rows = 30;
    EXPECT_NE(changeTo(after).find("Height of the field of view"), std::string::npos);
}

TEST(TenfoldChange, UsualEditsAndImpossibleValuesAreNotMarked) {
    EXPECT_EQ(changeTo(benchScanner()), "");
    ScanGeometry after = benchScanner();
    after.cone().sourceToDetectorMm = 5000;
    EXPECT_EQ(changeTo(after), "");
    after.cone().sourceToIsocenterMm = -600;
    EXPECT_EQ(changeTo(after), "");
}

}  // namespace
}  // namespace gantry
