#include "ui/scene/volume/ray_density.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

constexpr double kTowards = 0.8;  // of the available time

}  // namespace

void RayDensity::aimAt(double coarseness) {
    constexpr double kMax = kCoarsestStep / kFinestStep * kMaxPixelsPerRay * kMaxPixelsPerRay;
    m_slow = 0;
    m_coarseness = std::clamp(coarseness, 1.0, kMax);
}

void RayDensity::restedFor(double fineMs) {
    constexpr double kFar = 2;  // times as long
    const double guess = std::max(1.0, fineMs / (kTowards * kPictureMs));
    if (guess > kFar * m_coarseness || kFar * guess < m_coarseness) aimAt(guess);
}

void RayDensity::took(double ms) {
    // A finer picture must not be too slow immediately.
    constexpr double kQuick = 0.5;
    // A single slow picture may have made tables, or waited.
    constexpr int kPatience = 2;
    if (ms > kPictureMs) {
        if (++m_slow < kPatience) return;
    } else if (ms > kQuick * kPictureMs) {
        m_slow = 0;
        return;
    }
    aimAt(m_coarseness * ms / (kTowards * kPictureMs));
}

double RayDensity::stepVoxels() const {
    return std::min(kFinestStep * m_coarseness, kCoarsestStep);
}

double RayDensity::pixelsPerRay() const {
    return std::sqrt(kFinestStep * m_coarseness / stepVoxels());
}

}  // namespace gantry
