#include "ui/models/image/grey_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"

namespace gantry {

namespace {

// The step between samples: 1 for a small image, larger for a large one. It is odd, so that samples
// do not fall on the same columns in each row of the usual, even widths.
std::size_t sampleStep(std::size_t count, std::size_t max) {
    return count <= max ? 1 : (count / max) | 1U;
}

// A window around one value: a tenth of it wide, and 1 wide about zero.
GreyWindow aroundConstant(double value) {
    const double width = value == 0 ? 1 : std::abs(value) / 10;
    return {value - width / 2, value + width / 2};
}

// The pixels of an axis that a device pixel shows: `taps` indices for each, −1 if there is none.
struct AxisTaps {
    int taps = 1;
    int begin = 0;  // device pixels [begin, end) show the image
    int end = 0;
    std::vector<Index> indices;
};

// scale: image pixels a device pixel; start: image coordinate (0 is the first pixel's edge) of
// device pixel 0.
AxisTaps axisTaps(int devicePixels, double start, double scale, Index count, bool isFlipped) {
    // Four in each direction are enough against moiré, and limit the time at any zoom.
    constexpr double kMaxTaps = 4;
    AxisTaps axis;
    if (!std::isfinite(start) || !std::isfinite(scale) || scale <= 0) return axis;
    axis.taps = static_cast<int>(std::clamp(std::ceil(scale - 0.01), 1.0, kMaxTaps));
    const auto limit = [&](double x) {
        return static_cast<int>(std::clamp(std::ceil(x), 0.0, static_cast<double>(devicePixels)));
    };
    axis.begin = limit(-start / scale - 0.5);
    axis.end = limit((static_cast<double>(count) - start) / scale - 0.5);
    // An image thinner than a pixel stays visible.
    const double middle = (static_cast<double>(count) / 2 - start) / scale;
    if (axis.begin == axis.end && middle >= 0 && middle < devicePixels) {
        axis.begin = static_cast<int>(middle);
        axis.end = axis.begin + 1;
    }
    axis.indices.reserve(static_cast<std::size_t>(std::max(0, axis.end - axis.begin)) *
                         static_cast<std::size_t>(axis.taps));
    for (int pixel = axis.begin; pixel < axis.end; ++pixel) {
        for (int tap = 0; tap < axis.taps; ++tap) {
            const double at = start + scale * (pixel + (tap + 0.5) / axis.taps);
            const Index i = std::clamp<Index>(static_cast<Index>(std::floor(at)), 0, count - 1);
            axis.indices.push_back(isFlipped ? count - 1 - i : i);
        }
    }
    return axis;
}

// sums[i]: over the rows that a line of the view shows, of the image's columns [begin, end). Adding
// rows first adds neighbours, for which the processor has SIMD.
const float* summedRows(const GreyImage& image, std::span<const Index> rows, IndexRange columns,
                        std::vector<float>& sums) {
    const auto rowAt = [&](std::size_t tap) {
        return image.pixels.data() + rows[tap] * image.columns + columns.begin;
    };
    if (rows.size() == 1) return rowAt(0);
    const auto count = static_cast<std::size_t>(columns.size());
    sums.assign(rowAt(0), rowAt(0) + count);
    for (std::size_t tap = 1; tap < rows.size(); ++tap) {
        const float* row = rowAt(tap);
        for (std::size_t i = 0; i < count; ++i)
            sums[i] += row[i];
    }
    return sums.data();
}

template <int kTaps>
void sumColumns(const float* row, Index first, const AxisTaps& axis, float* sums) {
    const Index* index = axis.indices.data();
    for (int x = axis.begin; x < axis.end; ++x, index += kTaps) {
        float sum = 0;
        for (int tap = 0; tap < kTaps; ++tap)
            sum += row[index[tap] - first];
        *sums++ = sum;
    }
}

struct GreyScale {
    float black;
    float factor;  // from (mean − black) to 0…255
    QRgb infinite;
    QRgb nan;

