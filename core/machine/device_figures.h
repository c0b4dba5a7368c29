#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/backends.h"
#include "core/plan/request.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// What a GPU does a second with a scan.
struct DeviceFigures {
    DeviceFacts device;
    std::string whyNoFilter;            ///< half a sentence; empty: it can
    DeviceRates rates;                  ///< of copies and the filter
    KernelChoice exact;                 ///< the fastest that interpolates in fp32
    KernelChoice fast;                  ///< the fastest of all
    std::vector<KernelChoice> kernels;  ///< every one that takes the scan's views
};

/// Measures every device on the whole volume of a request: its copies, its filter, and each kernel
/// that takes the scan's views.
/// @throws ResourceError, Cancelled
/// Tests: tests/core/machine/device_figures_test.cpp
[[nodiscard]] std::vector<DeviceFigures> measureDevices(const OpenScan& scan,
                                                        const ReconstructionRequest& request,
                                                        const EngineBackend& gpu,
                                                        const std::stop_token& stop);

}  // namespace gantry
