#include "core/prep/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/throw_error.h"

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

// The largest net signal that is none; see markDeadPixels().
float noiseAboutZero(const float* dark, const float* flat, Index pixels) {
    constexpr Index kSamples = 65536;
    constexpr float kNone = 0.001F;
    constexpr float kMaxNoise = 0.01F;
    std::vector<float> positive;
    float darkest = 0;
    for (Index i = 0; i < pixels; ++i) {
        const float netSignal = flat[i] - dark[i];
        if (!std::isfinite(netSignal)) continue;
        darkest = std::min(darkest, netSignal);
        if (netSignal > 0 && i % (1 + pixels / kSamples) == 0) positive.push_back(netSignal);
    }
    if (positive.empty()) return 0;
    const auto middle = positive.begin() + std::ssize(positive) / 2;
    std::nth_element(positive.begin(), middle, positive.end());
    return std::max(kNone * *middle, std::min(-darkest, kMaxNoise * *middle));
}

void markDead(const float* dark, const float* flat, HostBuffer<unsigned char>& bad) {
    const float noise = noiseAboutZero(dark, flat, bad.count());
    for (Index i = 0; i < bad.count(); ++i) {
        const float netSignal = flat[i] - dark[i];
        if (!(netSignal > noise) || !std::isfinite(netSignal)) bad[i] = 1;
    }
}

// Mixes two images of one kind, of which the later one counts as much as `share`.
void mix(const float* early, const float* late, float share, std::span<float> out) {
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = early[i] + share * (late[i] - early[i]);
}

// The image at a view, from pixel `first` on.
void fieldAt(const HostBuffer<float>& firstImage, double firstView,
             const std::vector<LaterField>& later, double view, Index first, std::span<float> out) {
    const float* early = firstImage.data() + first;
    double earlyView = firstView;
    for (const LaterField& next : later) {
        const float* const late = next.image.data() + first;
        if (view < next.view) {
            const double share =
                std::max(0.0, (view - earlyView) / std::max(1e-9, next.view - earlyView));
            return mix(early, late, static_cast<float>(share), out);
        }
        early = late;
        earlyView = next.view;
    }
    std::copy_n(early, out.size(), out.data());
}

template <class T>
HostBuffer<T> copyOf(const HostBuffer<T>& image) {
    HostBuffer<T> copy(image.count());
    std::copy_n(image.data(), image.count(), copy.data());
    return copy;
}

// Whether all bits of a detector or an integer type would be set.
bool isFullScale(float value) {
    constexpr std::array kBits = {8, 10, 12, 14, 15, 16, 31, 32};
    return std::ranges::any_of(
        kBits, [value](int bits) { return value == static_cast<float>(std::exp2(bits) - 1); });
}

}  // namespace

FrameMean::FrameMean(Index pixels, Keeps keeps)
    : m_sum(static_cast<std::size_t>(pixels)), m_count(static_cast<std::size_t>(pixels)) {
    if (keeps == Keeps::spread) m_squares.resize(m_sum.size());
}

void FrameMean::add(std::span<const float> frame) {
    require(frame.size() == m_sum.size(), "frames of different sizes cannot be averaged");
    for (std::size_t i = 0; i < m_sum.size(); ++i) {
        const bool finite = std::isfinite(frame[i]);
        m_sum[i] += finite ? static_cast<double>(frame[i]) : 0.0;
        m_count[i] += finite ? 1 : 0;
    }
    ++m_frames;
    for (std::size_t i = 0; i < m_squares.size(); ++i)
        if (std::isfinite(frame[i])) m_squares[i] += std::pow(static_cast<double>(frame[i]), 2);
}

HostBuffer<float> FrameMean::spread() const {
    require(m_squares.size() == m_sum.size(), "a spread was asked for that was not kept");
    HostBuffer<float> spread(std::ssize(m_sum));
    for (std::size_t i = 0; i < m_sum.size(); ++i) {
        const double count = m_count[i];
        const double squares = m_squares[i] - m_sum[i] * m_sum[i] / count;
        spread[static_cast<Index>(i)] =
            static_cast<float>(count > 1 ? std::sqrt(std::max(0.0, squares) / (count - 1))
                                         : std::numeric_limits<double>::quiet_NaN());
    }
    return spread;
}

HostBuffer<float> FrameMean::image() const {
    HostBuffer<float> mean(std::ssize(m_sum));
    for (std::size_t i = 0; i < m_sum.size(); ++i)
        mean[static_cast<Index>(i)] = m_count[i] > 0 ? static_cast<float>(m_sum[i] / m_count[i])
                                                     : std::numeric_limits<float>::quiet_NaN();
    return mean;
}

Index DetectorCalibration::sizeBytes() const {
    Index bytes = dark.sizeBytes() + flat.sizeBytes() + bad.sizeBytes();
    for (const std::vector<LaterField>* later : {&laterDarks, &laterFlats})
        for (const LaterField& field : *later)
            bytes += field.image.sizeBytes();
    return bytes + std::ssize(beam) * Index{sizeof(float)};
}

void fieldsAt(const DetectorCalibration& calibration, double view, Index first,
              std::span<float> dark, std::span<float> flat) {
    fieldAt(calibration.dark, calibration.darkView, calibration.laterDarks, view, first, dark);
    fieldAt(calibration.flat, calibration.flatView, calibration.laterFlats, view, first, flat);
}

