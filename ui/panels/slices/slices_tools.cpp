#include "ui/panels/slices/slices_tools.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVariant>
#include <algorithm>
#include <utility>

#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

constexpr double kFirstSlices = 10;  // of the slab that is offered first

}  // namespace

SlicesTools::SlicesTools(QWidget* parent) : QWidget(parent) {
    m_region = named(new QPushButton(this), "regionToggle");
    m_region->setText(tr("Region of interest"));
    m_region->setCheckable(true);
    connect(m_region, &QPushButton::toggled, this, &SlicesTools::regionToggled);
    m_reading = named(new QLabel(this), "reading");
    m_reading->setProperty("muted", true);
    m_reading->setTextFormat(Qt::PlainText);
    m_cancel = named(new QPushButton(tr("Cancel"), this), "cancelReading",
                     tr("Stops reading; the volume shown stays open."));
    m_cancel->hide();
    connect(m_cancel, &QPushButton::clicked, this, &SlicesTools::cancelRequested);
    buildSlab();
    auto* slabLabel = new QLabel(tr("&Slab"), this);
    slabLabel->setBuddy(m_slabKind);
    m_shownRow = new QHBoxLayout;
    m_shownRow->setSpacing(kSpacing);
    m_shownRow->addWidget(m_region);
    m_shownRow->addWidget(slabLabel);
    m_shownRow->addWidget(m_slabKind);
    m_shownRow->addWidget(m_thickness);
    m_shownRow->addWidget(buildScale());
    m_shownRow->addStretch(1);
    m_toolRow = new QHBoxLayout;
    m_toolRow->setSpacing(kSpacing / 2);
    buildOblique();
    m_toolRow->addWidget(m_oblique);
    buildMeasuring(*m_toolRow);
    m_save = named(new QToolButton(this), "saveSlice",
                   tr("Saves the slice of the view used last, as it is shown (E)"));
    m_save->setFocusPolicy(Qt::StrongFocus);
    m_save->setIcon(icon("camera"));
    m_save->setAccessibleName(tr("Save the slice"));
    m_toolRow->addWidget(m_save);
    m_toolRow->addWidget(buildCompare());
    m_toolRow->addStretch(1);
    m_toolRow->addWidget(m_reading);
    m_toolRow->addWidget(m_cancel);
    m_rows = spaced(new QBoxLayout(QBoxLayout::LeftToRight, this), kSpacing);
    m_rows->addLayout(m_shownRow);
    m_rows->addLayout(m_toolRow, 1);
}

// Below each other where the room is less.
QSize SlicesTools::minimumSizeHint() const {
    return {std::max(m_shownRow->minimumSize().width(), m_toolRow->minimumSize().width()),
            m_rows->minimumSize().height()};
}

