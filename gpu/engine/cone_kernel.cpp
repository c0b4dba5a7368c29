#include "gpu/engine/cone_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/engine/parallel_kernels.h"
#include "gpu/engine/shfl_kernels.h"
#include "gpu/engine/tile_kernel.h"

namespace gantry {

namespace {

using Device = const DeviceInfo&;

constexpr Index kTileSlices = 128;  // the same for every shape
constexpr Index kPoseSlices = 32;
constexpr Index kStackSlices = 16;

}  // namespace

const std::vector<ConeKernelInfo>& coneKernels() {
    static const std::vector<ConeKernelInfo> kernels = {
        {{"standard", false, 1, false, true},
         "algorithm 2 for any geometry, point fetches",
         [](Device) { return makeStandardKernel(); }},
        {{"tile-poses", false, kPoseSlices, false, true},
         "tile for views of any pose",
         [](Device device) {
             TileChoice choice;
             choice.anyPose = true;
             return makeTileKernel(device, choice);
         }},
        {{"bp-tex"},
         "shflBP, views through the texture cache",
         [](Device) { return makeShflKernel(true, false); }},
        {{"tex-tran"},
         "shflBP, transposed views through the texture cache",
         [](Device) { return makeShflKernel(true, true); }},
        {{"bp-l1"},
         "shflBP, views through the L1 cache",
         [](Device) { return makeShflKernel(false, false); }},
        {{"l1-tran"},
         "shflBP, transposed views through the L1 cache",
         [](Device) { return makeShflKernel(false, true); }},
        {{"mirror-texture", true, 1, true},
         "texture hardware, one fetch for two voxels",
         [](Device) { return makeMirrorTextureKernel(); }},
        {{"parallel-stack", false, kStackSlices, false, false, true},
         "parallel beams: one fetch for four voxels of a slice",
         [](Device) { return makeParallelKernel("parallel-stack"); }},
        {{"parallel-half", true, kStackSlices, false, false, true},
         "the same in half floats",
         [](Device) { return makeParallelKernel("parallel-half"); }},
        {{"tile", false, kTileSlices},
         "a tile's footprints on the views in shared memory",
         [](Device device) { return makeTileKernel(device); }},
    };
    return kernels;
}

const ConeKernelInfo& coneKernel(std::string_view name) {
    std::string names;
    for (const ConeKernelInfo& info : coneKernels()) {
        if (info.kernel.name == name) return info;
        names += (names.empty() ? "" : ", ") + info.kernel.name;
    }
    if (tileChoiceNamed(name)) return coneKernels().back();
    throw InputError(fmt::format("The kernel '{}' is unknown. Known: {}.", name, names),
                     {.field = "gpuKernel"});
}

std::unique_ptr<ConeKernel> makeConeKernel(std::string_view name, const DeviceInfo& device) {
    if (const std::optional<TileChoice> choice = tileChoiceNamed(name))
        return makeTileKernel(device, *choice);
    if (std::unique_ptr<ConeKernel> parallel = makeParallelKernel(name)) return parallel;
    return coneKernel(name).make(device);
}

}  // namespace gantry
