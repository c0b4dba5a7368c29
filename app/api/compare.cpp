#include <gantry/compare.h>
#include <gantry/phantom.h>

#include "core/base/parallel.h"
#include "core/report/compare_volumes.h"

namespace gantry {

namespace {

int threadsOr(int threads) {
    return threads > 0 ? threads : availableThreads();
}

}  // namespace

ImageError compareVolumes(const Volume& volume, const Volume& truth, const ComparedVoxels& which) {
    const ComparedPart part = {which.maskRadiusMm, which.slices};
    return compareVolumes(volume, truth, part, threadsOr(which.threads)).error;
}

Volume phantomVolume(const Phantom& phantom, const VolumeGrid& grid, int supersampling,
                     int threads) {
    return voxelised(phantom, grid, supersampling, threadsOr(threads));
}

}  // namespace gantry
