#include "ui/panels/slices/slice_export.h"

#include <QBuffer>
#include <QFileInfo>
#include <QFont>
#include <QFontMetrics>
#include <QKeySequence>
#include <QMenu>
#include <QPainter>
#include <QShortcut>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/io/volume/calibration.h"
#include "core/io/volume/open_sink.h"
#include "ui/models/axis_ticks.h"
#include "ui/models/text.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/image/caption.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

const QColor kOfNoNumber(0xB0, 0x3A, 0x8C);  // as in the views

void drawLabel(QPainter& painter, const QRect& place, int flags, const QString& text) {
    const QRect taken = painter.boundingRect(place, flags, text);
    painter.fillRect(taken.adjusted(-4, -1, 4, 1), QColor(0, 0, 0, 205));
    painter.setPen(QColor(0xF0, 0xF2, 0xF5));
    painter.drawText(place, flags, text);
}

// A caption is as wide as on screen; each of its lines is fitted for itself.
void drawCaption(QPainter& painter, const QImage& image, const QString& text) {
    QRect place = image.rect().adjusted(kSpacing, kSpacing, -kSpacing, -kSpacing);
    place.setWidth(std::min(place.width(), captionWidth(image.width())));
    QStringList lines = text.split('\n');
    for (QString& line : lines)
        line = fittedCaption(line, painter.fontMetrics(), place.width());
    drawLabel(painter, place, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, lines.join('\n'));
}

void drawScale(QPainter& painter, const QImage& image, double pixelMm) {
    constexpr double kMaxOfWidth = 0.25;
    const double lengthMm = niceAtMost(kMaxOfWidth * image.width() * pixelMm);
    const int length = static_cast<int>(std::lround(lengthMm / pixelMm));
    const QRect bar(image.width() - 2 * kSpacing - length, image.height() - 2 * kSpacing, length,
                    3);
    const int line = painter.fontMetrics().height();
    drawLabel(painter, {bar.left(), bar.top() - line - 4, bar.width(), line},
              Qt::AlignHCenter | Qt::TextDontClip, lengthText(lengthMm));
    painter.fillRect(bar.adjusted(-1, -1, 1, 1), QColor(0, 0, 0, 205));
    painter.fillRect(bar, QColor(0xF0, 0xF2, 0xF5));
}

}  // namespace

void savePng(const SlicePicture& picture, const QString& path) {
    constexpr int kRoomForText = 160;
    const GreyImage& grey = picture.image;
    const double aspect = grey.pixelAspect;
    const double zoom = std::max(1.0, 1 / aspect);  // the finer direction has a pixel a voxel
    const QSize size(static_cast<int>(std::lround(zoom * static_cast<double>(grey.columns))),
                     static_cast<int>(std::lround(zoom * aspect * static_cast<double>(grey.rows))));
    QImage image = render(grey, picture.window, {zoom, {0, 0}}, size, 1, Qt::black, kOfNoNumber);
    if (std::min(size.width(), size.height()) >= kRoomForText) {
        QPainter painter(&image);
        QFont font = painter.font();
        font.setPixelSize(std::max(12, size.width() / 50));
        painter.setFont(font);
        if (picture.hasScale) drawScale(painter, image, picture.columnMm / zoom);
        if (!picture.caption.isEmpty()) drawCaption(painter, image, picture.caption);
    }
    constexpr double kMmPerMetre = 1000;
    const int dotsPerMetre =
        static_cast<int>(std::clamp(kMmPerMetre * zoom / picture.columnMm, 1.0, 1e9));
    image.setDotsPerMeterX(dotsPerMetre);
    image.setDotsPerMeterY(dotsPerMetre);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG"))
        throw ResourceError("The picture " + path.toStdString() + " is too large to be made.");
    writeFileAtomically(toPath(path), {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

void saveTiff(const SlicePicture& picture, const QString& path) {
    const GreyImage& grey = picture.image;
    HostBuffer<float> values(grey.columns * grey.rows);
    for (Index row = 0; row < grey.rows; ++row) {
        const Index from = grey.firstRowIsBottom ? grey.rows - 1 - row : row;
        std::copy_n(grey.pixels.begin() + from * grey.columns, grey.columns,
                    values.data() + row * grey.columns);
    }
    const VolumeGrid grid{
        {grey.columns, grey.rows, 1},
        {picture.columnMm, picture.columnMm * grey.pixelAspect, picture.thicknessMm},
        {}};
    OutputFormat format;
    format.path = toPath(path);
    // What is written is attenuation, of which the file makes its values.
    format.calibration = calibrationText(picture.scale);
    toAttenuation(picture.scale, values.span());
    const auto sink = openSink(format, grid, SinkStart::fresh);
    try {
        sink->write(0, {values.data(), 1, grey.rows, grey.columns});
        sink->finish();
    } catch (...) {
        sink->discard();
        throw;
    }
}

SliceSaving::SliceSaving(QToolButton& button, QWidget& panel, std::function<Offer()> current)
    : QObject(&panel), m_panel(panel), m_current(std::move(current)) {
    auto* menu = new QMenu(&button);
    for (const auto& [text, name, kind] :
         {std::tuple(tr("&Picture (PNG)…"), "saveSlicePicture", Kind::picture),
          {tr("Picture with &caption (PNG)…"), "saveSliceCaptioned", Kind::captioned},
          {tr("&Values (32-bit TIFF)…"), "saveSliceValues", Kind::values}}) {
        QAction* action = menu->addAction(text, this, [this, kind = kind] { ask(kind); });
        action->setObjectName(name);
    }
    button.setMenu(menu);
    button.setPopupMode(QToolButton::InstantPopup);
    auto* shortcut = new QShortcut(QKeySequence(Qt::Key_E), &panel);
    shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, menu,
            [menu, &button] { menu->popup(button.mapToGlobal(QPoint(0, button.height()))); });
}

void SliceSaving::ask(Kind kind) {
    Offer offer = m_current();
    if (offer.picture.image.isEmpty()) return;
    if (kind != Kind::captioned) offer.picture.caption.clear();
    SaveDialog::Format format{tr("Pictures"), {QStringLiteral("png")}};
    if (kind == Kind::values)
        format = {tr("TIFF files"), {QStringLiteral("tif"), QStringLiteral("tiff")}};
    auto* dialog = named(new SaveDialog(m_panel.window(), tr("Save the slice"),
                                        offer.start + '.' + format.endings.front(), {format}),
                         "sliceSaveDialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(
        dialog, &QFileDialog::fileSelected, this,
        [this, picture = offer.picture, kind](const QString& path) { save(picture, kind, path); });
    dialog->open();
}

void SliceSaving::save(const SlicePicture& picture, Kind kind, const QString& path) {
    m_writing.start(
        [whole = picture, kind, path](const std::stop_token& stop) mutable {
            if (whole.finer) whole.image = whole.finer(stop);
            if (kind == Kind::values)
                saveTiff(whole, path);
            else
                savePng(whole, path);
            return path;
        },
        [this](const QString& written) {
            emit messageRaised(
                {Message::Kind::info,
                 tr("The slice is saved as %1.").arg(QFileInfo(written).fileName())});
        },
        [this](const QString& sentence) {
            emit messageRaised({Message::Kind::error, sentence});
        });
}

}  // namespace gantry
