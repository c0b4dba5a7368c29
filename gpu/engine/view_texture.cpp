#include "gpu/engine/view_texture.h"

#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

Index roundUp(Index count, Index size) {
    return (count + size - 1) / size * size;
}

}  // namespace

void ViewTexture::reserve(Index layers, Index height, Index width, int channels,
                          LayeredTexture::Read read, cudaStream_t stream) {
    const bool suffices = m_texture && m_channels == channels && m_texture->layers() >= layers &&
                          m_texture->height() >= height && m_texture->width() >= width;
    if (suffices) return;
    if (m_texture) {
        check(cudaStreamSynchronize(stream), "adding views");
        m_texture.reset();  // freed before the new one is allocated
    }
    m_texture.emplace(layers, height, width, channels, read);
    m_channels = channels;
}

gpu::LayeredSurface ViewTexture::surface() const {
    return {m_texture->surface(), static_cast<int>(m_texture->height()),
            static_cast<int>(m_texture->width())};
}

Index ViewTexture::bytes(Index layers, Index height, Index width, int channels) {
    // Textures are made of blocks of 64 bytes by 8 lines, and of up to 16 of these one above
    // another.
    constexpr Index kBlockBytes = 64;
    constexpr Index kBlockLines = 8;
    constexpr Index kTallBlockLines = 128;
    const Index lineBytes = width * LayeredTexture::pixelBytes(channels);
    const Index lines = height < kTallBlockLines ? kBlockLines : kTallBlockLines;
    return layers * roundUp(height, lines) * roundUp(lineBytes, kBlockBytes);
}

}  // namespace gantry
