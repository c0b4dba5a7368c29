#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/calibrate/balls/ball_model.h"
#include "core/calibrate/fit/split_fit.h"
#include "core/geometry/scan_geometry.h"

namespace gantry {

/// A number of a rigid circle that balls may tell.
struct CircleNumber {
    const char* name;   ///< "sourceToDetectorMm", its JSON name
    const char* label;  ///< "source–detector distance"
    const char* unit;   ///< " mm", "°"
    double& (*of)(ScanGeometry& geometry);
    /// The uncertainty above which balls count as not telling it.
    double (*maxUncertainty)(const ScanGeometry& geometry);
};
/// The last of these is the source–axis distance, which views alone cannot determine, because all
/// lengths in front of the detector may grow together.
[[nodiscard]] std::span<const CircleNumber> circleNumbers();
inline constexpr std::size_t kCircleNumbers = 7;

/// A circle and the balls that turned in it. The first angle, the steps of the angles and the
/// source's offset stay as they are: they only say how the world is turned and how high it lies.
struct CircleBundle {
    ScanGeometry geometry;  ///< a circular one
    Balls balls;
    std::array<bool, kCircleNumbers> isFree{};
    bool isRigid = false;  ///< the balls' distances are known: they move as a whole
};

/// How well a bundle explains the sightings.
struct BundleFit {
    std::vector<std::array<double, 2>> residuals;  ///< of each sighting, pixels
    std::vector<bool> isUsed;                      ///< not an outlier
    double rmsPx = 0;                              ///< of the distances of the used ones
    double variance = 0;  ///< of a used one's u or v, by the degrees of freedom
    /// Standard deviations of the circle's numbers; 0 of those that are not free, infinite where
    /// the sightings do not tell.
    std::array<double, kCircleNumbers> deviations{};
    SplitFit normal{0, 0};  ///< of the used ones; its numbers begin with the free ones
};

/// Moves all that is free until the sightings' residuals are least, whatever outliers there are.
/// Thread-safe. @throws Cancelled
/// Tests: tests/core/calibrate/circle_bundle_test.cpp
[[nodiscard]] BundleFit fitBundle(CircleBundle& bundle, std::span<const Sighting> sightings,
                                  const std::stop_token& stop);

/// The column and row on which the rotation axis is seen, at the source's height.
[[nodiscard]] std::array<double, 2> axisSeenAt(const ScanGeometry& geometry);
/// The standard deviation of a value that follows from the circle's numbers.
[[nodiscard]] double deviationOf(const CircleBundle& bundle, const BundleFit& fit,
                                 const std::function<double(const ScanGeometry&)>& value);

}  // namespace gantry
