#include "ui/panels/volume/surface_group.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStringList>
#include <initializer_list>
#include <utility>

#include "ui/models/image/matter_window.h"
#include "ui/models/text.h"
#include "ui/panels/volume/slider_field.h"
#include "ui/panels/volume/volume_appearance.h"
#include "ui/scene/volume/volume_rendering.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/volume/volume_loading.h"

namespace gantry {

namespace {

QString surfaceSize(const SurfaceSize& size, const QString& voxel) {
    return size.triangles == 0
               ? SurfaceGroup::tr("Nothing attenuates more than this here.")
               : SurfaceGroup::tr("Area %1 mm², volume %2 mm³\nof voxels of %3, %4 triangles")
                     .arg(numberText(size.areaMm2), numberText(size.volumeMm3), voxel)
                     .arg(size.triangles);
}

// The surface shown is made from at most this many voxels along an axis, so that it is ready in a
// second and turns smoothly.
constexpr Index kMaxShown = 320;
constexpr double kDragStep = 1e-4;  // 1/mm
constexpr int kPauseMs = 120;
constexpr int kPollMs = 100;

}  // namespace

SurfaceGroup::SurfaceGroup(AppearanceHistory& history, VolumeRendering& rendering, QWidget* parent)
    : QWidget(parent), m_history(history), m_rendering(rendering) {
    build();
    connectParts();
    showWhetherItCounts();
    showState();
}

void SurfaceGroup::build() {
    m_attenuation = new SliderField("surfaceAttenuation", QStringLiteral("/mm"), this, kDragStep);
    m_label = new QLabel(tr("Attenuation"), this);
    m_attenuation->field().attachLabel(m_label);
    m_result = named(copyable(new QLabel(this)), "surfaceResult");
    m_progress = named(new QProgressBar(this), "surfaceProgress");
    m_progress->setMinimumWidth(8 * kSpacing);
    m_cancel = named(new QPushButton(tr("Cancel"), this), "cancelSurface");
    m_save = named(
        new QPushButton(tr("Save surface…"), this), "saveSurface",
        tr("Saves the surface of the file's own voxels as a binary STL or PLY file, in mm in the "
           "volume's coordinates."));
    constexpr int kResultLines = 3;
    m_result->setMinimumHeight(kResultLines * fontMetrics().lineSpacing());
    m_result->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    for (QWidget* each : std::initializer_list<QWidget*>{m_result, m_progress, m_cancel})
        keepRoomWhenHidden(*each);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    m_poll.setInterval(kPollMs);

    auto* grid = spaced(new QGridLayout(this), kSpacing);
    grid->addWidget(m_label, 0, 0);
    grid->addWidget(m_attenuation, 0, 1);
    grid->addWidget(m_save, 1, 0, 1, 2);
    grid->addWidget(m_result, 2, 0, 1, 2);
    // In a row of their own that is no wider than the others; the column would otherwise move under
    // the pointer when they appear.
    auto* making = new QHBoxLayout;
    making->addWidget(m_progress, 1);
    making->addWidget(m_cancel);
    grid->addLayout(making, 3, 0, 1, 2);
    grid->setColumnStretch(1, 1);
}

void SurfaceGroup::connectParts() {
    connect(&m_history, &AppearanceHistory::changed, this, &SurfaceGroup::showAppearance);
    connect(m_attenuation, &SliderField::valueEdited, this, &SurfaceGroup::setAttenuation);
    connect(&m_pause, &QTimer::timeout, this, &SurfaceGroup::make);
    connect(&m_poll, &QTimer::timeout, this, &SurfaceGroup::showState);
    connect(m_cancel, &QPushButton::clicked, this, &SurfaceGroup::cancel);
    connect(m_save, &QPushButton::clicked, this, &SurfaceGroup::askForFile);
    connect(&m_maker, &PictureWorker::finished, this, [this](const QString& sentence) {
        if (!sentence.isEmpty()) m_found = sentence;
        // An edit may have come meanwhile, or another volume.
        make();
    });
    connect(&m_saver, &PictureWorker::finished, this, [this](const QString& sentence) {
        if (!sentence.isEmpty()) m_saved = sentence;
        m_isSaving = false;
        showState();
    });
}

void SurfaceGroup::setVolume(std::shared_ptr<const LoadedVolume> volume) {
    m_maker.stop();
    m_saver.stop();
    m_volume = std::move(volume);
    m_made.reset();
    m_found.clear();
    m_saved.clear();
    m_rendering.setSurface(nullptr);
    if (m_volume) {
        m_attenuation->setRange(m_volume->histogram.low, m_volume->histogram.high);
        m_attenuation->field().setUnit(m_volume->unit);
    }
    showAppearance();
    showState();
}

void SurfaceGroup::setShown(bool isShown) {
    m_isShown = isShown;
    showWhetherItCounts();
    showAppearance();
    make();
}

// The attenuation changes only what the isosurface shows, so elsewhere it cannot be edited.
void SurfaceGroup::showWhetherItCounts() {
    const QString tip =
        m_isShown ? tr("The surface bounds what attenuates more than this. At first it is what "
                       "best parts matter from air in the histogram.")
                  : tr("Choose Isosurface as the rendering above the picture to change this. The "
                       "picture shown does not depend on it.");
    for (QWidget* each : std::initializer_list<QWidget*>{m_label, m_attenuation}) {
        each->setEnabled(m_isShown);
        each->setToolTip(tip);
    }
}

void SurfaceGroup::setAttenuation(double attenuation, bool isFinal) {
    VolumeAppearance appearance = m_history.appearance();
    appearance.surfaceAttenuation = attenuation;
    m_history.edit(appearance, isFinal);
}

SurfaceOrder SurfaceGroup::orderNow() const {
    const VolumeAppearance& appearance = m_history.appearance();
    const VolumeAppearance whole = unclipped(appearance, m_volume->grid);
    const VolumeAppearance& box = appearance.isBoxClipped ? appearance : whole;
    return {appearance.surfaceAttenuation.value_or(matterThreshold(m_volume->histogram)),
            box.boxLowMm, box.boxHighMm};
}

void SurfaceGroup::showAppearance() {
    emit levelChanged(m_volume && m_isShown ? std::optional(orderNow().attenuation) : std::nullopt);
    if (!m_volume) return;
    m_attenuation->setValue(orderNow().attenuation);
    if (m_isShown && m_made != orderNow()) m_pause.start();
}

void SurfaceGroup::make() {
    if (m_volume && m_isShown && m_made != orderNow()) {
        m_maker.stop();
        if (m_maker.isBusy()) return;
        m_made = orderNow();
        m_isCancelled = false;
        m_making = std::make_shared<std::atomic<double>>(0);
        m_maker.start([this, volume = m_volume, order = *m_made,
                       fraction = m_making](const std::stop_token& stop) -> PictureWorker::Done {
            const Isosurface surface = isosurfaceOf(volume->grid, volume->voxels.span(), order,
                                                    kMaxShown, *fraction, stop);
            return [this, surface] {
                const auto& [x, y, z] = surface.voxelMm;
                const bool isCube = x == y && y == z;
                m_found =
                    surfaceSize(surface.size, isCube ? lengthText(x) : lengthsText({x, y, z}));
                m_rendering.setSurface(surface.mesh);
            };
        });
    }
    showState();
}

void SurfaceGroup::cancel() {
    m_saver.stop();
    m_isCancelled = m_maker.isBusy();
    m_maker.stop();
    if (m_isCancelled)
        m_found = tr("Not made: it was cancelled. Change the attenuation to make it again.");
    showState();
}

void SurfaceGroup::askForFile() {
    const QFileInfo volume(m_volume->path);
    const QString start = volume.dir().filePath(volume.completeBaseName() + ".stl");
    chooseSavePath(*this, "surfaceSaveDialog", tr("Save surface…"), start,
                   {{tr("STL surface"), {"stl"}}, {tr("PLY surface"), {"ply"}}},
                   [this](const QString& path) { save(path); });
}

void SurfaceGroup::save(const QString& path) {
    if (!m_volume || m_saver.isBusy()) return;
    m_isSaving = true;
    m_saved.clear();
    m_fraction = std::make_shared<std::atomic<double>>(0);
    m_saver.start([this, volume = m_volume, order = orderNow(), path,
                   fraction = m_fraction](const std::stop_token& stop) -> PictureWorker::Done {
        const SurfaceSize size =
            saveIsosurface(*volume->levels, order, toPath(path), *fraction, stop);
        return [this, path, size] {
            m_saved = tr("Saved: %1\nArea %2 mm², volume %3 mm³, %4 triangles")
                          .arg(path, numberText(size.areaMm2), numberText(size.volumeMm3))
                          .arg(size.triangles);
        };
    });
    showState();
}

void SurfaceGroup::showState() {
    const bool isMaking = m_maker.isBusy() && !m_isCancelled;
    const bool isBusy = isMaking || m_isSaving;
    if (isBusy) {
        const double fraction = m_isSaving ? m_fraction->load() : m_making->load();
        m_progress->setValue(static_cast<int>(100 * fraction));
    }
    if (isBusy && !m_poll.isActive()) m_poll.start();
    if (!isBusy) m_poll.stop();
    m_progress->setVisible(isBusy);
    m_cancel->setVisible(isBusy);
    m_save->setEnabled(m_volume && !m_isSaving);
    QStringList lines{isMaking ? tr("Making the isosurface…") : m_found, m_saved};
    lines.removeAll(QString());
    m_result->setText(lines.join('\n'));
    m_result->setVisible(!lines.isEmpty());
}

}  // namespace gantry
