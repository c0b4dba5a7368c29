#include "gpu/engine/cone_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "gpu/engine/shfl_kernels.h"
#include "gpu/engine/tile_kernel.h"

namespace gantry {

namespace {

using Device = const DeviceInfo&;

}  // namespace

const std::vector<ConeKernelInfo>& coneKernels() {
    static const std::vector<ConeKernelInfo> kernels = {
        {"standard", Precision::exact, true, "algorithm 2 for any geometry, point fetches",
         [](Device) { return makeStandardKernel(); }},
        {"bp-tex", Precision::exact, false, "shflBP, views through the texture cache",
         [](Device) { return makeShflKernel(true, false); }},
        {"tex-tran", Precision::exact, false, "shflBP, transposed views through the texture cache",
         [](Device) { return makeShflKernel(true, true); }},
        {"bp-l1", Precision::exact, false, "shflBP, views through the L1 cache",
         [](Device) { return makeShflKernel(false, false); }},
        {"l1-tran", Precision::exact, false, "shflBP, transposed views through the L1 cache",
         [](Device) { return makeShflKernel(false, true); }},
        {"mirror-texture", Precision::fast, false, "texture hardware, one fetch for two voxels",
         [](Device) { return makeMirrorTextureKernel(); }},
        {"tile", Precision::exact, false, "a tile's footprints on the views in shared memory",
         [](Device device) { return makeTileKernel(device); }},
    };
    return kernels;
}

std::unique_ptr<ConeKernel> makeConeKernel(std::string_view name, const DeviceInfo& device) {
    for (const ConeKernelInfo& kernel : coneKernels())
        if (kernel.name == name) return kernel.make(device);
    if (const std::optional<TileChoice> choice = tileChoiceNamed(name))
        return makeTileKernel(device, *choice);
    std::string names;
    for (const ConeKernelInfo& kernel : coneKernels())
        names += (names.empty() ? "" : ", ") + std::string(kernel.name);
    throw InputError(fmt::format("The kernel '{}' is unknown. Known: {}.", name, names),
                     {.field = "kernel"});
}

}  // namespace gantry
