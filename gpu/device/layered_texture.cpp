#include "gpu/device/layered_texture.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace gantry {

namespace {

cudaChannelFormatDesc floats(int channels) {
    if (channels == 4) return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
    return cudaCreateChannelDesc(32, channels > 1 ? 32 : 0, 0, 0, cudaChannelFormatKindFloat);
}

cudaArray_t makeArray(Index layers, Index height, Index width, int channels) {
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc format = floats(channels);
    const cudaExtent extent = {static_cast<std::size_t>(width), static_cast<std::size_t>(height),
                               static_cast<std::size_t>(layers)};
    const cudaError_t result =
        cudaMalloc3DArray(&array, &format, extent, cudaArrayLayered | cudaArraySurfaceLoadStore);
    if (result == cudaErrorInvalidValue) {
        (void)cudaGetLastError();
        throw ResourceError(
            fmt::format("A texture of {} × {} pixels is larger than this GPU takes. Choose the "
                        "kernel tile or l1-tran.",
                        width, height),
            {.advice = "Use --kernel tile."});
    }
    check(result,
          fmt::format("taking {} of texture memory",
                      formatBytes(layers * height * width * LayeredTexture::pixelBytes(channels)))
              .c_str());
    return array;
}

}  // namespace

LayeredTexture::LayeredTexture(Index layers, Index height, Index width, int channels, Read read)
    : m_layers(layers),
      m_height(height),
      m_width(width),
      m_array(makeArray(layers, height, width, channels)) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = m_array.get();
    cudaTextureDesc description = {};
    description.addressMode[0] = cudaAddressModeBorder;
    description.addressMode[1] = cudaAddressModeBorder;
    description.filterMode = read == Read::nearest ? cudaFilterModePoint : cudaFilterModeLinear;
    description.readMode = cudaReadModeElementType;
    check(cudaCreateTextureObject(&m_texture.object, &resource, &description, nullptr),
          "making a texture");
    check(cudaCreateSurfaceObject(&m_surface.object, &resource), "making a surface");
}

}  // namespace gantry
