#include "ui/workspace/volume/volume_document.h"

#include <QDir>
#include <QThreadPool>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/this_machine.h"
#include "core/io/volume/rescale_volume.h"
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

GreyWindow rescaled(const GreyWindow& window, const ValueScale& from, const ValueScale& to) {
    const auto there = [&](double value) {
        return to.slope * (value - from.intercept) / from.slope + to.intercept;
    };
    return {there(window.black), there(window.white)};
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
    read({path, true, !m_volume || m_volume->path != path});
}

void VolumeDocument::rescale(const ValueScale& scale) {
    // One that is under way may be of another scale.
    const bool isSame = m_volume && m_volume->scale == scale && !isOpening();
    if (m_volume && !isSame) read({m_volume->path, true, false, scale});
}

void VolumeDocument::read(const Reading& what) {
    m_progress = std::make_shared<std::atomic<double>>(0);
    m_fraction = 0;
    m_openingName = QDir(what.path).dirName();
    m_opening.start(
        [what, path = toPath(what.path), progress = m_progress,
         rescaling = m_rescaling](const std::stop_token& stop) {
            if (what.scale) {
                // A reading that was cancelled for this one may still be writing.
                const std::lock_guard lock(*rescaling);
                if (stop.stop_requested()) throw Cancelled();
                rescaleVolume(path, *what.scale);
            }
            return loadVolume(path, budgetNow(what.isFirst), *progress, stop);
        },
        [this, what](LoadedVolume volume) {
            const bool isWhole = volume.isWhole();
            const bool isFiner = what.isFirst || volume.grid.count() > m_volume->grid.count();
            if (what.isFirst && what.isAnother) m_isWindowEdited = m_hasPartFailed = false;
            if (what.scale && m_volume)
                m_window = rescaled(m_window, m_volume->scale, volume.scale);
            if (isFiner) take(std::move(volume));
            if (what.isFirst && !isWhole) read({what.path, false});
        },
        [this, what](const QString& sentence) {
            emit messageRaised({Message::Kind::error, sentence});
            if (what.scale) emit volumeChanged();
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
