#include "ui/workspace/search/live_preview.h"

#include <unistd.h>

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/live/montage.h"

namespace gantry {

namespace {

// A folder in memory, if the system has one.
QString pictureFolder() {
    const QString inMemory = QStringLiteral("/dev/shm");
    return QFileInfo(inMemory).isWritable() ? inMemory : QDir::tempPath();
}

}  // namespace

LivePreview::LivePreview(QString program, QObject* parent)
    : QObject(parent), m_program(std::move(program)) {}

void LivePreview::open(const JobSpec& spec, const LivePlace& place) {
    close();
    m_loaded = spec;
    m_place = place;
    m_pictures =
        std::make_unique<QTemporaryFile>(QDir(pictureFolder()).filePath("gantry-live-XXXXXX"));
    if (!m_pictures->open()) {
        // Called later, like all other callbacks.
        QMetaObject::invokeMethod(
            this,
            [this] {
                fail(tr("No file could be made in %1 for the pictures of live slices.")
                         .arg(pictureFolder()));
            },
            Qt::QueuedConnection);
        return;
    }
    QProcess& process =
        m_child.start(m_program, {"live", m_pictures->fileName()}, [this](QProcess& ended) {
            fail(lastWordsOf(ended, tr("The program that makes live slices ended unexpectedly.")));
        });
    connect(&process, &QProcess::readyReadStandardOutput, this, &LivePreview::readLines);
    m_child.write(toLine(LiveOpen{spec, place}) + "\n");
}

void LivePreview::close() {
    m_asked.reset();
    m_isReady = false;
    m_read.clear();
    m_pictures.reset();
    m_child.stop();
}

Index LivePreview::ask(const JobSpec& spec, std::vector<Plane> planes) {
    // Corrections are made while views are read.
    if (isOpen() && !areCorrectedAlike(spec, m_loaded)) open(spec, LivePlace(m_place));
    m_planes = planes;
    m_asked = {++m_newest, spec, std::move(planes)};
    sendAsked();
    return m_newest;
}

void LivePreview::sendAsked() {
    if (!m_isReady || !m_asked) return;
    m_child.write(toLine(*m_asked) + "\n");
    m_asked.reset();
}

void LivePreview::readLines() {
    m_read += m_child.current()->readAllStandardOutput();
    while (isOpen()) {
        const qsizetype end = m_read.indexOf('\n');
        if (end < 0) return;
        const std::string line = m_read.first(end).toStdString();
        m_read.remove(0, end + 1);
        try {
            take(parseLiveReply(line, "what live slices told"));
        } catch (const Error& error) {
            fail(QString::fromStdString(messageOf(error)));
        }
    }
}

void LivePreview::take(const LiveReply& told) {
    if (const auto* one = std::get_if<LiveLoading>(&told)) {
        emit loading(one->fraction);
    } else if (const auto* held = std::get_if<LiveReady>(&told)) {
        m_isReady = true;
        emit ready(held->binning, held->bytes);
        sendAsked();
    } else if (const auto* why = std::get_if<LiveRefused>(&told)) {
        if (why->number == m_newest) emit refused(QString::fromStdString(why->sentence));
    } else if (const auto* made = std::get_if<LivePictures>(&told)) {
        // Pictures of an older request may be overwritten by now.
        if (made->number != m_newest || m_asked) return;
        LiveShown pictures = {made->number, made->binning, made->isFinal, {}};
        for (std::size_t i = 0; i < std::min(made->places.size(), m_planes.size()); ++i) {
            std::optional<GreyImage> image = imageAt(made->places[i], m_planes[i]);
            if (!image) return fail(tr("The pictures of live slices could not be read."));
            pictures.images.push_back(std::move(*image));
        }
        emit shown(pictures);
    }
}

std::optional<GreyImage> LivePreview::imageAt(const PicturePlace& place, const Plane& plane) const {
    const auto pixels = std::make_shared<std::vector<float>>(place.columns * place.rows);
    // Reads without the file's buffer, which may be older than the pictures.
    const std::size_t bytes = pixels->size() * sizeof(float);
    if (::pread(m_pictures->handle(), pixels->data(), bytes, place.offsetBytes) !=
        static_cast<ssize_t>(bytes))
        return std::nullopt;
    GreyImage image;
    image.owner = pixels;
    image.pixels = *pixels;
    image.columns = place.columns;
    image.rows = place.rows;
    image.pixelAspect = length(plane.alongColumnMm) / static_cast<double>(place.rows) /
                        (length(plane.alongRowMm) / static_cast<double>(place.columns));
    image.unit = QStringLiteral("/mm");
    return image;
}

void LivePreview::fail(const QString& sentence) {
    close();
    emit failed(sentence);
}

}  // namespace gantry
