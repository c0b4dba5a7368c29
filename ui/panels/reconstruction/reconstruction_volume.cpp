#include "ui/panels/reconstruction/reconstruction_volume.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/io/scan_file/scan_fields.h"
#include "ui/models/job/job_volume.h"
#include "ui/models/job/option_text.h"
#include "ui/models/scan/geometry_form.h"
#include "ui/panels/shared/option_controls.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

bool areEqual(const ReconstructionAxes::Values& values) {
    return values[0] == values[1] && values[1] == values[2];
}

}  // namespace

ReconstructionAxes::ReconstructionAxes(const QString& title, const NumberField::Style& style,
                                       const QString& linkText, const QString& name,
                                       QWidget* parent)
    : QWidget(parent), m_title(new QLabel(title)) {
    auto* column = spaced(new QVBoxLayout(this), kSpacing / 4);
    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    if (!linkText.isEmpty()) {
        m_link = named(new QCheckBox(linkText), name + "Link");
        top->addWidget(m_link);
        connect(m_link, &QCheckBox::toggled, this, [this](bool isLinked) {
            showLink();
            if (isLinked && !areEqual(m_values)) take(0, m_values[0], true);
        });
    }
    column->addLayout(top);
    auto* row = spaced(new QHBoxLayout, kSpacing / 2);
    const QString axes[] = {"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        NumberField::Style inField = style;
        // Three fields with a unit each need too much room: the title has the unit.
        inField.unit.clear();
        m_fields[axis] = new NumberField(inField);
        m_fields[axis]->setObjectName(name + axes[axis].toUpper());
        m_labels[axis] = new QLabel(axes[axis]);
        m_labels[axis]->setProperty("muted", true);
        // "x" alone says nothing where fields are searched or read out.
        m_labels[axis]->setAccessibleName(tr("%1, %2").arg(title, axes[axis]));
        m_fields[axis]->attachLabel(m_labels[axis]);
        row->addWidget(m_labels[axis]);
        row->addWidget(m_fields[axis], 1);
        connect(m_fields[axis], &NumberField::valueEdited, this,
                [this, axis](double value, bool isFinal) { take(axis, value, isFinal); });
    }
    column->addLayout(row);
    showLink();
}

void ReconstructionAxes::setValues(const Values& values) {
    m_values = values;
    if (m_link) {
        const QSignalBlocker quiet(m_link);
        if (!areEqual(values)) m_link->setChecked(false);
        if (m_isNew && areEqual(values)) m_link->setChecked(true);
        showLink();
    }
    m_isNew = false;
    for (std::size_t axis = 0; axis < 3; ++axis)
        m_fields[axis]->setValue(values[axis]);
}

void ReconstructionAxes::setHelp(const QString& toolTip) {
    m_title->setToolTip(toolTip);
    for (NumberField* field : m_fields)
        field->setToolTip(toolTip);
}

void ReconstructionAxes::take(std::size_t axis, double value, bool isFinal) {
    Values values = m_values;
    values[axis] = value;
    if (m_link && m_link->isChecked()) values.fill(value);
    m_values = values;
    emit edited(values, isFinal);
}

void ReconstructionAxes::showLink() {
    const bool isLinked = m_link && m_link->isChecked();
    m_labels[0]->setText(isLinked ? tr("x, y, z") : "x");
    for (std::size_t axis = 1; axis < 3; ++axis) {
        m_labels[axis]->setVisible(!isLinked);
        m_fields[axis]->setVisible(!isLinked);
    }
}

namespace {

constexpr int kLengthDigits = 5;

ReconstructionAxes::Values numbersOf(const FieldValue& value) {
    ReconstructionAxes::Values numbers{};
    if (const auto* wholes = std::get_if<std::vector<Index>>(&value))
        std::ranges::copy(*wholes, numbers.begin());
    else
        std::ranges::copy(std::get<std::vector<double>>(value), numbers.begin());
    return numbers;
}

FieldValue valueOf(const ReconstructionAxes::Values& numbers, bool areWhole) {
    if (!areWhole) return std::vector<double>(numbers.begin(), numbers.end());
    std::vector<Index> wholes;
    for (const double number : numbers)
        wholes.push_back(std::llround(number));
    return wholes;
}

}  // namespace

ReconstructionVolume::ReconstructionVolume(ScanDocument& scan, QWidget* parent)
    : QWidget(parent),
      m_scan(scan),
      m_isFitted(named(
          new QCheckBox(tr("Fit to the field of view")), "fitVolume",
          tr("The volume is the box of everything that all views see, in voxels of the detector "
             "pitch scaled to the rotation axis; it need not be a cube. It follows the geometry as "
             "you change it."))) {
    m_extent = named(wrapped(new QLabel), "volumeExtent");
    m_extent->setProperty("muted", true);
    m_problems = named(wrapped(new QLabel), "volumeProblems");
    makeField("voxels", tr("cube"), "voxels");
    makeField("pitchMm", tr("cubic"), "pitch");
    makeField("centerMm", {}, "centre");
    makeRegion();
    auto* column = spaced(new QVBoxLayout(this), kSpacing);
    column->addWidget(heading(tr("Volume")));
    column->addWidget(m_isFitted);
    column->addWidget(makeSizes());
    for (const auto& [row, axes] : m_fields)
        column->addWidget(axes);
    column->addWidget(m_extent);
    column->addWidget(m_isRegion);
    column->addWidget(m_region);
    column->addWidget(m_problems);
    connect(m_isFitted, &QCheckBox::clicked, this, &ReconstructionVolume::setFitted);
    connect(&m_scan, &ScanDocument::volumeChanged, this, &ReconstructionVolume::show);
    connect(&m_scan, &ScanDocument::stateChanged, this, [this] {
        for (const auto& [row, axes] : m_fields)
            axes->forgetLink();
        show();
    });
    show();
}

