#include "core/prep/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"

namespace gantry {

namespace {

void makeMask(DetectorCalibration& calibration) {
    const Index pixels = calibration.rows * calibration.columns;
    if (calibration.bad.count() == pixels) return;
    calibration.bad = HostBuffer<unsigned char>(pixels);
    std::ranges::fill(calibration.bad.span(), static_cast<unsigned char>(0));
}

Index countBad(const DetectorCalibration& calibration) {
    return std::ranges::count(calibration.bad.span(), static_cast<unsigned char>(1));
}

}  // namespace

FrameMean::FrameMean(Index pixels)
    : m_sum(static_cast<std::size_t>(pixels)), m_count(static_cast<std::size_t>(pixels)) {}

void FrameMean::add(std::span<const float> frame) {
    require(frame.size() == m_sum.size(), "frames of different sizes cannot be averaged");
    for (std::size_t i = 0; i < m_sum.size(); ++i) {
        const bool finite = std::isfinite(frame[i]);
        m_sum[i] += finite ? static_cast<double>(frame[i]) : 0.0;
        m_count[i] += finite ? 1 : 0;
    }
}

HostBuffer<float> FrameMean::image() const {
    HostBuffer<float> mean(static_cast<Index>(m_sum.size()));
    for (std::size_t i = 0; i < m_sum.size(); ++i)
        mean[static_cast<Index>(i)] = m_count[i] > 0 ? static_cast<float>(m_sum[i] / m_count[i])
                                                     : std::numeric_limits<float>::quiet_NaN();
    return mean;
}

Index markDeadPixels(DetectorCalibration& calibration) {
    makeMask(calibration);
    for (Index i = 0; i < calibration.bad.count(); ++i) {
        const float netSignal = calibration.flat[i] - calibration.dark[i];
        if (!(netSignal > 0) || !std::isfinite(netSignal)) calibration.bad[i] = 1;
    }
    return countBad(calibration);
}

Index mergeBadPixels(DetectorCalibration& calibration, std::span<const unsigned char> mask) {
    if (static_cast<Index>(mask.size()) != calibration.rows * calibration.columns)
        throw InputError(fmt::format(
            "The bad-pixel mask has {} pixels, and the detector has {} columns × {} rows. "
            "Both must be the same size.",
            mask.size(), calibration.columns, calibration.rows));
    makeMask(calibration);
    for (std::size_t i = 0; i < mask.size(); ++i)
        if (mask[i] != 0) calibration.bad[static_cast<Index>(i)] = 1;
    return countBad(calibration);
}

}  // namespace gantry
