#include "ui/panels/projections/projections_feed.h"

#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/this_machine.h"
#include "core/plan/host_memory.h"
#include "core/recon/volume_residual.h"
#include "core/scan/corrected_scan.h"
#include "core/scan/inspect/find_extension.h"
#include "ui/models/path_text.h"
#include "ui/models/text.h"
#include "ui/workspace/volume/volume_loading.h"

namespace gantry {
namespace {

using SharedImage = std::shared_ptr<const FloatImage>;

struct Sinogram {
    SharedImage lineIntegrals;
    ProjectionPicture picture;
};

struct Residual {
    ProjectionPicture picture;
    QString figures;
};

struct Steps {
    ViewPictures pictures;
    std::vector<double> beam;  // as ProjectionsFeed::beamRead()
};

std::vector<double> beamOf(const OpenScan& scan) {
    if (!scan.air) return {};
    std::vector<double> beam(static_cast<std::size_t>(scan.description.geometry.views()),
                             std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < scan.air->offsets.size(); ++i)
        beam[scan.numberOf(static_cast<Index>(i))] =
            std::exp(scan.air->offsets[i].at(static_cast<double>(scan.stored.columns - 1) / 2,
                                             static_cast<double>(scan.stored.rows - 1) / 2));
    return beam;
}

ViewPictures picturesOf(ViewPreview preview, const ScanFile& scan) {
    return {viewPicture(std::move(preview.stored), ProjectionStep::stored, scan),
            viewPicture(std::move(preview.corrected), ProjectionStep::corrected, scan),
            viewPicture(std::move(preview.filtered), ProjectionStep::filtered, scan)};
}

Index sourceView(const OpenScan& scan, Index view) {
    const std::optional<Index> found = scan.sourceView(view);
    require(found.has_value(), "a view that is left out was to be read");
    return *found;
}

// With a row without values for each view that is left out.
SharedImage withAllViews(const OpenScan& scan, SharedImage used) {
    const Index views = scan.description.geometry.views();
    if (used->rows == views) return used;
    auto all = std::make_shared<FloatImage>(
        FloatImage{views, used->columns, HostBuffer<float>(views * used->columns)});
    std::fill_n(all->pixels.data(), all->pixels.count(), std::numeric_limits<float>::quiet_NaN());
    for (Index row = 0; row < used->rows; ++row)
        std::copy_n(used->pixels.data() + row * used->columns, used->columns,
                    all->pixels.data() + scan.numberOf(row) * used->columns);
    return all;
}

Sinogram makeSinogram(const OpenScan& scan, Index row, SharedImage known,
                      const std::optional<FilterSpec>& filter, const std::stop_token& stop) {
    const int threads = availableThreads();
    Sinogram result{std::move(known), {}};
    if (!result.lineIntegrals)
        result.lineIntegrals = std::make_shared<FloatImage>(sinogram(scan, row, threads, stop));
    SharedImage shown = result.lineIntegrals;
    if (filter)
        shown = std::make_shared<FloatImage>(
            filteredSinogram(scan, *shown, row, *filter, threads, stop));
    result.picture = sinogramPicture(withAllViews(scan, shown),
                                     filter ? ProjectionStep::filtered : ProjectionStep::corrected,
                                     scan.description);
    return result;
}

}  // namespace

// A scan of asShown() with what is found out by reading its views: how bright the beam is, and how
// rows go on beyond the detector's edges. Whoever asks first finds it, others wait.
class ProjectionsFeed::Settled {
  public:
    explicit Settled(std::shared_ptr<const OpenScan> shown) : m_shown(std::move(shown)) {}

    std::shared_ptr<const OpenScan> scan(const std::stop_token& stop) {
        const std::scoped_lock lock(m_mutex);
        if (m_settled) return m_settled;
        const OpenScan& stored = m_shown->uncorrected ? *m_shown->uncorrected : *m_shown;
        m_settled = std::make_shared<const OpenScan>(
            extendedAndCorrected(stored, m_shown->corrections, 0, stop));
        return m_settled;
    }

  private:
    std::shared_ptr<const OpenScan> m_shown;
    std::mutex m_mutex;
    std::shared_ptr<const OpenScan> m_settled;
};

// The volume in the projector's memory, which is kept from view to view.
class ProjectionsFeed::Residuals {
  public:
    Residuals(std::shared_ptr<const OpenScan> shown, std::shared_ptr<Settled> settled,
              QString volume)
        : m_shown(std::move(shown)), m_settled(std::move(settled)), m_volume(std::move(volume)) {}

    Residual of(Index view, const std::stop_token& stop) {
        const std::scoped_lock lock(m_mutex);
        if (stop.stop_requested()) throw Cancelled();
        if (!m_residual) open(stop);
        ViewResidual residual = m_residual->of(sourceView(*m_shown, view), stop);
        QString figures = tr("RMS %1 of %2")
                              .arg(numberText(residual.residualRms, kFigures),
                                   numberText(residual.measuredRms, kFigures));
        return {residualPicture(std::move(residual.image), m_shown->description), figures};
    }

  private:
    static constexpr int kFigures = 3;

    void open(const std::stop_token& stop) {
        const std::filesystem::path path = toPath(m_volume);
        const QString whyNot = whyNotOfScan(originOf(path), m_shown->asInFiles().description);
        if (!whyNot.isEmpty())
            throw InputError(tr("%1 does not belong to these views.\n%2")
                                 .arg(QString::fromStdString(path.filename().string()), whyNot)
                                 .toStdString());
        m_residual =
            std::make_unique<VolumeResidual>(m_settled->scan(stop), path, availableThreads(),
                                             usualMemoryBytes(availableMemoryBytes()));
    }

