#pragma once

namespace gantry {

/// What a device does a second with a job, measured.
struct DeviceRates {
    double uploadBytes = 0;    ///< from pinned memory
    double downloadBytes = 0;  ///< to pinned memory
    double filterPixels = 0;   ///< prepare and filter; 0: cannot filter (no cuFFT)
    double updates = 0;        ///< of the kernel that it takes
    int device = -1;           ///< its number; -1: of no certain one
};

}  // namespace gantry
