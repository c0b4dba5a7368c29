#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace gantry {

/// What GPUs can be asked to back-project with, by name.
struct GpuKernelName {
    std::string_view name;
    bool fast = false;  ///< interpolates in texture hardware: only where a request allows it
};
inline constexpr std::array<GpuKernelName, 7> kGpuKernels = {{{"standard"},
                                                              {"bp-tex"},
                                                              {"tex-tran"},
                                                              {"bp-l1"},
                                                              {"l1-tran"},
                                                              {"mirror-texture", true},
                                                              {"tile"}}};
/// Whether a GPU kernel interpolates in texture hardware.
[[nodiscard]] inline bool isFastKernel(std::string_view name) {
    return std::any_of(kGpuKernels.begin(), kGpuKernels.end(), [&](const GpuKernelName& kernel) {
        return kernel.fast && kernel.name == name;
    });
}

}  // namespace gantry
