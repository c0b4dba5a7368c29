#include "ui/workspace/volume/comparison_document.h"

#include <QDir>
#include <QFileInfo>

#include "core/base/parallel.h"
#include "ui/models/image/compared_images.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

QString nameOf(const LoadedVolume& volume) {
    return QDir(volume.path).dirName();
}

Span3<const float> voxelsOf(const LoadedVolume& volume) {
    const auto [nX, nY, nZ] = volume.grid.voxels;
    return {volume.voxels.data(), nZ, nY, nX};
}

ComparisonFigures figuresOf(const LoadedVolume& first, const LoadedVolume& second,
                            const std::stop_token& stop) {
    ComparisonFigures figures;
    figures.isResampled = !areOnOneGrid(first.grid, second.grid);
    figures.error =
        figures.isResampled
            ? resampledError(voxelsOf(first), first.grid, voxelsOf(second), second.grid,
                             availableThreads(), stop)
            : imageError(voxelsOf(first), voxelsOf(second), 0, {}, availableThreads(), stop);
    const auto [x, y, z] = figures.error.maxErrorAt;
    figures.maxErrorMm = first.grid.positionMm(static_cast<double>(x), static_cast<double>(y),
                                               static_cast<double>(z));
    return figures;
}

// Whether the values have one unit: attenuations of different objects differ less than units do.
bool haveLikeValues(const LoadedVolume& a, const LoadedVolume& b) {
    constexpr double kMaxApart = 5;
    const double ratio = a.window.width() / b.window.width();
    return ratio < kMaxApart && ratio > 1 / kMaxApart;
}

}  // namespace

ComparisonDocument::ComparisonDocument(VolumeDocument& first, QObject* parent)
    : QObject(parent), m_first(first) {
    connect(&m_first, &VolumeDocument::volumeChanged, this, &ComparisonDocument::followFirst);
    connect(&m_second, &VolumeDocument::volumeChanged, this, &ComparisonDocument::followSecond);
    connect(&m_second, &VolumeDocument::openingChanged, this, &ComparisonDocument::openingChanged);
    connect(&m_second, &VolumeDocument::messageRaised, this, &ComparisonDocument::messageRaised);
    connect(&m_computing, &Background::busyChanged, this, &ComparisonDocument::figuresChanged);
}

void ComparisonDocument::open(const QString& path) {
    if (!m_first.volume())
        tell(tr("Open a volume first, then choose the one to compare it with."));
    else if (isOpenVolume(path))
        tell(tr("%1 is the volume that is open: choose another one to compare it with.")
                 .arg(QDir(path).dirName()));
    else
        m_second.open(path);
}

bool ComparisonDocument::isOpenVolume(const QString& path) const {
    return QFileInfo(path) == QFileInfo(m_first.volume()->path);
}

void ComparisonDocument::followFirst() {
    if (!isActive()) return;
    const std::shared_ptr<const LoadedVolume> second = m_second.volume();
    if (!m_first.volume()) {
        close();
        tell(tr("The comparison ended, as its first volume was closed."));
    } else if (second && isOpenVolume(second->path)) {
        close();
        tell(tr("The comparison ended, as both volumes are now %1.").arg(nameOf(*second)));
    } else {
        followSecond();
    }
}

void ComparisonDocument::followSecond() {
    emit changed();
    computeFigures();
}

void ComparisonDocument::computeFigures() {
    m_computing.cancel();
    m_figures.reset();
    m_whyNoFigures.clear();
    const std::shared_ptr<const LoadedVolume> first = m_first.volume();
    const std::shared_ptr<const LoadedVolume> second = m_second.volume();
    if (!first || !second) return;
    m_computing.start(
        [first, second](const std::stop_token& stop) { return figuresOf(*first, *second, stop); },
        [this](const ComparisonFigures& figures) {
            m_figures = figures;
            emit figuresChanged();
        },
        [this](const QString& sentence) {
            m_whyNoFigures = sentence;
            emit figuresChanged();
        });
}

QStringList ComparisonDocument::remarks() const {
    const std::shared_ptr<const LoadedVolume> first = m_first.volume();
    const std::shared_ptr<const LoadedVolume> second = m_second.volume();
    if (!first || !second) return {};
    QStringList sentences;
    if (!m_whyNoFigures.isEmpty()) sentences << m_whyNoFigures;
    const VolumeOrigin& of = first->origin;
    if (!of.scan.isEmpty() && !second->origin.scan.isEmpty() &&
        of.folder.lexically_normal() != second->origin.folder.lexically_normal())
        sentences << tr("They are of two scans: %1 and %2.").arg(of.scan, second->origin.scan);
    if (!haveLikeValues(*first, *second))
        sentences << tr("Most values of A are between %1 and %2, of B between %3 and %4: one may "
                        "be in another unit.")
                         .arg(numberText(first->window.black, 3),
                              numberText(first->window.white, 3),
                              numberText(second->window.black, 3),
                              numberText(second->window.white, 3));
    if (first->grid != first->stored || second->grid != second->stored)
        sentences << tr("Compared at the reduced resolution that fits in memory.");
    return sentences;
}

}  // namespace gantry
