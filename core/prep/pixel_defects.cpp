#include "core/prep/pixel_defects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/base/median.h"

namespace gantry {

namespace {

constexpr Index kReach = 8;              // pixels on each side
constexpr double kSigmas = 10;           // that a pixel stands out by
constexpr double kToSigma = 1.4826;      // of the median distance, of normal noise
constexpr double kDarkShare = 0.005;     // of the usual net signal: less does not change a view
constexpr double kGainShare = 0.15;      // pixels of good panels differ by some percent
constexpr double kRoundingCounts = 0.3;  // standard deviation

// An image beside the pixels that are good in it.
class GoodPixels {
  public:
    GoodPixels(std::span<const float> image, const DefectMap& map) : m_image(image), m_map(map) {}

    [[nodiscard]] bool isGood(Index pixel) const {
        return m_map.pixels[pixel] == PixelDefect::none && std::isfinite(m_image[pixel]);
    }
    [[nodiscard]] double at(Index pixel) const { return static_cast<double>(m_image[pixel]); }

    // The median of the good pixels next to a place in one direction: 0 left, 1 right, 2 below,
    // 3 above. Nothing where there are not three.
    [[nodiscard]] std::optional<double> medianBeside(Index v, Index u, int direction) const {
        const Index stepV = direction == 2 ? -1 : direction == 3 ? 1 : 0;
        const Index stepU = direction == 0 ? -1 : direction == 1 ? 1 : 0;
        std::array<double, kReach> values;
        Index count = 0;
        for (Index i = 1; i <= kReach; ++i) {
            const Index y = v + i * stepV;
            const Index x = u + i * stepU;
            if (y < 0 || y >= m_map.rows || x < 0 || x >= m_map.columns) break;
            const Index pixel = y * m_map.columns + x;
            if (isGood(pixel)) values[count++] = at(pixel);
        }
        if (count < 3) return std::nullopt;
        std::nth_element(values.begin(), values.begin() + count / 2, values.begin() + count);
        return values[count / 2];
    }
    // Whether the pixel differs from what is around it, in every direction that has some, as
    // `differs` says of its value and a median.
    template <class Differs>
    [[nodiscard]] bool standsOut(Index v, Index u, const Differs& differs) const {
        const double value = at(v * m_map.columns + u);
        int directions = 0;
        for (const int direction : {0, 1, 2, 3})
            if (const auto median = medianBeside(v, u, direction)) {
                if (!differs(value, *median)) return false;
                ++directions;
            }
        return directions >= 2;
    }
    // By how much pixels usually differ from those to their left and right, between which the beam
    // may fall off; relative: as a share of these.
    [[nodiscard]] double usualDifference(bool isRelative) const {
        constexpr Index kSamples = 65536;
        std::vector<double> differences;
        const Index count = std::ssize(m_map.pixels);
        for (Index pixel = 0; pixel < count; pixel += 1 + count / kSamples) {
            if (!isGood(pixel)) continue;
            const Index v = pixel / m_map.columns;
            const Index u = pixel % m_map.columns;
            const auto left = medianBeside(v, u, 0);
            const auto right = medianBeside(v, u, 1);
            if (!left || !right) continue;
            const double beside = (*left + *right) / 2;
            differences.push_back(std::abs(at(pixel) - beside) /
                                  (isRelative ? std::max(1e-30, beside) : 1));
        }
        return differences.empty() ? 0 : kToSigma * medianOf(std::move(differences));
    }