DetectorCalibration withGains(const DetectorCalibration& calibration,
                              std::span<const float> gains) {
    require(std::ssize(gains) == calibration.flat.count(),
            "gains of another detector were applied to flat images");
    DetectorCalibration result;
    result.rows = calibration.rows;
    result.columns = calibration.columns;
    result.bad = copyOf(calibration.bad);
    result.saturation = calibration.saturation;
    result.darkView = calibration.darkView;
    result.flatView = calibration.flatView;
    result.beam = calibration.beam;
    result.dark = copyOf(calibration.dark);
    for (const LaterField& later : calibration.laterDarks)
        result.laterDarks.push_back({later.view, copyOf(later.image)});
    HostBuffer<float> dark(std::ssize(gains));
    const auto scaled = [&](const HostBuffer<float>& flat, double view) {
        fieldAt(calibration.dark, calibration.darkView, calibration.laterDarks, view, 0,
                dark.span());
        HostBuffer<float> image(flat.count());
        for (Index i = 0; i < flat.count(); ++i)
            image[i] = gains[i] == 1 ? flat[i] : dark[i] + gains[i] * (flat[i] - dark[i]);
        return image;
    };
    result.flat = scaled(calibration.flat, calibration.flatView);
    for (const LaterField& later : calibration.laterFlats)
        result.laterFlats.push_back({later.view, scaled(later.image, later.view)});
    return result;
}

Index markDeadPixels(DetectorCalibration& calibration) {
    makeMask(calibration);
    if (calibration.laterDarks.empty() && calibration.laterFlats.empty()) {
        markDead(calibration.dark.data(), calibration.flat.data(), calibration.bad);
        return countBad(calibration);
    }
    std::vector<double> times = {calibration.darkView, calibration.flatView};
    for (const std::vector<LaterField>* later : {&calibration.laterDarks, &calibration.laterFlats})
        for (const LaterField& field : *later)
            times.push_back(field.view);
    HostBuffer<float> dark(calibration.bad.count());
    HostBuffer<float> flat(calibration.bad.count());
    for (const double view : times) {
        fieldsAt(calibration, view, 0, dark.span(), flat.span());
        markDead(dark.data(), flat.data(), calibration.bad);
    }
    return countBad(calibration);
}

Index markSaturatedPixels(DetectorCalibration& calibration, double level) {
    makeMask(calibration);
    Index saturated = 0;
    for (Index i = 0; i < calibration.bad.count(); ++i) {
        const auto isCut = [&](const HostBuffer<float>& flat) {
            return flat[i] >= static_cast<float>(level);
        };
        if (!isCut(calibration.flat) &&
            std::ranges::none_of(calibration.laterFlats,
                                 [&](const LaterField& later) { return isCut(later.image); }))
            continue;
        calibration.bad[i] = 1;
        ++saturated;
    }
    return saturated;
}

namespace {

std::optional<double> clippedLevelOf(const HostBuffer<float>& flat,
                                     const DetectorCalibration& calibration) {
    constexpr double kFarAbove = 2;
    constexpr Index kMinPixels = 4;
    float largest = 0;
    float next = 0;
    for (const float value : flat.span()) {
        if (!std::isfinite(value) || value <= next || value == largest) continue;
        next = std::min(value, largest);
        largest = std::max(value, largest);
    }
    const Index pixels = calibration.rows * calibration.columns;
    if (!isFullScale(largest) && !(largest > kFarAbove * next)) return std::nullopt;
    const auto isCut = [&](Index v, Index u) {
        return v < calibration.rows && u < calibration.columns &&
               flat[v * calibration.columns + u] == largest;
    };
    Index cut = 0;
    Index touching = 0;
    // Without noise the top of an even flat field has as many pixels as each count below it.
    const auto justBelow = std::ranges::count_if(
        flat.span(), [&](float value) { return value < largest && value >= largest - 1; });
    for (Index v = 0; v < calibration.rows; ++v)
        for (Index u = 0; u < calibration.columns; ++u) {
            if (!isCut(v, u)) continue;
            ++cut;
            if (isCut(v, u + 1) || isCut(v + 1, u) || (u > 0 && isCut(v, u - 1)) ||
                (v > 0 && isCut(v - 1, u)))
                ++touching;
        }
    if (touching < kMinPixels || 2 * cut > pixels || 2 * cut < 3 * justBelow) return std::nullopt;
    return largest;
}

}  // namespace

std::optional<double> clippedLevel(const DetectorCalibration& calibration) {
    std::optional<double> level = clippedLevelOf(calibration.flat, calibration);
    for (const LaterField& later : calibration.laterFlats) {
        const std::optional<double> found = clippedLevelOf(later.image, calibration);
        if (found) level = std::min(level.value_or(*found), *found);
    }
    return level;
}

Index mergeBadPixels(DetectorCalibration& calibration, std::span<const unsigned char> mask) {
    if (std::ssize(mask) != calibration.rows * calibration.columns)
        throwError<InputError>(
            "The bad-pixel mask has {} pixels, and the detector has {} columns × {} rows. Both "
            "must be the same size.",
            mask.size(), calibration.columns, calibration.rows);
    makeMask(calibration);
    for (std::size_t i = 0; i < mask.size(); ++i)
        if (mask[i] != 0) calibration.bad[static_cast<Index>(i)] = 1;
    return countBad(calibration);
}

}  // namespace gantry
