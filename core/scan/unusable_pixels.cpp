#include "core/scan/unusable_pixels.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/numbered.h"

namespace gantry {

UnusablePixels::UnusablePixels(Index rows, Index columns)
    : m_columns(columns), m_mask(rows * columns) {
    std::ranges::fill(m_mask.span(), static_cast<unsigned char>(0));
}

void UnusablePixels::add(Index pixel) {
    const Index u = pixel % m_columns;
    const Index v = pixel / m_columns;
    m_mask[pixel] = 1;
    m_inColumns = hullOf(m_inColumns, {u, u + 1});
    m_inRows = hullOf(m_inRows, {v, v + 1});
    ++m_count;
}

std::string UnusablePixels::takeForDead(DetectorCalibration& calibration, std::string_view one,
                                        std::string_view several) const {
    (void)mergeBadPixels(calibration, m_mask.span());
    const bool isOne = m_count == 1;
    return fmt::format(
        "{} detector pixel{} in {} and {} (from the bottom) {}: {} taken for dead, and "
        "interpolated from the pixels around.",
        m_count, isOne ? "" : "s", numbered("column", m_inColumns), numbered("row", m_inRows),
        isOne ? one : several, isOne ? "it is" : "they are");
}

}  // namespace gantry
