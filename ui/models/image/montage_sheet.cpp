#include "ui/models/image/montage_sheet.h"

#include <QBuffer>
#include <QFontDatabase>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace gantry {

namespace {

constexpr int kMargin = 16;  // around the sheet
constexpr int kGap = 12;     // between pictures
constexpr int kFrame = 3;
constexpr double kSheetAspect = 1.6;  // width over height, roughly that of a screen
const QColor kPaper = Qt::white;
const QColor kInk(0x1c, 0x1f, 0x24);
const QColor kFaint(0x6b, 0x72, 0x80);
const QColor kBest(0x1d, 0x6f, 0xd8);
const QColor kNotFinite(0xb9, 0x1c, 0x1c);

// Where everything goes.
struct Layout {
    QFont font;
    QFont strong;
    QSize picture;
    int across = 1;
    int down = 1;
    int headHeight = 0;
    int lines = 1;  // of text below a picture
    QSize sheet;

    explicit Layout(const MontageSheet& content) {
        font.setPixelSize(14);
        strong = font;
        strong.setBold(true);
        const double width = static_cast<double>(content.columns);
        const double height = static_cast<double>(content.rows) * content.pixelAspect;
        const double scale = static_cast<double>(content.longestPx) / std::max(width, height);
        picture = {std::max(1, static_cast<int>(std::lround(width * scale))),
                   std::max(1, static_cast<int>(std::lround(height * scale)))};
        if (std::ranges::any_of(content.pictures, [](const auto& p) { return !p.note.empty(); }))
            lines = 2;
        setGrid(static_cast<int>(content.pictures.size()));
        headHeight = 2 * lineHeight() + kGap;
        const QFontMetrics bold(strong);
        const int head = std::max(
            bold.horizontalAdvance(QString::fromStdString(content.title)),
            QFontMetrics(font).horizontalAdvance(QString::fromStdString(content.subtitle)));
        sheet = {2 * kMargin + std::max(head, across * (cell().width() + kGap) - kGap),
                 2 * kMargin + headHeight + down * (cell().height() + kGap) - kGap};
    }
    [[nodiscard]] int lineHeight() const { return QFontMetrics(strong).height() + 2; }
    [[nodiscard]] QSize cell() const {
        constexpr int kMinTextWidth = 150;
        return {std::max(picture.width() + 2 * kFrame, kMinTextWidth),
                picture.height() + 2 * kFrame + lines * lineHeight() + 4};
    }
    [[nodiscard]] QPoint cellAt(int number) const {
        return {kMargin + number % across * (cell().width() + kGap),
                kMargin + headHeight + number / across * (cell().height() + kGap)};
    }

  private:
    // Chooses the grid by the sheet's shape and the places that stay empty.
    void setGrid(int count) {
        double least = std::numeric_limits<double>::infinity();
        for (int columns = 1; columns <= count; ++columns) {
            const int rows = (count + columns - 1) / columns;
            const double shape =
                static_cast<double>(columns * cell().width()) / (rows * cell().height());
            const double empty = static_cast<double>(columns * rows - count) / count;
            const double cost = std::abs(std::log(shape / kSheetAspect)) + empty;
            if (cost >= least) continue;
            least = cost;
            across = columns;
            down = rows;
        }
    }
};

void drawPicture(QPainter& painter, const Layout& layout, const MontageSheet& sheet, int number,
                 const GreyWindow& window) {
    const SheetPicture& picture = sheet.pictures[static_cast<std::size_t>(number)];
    GreyImage image;
    image.pixels = picture.pixels;
    image.columns = sheet.columns;
    image.rows = sheet.rows;
    image.pixelAspect = sheet.pixelAspect;
    const QPoint corner = layout.cellAt(number);
    const QPoint at = corner + QPoint((layout.cell().width() - layout.picture.width()) / 2, kFrame);
    if (picture.isBest)
        painter.fillRect(QRect(at, layout.picture).adjusted(-kFrame, -kFrame, kFrame, kFrame),
                         kBest);
    painter.drawImage(at, render(image, window, ImagePlacement::fitted(image, layout.picture),
                                 layout.picture, 1, kPaper, kNotFinite));
    QRect line(corner.x(), at.y() + layout.picture.height() + kFrame + 4, layout.cell().width(),
               layout.lineHeight());
    painter.setFont(picture.isBest ? layout.strong : layout.font);
    painter.setPen(picture.isBest ? kBest : kInk);
    painter.drawText(line, Qt::AlignHCenter, QString::fromStdString(picture.value));
    line.translate(0, layout.lineHeight());
    if (!picture.isBest) painter.setPen(kFaint);
    painter.drawText(line, Qt::AlignHCenter, QString::fromStdString(picture.note));
}

}  // namespace

GreyWindow commonWindow(const std::vector<std::span<const float>>& pictures) {
    constexpr std::size_t kMaxPixels = 1'000'000;
    const std::size_t all = pictures.size() * pictures.front().size();
    // Odd, as widths are usually even and samples must not fall on the same columns.
    const std::size_t step = all / kMaxPixels | 1U;
    std::vector<float> sampled;
    sampled.reserve(all / step + pictures.size());
    for (const std::span<const float> picture : pictures)
        for (std::size_t i = 0; i < picture.size(); i += step)
            sampled.push_back(picture[i]);
    return autoWindow(sampled);
}

std::string toPng(const MontageSheet& sheet) {
    if (QFontDatabase::families().isEmpty())
        throw ResourceError("The sheet needs a font, and this machine has none.",
                            {.advice = "Install one, such as fonts-dejavu-core."});
    const Layout layout(sheet);
    QImage image(layout.sheet, QImage::Format_RGB32);
    image.fill(kPaper);
    QPainter painter(&image);
    const QRect head(kMargin, kMargin, layout.sheet.width() - 2 * kMargin, layout.lineHeight());
    painter.setFont(layout.strong);
    painter.setPen(kInk);
    painter.drawText(head, Qt::AlignLeft, QString::fromStdString(sheet.title));
    painter.setFont(layout.font);
    painter.setPen(kFaint);
    painter.drawText(head.translated(0, layout.lineHeight()), Qt::AlignLeft,
                     QString::fromStdString(sheet.subtitle));
    std::vector<std::span<const float>> pixels;
    for (const SheetPicture& picture : sheet.pictures)
        pixels.push_back(picture.pixels);
    const GreyWindow window = commonWindow(pixels);
    for (int i = 0; i < static_cast<int>(sheet.pictures.size()); ++i)
        drawPicture(painter, layout, sheet, i, window);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG")) throw InternalError("a sheet could not be encoded as PNG");
    return bytes.toStdString();
}

}  // namespace gantry