  private:
    std::span<const float> m_image;
    const DefectMap& m_map;
};

// Marks what stands out at once, so that one does not hide another.
template <class Differs>
void mark(std::span<const float> image, PixelDefect defect, const Differs& differs,
          DefectMap& map) {
    const GoodPixels good(image, map);
    std::vector<Index> found;
    for (Index v = 0; v < map.rows; ++v)
        for (Index u = 0; u < map.columns; ++u)
            if (good.isGood(v * map.columns + u) && good.standsOut(v, u, differs))
                found.push_back(v * map.columns + u);
    for (const Index pixel : found)
        map.pixels[pixel] = defect;
}

void markOdd(std::span<const float> image, PixelDefect defect, double floor, DefectMap& map) {
    const double limit = std::max(floor, kSigmas * GoodPixels(image, map).usualDifference(false));
    mark(
        image, defect,
        [limit](double value, double median) { return std::abs(value - median) > limit; }, map);
}

// Marks where a pixel's dark level, and its net signal as a share of the usual one, stand out.
void markOddIn(std::span<const float> dark, std::span<const float> flat, DefectMap& map) {
    std::vector<float> net(flat.size());
    std::vector<float> good;
    for (std::size_t i = 0; i < flat.size(); ++i) {
        net[i] = flat[i] - dark[i];
        if (map.pixels[i] == PixelDefect::none && std::isfinite(net[i])) good.push_back(net[i]);
    }
    if (good.empty()) return;
    const auto usual = static_cast<double>(medianOf(std::move(good)));
    markOdd(dark, PixelDefect::hot, kDarkShare * usual, map);
    const double share = std::max(kGainShare, kSigmas * GoodPixels(net, map).usualDifference(true));
    mark(
        net, PixelDefect::uneven,
        [share](double value, double median) { return std::abs(value - median) > share * median; },
        map);
}

// How far above the usual one a standard deviation of so many frames may be by chance, for five
// standard deviations of normal noise (Wilson and Hilferty 1931).
double largestByChance(Index frames) {
    const double part = 2.0 / (9.0 * static_cast<double>(frames - 1));
    return std::pow((1 - part + 5 * std::sqrt(part)) / (1 - part), 1.5);
}

}  // namespace

Index DefectMap::count(PixelDefect defect) const {
    return std::ranges::count(pixels, defect);
}

std::string DefectMap::text() const {
    std::vector<std::string> parts;
    const auto add = [&](PixelDefect defect, const char* word) {
        if (const Index number = count(defect); number > 0)
            parts.push_back(fmt::format("{} {}", number, word));
    };
    add(PixelDefect::dead, "dead");
    add(PixelDefect::hot, "hot");
    add(PixelDefect::uneven, "of another gain");
    add(PixelDefect::noisy, "noisy");
    return fmt::format("{}", fmt::join(parts, ", "));
}

DefectMap defectsOf(const DetectorCalibration& calibration) {
    const Index pixels = calibration.rows * calibration.columns;
    DefectMap map = {calibration.rows, calibration.columns,
                     std::vector<PixelDefect>(static_cast<std::size_t>(pixels))};
    for (Index i = 0; i < calibration.bad.count(); ++i)
        if (calibration.bad[i] != 0) map.pixels[i] = PixelDefect::dead;
    if (calibration.flat.count() == 0) return map;
    std::vector<double> times = {calibration.darkView, calibration.flatView};
    for (const std::vector<LaterField>* later : {&calibration.laterDarks, &calibration.laterFlats})
        for (const LaterField& field : *later)
            times.push_back(field.view);
    std::ranges::sort(times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    HostBuffer<float> dark(pixels);
    HostBuffer<float> flat(pixels);
    for (const double view : times) {
        fieldsAt(calibration, view, 0, dark.span(), flat.span());
        markOddIn(dark.span(), flat.span(), map);
    }
    return map;
}

void markNoisyPixels(const FrameMean& frames, DefectMap& map) {
    constexpr Index kMinFrames = 4;
    if (frames.frames() < kMinFrames) return;
    const double factor = 2 * largestByChance(frames.frames());
    const HostBuffer<float> spread = frames.spread();
    mark(
        spread.span(), PixelDefect::noisy,
        [factor](double value, double median) {
            return value > factor * std::max(median, kRoundingCounts);
        },
        map);
}

}  // namespace gantry
