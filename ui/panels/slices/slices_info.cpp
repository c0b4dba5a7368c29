#include "ui/panels/slices/slices_info.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QVBoxLayout>
#include <cmath>

#include "core/base/text.h"
#include "ui/models/image/projection_images.h"
#include "ui/models/text.h"
#include "ui/panels/slices/slice_detail.h"
#include "ui/panels/slices/slices_view.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/image/histogram_view.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

QString valueHelp() {
    return SlicesInfo::tr("Attenuation of the voxel at the cross-hair");
}

QString voxelsText(const QString& voxels, const QString& pitch) {
    return SlicesInfo::tr("%1 voxels of %2").arg(voxels, pitch);
}

QString notFinite(qint64 count) {
    return count == 1
               ? SlicesInfo::tr("One voxel is not a number (NaN or infinite), marked in purple.")
               : SlicesInfo::tr("%1 voxels are not numbers (NaN or infinite), marked in purple.")
                     .arg(count);
}

NumberField::Style attenuationStyle() {
    NumberField::Style style;
    style.unit = QStringLiteral("/mm");
    style.step = 0.001;
    style.digits = 4;
    return style;
}

QString sizeText(const VolumeGrid& grid) {
    return QStringLiteral("%1 × %2 × %3")
        .arg(grid.voxels[0])
        .arg(grid.voxels[1])
        .arg(grid.voxels[2]);
}

QString extentText(const VolumeGrid& grid) {
    const auto extent = [&](std::size_t axis) {
        return static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis];
    };
    return lengthsText({extent(0), extent(1), extent(2)});
}

}  // namespace

SlicesInfo::SlicesInfo(QWidget* parent) : QScrollArea(parent) {
    setObjectName("slicesInfo");
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget(this);
    m_place = new QVBoxLayout;
    m_place->setSpacing(kSpacing);
    m_place->addLayout(buildCrosshair());
    m_place->addLayout(buildVolume());
    m_place->addStretch(1);
    m_columns = spaced(new QBoxLayout(QBoxLayout::LeftToRight, content), 2 * kSpacing,
                       {kSpacing, 0, kSpacing, kSpacing});
    m_columns->addLayout(buildWindow(), 1);
    m_columns->addLayout(m_place, 1);
    setWidget(content);
    setRegion({});
}

QLayout* SlicesInfo::buildWindow() {
    m_histogram = named(
        new HistogramView(this), "histogram",
        tr("What is shown as black and as white: drag the lines, or drag with the right button in "
           "a slice. Double click: automatic."));
    m_histogram->setAccessibleName(tr("Histogram"));
    m_level = named(new NumberField(attenuationStyle(), this), "level",
                    tr("Attenuation shown as middle grey"));
    NumberField::Style widthStyle = attenuationStyle();
    widthStyle.range = NumberField::Range{1e-9, 1e9};
    m_width = named(new NumberField(widthStyle, this), "width",
                    tr("Attenuation from black to white: narrower shows fainter differences"));
    auto* automatic = named(new QPushButton(this), "automatic",
                            tr("Back to the grey window the volume was opened with"));
    automatic->setText(tr("Automatic"));

    const auto changed = [this] {
        const double half = m_width->value() / 2;
        emit windowEdited({m_level->value() - half, m_level->value() + half});
    };
    connect(m_level, &NumberField::valueEdited, this, changed);
    connect(m_width, &NumberField::valueEdited, this, changed);
    connect(m_histogram, &HistogramView::windowEdited, this, &SlicesInfo::windowEdited);
    connect(m_histogram, &HistogramView::automaticRequested, this, &SlicesInfo::automaticRequested);
    connect(automatic, &QPushButton::clicked, this, &SlicesInfo::automaticRequested);

    auto* line = new QHBoxLayout;
    line->addWidget(heading(tr("Grey window"), this));
    line->addStretch(1);
    line->addWidget(automatic);
    auto* fields = new QGridLayout;
    fields->setSpacing(kSpacing);
    int row = 0;
    for (const auto& [text, field] : {std::pair(tr("Level"), m_level), {tr("Width"), m_width}}) {
        auto* label = new QLabel(text, this);
        field->attachLabel(label);
        fields->addWidget(label, row, 0);
        fields->addWidget(field, row++, 1);
    }
    fields->setColumnStretch(1, 1);
    auto* layout = new QVBoxLayout;
    layout->setSpacing(kSpacing);
    layout->addLayout(line);
    layout->addWidget(m_histogram);
    layout->addLayout(fields);
    layout->addStretch(1);
    return layout;
}

