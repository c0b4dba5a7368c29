#pragma once

#include <string>
#include <vector>

#include "core/geometry/check/validate.h"

namespace gantry {

// Limits of a scan's measures. They are wider than any scanner's, and narrow enough that no product
// of counts overflows and no quotient of lengths is lost.
inline constexpr double kMinLengthMm = 1e-6;
inline constexpr double kMaxPitchMm = 1000;
inline constexpr double kMaxDistanceMm = 1e8;
inline constexpr double kMaxOffsetMm = 1e6;
inline constexpr double kMaxTiltDeg = 60;
inline constexpr double kMaxArcDeg = 720;
inline constexpr double kMaxAngleDeg = 1e5;
inline constexpr Index kMaxPixels = 65536;
inline constexpr Index kMaxViews = 1'000'000;

/// Collects the problems that a check finds, in the form of validate.h.
/// Tests: tests/core/geometry/validate_test.cpp
class ProblemList {
  public:
    /// message: a whole sentence.
    void error(std::string field, std::string message);
    void warning(std::string field, std::string message);
    /// message: continues the field's name, "is 0°; it must be ..."
    void errorOf(std::string field, std::string message);
    void warningOf(std::string field, std::string message);

    /// An error unless least <= value <= most; also for NaN. The unit follows every number.
    bool range(const std::string& field, double value, double min, double max, const char* unit);
    /// The same for a length or pitch: above 0, and no longer than any scanner has.
    bool length(const std::string& field, double valueMm, double maxMm);
    /// The same for whole numbers.
    bool count(const std::string& field, Index value, Index min, Index max);
    /// An error unless the width is odd, at least 3 and at most maxPx.
    void oddWidth(const std::string& field, Index widthPx, Index maxPx);

    [[nodiscard]] bool hasError() const;
    /// Errors come first, then the order found.
    [[nodiscard]] std::vector<Problem> sorted() &&;

  private:
    std::vector<Problem> m_problems;
};

}  // namespace gantry
