#pragma once

#include <string_view>

#include "core/base/field_word.h"

namespace gantry {

/// The window that multiplies the ramp in frequency; all but Ram-Lak trade sharpness for less
/// noise.
enum class FilterWindow { ramLak, sheppLogan, cosine, hamming, hann };
inline constexpr FieldWord kFilterWindows[] = {
    {"ram-lak", "Ram-Lak", "The plain ramp: sharpest, most noise."},
    {"shepp-logan", "Shepp-Logan", "A little softer than the ramp."},
    {"cosine", "Cosine", "Less noise, edges slightly softened."},
    {"hamming", "Hamming", "Much less noise, softer edges."},
    {"hann", "Hann", "Least noise, softest edges."}};

struct FilterSpec {
    FilterWindow window = FilterWindow::ramLak;
    double cutoff = 1.0;  ///< fraction of the Nyquist frequency, in (0, 1]; above it nothing passes

    friend bool operator==(const FilterSpec&, const FilterSpec&) = default;
};

[[nodiscard]] std::string_view name(FilterWindow window);  ///< "ram-lak", "shepp-logan", ...

}  // namespace gantry
