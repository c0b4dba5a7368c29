#pragma once

#include <QColor>
#include <vector>

#include "ui/models/image/grey_image.h"

namespace gantry {

/// What matter of one attenuation looks like.
struct TransferPoint {
    double value = 0;    ///< attenuation, 1/mm
    double opacity = 0;  ///< share of the light that a hundredth of the volume's diagonal stops
    QRgb colour = qRgb(255, 255, 255);
    friend bool operator==(const TransferPoint&, const TransferPoint&) = default;
};

/// What all matter looks like: linear between the points, and as at the ends beyond them.
struct TransferFunction {
    std::vector<TransferPoint> points;  ///< by ascending value, no two the same; at least one
    bool isByGradient = false;          ///< only where attenuation changes: surfaces

    [[nodiscard]] TransferPoint at(double value) const;
    /// From the first point to the last.
    [[nodiscard]] GreyWindow extent() const { return {points.front().value, points.back().value}; }
    friend bool operator==(const TransferFunction&, const TransferFunction&) = default;
};

/// In the grey window's greys, what is near black clear: it is as often noise as matter.
/// Tests: tests/ui/models/transfer_function_test.cpp
[[nodiscard]] TransferFunction windowTransfer(const GreyWindow& window, bool isByGradient = false);

/// Moved and widened as a window was that now is `to`.
[[nodiscard]] TransferFunction stretched(const TransferFunction& transfer, const GreyWindow& from,
                                         const GreyWindow& to);

enum class TransferPreset {
    window,  ///< follows the grey window
    all,     ///< all that is no air
    soft,    ///< what is neither air nor dense
    dense,   ///< bone, or metal in plastics; the rest as glass
    pores,   ///< what bounds air, in and around matter
};
inline constexpr TransferPreset kTransferPresets[] = {TransferPreset::window, TransferPreset::all,
                                                      TransferPreset::soft, TransferPreset::dense,
                                                      TransferPreset::pores};

/// For a volume of that histogram. Air, soft and dense matter are told apart by Otsu's threshold,
/// and once more on that side of it that has two kinds. Any histogram will do.
[[nodiscard]] TransferFunction presetTransfer(TransferPreset preset, const Histogram& histogram,
                                              const GreyWindow& window);

}  // namespace gantry
