#include "ui/panels/slices/slices_measuring.h"

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QKeySequence>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QStringList>
#include <QVBoxLayout>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "ui/models/text.h"
#include "ui/panels/slices/measure_overlay.h"
#include "ui/panels/slices/oblique_view.h"
#include "ui/panels/slices/slices_density.h"
#include "ui/panels/slices/slices_tools.h"
#include "ui/panels/slices/slices_view.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/image/histogram_view.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr int kProgressMs = 100;

QString nameOf(MeasureKind kind) {
    switch (kind) {
        case MeasureKind::distance:
            break;
        case MeasureKind::angle:
            return MeasureResults::tr("Angle");
        case MeasureKind::profile:
            return MeasureResults::tr("Line profile");
        case MeasureKind::region:
            return MeasureResults::tr("Measured region");
    }
    return MeasureResults::tr("Distance");
}

}  // namespace

MeasureResults::MeasureResults(Measurements& measurements, QWidget* parent)
    : QWidget(parent), m_measurements(measurements) {
    setObjectName("measureResults");
    m_heading = named(copyable(new QLabel(this)), "measureKind");
    QFont bold = m_heading->font();
    bold.setWeight(QFont::DemiBold);
    m_heading->setFont(bold);
    m_figures = named(copyable(new QLabel(this)), "measureFigures");
    m_figures->setFont(tabular(m_figures->font()));
    m_state = named(copyable(new QLabel(this)), "measureState");
    m_density = new SlicesDensity(m_measurements, this);
    m_profile = named(new ProfilePlot(this), "measureProfile");
    m_profile->setAccessibleName(tr("Line profile"));
    m_profile->setEmptyText(tr("Reading the voxels…"));
    m_histogram = named(new HistogramView(this), "measureHistogram");
    m_histogram->setAccessibleName(tr("Measured region"));
    // To be looked at: the slices' window has a histogram of its own.
    m_histogram->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_histogram->setFocusPolicy(Qt::NoFocus);
    auto* layout = spaced(new QVBoxLayout(this), kSpacing, {0, 0, 0, kSpacing});
    for (QWidget* part : std::initializer_list<QWidget*>{m_heading, m_figures, m_state, m_density,
                                                         m_profile, m_histogram})
        layout->addWidget(part);
    buildButtons(*layout);
    m_timer.setInterval(kProgressMs);
    connect(&m_timer, &QTimer::timeout, this, [this] { followProgress(); });
    connect(&m_measurements, &Measurements::chosenEdited, this, [this] { showChosen(); });
    showChosen();
}

void MeasureResults::buildButtons(QLayout& layout) {
    const auto button = [this](const char* name, const QString& text, const QString& help) {
        auto* made = new QPushButton(text, this);
        made->setObjectName(name);
        made->setToolTip(help);
        return made;
    };
    m_cancel = button("measureCancel", tr("Cancel"), {});
    m_copy =
        button("measureCopy", tr("Copy"), tr("Copies the figures, of a profile all its values"));
    m_save = button("measureSave", tr("Save…"),
                    tr("Saves the profile as CSV: distance in mm, and the values"));
    QPushButton* remove = button("measureRemove", tr("Remove"),
                                 tr("Removes this measurement (Delete); Ctrl+Z brings it back"));
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_reading.cancel();
        showState(tr("Cancelled. Move a handle to measure again."), false);
    });
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_csv.isEmpty() ? m_text : m_csv); });
    connect(m_save, &QPushButton::clicked, this, [this] { askWhereToSave(); });
    connect(remove, &QPushButton::clicked, &m_measurements, &Measurements::removeChosen);
    auto* line = new QHBoxLayout;
    line->setSpacing(kSpacing);
    for (QPushButton* one : {m_cancel, m_copy, m_save, remove})
        line->addWidget(one);
    line->addStretch(1);
    layout.addItem(line);
}

void MeasureResults::setVolume(std::shared_ptr<const LoadedVolume> volume) {
    m_volume = std::move(volume);
    m_density->setVolume(m_volume);
    m_measurements.takeScale(m_volume ? m_volume->scale : ValueScale());
    m_measurements.forgetFigures();
}

