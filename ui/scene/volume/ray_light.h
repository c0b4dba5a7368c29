#pragma once

#include <QColor>
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gantry {

/// Red, green, blue and opacity, 0 to 1.
using Rgba = float __attribute__((vector_size(16)));

/// A pseudo-random number in 0 to 1, the same for a pixel in every picture: breaks up the rings
/// that equal steps would draw.
inline double jitterOf(int x, int y) {
    const auto seed =
        static_cast<std::uint32_t>(x) * 0x9E3779B1U ^ static_cast<std::uint32_t>(y) * 0x85EBCA77U;
    const std::uint32_t mixed = (seed ^ (seed >> 15)) * 0x2C1B3C6DU;
    return static_cast<double>(mixed >> 8) / (1 << 24);
}

/// Converts red, green, blue and opacity, 0 to 1.
inline QRgb premultiplied(const Rgba& light) {
    const int alpha = static_cast<int>(std::lround(255 * std::clamp(light[3], 0.0F, 1.0F)));
    const auto level = [&](int channel) {
        return std::clamp(static_cast<int>(std::lround(255 * light[channel])), 0, alpha);
    };
    return qRgba(level(0), level(1), level(2), alpha);
}

inline Rgba coloured(QRgb colour, double opacity) {
    constexpr float kLevel = 1.0F / 255;
    return Rgba{kLevel * static_cast<float>(qRed(colour)),
                kLevel * static_cast<float>(qGreen(colour)),
                kLevel * static_cast<float>(qBlue(colour)), static_cast<float>(opacity)};
}

/// Adds what lies behind what is already there; `light` is not yet premultiplied.
inline void addBehind(Rgba& seen, Rgba light) {
    const float opacity = light[3];
    light[3] = 1;
    seen += (1 - seen[3]) * opacity * light;
}

}  // namespace gantry
