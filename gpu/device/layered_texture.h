#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <utility>

#include "core/base/types.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

/// A stack of images in the device's texture memory, one layer a view, which kernels write through
/// a surface and read through a texture with unnormalised coordinates; outside an image is 0.
class LayeredTexture {
  public:
    enum class Read {
        nearest,   ///< takes the pixel that holds the position
        bilinear,  ///< interpolates in texture hardware, whose fractions have 8 bits
    };
    /// channels: 1 or 2 floats a pixel, or 4 half floats.
    /// @throws ResourceError when the memory cannot be had or the image is larger than a texture
    LayeredTexture(Index layers, Index height, Index width, int channels, Read read);

    /// Bytes of one pixel.
    [[nodiscard]] static Index pixelBytes(int channels) {
        return channels == 4 ? 8 : channels * static_cast<Index>(sizeof(float));
    }

    [[nodiscard]] cudaTextureObject_t texture() const { return m_texture.get(); }
    [[nodiscard]] cudaSurfaceObject_t surface() const { return m_surface.get(); }
    /// The array itself, for copies from and to the host.
    [[nodiscard]] cudaArray_t array() const { return m_array.get(); }
    [[nodiscard]] Index layers() const { return m_layers; }
    [[nodiscard]] Index height() const { return m_height; }
    [[nodiscard]] Index width() const { return m_width; }

  private:
    struct ArrayDeleter {
        void operator()(cudaArray_t array) const noexcept {
            (void)cudaFreeArray(array);
            forgetError();
        }
    };
    // Texture and surface objects are plain numbers, of which 0 is none.
    template <class Object, cudaError_t (*destroy)(Object)>
    struct Handle {
        Object object = 0;
        Handle() = default;
        Handle(Handle&& other) noexcept : object(other.object) { other.object = 0; }
        Handle& operator=(Handle&& other) noexcept {
            std::swap(object, other.object);
            return *this;
        }
        ~Handle() {
            if (object == 0) return;
            (void)destroy(object);
            forgetError();
        }
        [[nodiscard]] Object get() const { return object; }
    };

    Index m_layers;
    Index m_height;
    Index m_width;
    std::unique_ptr<cudaArray, ArrayDeleter> m_array;
    Handle<cudaTextureObject_t, cudaDestroyTextureObject> m_texture;
    Handle<cudaSurfaceObject_t, cudaDestroySurfaceObject> m_surface;
};

}  // namespace gantry
