#pragma once

#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/calibrate/balls/ball_length.h"
#include "core/calibrate/balls/ball_tracks.h"
#include "core/scan/open_scan.h"

namespace gantry {

struct CalibrationOptions {
    std::vector<Vec3> knownBallsMm;  ///< in the phantom's frame; empty: their places are sought too
    std::string knownBallsName = "the list";  ///< of what they are read from, for an error
    std::optional<KnownLength> length;        ///< where the places are not known
    bool posePerView = false;                 ///< beside the circle a pose for each view
    int threads = 1;
    /// Gets the current step and the part of the whole that is done; called from any thread.
    std::function<void(const std::string& what, double fraction)> onProgress;
    std::stop_token stop;
};

/// What became of a number of the geometry.
struct CalibratedNumber {
    const char* name = "";   ///< "sourceToDetectorMm"
    const char* label = "";  ///< "source–detector distance"
    const char* unit = "";   ///< " mm", "°", " px"
    double before = 0;       ///< in the scan
    double value = 0;        ///< the same as before where it was not found
    double uncertainty = 0;  ///< standard deviation to which the views tell it, infinite: not
    bool isFound = false;
    std::string reason;  ///< why it was not found: a part of a sentence
};

/// A ball as the views have it.
struct CalibratedBall {
    Vec3 centerMm;
    double radiusMm = 0;
    Index views = 0;                   ///< that it is seen in
    double rmsPx = 0;                  ///< of its residuals; NaN where none was used
    std::optional<std::size_t> known;  ///< of the list, counted from 0
};

/// A ball's image with what the calibration says of it.
struct CalibratedImage {
    BallImage image;
    std::optional<std::size_t> ball;  ///< into BallCalibration::balls
    std::array<double, 2> residualPx = {0, 0};
    bool isUsed = false;
};

struct BallCalibration {
    ScanGeometry geometry;                  ///< what was found, the rest as declared
    std::vector<CalibratedNumber> numbers;  ///< of the circle, and where the axis is seen
    std::vector<CalibratedBall> balls;      ///< upwards
    std::vector<std::vector<CalibratedImage>> images;  ///< [view] of the trajectory
    std::vector<double> viewRmsPx;                     ///< [view]; NaN where no ball of it was used
    double rmsPx = 0;        ///< of all distances between measured and predicted places
    double circleRmsPx = 0;  ///< the same of the circle, where each view has its pose
    Index imagesUsed = 0;
    bool turnsOtherWay = false;  ///< the angles run against the declared way
    bool hasScale = false;       ///< lengths are measured, not declared
    Index viewsWithPose = 0;     ///< of their own; others keep the circle's
};

/// Calibrates a scan's geometry by the views of a phantom with small dense balls that turned in it:
/// finds the balls, follows them through the views, and fits a rigid circle to them, or from there
/// a pose for each view. With calibrated poses it begins from their mean circle.
/// @throws InputError where there are too few views, balls or matches, saying what is needed;
///         ResourceError, Cancelled
/// Tests: tests/core/calibrate/calibrate_test.cpp
[[nodiscard]] BallCalibration calibrate(const OpenScan& scan, const CalibrationOptions& options);

}  // namespace gantry
