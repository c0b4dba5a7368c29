#pragma once

namespace gantry {

/// How far a view has come when the host hands it to a device.
enum class ViewState {
    stored,    ///< pixels as the file has them; the device prepares and filters
    prepared,  ///< line integrals; the device filters
    filtered,  ///< ready to be back-projected, as iFDK does it
};

}  // namespace gantry
