#pragma once

#include <memory>

#include "gpu/engine/cone_kernel.h"

namespace gantry {

/// Makes iFDK algorithm 2 for any 3×4 matrix, with fp32 interpolation of texture fetches (the
/// paper's RTK-32).
[[nodiscard]] std::unique_ptr<ConeKernel> makeStandardKernel();

/// Makes the paper's shflBP (listing 1) in one of its four forms (table 3): views read through the
/// texture or the L1 cache, transposed or not. It needs aligned detectors.
[[nodiscard]] std::unique_ptr<ConeKernel> makeShflKernel(bool throughTexture, bool transposed);

/// Makes a kernel in which texture hardware interpolates a voxel and its mirror image in one fetch
/// of two channels. It needs aligned detectors; slabs that are not their own mirror image take one
/// fetch a voxel.
[[nodiscard]] std::unique_ptr<ConeKernel> makeMirrorTextureKernel();

}  // namespace gantry