void MeasureResults::showChosen() {
    m_reading.cancel();
    const SliceMeasure* chosen = m_measurements.chosen();
    setVisible(chosen != nullptr);
    showState({}, false);
    m_profile->hide();
    m_histogram->hide();
    if (!chosen) return;
    m_heading->setText(nameOf(chosen->kind));
    setText(sizeOf(*chosen), {});
    m_density->showChosen();
    if (m_volume && m_volume->levels) {
        if (chosen->kind == MeasureKind::region) measureRegionOf(*chosen);
        if (chosen->kind == MeasureKind::profile) measureProfileOf(*chosen);
    }
    emit shown();
}

void MeasureResults::measureRegionOf(const SliceMeasure& region) {
    m_fraction = std::make_shared<std::atomic<double>>(0);
    m_timer.start();
    m_reading.start(
        [volume = m_volume, box = regionOf(region),
         fraction = m_fraction](const std::stop_token& stop) {
            return measureRegion(*volume->levels, box, *fraction, stop);
        },
        [this, id = region.id](const MeasuredRegion& measured) { showRegion(id, measured); },
        [this](const QString& sentence) { showState(sentence, true); });
}

void MeasureResults::measureProfileOf(const SliceMeasure& profile) {
    m_profile->setCurves({}, ProfilePlot::XAxis{});
    m_profile->show();
    m_reading.start(
        [volume = m_volume, from = profile.points[0],
         to = profile.points[1]](const std::stop_token& stop) {
            return measureProfile(*volume->levels, from, to, stop);
        },
        [this](const MeasuredProfile& measured) { showProfile(measured); },
        [this](const QString& sentence) {
            m_profile->hide();
            showState(sentence, true);
        });
}

QString MeasureResults::unit() const {
    return m_volume ? m_volume->unit : QString();
}

void MeasureResults::showRegion(int id, const MeasuredRegion& region) {
    showState({}, false);
    QStringList lines;
    if (const SliceMeasure* chosen = m_measurements.chosen()) lines << sizeOf(*chosen);
    const auto rows = regionFigures(region.found, region.volumeMm3, unit().toStdString());
    const auto withUnit = [](const std::vector<std::string>& row) {
        return QString::fromStdString(row[1] + ' ' + row[2]).trimmed();
    };
    for (const auto& row : rows)
        lines << QString::fromStdString(row[0]) + ' ' + withUnit(row);
    setText(lines.join('\n'), {});
    Histogram histogram;
    histogram.low = region.found.smallest;
    histogram.high = region.found.largest;
    histogram.bins = region.bins;
    m_histogram->setHistogram(histogram, unit());
    m_histogram->setWindow({histogram.low, histogram.high});
    m_histogram->show();
    m_measurements.setFigure(id, tr("mean %1").arg(withUnit(rows[0])));
    emit shown();
}

void MeasureResults::showProfile(const MeasuredProfile& profile) {
    showState({}, false);
    ProfilePlot::Curve curve;
    curve.unit = unit();
    curve.colour = themeOf(*this).accent;
    curve.values = profile.values;
    const double stepMm = profile.line.distanceMm(1);
    m_profile->setCurves({std::move(curve)},
                         {tr("Distance"), QStringLiteral("mm"), 0, stepMm > 0 ? stepMm : 1});
    setText(m_text, QString::fromStdString(
                        profileCsv(profile.line, profile.values, {}, unit().toStdString())));
    emit shown();
}

// While it reads, the state is that; so all else ends the progress.
void MeasureResults::showState(const QString& sentence, bool isError) {
    m_timer.stop();
    m_cancel->hide();
    m_state->setText(sentence);
    m_state->setProperty("kind", isError ? "error" : "");
    m_state->setVisible(!sentence.isEmpty());
}

void MeasureResults::followProgress() {
    m_state->setText(
        tr("Reading the voxels, %1 %").arg(static_cast<int>(std::lround(100 * *m_fraction))));
    m_state->show();
    m_cancel->show();
}