    [[nodiscard]] bool isGrey(QRgb colour) const { return colour != infinite && colour != nan; }
};

GreyScale greyScale(const GreyWindow& window, const QColor& notFinite, const QColor& nan) {
    const double width = window.width();
    // A window of no width is a threshold.
    const double factor = width == 0 ? 1e30 : 255 / width;
    return {static_cast<float>(window.black), static_cast<float>(factor), notFinite.rgb(),
            nan.rgb()};
}

// Written without branches, so that several pixels are done at a time.
void drawLine(std::span<const float> sums, float share, const GreyScale& scale, QRgb* line) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const float value = sums[i] * share;
        float grey = (value - scale.black) * scale.factor + 0.5F;
        grey = grey > 0 ? grey : 0;  // a NaN from an absurd window becomes black too
        grey = grey < 255 ? grey : 255;
        const int level = static_cast<int>(grey);
        const QRgb colour = 0xFF000000U | static_cast<QRgb>(level << 16 | level << 8 | level);
        const bool isFinite = std::abs(value) <= std::numeric_limits<float>::max();
        const QRgb none = std::isnan(value) ? scale.nan : scale.infinite;
        line[i] = isFinite ? colour : none;
    }
}

using Colours = std::array<QRgb, 256>;

Colours differenceColours() {
    Colours colours{};
    for (std::size_t i = 0; i < colours.size(); ++i)
        colours[i] = differenceColour(static_cast<double>(i) / 255).rgb();
    return colours;
}

// Recolours a line that drawLine() has drawn.
void colourLine(const Colours& colours, const GreyScale& scale, std::span<QRgb> line) {
    for (QRgb& pixel : line)
        if (scale.isGrey(pixel)) pixel = colours[qBlue(pixel)];
}

}  // namespace

QColor differenceColour(double share) {
    // The ends of ColorBrewer's red and blue scale, which colour-blind readers can distinguish.
    constexpr std::array<std::array<double, 3>, 3> kEnds = {
        {{33, 102, 172}, {255, 255, 255}, {178, 24, 43}}};
    const double at = 2 * std::clamp(share, 0.0, 1.0);
    const std::size_t from = at < 1 ? 0 : 1;
    const double part = at - static_cast<double>(from);
    const auto channel = [&](std::size_t i) {
        return static_cast<int>(
            std::lround(kEnds[from][i] + part * (kEnds[from + 1][i] - kEnds[from][i])));
    };
    return {channel(0), channel(1), channel(2)};
}

double valueAt(const GreyImage& image, QPointF pixel) {
    const double column = std::floor(pixel.x() + 0.5);
    const double row = std::floor(pixel.y() + 0.5);
    const bool isInside = !image.isEmpty() && column >= 0 && row >= 0 &&
                          column < static_cast<double>(image.columns) &&
                          row < static_cast<double>(image.rows);
    return isInside
               ? static_cast<double>(image.at(static_cast<Index>(column), static_cast<Index>(row)))
               : std::numeric_limits<double>::quiet_NaN();
}

Histogram histogramOf(std::span<const float> pixels, int bins) {
    constexpr std::size_t kMaxSamples = 1'000'000;
    const std::size_t step = sampleStep(pixels.size(), kMaxSamples);
    Histogram result;
    result.bins.assign(std::max(1, bins), 0);
    bool isFirst = true;
    for (std::size_t i = 0; i < pixels.size(); i += step) {
        const double value = static_cast<double>(pixels[i]);
        if (!std::isfinite(value)) {
            ++result.notFinite;
            continue;
        }
        result.low = isFirst ? value : std::min(result.low, value);
        result.high = isFirst ? value : std::max(result.high, value);
        isFirst = false;
    }
    if (isFirst) return result;
    result.extent = {result.low, result.high};
    if (result.low == result.high) {
        const GreyWindow ends = aroundConstant(result.low);
        result.low = ends.black;
        result.high = ends.white;
    }
    const auto count = static_cast<double>(result.bins.size());
    const double scale = count / (result.high - result.low);
    for (std::size_t i = 0; i < pixels.size(); i += step) {
        if (!std::isfinite(pixels[i])) continue;
        const double bin = (static_cast<double>(pixels[i]) - result.low) * scale;
        ++result.bins[static_cast<std::size_t>(std::clamp(bin, 0.0, count - 1))];
    }
    return result;
}

