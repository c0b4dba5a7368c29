#include "ui/workspace/volume/volume_document.h"

#include <QDir>
#include <QThreadPool>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/this_machine.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

// Parts of the free memory: views and rendering need some too, and what is not in memory is read
// where the user looks.
constexpr double kWholeShare = 0.4;
constexpr double kOverviewShare = 0.1;
constexpr Index kMaxOverviewBytes = Index{1} << 30;
// Larger volumes are shown coarsely at first: this much is read in about a second.
constexpr Index kQuickBytes = Index{512} << 20;
constexpr Index kFirstBytes = Index{64} << 20;

VolumeBudget budgetNow(bool isFirst) {
    const auto free = static_cast<double>(availableMemoryBytes());
    const auto whole = static_cast<Index>(kWholeShare * free);
    const auto overview = std::min(kMaxOverviewBytes, static_cast<Index>(kOverviewShare * free));
    if (!isFirst) return {whole, overview};
    return {std::min(whole, kQuickBytes), std::min(overview, kFirstBytes)};
}

// Freeing gigabytes takes longer than a frame, so the pool does it, not the last owner.
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

void VolumeDocument::follow(const QString& path) {
    read(path, true, !m_volume || m_volume->path != path);
}

void VolumeDocument::read(const QString& path, bool isFirst, bool isAnother) {
    m_progress = std::make_shared<std::atomic<double>>(0);
    m_fraction = 0;
    m_openingName = QDir(path).dirName();
    m_opening.start(
        [path = toPath(path), progress = m_progress, isFirst](const std::stop_token& stop) {
            return loadVolume(path, budgetNow(isFirst), *progress, stop);
        },
        [this, path, isFirst, isAnother](LoadedVolume volume) {
            const bool isWhole = volume.isWhole();
            const bool isFiner = isFirst || volume.grid.count() > m_volume->grid.count();
            if (isFirst && isAnother) m_isWindowEdited = m_hasPartFailed = false;
            if (isFiner) take(std::move(volume));
            if (isFirst && !isWhole) read(path, false);
        },
        [this](const QString& sentence) {
            emit messageRaised({Message::Kind::error, sentence});
        });
}

void VolumeDocument::complainOfPart(const QString& sentence) {
    if (!std::exchange(m_hasPartFailed, true)) emit messageRaised({Message::Kind::error, sentence});
}

QString VolumeDocument::openingText() const {
    if (!isOpening()) return {};
    // Panels have to stay narrow.
    constexpr qsizetype kMaxLetters = 40;
    QString name = m_openingName;
    if (name.size() > kMaxLetters)
        name = name.left(kMaxLetters / 2) + QStringLiteral("…") + name.right(kMaxLetters / 2);
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
    if (!m_isWindowEdited) m_window = m_volume->window;
    emit volumeChanged();
    emit windowChanged();
    if (!m_volume->damage.isEmpty()) complainOfPart(m_volume->damage);
}

void VolumeDocument::followProgress() {
    if (m_fraction == *m_progress) return;
    m_fraction = *m_progress;
    emit openingChanged();
}

void VolumeDocument::setWindow(const GreyWindow& window) {
    if (window == m_window || !std::isfinite(window.black) || !std::isfinite(window.white)) return;
    m_window = window;
    m_isWindowEdited = true;
    emit windowChanged();
}

}  // namespace gantry