    std::shared_ptr<const OpenScan> m_shown;
    std::shared_ptr<Settled> m_settled;
    QString m_volume;
    std::mutex m_mutex;
    std::unique_ptr<VolumeResidual> m_residual;
};

ProjectionsFeed::ProjectionsFeed(QObject* parent) : QObject(parent) {
    const auto tellView = [this] { emit viewBusyChanged(isReadingView()); };
    connect(&m_stored.background, &Background::busyChanged, this, tellView);
    connect(&m_steps.background, &Background::busyChanged, this, tellView);
    connect(&m_sinograms.background, &Background::busyChanged, this,
            &ProjectionsFeed::sinogramBusyChanged);
    connect(&m_residual, &Background::busyChanged, this, &ProjectionsFeed::residualBusyChanged);
}

void ProjectionsFeed::setScan(std::shared_ptr<const OpenScan> scan) {
    if (scan == m_scan) return;
    m_scan = std::move(scan);
    m_settled = m_scan ? std::make_shared<Settled>(m_scan) : nullptr;
    m_sinogram.reset();
    m_sinogramRow = -1;
    drop(m_sinograms);
    m_residual.cancel();
    m_residuals.reset();
    if (m_scan) return;
    drop(m_stored);
    drop(m_steps);
}

void ProjectionsFeed::request(Queue& queue, std::function<void()> start) {
    if (queue.background.isBusy())
        queue.waiting = std::move(start);
    else
        start();
}

void ProjectionsFeed::startWaiting(Queue& queue) {
    if (const auto start = std::exchange(queue.waiting, {})) start();
}

void ProjectionsFeed::drop(Queue& queue) {
    queue.waiting = {};
    queue.background.cancel();
}

bool ProjectionsFeed::isReadingView() const {
    return m_stored.background.isBusy() || m_steps.background.isBusy();
}

void ProjectionsFeed::readStored(Index view) {
    request(m_stored, [this, view, scan = m_scan] {
        m_stored.background.start(
            [=](const std::stop_token&) {
                return viewPicture(
                    storedView(*(scan->uncorrected ? *scan->uncorrected : *scan).source,
                               sourceView(*scan, view)),
                    ProjectionStep::stored, scan->description);
            },
            [=, this](const ProjectionPicture& picture) {
                startWaiting(m_stored);
                emit storedRead(view, picture);
            },
            [this](const QString& sentence) {
                startWaiting(m_stored);
                emit viewFailed(sentence);
            });
    });
}

void ProjectionsFeed::readSteps(Index view, const FilterSpec& filter) {
    request(m_steps, [this, view, filter, scan = m_scan, settled = m_settled] {
        m_steps.background.start(
            [=](const std::stop_token& stop) {
                const std::shared_ptr<const OpenScan> known = settled->scan(stop);
                return Steps{picturesOf(previewView(*known, sourceView(*scan, view), filter,
                                                    availableThreads(), stop),
                                        scan->description),
                             beamOf(*known)};
            },
            [=, this](const Steps& steps) {
                startWaiting(m_steps);
                emit beamRead(steps.beam);
                emit stepsRead(view, steps.pictures, scan);
            },
            [this](const QString& sentence) {
                startWaiting(m_steps);
                emit viewFailed(sentence);
            });
    });
}

void ProjectionsFeed::setResidualVolume(const QString& path) {
    m_residual.cancel();
    m_residuals.reset();
    m_volume = path;
}

void ProjectionsFeed::readResidual(Index view) {
    if (!m_residuals) m_residuals = std::make_shared<Residuals>(m_scan, m_settled, m_volume);
    m_residual.start(
        [view, residuals = m_residuals](const std::stop_token& stop) {
            return residuals->of(view, stop);
        },
        [view, this](const Residual& made) { emit residualMade(view, made.picture, made.figures); },
        [this](const QString& sentence) { emit residualFailed(sentence); });
}

void ProjectionsFeed::readSinogram(Index row, const std::optional<FilterSpec>& filter) {
    if (row != m_sinogramRow) {
        // Reading every view's row takes long: an older one is not waited for.
        drop(m_sinograms);
        m_sinogram.reset();
        m_sinogramRow = row;
    }
    request(m_sinograms, [this, row, filter] { startSinogram(row, filter); });
}

void ProjectionsFeed::startSinogram(Index row, const std::optional<FilterSpec>& filter) {
    m_sinograms.background.start(
        [row, filter, settled = m_settled, known = m_sinogram](const std::stop_token& stop) {
            return makeSinogram(*settled->scan(stop), row, known, filter, stop);
        },
        [this, row, isFiltered = filter.has_value()](const Sinogram& result) {
            m_sinogram = result.lineIntegrals;
            startWaiting(m_sinograms);
            emit sinogramRead(row, result.picture, isFiltered);
        },
        [this](const QString& sentence) {
            startWaiting(m_sinograms);
            emit sinogramFailed(sentence);
        });
}

std::shared_ptr<const OpenScan> asShown(const std::shared_ptr<const OpenScan>& opened,
                                        const Corrections& corrections) {
    if (!opened) return opened;
    Corrections shown = corrections;
    // The reconstruction panel says what is wrong with these; the rest is shown.
    if (opened->description.geometry.poses()) shown.phase = {};
    if (!shown.pixels.isOn(opened->description.geometry.detector)) shown.pixels = {};
    if (shown == opened->corrections) return opened;
    OpenScan scan = corrected(*opened, shown.withoutMeasured());
    scan.corrections = shown;  // the rest is measured where its views are read
    return std::make_shared<const OpenScan>(std::move(scan));
}

bool hasSamePictures(const OpenScan& a, const OpenScan& b) {
    return a.images == b.images && a.corrections == b.corrections &&
           a.description.geometry == b.description.geometry &&
           a.description.projections.skipViews == b.description.projections.skipViews;
}

}  // namespace gantry
