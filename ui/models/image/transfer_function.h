#pragma once

#include <QColor>
#include <vector>

#include "ui/models/image/grey_image.h"

namespace gantry {

/// The appearance of matter of one attenuation.
struct TransferPoint {
    double value = 0;    ///< attenuation, 1/mm
    double opacity = 0;  ///< part of the light that a hundredth of the volume's diagonal stops
    QRgb colour = qRgb(255, 255, 255);
    friend bool operator==(const TransferPoint&, const TransferPoint&) = default;
};

/// The appearance of all matter: linear between the points, constant beyond the ends.
struct TransferFunction {
    std::vector<TransferPoint> points;  ///< by ascending value, no two the same; at least one
    bool isByGradient = false;          ///< only where attenuation changes: surfaces

    [[nodiscard]] TransferPoint at(double value) const;
    /// From the first point to the last.
    [[nodiscard]] GreyWindow extent() const { return {points.front().value, points.back().value}; }
    friend bool operator==(const TransferFunction&, const TransferFunction&) = default;
};

/// The grey window's greys, with values near black transparent, because these are as often noise as
/// matter.
/// Tests: tests/ui/models/transfer_function_test.cpp
[[nodiscard]] TransferFunction windowTransfer(const GreyWindow& window, bool isByGradient = false);

/// Moved and widened in the same way as a window that changed from `from` to `to`.
[[nodiscard]] TransferFunction stretched(const TransferFunction& transfer, const GreyWindow& from,
                                         const GreyWindow& to);

enum class TransferPreset {
    window,  ///< follows the grey window
    all,     ///< everything except air
    soft,    ///< neither air nor dense
    dense,   ///< bone, or metal in plastics; the rest like glass
    pores,   ///< boundaries of air, in and around matter
};
inline constexpr TransferPreset kTransferPresets[] = {TransferPreset::window, TransferPreset::all,
                                                      TransferPreset::soft, TransferPreset::dense,
                                                      TransferPreset::pores};

/// The preset for a volume with that histogram. Air, soft and dense matter are separated by Otsu's
/// threshold, applied once more on the side that has two kinds. Any histogram is accepted.
[[nodiscard]] TransferFunction presetTransfer(TransferPreset preset, const Histogram& histogram,
                                              const GreyWindow& window);

}  // namespace gantry
