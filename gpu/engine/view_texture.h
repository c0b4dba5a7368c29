#pragma once

#include <optional>

#include "core/base/types.h"
#include "gpu/device/layered_texture.h"
#include "gpu/kernels/repack_views.h"

namespace gantry {

/// A texture that a kernel keeps for batches of views, replaced only when it is too small. Not
/// thread-safe. Tests: tests/gpu/engine/cone_kernel_test.cpp
class ViewTexture {
  public:
    /// Makes room for layers of that size; another number of channels needs another texture. A
    /// texture is replaced only after the stream is done with it, and loses its content.
    /// @throws ResourceError when the memory cannot be had or the image is larger than a texture
    void reserve(Index layers, Index height, Index width, int channels, LayeredTexture::Read read,
                 cudaStream_t stream = nullptr);

    [[nodiscard]] cudaTextureObject_t texture() const { return m_texture->texture(); }
    [[nodiscard]] gpu::LayeredSurface surface() const;

    /// Device memory of one texture, bytes, as devices round it up.
    [[nodiscard]] static Index bytes(Index layers, Index height, Index width, int channels);

  private:
    std::optional<LayeredTexture> m_texture;
    int m_channels = 0;
};

}  // namespace gantry
