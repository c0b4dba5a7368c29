#include "ui/workspace/volume_document.h"

#include <QDir>
#include <QThreadPool>
#include <cmath>

#include "core/base/system_memory.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

// Share of the free memory: views and rendering need some as well.
constexpr double kMostMemoryShare = 0.4;

// Freeing gigabytes takes longer than a frame: the pool does it, not the last owner.
std::shared_ptr<const LoadedVolume> shared(LoadedVolume volume) {
    return {new LoadedVolume(std::move(volume)), [](const LoadedVolume* old) {
                QThreadPool::globalInstance()->start([old] { delete old; });
            }};
}

}  // namespace

VolumeDocument::VolumeDocument(QObject* parent) : QObject(parent) {
    constexpr int kProgressMs = 100;
    m_timer.setInterval(kProgressMs);
    connect(&m_timer, &QTimer::timeout, this, &VolumeDocument::followProgress);
    connect(&m_opening, &Background::busyChanged, this, [this](bool busy) {
        if (busy)
            m_timer.start();
        else
            m_timer.stop();
        emit openingChanged();
    });
}

VolumeDocument::~VolumeDocument() = default;

void VolumeDocument::open(const QString& path) {
    m_progress = std::make_shared<std::atomic<double>>(0);
    m_fraction = 0;
    m_openingName = QDir(path).dirName();
    m_opening.start(
        [path = toPath(path), progress = m_progress](const std::stop_token& stop) {
            const double most = kMostMemoryShare * static_cast<double>(availableMemoryBytes());
            return loadVolume(path, static_cast<Index>(most), *progress, stop);
        },
        [this](LoadedVolume volume) { take(std::move(volume)); },
        [this](const QString& sentence) {
            emit said({Message::Kind::error, sentence});
        });
}

QString VolumeDocument::openingText() const {
    if (!isOpening()) return {};
    // Panels have to stay narrow.
    constexpr qsizetype kMostLetters = 40;
    QString name = m_openingName;
    if (name.size() > kMostLetters)
        name = name.left(kMostLetters / 2) + QStringLiteral("…") + name.right(kMostLetters / 2);
    return tr("Reading %1, %2 %").arg(name, QString::number(std::lround(100 * m_fraction)));
}

void VolumeDocument::close() {
    m_opening.cancel();
    if (!m_volume) return;
    m_volume.reset();
    emit volumeChanged();
}

void VolumeDocument::take(LoadedVolume volume) {
    m_volume = shared(std::move(volume));
    m_window = m_volume->window;
    emit volumeChanged();
    emit windowChanged();
}

void VolumeDocument::followProgress() {
    if (m_fraction == *m_progress) return;
    m_fraction = *m_progress;
    emit openingChanged();
}

void VolumeDocument::setWindow(const GreyWindow& window) {
    if (window == m_window || !std::isfinite(window.black) || !std::isfinite(window.white)) return;
    m_window = window;
    emit windowChanged();
}

}  // namespace gantry
