#include "core/calibrate/calibration_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gantry {
namespace {

BallCalibration found() {
    BallCalibration found;
    found.numbers = {
        {"sourceToDetectorMm", "source–detector distance", " mm", 700, 683.0234, 0.0731, true, ""},
        {"tiltDeg", "detector's tilt", "°", 0, 0, 0.12, false, "nobody tells it"},
        {"slantDeg", "detector's slant", "°", 0, 0, INFINITY, false, "nor this"}};
    found.balls.resize(18);
    found.images.resize(3);
    found.images[1].resize(7);
    found.viewRmsPx = {std::nan(""), 0.02, 0.0512};
    found.rmsPx = 0.0311;
    found.imagesUsed = 5;
    return found;
}

TEST(CalibrationText, HasTheDigitsThatAreKnown) {
    const auto rows = calibrationTable(found());
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[1], (std::vector<std::string>{"source–detector distance", "683.023 mm",
                                                 "0.073 mm", "700.000 mm", "-16.977 mm"}));
    EXPECT_EQ(rows[2],
              (std::vector<std::string>{"detector's tilt", "kept", "0.12°", "0.000°", "–"}));
    EXPECT_EQ(rows[3], (std::vector<std::string>{"detector's slant", "kept", "–", "0.000°", "–"}));
}

TEST(CalibrationText, SaysWhatElseThereIs) {
    BallCalibration calibration = found();
    EXPECT_EQ(ballsText(calibration), "18 found; 5 images of 7 used");
    EXPECT_EQ(residualText(calibration), "0.031 px rms; worst in view 2, 0.051 px");
    EXPECT_EQ(calibrationNotes(calibration),
              (std::vector<std::string>{"The detector's tilt is kept: nobody tells it.",
                                        "The detector's slant is kept: nor this.",
                                        "The balls' places follow the tilt that is kept: "
                                        "calibrating by them finds it again."}));
    calibration.turnsOtherWay = true;
    calibration.viewsWithPose = 2;
    calibration.circleRmsPx = 0.7;
    EXPECT_EQ(calibrationNotes(calibration).size(), 5U);
}

}  // namespace
}  // namespace gantry