QWidget* ReconstructionVolume::makeSizes() {
    auto* sizes = new QWidget;
    auto* row = spaced(new QHBoxLayout(sizes), kSpacing / 2);
    for (const int across : {256, 512, 1024}) {
        auto* button =
            named(new QPushButton(QString::number(across) + "³"), QString("size%1").arg(across),
                  tr("%1 × %1 × %1 cubic voxels in a cube that just holds the field of "
                     "view. More voxels show finer detail and take longer.")
                      .arg(across));
        button->setAccessibleName(tr("%1 × %1 × %1 voxels").arg(across));
        connect(button, &QPushButton::clicked, this, [this, across] {
            edit(cubeAround(m_fitted.value_or(m_scan.request().job.volume), across),
                 tr("Use %1 × %1 × %1 voxels").arg(across));
        });
        row->addWidget(button);
    }
    return sizes;
}

void ReconstructionVolume::makeField(std::string_view path, const QString& linkText,
                                     const QString& name) {
    const FileField<VolumeGrid>& row = fieldOf(gridFields(), path);
    NumberField::Style style = numberStyle(row.shape, row.option, row.kind());
    style.digits = kLengthDigits;
    const QString label = optionText(row.option.label);
    auto* axes = new ReconstructionAxes(style.unit.isEmpty() ? label : label + ", " + style.unit,
                                        style, linkText, name);
    axes->setHelp(optionText(row.option.help));
    connect(axes, &ReconstructionAxes::edited, this,
            [this, &row, areWhole = style.whole, key = QString::fromStdString(row.shape.path())](
                const ReconstructionAxes::Values& numbers, bool isFinal) {
                VolumeGrid grid = m_scan.request().job.volume;
                row.assign(grid, valueOf(numbers, areWhole));
                edit(grid, optionEdit(row.option), m_gesture.key("volume." + key, isFinal));
            });
    m_fields.emplace_back(&row, axes);
}

void ReconstructionVolume::makeRegion() {
    m_isRegion = named(
        new QCheckBox(tr("Only a region")), "regionOnly",
        tr("Reconstructs a part of the field of view (the region of interest), which takes less "
           "time and memory. Drag its box in the slices or in the drawing of the scanner."));
    const FieldOption& ofPitch = fieldOf(gridFields(), "pitchMm").option;
    m_region = new ReconstructionAxes(
        tr("Size of the region, mm"),
        {.digits = kLengthDigits, .range = NumberField::Range{ofPitch.low, ofPitch.high}}, {},
        "region");
    m_region->setHelp(
        tr("Lengths of the edges of the region's box, in mm. The voxel pitch stays the same."));
    connect(m_isRegion, &QCheckBox::clicked, this, &ReconstructionVolume::setRegion);
    connect(m_region, &ReconstructionAxes::edited, this,
            [this](const ReconstructionAxes::Values& values, bool isFinal) {
                edit(withBox(m_scan.request().job.volume, values), tr("Change size of the region"),
                     m_gesture.key("volume.voxels", isFinal));
            });
}

void ReconstructionVolume::edit(const VolumeGrid& grid, const QString& text,
                                const QString& mergeKey) {
    Request request = m_scan.request();
    request.job.volume = grid;
    request.volumeIsFitted = false;
    m_scan.edit(std::move(request), text, mergeKey);
    // What was rounded or refused is shown as it is.
    show();
}

void ReconstructionVolume::setFitted(bool isFitted) {
    Request request = m_scan.request();
    request.volumeIsFitted = isFitted;
    m_scan.edit(std::move(request),
                isFitted ? tr("Fit volume to the field of view") : tr("Set volume by hand"));
    show();
}

void ReconstructionVolume::setRegion(bool isRegion) {
    const VolumeGrid& grid = m_scan.request().job.volume;
    if (isRegion)
        edit(middleOf(grid), tr("Reconstruct only a region"));
    else if (m_fitted)
        edit(wholeAtPitch(grid, *m_fitted), tr("Reconstruct the whole field of view"));
    show();
}

void ReconstructionVolume::show() {
    setEnabled(m_scan.hasScan());
    const Request& request = m_scan.request();
    const VolumeGrid& grid = request.job.volume;
    m_fitted = m_scan.hasScan() ? fittedOrNone(request.job) : std::nullopt;
    m_isFitted->setChecked(m_scan.hasScan() && request.volumeIsFitted);
    for (const auto& [row, axes] : m_fields)
        axes->setValues(numbersOf(row->value(grid)));
    const bool isRegion = m_fitted && isRegionOf(grid, *m_fitted);
    m_isRegion->setEnabled(m_fitted.has_value());
    m_isRegion->setChecked(isRegion);
    m_region->setVisible(isRegion);
    m_region->setValues(boxMm(grid));
    m_extent->setText(
        m_scan.hasScan()
            ? tr("%1, %2 in memory")
                  .arg(boxText(grid), QString::fromStdString(formatBytes(volumeBytes(grid))))
            : QString());
    m_extent->setVisible(m_scan.hasScan());
    showProblems();
}

void ReconstructionVolume::showProblems() {
    QStringList sentences;
    bool isError = false;
    for (const Problem& problem : m_scan.problems()) {
        if (!problem.field.starts_with("volume")) continue;
        isError |= problem.severity == Problem::Severity::error;
        sentences << problemSentence(problem, scanFields());
    }
    showSentence(*m_problems, sentences.join('\n'),
                 isError ? SentenceKind::error : SentenceKind::warning);
}

}  // namespace gantry