void SlicesTools::foldRows() {
    const int inOneRow =
        m_shownRow->minimumSize().width() + kSpacing + m_toolRow->minimumSize().width();
    m_rows->setDirection(width() < inOneRow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

bool SlicesTools::event(QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) foldRows();
    return QWidget::event(event);
}

void SlicesTools::buildSlab() {
    m_slabKind = named(
        new QComboBox(this), "slabKind",
        tr("What each view shows: the slice at the cross-hair, or the slices about it made one. "
           "The mean shows less noise, the maximum dense and the minimum thin material (Alt+S)."));
    for (const auto& [text, kind] : {std::pair(tr("One slice"), SlabKind::slice),
                                     {tr("Mean"), SlabKind::mean},
                                     {tr("Maximum"), SlabKind::maximum},
                                     {tr("Minimum"), SlabKind::minimum}})
        m_slabKind->addItem(text, QVariant::fromValue(kind));
    NumberField::Style style;
    style.unit = QStringLiteral("mm");
    style.step = 0.1;
    style.range = NumberField::Range{1e-6, 1e6};
    m_thickness = named(new NumberField(style, this), "slabThickness",
                        tr("Thickness of the slab about the cross-hair, rounded to whole slices"));
    m_thickness->hide();
    connect(m_slabKind, &QComboBox::currentIndexChanged, this, [this] { tellSlab(); });
    connect(m_thickness, &NumberField::valueEdited, this, [this] { tellSlab(); });
}

QWidget* SlicesTools::buildScale() {
    auto* scale = named(new QCheckBox(tr("Scale &bar"), this), "scaleBar",
                        tr("Shows a length in each slice (Alt+B)."));
    scale->setChecked(true);
    connect(scale, &QCheckBox::toggled, this, &SlicesTools::scaleToggled);
    return scale;
}

void SlicesTools::buildOblique() {
    m_oblique = named(
        new QToolButton(this), "obliqueToggle",
        tr("Oblique slice: one at any angle through the cross-hair, in the place of the sagittal "
           "one (O). Drag the handles of its line in the two other slices."));
    m_oblique->setFocusPolicy(Qt::StrongFocus);
    m_oblique->setIcon(icon("oblique"));
    m_oblique->setAccessibleName(tr("Oblique slice"));
    m_oblique->setCheckable(true);
    connect(m_oblique, &QToolButton::toggled, this, &SlicesTools::obliqueToggled);
}

QToolButton* SlicesTools::buildCompare() {
    auto* compare =
        named(new QToolButton(this), "compareWith",
              tr("Shows another volume beside this one: side by side, blended, or their difference "
                 "(Ctrl+Shift+C)."));
    compare->setFocusPolicy(Qt::StrongFocus);
    compare->setIcon(icon("compare"));
    compare->setAccessibleName(tr("Compare with…"));
    auto* menu = new QMenu(compare);
    menu->addAction(tr("&File…"), this, &SlicesTools::compareRequested)
        ->setObjectName("compareWithFile");
    menu->addAction(tr("F&older: OME-Zarr, or slices…"), this, &SlicesTools::compareFolderRequested)
        ->setObjectName("compareWithFolder");
    compare->setMenu(menu);
    compare->setPopupMode(QToolButton::InstantPopup);
    return compare;
}

void SlicesTools::buildMeasuring(QBoxLayout& line) {
    struct Tool {
        MeasureKind kind;
        const char* name;
        QString text;
        QString help;
    };
    const std::array<Tool, 4> tools = {{
        {MeasureKind::distance, "measure-distance", tr("Distance"),
         tr("Distance: drag in a slice, or click both ends (D). Esc ends the tool.")},
        {MeasureKind::angle, "measure-angle", tr("Angle"),
         tr("Angle: click one end, the vertex, and the other end (A). Esc ends the tool.")},
        {MeasureKind::profile, "measure-profile", tr("Line profile"),
         tr("Line profile: the attenuation along a line; drag, or click both ends (P). Esc ends "
            "the tool.")},
        {MeasureKind::region, "measure-region", tr("Measured region"),
         tr("Region: mean and noise in a box; drag its diagonal in one slice, its depth in another "
            "(R). Esc ends the tool.")},
    }};
    for (const Tool& tool : tools) {
        auto* button = named(new QToolButton(this), tool.name, tool.help);
        button->setIcon(icon(tool.name));
        button->setAccessibleName(tool.text);
        button->setCheckable(true);
        button->setFocusPolicy(Qt::StrongFocus);
        connect(button, &QToolButton::clicked, this, [this, kind = tool.kind](bool isOn) {
            emit measuringChosen(isOn ? std::optional(kind) : std::nullopt);
        });
        m_measuring[static_cast<std::size_t>(tool.kind)] = button;
        line.addWidget(button);
    }
}

void SlicesTools::showMeasuring(std::optional<MeasureKind> tool) {
    for (std::size_t i = 0; i < m_measuring.size(); ++i)
        m_measuring[i]->setChecked(tool && static_cast<std::size_t>(*tool) == i);
}

void SlicesTools::tellSlab() {
    const Slab slab{m_slabKind->currentData().value<SlabKind>(), m_thickness->value()};
    m_thickness->setVisible(slab.kind != SlabKind::slice);
    emit slabChosen(slab);
}

void SlicesTools::offerThickness(const VolumeGrid& grid) {
    if (m_thickness->value() <= 0)
        m_thickness->setValue(kFirstSlices * std::ranges::min(grid.pitchMm));
}

void SlicesTools::enableRegion(const QString& whyNot) {
    m_region->setEnabled(whyNot.isEmpty());
    m_region->setToolTip(whyNot.isEmpty()
                             ? tr("Shows what the next reconstruction will cover. Drag its edges "
                                  "or its middle; the voxel size stays.")
                             : whyNot);
    if (!whyNot.isEmpty()) m_region->setChecked(false);
}

bool SlicesTools::isRegionShown() const {
    return m_region->isChecked();
}

void SlicesTools::setReading(const QString& text, bool isReading) {
    m_reading->setText(text);
    m_cancel->setVisible(isReading);
}

}  // namespace gantry
