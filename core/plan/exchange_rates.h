#pragma once

namespace gantry {

/// What a rank takes from others a second, in a run; 0 where it is not known.
struct ExchangeRates {
    double gatherBytes = 0;  ///< of filtered views, its own part with them
    double reduceBytes = 0;  ///< of slices, that it sums with them
};

}  // namespace gantry
