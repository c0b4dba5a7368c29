#pragma once

namespace gantry {

/// Measured rates of a device with a job, a second.
struct DeviceRates {
    double uploadBytes = 0;    ///< from pinned memory
    double downloadBytes = 0;  ///< to pinned memory
    double filterPixels = 0;   ///< prepare and filter; 0: cannot filter (no cuFFT)
    double updates = 0;        ///< of the kernel that is chosen
    int device = -1;           ///< its number; -1: no particular one
};

}  // namespace gantry
