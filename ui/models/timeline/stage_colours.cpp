#include "ui/models/timeline/stage_colours.h"

#include <array>

namespace gantry {

QColor stageColour(Stage stage) {
    // Wong's palette with lighter and darker relatives for the transfers.
    constexpr std::array<QRgb, kStageCount> kColours = {
        0xFF56B4E9, 0xFFF0E442, 0xFF999999, 0xFFE69F00, 0xFFCC79A7, 0xFF9AD0F5,
        0xFF7A5195, 0xFF009E73, 0xFFB3E2CD, 0xFFD55E00, 0xFF0072B2};
    return QColor::fromRgb(kColours[static_cast<std::size_t>(stage)]);
}

}  // namespace gantry