QLayout* SlicesInfo::buildCrosshair() {
    auto* grid = new QGridLayout;
    grid->setSpacing(kSpacing);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        NumberField::Style style;
        style.unit = QStringLiteral("mm");
        m_position[axis] = new NumberField(style, this);
        m_position[axis]->setObjectName("position" + axisName(axis).toUpper());
        m_position[axis]->setToolTip(
            tr("Position of the cross-hair along %1, from the isocentre").arg(axisName(axis)));
        m_voxel[axis] = new QLabel(this);
        m_voxel[axis]->setObjectName("voxel" + axisName(axis).toUpper());
        m_voxel[axis]->setFont(tabular(m_voxel[axis]->font()));
        m_voxel[axis]->setProperty("muted", true);
        auto* label = new QLabel(axisName(axis), this);
        m_position[axis]->attachLabel(label);
        const int row = static_cast<int>(axis);
        grid->addWidget(label, row, 0);
        grid->addWidget(m_position[axis], row, 1);
        grid->addWidget(m_voxel[axis], row, 2);
        connect(m_position[axis], &NumberField::valueEdited, this,
                [this, row](double position) { emit positionEdited(row, position); });
    }
    m_value = named(new QLabel(this), "value", valueHelp());
    m_value->setFont(tabular(m_value->font()));
    grid->addWidget(new QLabel(tr("Value"), this), 3, 0);
    grid->addWidget(m_value, 3, 1, 1, 2);
    grid->setColumnStretch(1, 1);
    auto* layout = new QVBoxLayout;
    layout->setSpacing(kSpacing);
    layout->addWidget(heading(tr("Cross-hair"), this));
    layout->addLayout(grid);
    return layout;
}

QLayout* SlicesInfo::buildVolume() {
    m_volume = named(copyable(new QLabel(this)), "volumeFacts");
    m_warning = named(copyable(new QLabel(this)), "volumeWarning");
    m_warning->setProperty("kind", "warning");
    m_regionHeading = heading(tr("Region of interest"), this);
    m_region = named(copyable(new QLabel(this)), "regionFacts");
    auto* layout = new QVBoxLayout;
    layout->setSpacing(kSpacing);
    layout->addWidget(heading(tr("Volume"), this));
    layout->addWidget(m_volume);
    layout->addWidget(m_warning);
    layout->addWidget(m_regionHeading);
    layout->addWidget(m_region);
    return layout;
}

void SlicesInfo::resizeEvent(QResizeEvent* event) {
    // Side by side where there is the room, else below each other.
    constexpr int kMinColumn = 29 * kSpacing;
    const bool isWide = event->size().width() >= 2 * kMinColumn;
    m_columns->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    QScrollArea::resizeEvent(event);
}

void SlicesInfo::addAtTop(QWidget* part) {
    m_place->insertWidget(0, part);
}

void SlicesInfo::setVolume(const LoadedVolume& volume) {
    Histogram histogram = volume.histogram;
    histogram.notFinite = 0;  // shown below, with their number
    m_unit = volume.unit;
    m_histogram->setHistogram(histogram, m_unit);
    m_level->setUnit(m_unit);
    m_width->setUnit(m_unit);
    QStringList facts;
    facts << QFileInfo(volume.path).fileName() + (volume.format.isEmpty() ? QString() : ", ") +
                 volume.format;
    facts << voxelsText(sizeText(volume.stored), pitchText(volume.stored));
    facts << extentText(volume.stored);
    if (const auto extent = volume.histogram.extent) {
        const QString values =
            tr("Values %1 to %2")
                .arg(valueText(extent->first, m_unit), valueText(extent->second, m_unit));
        facts << (volume.isWhole() ? values : tr("%1, of a sample").arg(values));
    }
    if (!volume.isWhole()) {
        const Index bytes =
            volume.voxels.sizeBytes() + 3 * SliceDetail::kMaxBytes;  // for each view
        facts << tr("In memory: %1 voxels, every few of the file's. Where you zoom in, its own "
                    "voxels are read; all that takes up to %2.")
                     .arg(sizeText(volume.grid), QString::fromStdString(formatBytes(bytes)));
    }
    m_volume->setText(facts.join('\n'));
    m_volume->setToolTip(volume.path);
    m_warning->setVisible(volume.notFinite > 0);
    m_warning->setText(notFinite(volume.notFinite));
}

void SlicesInfo::setVoxel(const VoxelData& volume, const VoxelIndex& voxel) {
    const VolumeGrid& grid = volume.finest();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double position = positionMm(grid, axis, static_cast<double>(voxel[axis]));
        m_position[axis]->setValue(position);
        m_voxel[axis]->setText(tr("%1 of 0–%2").arg(voxel[axis]).arg(grid.voxels[axis] - 1));
    }
    m_reading.cancel();
    if (!volume.levels) {
        showValue(volume.at(voxel));
        return;
    }
    // The one in memory may be another's.
    m_value->setText(QStringLiteral("…"));
    m_reading.start(
        [levels = volume.levels, voxel](const std::stop_token&) {
            float value = 0;
            const auto one = [&](std::size_t axis) {
                return IndexRange{voxel[axis], voxel[axis] + 1};
            };
            levels->read(0, {one(0), one(1), one(2)}, {&value, 1, 1, 1});
            return value;
        },
        [this](float value) { showValue(value); },
        [this](const QString& sentence) {
            m_value->setText(QStringLiteral("–"));
            m_value->setToolTip(sentence);
        });
}

void SlicesInfo::showValue(float value) {
    m_value->setToolTip(valueHelp());
    m_value->setText(std::isfinite(value) ? valueText(static_cast<double>(value), m_unit)
                                          : tr("not a number"));
}

void SlicesInfo::setWindow(const GreyWindow& window) {
    m_histogram->setWindow(window);
    m_level->setValue(window.level());
    m_width->setValue(window.width());
}

void SlicesInfo::setRegion(const VolumeGrid& grid) {
    const bool isShown = grid.count() > 0;
    m_regionHeading->setVisible(isShown);
    m_region->setVisible(isShown);
    m_region->setText(extentText(grid) + '\n' + voxelsText(sizeText(grid), pitchText(grid)));
}

}  // namespace gantry
