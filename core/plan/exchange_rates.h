#pragma once

namespace gantry {

/// What a rank receives from others a second in a run; 0 where it is not known.
struct ExchangeRates {
    double gatherBytes = 0;  ///< of filtered views, including its own part
    double reduceBytes = 0;  ///< of slices that it sums with theirs
};

}  // namespace gantry
