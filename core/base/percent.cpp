#include "core/base/percent.h"

#include <fmt/format.h>

#include <cmath>

namespace gantry {

std::string formatPercent(double share) {
    constexpr double kMin = 0.01;
    constexpr double kTwoDigits = 99.5;  // from here on they would be written with an exponent
    const double percent = 100 * share;
    if (std::isnan(percent)) return "–";
    if (percent != 0 && std::abs(percent) < kMin) return fmt::format("below {} %", kMin);
    return std::abs(percent) < kTwoDigits ? fmt::format("{:.2g} %", percent)
                                          : fmt::format("{:.0f} %", percent);
}

}  // namespace gantry