GreyWindow autoWindow(std::span<const float> pixels) {
    constexpr std::size_t kMaxSamples = 200'000;
    constexpr double kTail = 0.005;
    const std::size_t step = sampleStep(pixels.size(), kMaxSamples);
    std::vector<float> values;
    values.reserve(pixels.size() / step + 1);
    for (std::size_t i = 0; i < pixels.size(); i += step) {
        if (std::isfinite(pixels[i])) values.push_back(pixels[i]);
    }
    if (values.empty()) return {};
    const auto percentile = [&](double share) {
        const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::lround(
                                              share * static_cast<double>(values.size() - 1)));
        std::nth_element(values.begin(), nth, values.end());
        return static_cast<double>(*nth);
    };
    GreyWindow window{percentile(kTail), percentile(1 - kTail)};
    if (window.black == window.white) {
        const auto [min, max] = std::minmax_element(values.begin(), values.end());
        window = {static_cast<double>(*min), static_cast<double>(*max)};
    }
    return window.black == window.white ? aroundConstant(window.black) : window;
}

GreyWindow draggedWindow(const GreyWindow& window, double dx, double dy) {
    constexpr double kShareOfAPixel = 0.005;
    constexpr double kMin = 1e-30;
    constexpr double kMax = 1e30;
    const auto within = [](double x, double min, double max, double otherwise) {
        return std::isfinite(x) ? std::clamp(x, min, max) : otherwise;
    };
    const double before = within(window.width(), kMin, kMax, 1);
    const double level = within(window.level(), -kMax, kMax, 0) - dy * kShareOfAPixel * before;
    // The width is at least what a float of that size can resolve.
    const double min = std::max(kMin, std::abs(level) * 1e-6);
    const double wished = before * std::exp(std::min(dx, 1e4) * kShareOfAPixel);
    const double width = std::max(min, std::min(wished, kMax));
    return {level - width / 2, level + width / 2};
}

ImagePlacement ImagePlacement::fitted(const GreyImage& image, QSizeF view) {
    const double width = static_cast<double>(image.columns);
    const double height = static_cast<double>(image.rows) * image.pixelAspect;
    ImagePlacement result;
    if (width > 0 && height > 0 && view.width() > 0 && view.height() > 0)
        result.zoom = std::min(view.width() / width, view.height() / height);
    result.origin = {(view.width() - width * result.zoom) / 2,
                     (view.height() - height * result.zoom) / 2};
    return result;
}

ImagePlacement ImagePlacement::zoomed(double factor, QPointF at) const {
    return {zoom * factor, at - (at - origin) * factor};
}

QPointF ImagePlacement::pixelAt(const GreyImage& image, QPointF view) const {
    const double column = (view.x() - origin.x()) / zoom - 0.5;
    const double fromTop = (view.y() - origin.y()) / (zoom * image.pixelAspect) - 0.5;
    return {column,
            image.firstRowIsBottom ? static_cast<double>(image.rows - 1) - fromTop : fromTop};
}

QPointF ImagePlacement::viewAt(const GreyImage& image, QPointF pixel) const {
    const double fromTop =
        image.firstRowIsBottom ? static_cast<double>(image.rows - 1) - pixel.y() : pixel.y();
    return {origin.x() + (pixel.x() + 0.5) * zoom,
            origin.y() + (fromTop + 0.5) * zoom * image.pixelAspect};
}

