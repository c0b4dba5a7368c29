#pragma once

namespace gantry {

/// How far a view has come when the host hands it to a device.
enum class ViewState {
    stored,    ///< pixels as the file has them; the device prepares and filters
    prepared,  ///< line integrals; the device filters
    filtered,  ///< ready to be back-projected, as iFDK does it
};

/// What a device does a second with a job, measured.
struct DeviceRates {
    double uploadBytes = 0;    ///< from pinned memory
    double downloadBytes = 0;  ///< to pinned memory
    double filterPixels = 0;   ///< prepare and filter; 0: cannot filter (no cuFFT)
    double updates = 0;        ///< of the kernel chosen
    int device = -1;           ///< its number; -1: of no certain one
};

}  // namespace gantry
