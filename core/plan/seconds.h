#pragma once

namespace gantry {

/// Seconds that an amount takes at a rate per second; 0 where the rate is not known.
[[nodiscard]] inline double seconds(double amount, double rate) {
    return rate > 0 ? amount / rate : 0;
}

}  // namespace gantry