void MeasureResults::setText(const QString& text, const QString& csv) {
    m_text = text;
    m_csv = csv;
    m_figures->setText(text);
    m_save->setVisible(!csv.isEmpty());
}

void MeasureResults::askWhereToSave() {
    const QFileInfo volume(m_volume->path);
    const QString start = volume.dir().filePath(volume.completeBaseName() + " profile.csv");
    auto* dialog = named(new SaveDialog(window(), tr("Line profile"), start,
                                        {{tr("CSV files"), {QStringLiteral("csv")}}}),
                         "profileSaveDialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, csv = m_csv.toStdString()](const QString& path) {
                try {
                    writeFileAtomically(toPath(path), csv);
                } catch (const Error& error) {
                    showState(QString::fromStdString(messageOf(error)), true);
                }
            });
    dialog->open();
}

SlicesMeasuring::SlicesMeasuring(const std::array<SlicesView*, 3>& views, SlicesTools& tools,
                                 QWidget* panel)
    : QObject(panel) {
    for (std::size_t i = 0; i < views.size(); ++i) {
        m_planes[i] = views[i]->plane();
        m_overlays[i] = new MeasureOverlay(m_measurements, m_planes[i], views[i]->imageView());
    }
    m_results = new MeasureResults(m_measurements, panel);
    connectTools(tools, panel);
}

void SlicesMeasuring::connectTools(SlicesTools& tools, QWidget* panel) {
    connect(&tools, &SlicesTools::measuringChosen, &m_measurements, &Measurements::setTool);
    connect(&m_measurements, &Measurements::toolChanged, &tools,
            [this, &tools] { tools.showMeasuring(m_measurements.tool()); });
    for (const auto& [key, kind] : {std::pair(Qt::Key_D, MeasureKind::distance),
                                    {Qt::Key_A, MeasureKind::angle},
                                    {Qt::Key_P, MeasureKind::profile},
                                    {Qt::Key_R, MeasureKind::region}}) {
        // Not in other tabs, nor where text is typed.
        auto* shortcut = new QShortcut(QKeySequence(key), panel);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, [this, kind = kind] {
            const bool isOn = m_measurements.tool() == kind;
            m_measurements.setTool(isOn ? std::nullopt : std::optional(kind));
        });
    }
}

void SlicesMeasuring::addOblique(ObliqueView& view) {
    auto* overlay = new MeasureOverlay(m_measurements, {}, view.imageView());
    connect(&view, &ObliqueView::rasterChanged, overlay,
            [&view, overlay] { overlay->setPlace(view.raster(), {}); });
}

void SlicesMeasuring::setVolume(const std::shared_ptr<const LoadedVolume>& volume,
                                const VoxelData& data, const VoxelIndex& voxel) {
    m_data = data;
    setVoxel(voxel);
    m_results->setVolume(volume);
}

void SlicesMeasuring::setVoxel(const VoxelIndex& voxel) {
    for (std::size_t i = 0; i < m_overlays.size(); ++i) {
        const SlicePlane& plane = m_planes[i];
        m_overlays[i]->setPlace(
            sliceRaster(plane, m_data.grid, m_data.finest(), voxel[plane.normal]), m_data.grid);
    }
}

bool SlicesMeasuring::takesUndo(const QKeyEvent& event) const {
    return (event.matches(QKeySequence::Undo) && m_measurements.canUndo()) ||
           (event.matches(QKeySequence::Redo) && m_measurements.canRedo());
}

bool SlicesMeasuring::takeKey(const QKeyEvent& event) {
    if (event.key() == Qt::Key_Escape && m_measurements.tool())
        m_measurements.setTool({});
    else if (event.key() == Qt::Key_Escape && m_measurements.chosen())
        m_measurements.choose({});
    else if (event.key() == Qt::Key_Delete && m_measurements.chosen())
        m_measurements.removeChosen();
    else if (event.matches(QKeySequence::Undo))
        m_measurements.undo();
    else if (event.matches(QKeySequence::Redo))
        m_measurements.redo();
    else
        return false;
    return true;
}

}  // namespace gantry
