#include "gpu/engine/cone_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "gpu/engine/shfl_kernels.h"
#include "gpu/engine/tile_kernel.h"

namespace gantry {

const std::vector<ConeKernelInfo>& coneKernels() {
    static const std::vector<ConeKernelInfo> kernels = {
        {"standard", Precision::exact, true, "algorithm 2 for any geometry, point fetches"},
        {"bp-tex", Precision::exact, false, "shflBP, views through the texture cache"},
        {"tex-tran", Precision::exact, false, "shflBP, transposed views through the texture cache"},
        {"bp-l1", Precision::exact, false, "shflBP, views through the L1 cache"},
        {"l1-tran", Precision::exact, false, "shflBP, transposed views through the L1 cache"},
        {"mirror-texture", Precision::fast, false, "texture hardware, one fetch for two voxels"},
        {"tile", Precision::exact, false, "a tile's footprints on the views in shared memory"},
    };
    return kernels;
}

std::unique_ptr<ConeKernel> makeConeKernel(std::string_view name, const DeviceInfo& device) {
    if (name == "standard") return makeStandardKernel();
    if (name == "bp-tex") return makeShflKernel(true, false);
    if (name == "tex-tran") return makeShflKernel(true, true);
    if (name == "bp-l1") return makeShflKernel(false, false);
    if (name == "l1-tran") return makeShflKernel(false, true);
    if (name == "mirror-texture") return makeMirrorTextureKernel();
    if (name == "tile") return makeTileKernel(device);
    if (const std::optional<TileChoice> choice = tileChoiceNamed(name))
        return makeTileKernel(device, *choice);
    std::string names;
    for (const ConeKernelInfo& kernel : coneKernels())
        names += (names.empty() ? "" : ", ") + std::string(kernel.name);
    throw InputError(fmt::format("The kernel '{}' is unknown. Known: {}.", name, names),
                     {.field = "kernel"});
}

}  // namespace gantry
