#include "ui/scene/volume/card_pace.h"

#include <algorithm>
#include <cmath>

namespace gantry {

void CardPace::took(double ms) {
    constexpr double kMost = kCoarsestStep / kFinestStep * kMostPixelsPerRay * kMostPixelsPerRay;
    // A finer picture must not be too slow at once.
    constexpr double kQuick = 0.5;
    constexpr double kTowards = 0.8;
    // One may have made tables, or waited.
    constexpr int kPatience = 2;
    if (ms > kPictureMs) {
        if (++m_slow < kPatience) return;
    } else if (ms > kQuick * kPictureMs) {
        m_slow = 0;
        return;
    }
    m_slow = 0;
    m_coarseness = std::clamp(m_coarseness * ms / (kTowards * kPictureMs), 1.0, kMost);
}

double CardPace::stepVoxels() const {
    return std::min(kFinestStep * m_coarseness, kCoarsestStep);
}

double CardPace::pixelsPerRay() const {
    return std::sqrt(kFinestStep * m_coarseness / stepVoxels());
}

}  // namespace gantry
