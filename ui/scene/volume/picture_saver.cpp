#include "ui/scene/volume/picture_saver.h"

#include <QBuffer>
#include <QPainter>
#include <QTimer>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "ui/models/text.h"
#include "ui/scene/volume/volume_overlay.h"

namespace gantry {

namespace {

// The lower right corner is free, because saved pictures have no axes.
QRectF barArea(QSizeF view) {
    const QRectF noAxes(view.width() - kSpacing, view.height(), 0, 0);
    return colourBarArea(view, noAxes);
}

QImage withSurroundings(const QImage& cast, const PictureSource& source, int scale,
                        bool hasColourBar) {
    QImage picture(cast.size(), QImage::Format_RGB32);
    picture.fill(groundTheme().background);
    // Lines and letters have their size on the screen, and are scaled with the picture.
    const QSizeF view = QSizeF(cast.size()) / scale;
    const BoxView box{source.grid, source.request.camera, view, groundTheme()};
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    paintBox(painter, box, false);
    painter.drawImage(QRectF({}, view), cast);
    paintBox(painter, box, true);
    if (hasColourBar) paintColourBar(painter, barArea(view), source.request, box.theme);
    return picture;
}

void store(const QImage& picture, const QString& path) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!picture.save(&buffer, "PNG"))
        throw ResourceError(
            PictureSaver::tr("The picture %1 is too large to be made.").arg(path).toStdString());
    writeFileAtomically(toPath(path), {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace

PictureSaver::PictureSaver(QObject* parent) : QObject(parent) {
    connect(&m_worker, &PictureWorker::finished, this, [this](const QString& sentence) {
        if (!m_isBusy) return;
        if (!sentence.isEmpty()) return end(sentence);
        saveNext();
    });
}

void PictureSaver::save(PictureSource source, PictureOrder order) {
    m_source = std::move(source);
    m_order = std::move(order);
    m_source.request.size *= m_order.scale;
    m_done = 0;
    m_isBusy = true;
    emit progressed(0, static_cast<int>(m_order.paths.size()));
    // A worker that was just stopped ends first, and then starts this.
    if (!m_worker.isBusy()) QTimer::singleShot(0, this, [this] { saveNext(); });
}

void PictureSaver::cancel() {
    if (!m_isBusy) return;
    m_worker.stop();
    end({});
}

void PictureSaver::end(const QString& sentence) {
    m_isBusy = false;
    // Releases the voxels.
    m_source = {};
    emit finished(m_done, sentence);
}

void PictureSaver::saveNext() {
    const auto count = static_cast<int>(m_order.paths.size());
    if (!m_isBusy || m_worker.isBusy()) return;
    if (m_done == count) return end({});
    PictureSource source = m_source;
    source.request.camera.azimuthDeg += 360.0 * m_done / count;
    m_worker.start([this, source, scale = m_order.scale, hasBar = m_order.hasColourBar,
                    path = m_order.paths[m_done],
                    count](const std::stop_token& stop) -> PictureWorker::Done {
        const QImage cast = source.cast(source.request, stop);
        const QImage picture = withSurroundings(cast, source, scale, hasBar);
        if (stop.stop_requested()) throw Cancelled();
        store(picture, path);
        return [this, count] {
            ++m_done;
            emit progressed(m_done, count);
        };
    });
}

}  // namespace gantry
