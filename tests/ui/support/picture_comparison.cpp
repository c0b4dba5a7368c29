#include "tests/ui/support/picture_comparison.h"

#include <QColor>
#include <QHash>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

namespace gantry::test {
namespace {

constexpr int kStep = 4;  // pixels of a baseline, as all sizes here: 8 of the picture
constexpr int kSquare = 2 * kStep;
// Levels of 255 by which the mean colour of a square may differ, and the part of its contrast that
// is added to them.
constexpr double kToleratedLevels = 2;
constexpr double kToleratedContrast = 0.06;
const QString kSizeKey = QStringLiteral("Size");

QString sizeText(const QImage& picture) {
    return QStringLiteral("%1 x %2").arg(picture.width()).arg(picture.height());
}

std::array<int, 3> channels(QRgb colour) {
    return {qRed(colour), qGreen(colour), qBlue(colour)};
}

int distance(QRgb a, QRgb b) {
    const auto of = channels(a);
    const auto to = channels(b);
    int largest = 0;
    for (std::size_t i = 0; i < of.size(); ++i)
        largest = std::max(largest, std::abs(of[i] - to[i]));
    return largest;
}

// Each pixel is the mean of four.
QImage halved(const QImage& picture) {
    QImage half((picture.width() + 1) / 2, (picture.height() + 1) / 2, QImage::Format_RGB32);
    for (int y = 0; y < half.height(); ++y)
        for (int x = 0; x < half.width(); ++x) {
            std::array<int, 3> sum = {2, 2, 2};  // to round
            for (const int i : {0, 1, 2, 3}) {
                const auto each =
                    channels(picture.pixel(std::min(2 * x + i % 2, picture.width() - 1),
                                           std::min(2 * y + i / 2, picture.height() - 1)));
                for (std::size_t c = 0; c < sum.size(); ++c)
                    sum[c] += each[c];
            }
            half.setPixel(x, y, qRgb(sum[0] / 4, sum[1] / 4, sum[2] / 4));
        }
    return half;
}

// The colours that show the picture best: each takes away the largest of the errors that those
// before it leave, which is of a colour that is frequent or far from them.
QList<QRgb> paletteOf(const QImage& picture) {
    constexpr int kMaxColours = 256;
    constexpr int kNegligible = 400;  // levels squared, summed over pixels
    constexpr int kFar = 255;
    struct Colour {
        QRgb colour;
        std::int64_t count;
        int nearest = kFar;  // how far the nearest of the palette is
        [[nodiscard]] std::int64_t error() const { return count * nearest * nearest; }
    };
    std::map<QRgb, int> counts;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
            ++counts[picture.pixel(x, y)];
    std::vector<Colour> colours;
    for (const auto& [colour, count] : counts)
        colours.push_back({colour, count});
    QList<QRgb> palette;
    while (palette.size() < kMaxColours) {
        const QRgb worst = std::ranges::max_element(colours, {}, &Colour::error)->colour;
        palette.push_back(worst);
        std::int64_t error = 0;
        for (Colour& each : colours) {
            each.nearest = std::min(each.nearest, distance(each.colour, worst));
            error = std::max(error, each.error());
        }
        if (error <= kNegligible) break;
    }
    return palette;
}

// The sum of a region's pixels and the range of their values, for each channel.
struct Region {
    std::array<double, 3> sum = {};
    std::array<int, 3> low = {255, 255, 255};
    std::array<int, 3> high = {};
    int count = 0;

    [[nodiscard]] int contrast() const {
        int largest = 0;
        for (std::size_t c = 0; c < low.size(); ++c)
            largest = std::max(largest, high[c] - low[c]);
        return largest;
    }
};

Region regionOf(const QImage& half, const QRect& square) {
    Region region;
    for (int y = square.top(); y <= square.bottom(); ++y)
        for (int x = square.left(); x <= square.right(); ++x) {
            const auto pixel = channels(half.pixel(x, y));
            for (std::size_t c = 0; c < pixel.size(); ++c) {
                region.sum[c] += pixel[c];
                region.low[c] = std::min(region.low[c], pixel[c]);
                region.high[c] = std::max(region.high[c], pixel[c]);
            }
            ++region.count;
        }
    return region;
}

bool differ(const Region& a, const Region& b) {
    const double tolerated =
        kToleratedLevels + kToleratedContrast * std::max(a.contrast(), b.contrast());
    for (std::size_t c = 0; c < a.sum.size(); ++c)
        if (std::abs(a.sum[c] - b.sum[c]) > tolerated * a.count) return true;
    return false;
}

}  // namespace

QImage baselineOf(const QImage& picture) {
    const QImage half = halved(picture);
    const QList<QRgb> palette = paletteOf(half);
    QImage baseline(half.size(), QImage::Format_Indexed8);
    baseline.setColorTable(palette);
    QHash<QRgb, int> nearest;
    for (int y = 0; y < half.height(); ++y)
        for (int x = 0; x < half.width(); ++x) {
            const QRgb colour = half.pixel(x, y);
            if (!nearest.contains(colour))
                nearest[colour] = static_cast<int>(
                    std::ranges::min_element(palette, {},
                                             [&](QRgb it) { return distance(it, colour); }) -
                    palette.begin());
            baseline.setPixel(x, y, static_cast<uint>(nearest[colour]));
        }
    baseline.setText(kSizeKey, sizeText(picture));
    return baseline;
}

PictureDifference compare(const QImage& picture, const QImage& baseline) {
    PictureDifference difference;
    if (baseline.isNull()) {
        difference.sentence = QStringLiteral("there is none");
        return difference;
    }
    if (sizeText(picture) != baseline.text(kSizeKey)) {
        difference.sentence = QStringLiteral("its size is %1 instead of %2 pixels")
                                  .arg(sizeText(picture), baseline.text(kSizeKey));
        return difference;
    }
    const QImage half = halved(picture);
    const QImage before = baseline.convertToFormat(QImage::Format_RGB32);
    QRect all;
    for (int y = 0; y < half.height(); y += kStep)
        for (int x = 0; x < half.width(); x += kStep) {
            const QRect square = QRect(x, y, kSquare, kSquare) & half.rect();
            if (!differ(regionOf(half, square), regionOf(before, square))) continue;
            difference.squares.emplace_back(2 * square.topLeft(), 2 * square.size());
            all |= difference.squares.back();
        }
    if (!difference.squares.empty())
        difference.sentence = QStringLiteral("it differs between (%1, %2) and (%3, %4)")
                                  .arg(all.left())
                                  .arg(all.top())
                                  .arg(all.right())
                                  .arg(all.bottom());
    return difference;
}

QImage comparisonSheet(const QImage& picture, const QImage& baseline,
                       const PictureDifference& difference) {
    constexpr int kGap = 16;
    const QSize before = 2 * baseline.size();
    QImage sheet(before.width() + 2 * picture.width() + 2 * kGap,
                 std::max(before.height(), picture.height()), QImage::Format_RGB32);
    sheet.fill(Qt::magenta);
    QPainter painter(&sheet);
    painter.drawImage(QRect({}, before), baseline);
    const int after = before.width() + kGap;
    painter.drawImage(after, 0, picture);
    painter.translate(after + picture.width() + kGap, 0);
    painter.drawImage(0, 0, picture);
    painter.setPen(Qt::red);
    for (const QRect& square : difference.squares) {
        painter.fillRect(square, QColor(255, 0, 0, 60));
        painter.drawRect(square.adjusted(0, 0, -1, -1));
    }
    return sheet;
}

}  // namespace gantry::test
