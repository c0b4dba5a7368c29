#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gantry {

/// The window that multiplies the ramp in frequency; all but Ram-Lak trade sharpness for less
/// noise.
enum class FilterWindow { ramLak, sheppLogan, cosine, hamming, hann };
inline constexpr std::array<std::string_view, 5> kFilterWindowNames = {"ram-lak", "shepp-logan",
                                                                       "cosine", "hamming", "hann"};

struct FilterSpec {
    FilterWindow window = FilterWindow::ramLak;
    double cutoff = 1.0;  ///< fraction of the Nyquist frequency, in (0, 1]; above it nothing passes

    friend bool operator==(const FilterSpec&, const FilterSpec&) = default;
};

[[nodiscard]] std::string_view name(FilterWindow window);  ///< "ram-lak", "shepp-logan", ...
/// @throws InputError listing the windows
[[nodiscard]] FilterWindow parseFilterWindow(std::string_view text);

}  // namespace gantry
