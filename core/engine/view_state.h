#pragma once

namespace gantry {

/// The state of a view when the host passes it to a device.
enum class ViewState {
    stored,    ///< pixels as the file has them; the device prepares and filters
    prepared,  ///< line integrals; the device filters
    filtered,  ///< ready to be back-projected, as iFDK does it
};

}  // namespace gantry