QImage render(const GreyImage& image, const GreyWindow& window, const ImagePlacement& placement,
              QSize size, double devicePixelRatio, QColor background, QColor notFinite) {
    QImage result(size.expandedTo({1, 1}), QImage::Format_RGB32);
    result.setDevicePixelRatio(devicePixelRatio);
    result.fill(background);
    if (image.isEmpty() || size.isEmpty()) return result;
    const double deviceZoom = placement.zoom * devicePixelRatio;
    const double deviceZoomV = deviceZoom * image.pixelAspect;
    const AxisTaps x = axisTaps(size.width(), -placement.origin.x() * devicePixelRatio / deviceZoom,
                                1 / deviceZoom, image.columns, false);
    const AxisTaps y =
        axisTaps(size.height(), -placement.origin.y() * devicePixelRatio / deviceZoomV,
                 1 / deviceZoomV, image.rows, image.firstRowIsBottom);
    if (x.begin >= x.end || y.begin >= y.end) return result;
    using SumColumns = void (*)(const float*, Index, const AxisTaps&, float*);
    constexpr std::array<SumColumns, 4> kSumColumns = {sumColumns<1>, sumColumns<2>, sumColumns<3>,
                                                       sumColumns<4>};
    const SumColumns sumOver = kSumColumns[x.taps - 1];
    const GreyScale scale =
        greyScale(window, notFinite, image.nanIsOutside ? background : notFinite);
    const Colours colours = image.isDifference ? differenceColours() : Colours{};
    const float share = 1.0F / static_cast<float>(x.taps * y.taps);
    const IndexRange columns{x.indices.front(), x.indices.back() + 1};
    uchar* const bits = result.bits();
    const auto stride = result.bytesPerLine();
    constexpr Index kGrain = 64;
    parallelFor(availableThreads(), y.end - y.begin, kGrain, [&](Index begin, Index end, int) {
        std::vector<float> rowSums;
        std::vector<float> sums(x.end - x.begin);
        for (Index line = begin; line < end; ++line) {
            const std::span<const Index> taps(y.indices.data() + line * y.taps,
                                              static_cast<std::size_t>(y.taps));
            const float* rows = summedRows(image, taps, columns, rowSums);
            sumOver(rows, columns.begin, x, sums.data());
            auto* out = reinterpret_cast<QRgb*>(bits + (y.begin + line) * stride) + x.begin;
            drawLine(sums, share, scale, out);
            if (image.isDifference) colourLine(colours, scale, {out, sums.size()});
        }
    });
    return result;
}

namespace {

// Where a pixel of the larger image lies between two of the smaller one.
struct Between {
    Index first;
    Index second;
    float share;  // weight of the second
};

std::vector<Between> placesOf(Index large, Index small) {
    std::vector<Between> places;
    places.reserve(large);
    for (Index i = 0; i < large; ++i) {
        const double at = (static_cast<double>(i) + 0.5) * static_cast<double>(small) /
                              static_cast<double>(large) -
                          0.5;
        const double inside = std::clamp(at, 0.0, static_cast<double>(small - 1));
        const auto first = static_cast<Index>(inside);
        places.push_back({first, std::min(first + 1, small - 1),
                          static_cast<float>(inside - static_cast<double>(first))});
    }
    return places;
}

}  // namespace

GreyImage enlarged(const GreyImage& image, Index columns, Index rows) {
    if (image.isEmpty() || (image.columns == columns && image.rows == rows)) return image;
    const auto pixels = std::make_shared<std::vector<float>>();
    pixels->reserve(columns * rows);
    const std::vector<Between> across = placesOf(columns, image.columns);
    for (const Between& row : placesOf(rows, image.rows))
        for (const Between& column : across) {
            const auto along = [&](Index r) {
                return std::lerp(image.at(column.first, r), image.at(column.second, r),
                                 column.share);
            };
            pixels->push_back(std::lerp(along(row.first), along(row.second), row.share));
        }
    GreyImage large = image;
    large.owner = pixels;
    large.pixels = *pixels;
    large.columns = columns;
    large.rows = rows;
    large.pixelAspect *= static_cast<double>(columns) * static_cast<double>(image.rows) /
                         (static_cast<double>(image.columns) * static_cast<double>(rows));
    return large;
}

}  // namespace gantry
