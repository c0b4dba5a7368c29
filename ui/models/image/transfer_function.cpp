#include "ui/models/image/transfer_function.h"

#include <algorithm>
#include <cmath>

#include "ui/models/image/matter_window.h"

namespace gantry {

namespace {

constexpr QRgb kGlass = qRgb(130, 165, 205);
constexpr QRgb kTan = qRgb(217, 160, 102);
constexpr QRgb kIvory = qRgb(255, 244, 224);
constexpr QRgb kOrange = qRgb(230, 159, 0);

// The mean attenuations of the classes of matter in a volume.
struct Classes {
    double air;
    double soft;
    double dense;
};

// The bins [begin, end) of a histogram: where a class of voxels lies, and how wide.
struct Part {
    Part(const Histogram& histogram, std::size_t begin, std::size_t end);
    // The first bin of the upper one of two classes.
    [[nodiscard]] std::size_t parting() const;

    Histogram bins;
    double count = 0;
    double mean;
    double spread;
};

double binWidth(const Histogram& histogram) {
    return (histogram.high - histogram.low) / static_cast<double>(histogram.bins.size());
}

Part::Part(const Histogram& histogram, std::size_t begin, std::size_t end) {
    const double width = binWidth(histogram);
    bins.low = histogram.low + static_cast<double>(begin) * width;
    bins.high = histogram.low + static_cast<double>(end) * width;
    double sum = 0;
    double squares = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const auto part = static_cast<double>(histogram.bins[i]);
        const double place = static_cast<double>(i - begin) + 0.5;
        bins.bins.push_back(histogram.bins[i]);
        count += part;
        sum += part * place;
        squares += part * place * place;
    }
    const double middle = count > 0 ? sum / count : static_cast<double>(end - begin) / 2;
    mean = bins.low + middle * width;
    // The spread of a class in one bin is that of the bin.
    spread = width * std::sqrt(count > 0 ? squares / count - middle * middle + 0.25 : 0.25);
}

std::size_t Part::parting() const {
    const double bin = (matterThreshold(bins) - bins.low) / binWidth(bins);
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(bin)), 1,
                                   bins.bins.size() - 1);
}

// Noise of one class that is split in its middle has 1.3.
bool areApart(const Part& low, const Part& high) {
    constexpr double kMin = 2.5;
    return high.mean - low.mean > kMin * (low.spread + high.spread);
}

// Air, soft and dense are split once, and then one of the sides once more: metal is so far away
// that plastics and air are on one side.
Classes classesOf(const Histogram& histogram) {
    const std::size_t count = histogram.bins.size();
    const Part whole(histogram, 0, count);
    const std::size_t middle = whole.parting();
    const Part low(histogram, 0, middle);
    const Part high(histogram, middle, count);
    if (middle > 1) {
        const std::size_t at = low.parting();
        const Part air(histogram, 0, at);
        const Part soft(histogram, at, middle);
        // Voxels that are partly air are fewer than those of matter.
        if (areApart(air, soft) && soft.count > high.count) return {air.mean, soft.mean, high.mean};
    }
    if (count - middle > 1) {
        const std::size_t at = middle + high.parting();
        const Part soft(histogram, middle, at);
        const Part dense(histogram, at, count);
        if (areApart(soft, dense)) return {low.mean, soft.mean, dense.mean};
    }
    return {low.mean, high.mean, std::max(histogram.high, 2 * high.mean - low.mean)};
}

double between(double a, double b, double share) {
    return a + share * (b - a);
}

int between(int a, int b, double share) {
    return static_cast<int>(std::lround(a + share * (b - a)));
}

TransferPoint grey(double value, double opacity, double brightness) {
    const int level = static_cast<int>(std::lround(255 * brightness));
    return {value, opacity, qRgb(level, level, level)};
}

// Points are kept apart, however odd the volume's values are.
TransferFunction ascending(TransferFunction transfer, const Histogram& histogram) {
    const double min = std::max(1e-6 * (histogram.high - histogram.low), 1e-12);
    for (std::size_t i = 1; i < transfer.points.size(); ++i)
        transfer.points[i].value =
            std::max(transfer.points[i].value, transfer.points[i - 1].value + min);
    return transfer;
}

}  // namespace

TransferPoint TransferFunction::at(double value) const {
    const auto after = std::ranges::find_if(
        points, [value](const TransferPoint& point) { return point.value >= value; });
    if (after == points.begin()) return {value, after->opacity, after->colour};
    if (after == points.end()) return {value, points.back().opacity, points.back().colour};
    const TransferPoint& a = *(after - 1);
    const double share = (value - a.value) / (after->value - a.value);
    return {value, between(a.opacity, after->opacity, share),
            qRgb(between(qRed(a.colour), qRed(after->colour), share),
                 between(qGreen(a.colour), qGreen(after->colour), share),
                 between(qBlue(a.colour), qBlue(after->colour), share))};
}

TransferFunction windowTransfer(const GreyWindow& window, bool isByGradient) {
    const double width = std::max(window.width(), 1e-9);
    const auto point = [&](double share, double opacity, double brightness) {
        return grey(window.black + share * width, opacity, brightness);
    };
    return {{point(0, 0, 0.5), point(0.1, 0, 0.55), point(0.4, 0.15, 0.85), point(1, 0.75, 1)},
            isByGradient};
}

TransferFunction stretched(const TransferFunction& transfer, const GreyWindow& from,
                           const GreyWindow& to) {
    TransferFunction moved = transfer;
    const double factor = from.width() > 0 ? to.width() / from.width() : 1;
    for (TransferPoint& point : moved.points)
        point.value = to.black + factor * (point.value - from.black);
    return moved;
}

TransferFunction presetTransfer(TransferPreset preset, const Histogram& histogram,
                                const GreyWindow& window) {
    const bool isOfOneValue = histogram.bins.size() < 2 || !(histogram.high > histogram.low);
    if (preset == TransferPreset::window || isOfOneValue) return windowTransfer(window);
    const auto [air, soft, dense] = classesOf(histogram);
    const double edge = between(air, soft, 0.3);
    TransferFunction transfer;
    if (preset == TransferPreset::all)
        transfer.points = {{edge, 0, kGlass}, {soft, 0.15, kTan}, {dense, 0.75, kIvory}};
    else if (preset == TransferPreset::soft)
        transfer.points = {{edge, 0, kTan},
                           {soft, 0.3, kTan},
                           {between(soft, dense, 0.45), 0.3, kTan},
                           {between(soft, dense, 0.55), 0, kTan}};
    else if (preset == TransferPreset::dense)
        transfer.points = {{edge, 0, kGlass},
                           {soft, 0.008, kGlass},
                           {between(soft, dense, 0.35), 0.008, kGlass},
                           {between(soft, dense, 0.65), 0.6, kIvory},
                           {dense, 0.8, kIvory}};
    else
        transfer.points = {{between(air, soft, 0.15), 0, kOrange},
                           {between(air, soft, 0.5), 0.2, kOrange},
                           {between(air, soft, 0.85), 0, kOrange}};
    return ascending(std::move(transfer), histogram);
}

}  // namespace gantry
