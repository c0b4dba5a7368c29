#include "ui/panels/volume/transfer_group.h"

#include <QCheckBox>
#include <QColorDialog>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPixmap>
#include <QPushButton>
#include <QSignalBlocker>
#include <iterator>

#include "ui/panels/volume/transfer_editor.h"
#include "ui/panels/volume/volume_appearance.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

TransferGroup::TransferGroup(AppearanceHistory& history, QWidget* parent)
    : QWidget(parent), m_history(history) {
    build();
    connectParts();
    showAppearance();
}

void TransferGroup::build() {
    m_preset = named(new QComboBox(this), "transferPreset");
    for (const QString& name : {tr("Grey window"), tr("All but air"), tr("Soft matter"),
                                tr("Bone, metal"), tr("Air pockets")})
        m_preset->addItem(name);
    m_preset->addItem(tr("My points"));
    m_preset->setToolTip(
        tr("What is shown, told from the volume's histogram. Grey window: as the window has it. "
           "Air pockets: what bounds air, in and around matter."));
    auto* label = new QLabel(tr("&Material"), this);
    label->setBuddy(m_preset);
    m_editor = named(new TransferEditor(this), "transferEditor");
    m_value =
        named(new NumberField({.unit = QStringLiteral("/mm"), .step = 0.001, .digits = 4}, this),
              "pointValue", tr("Of the chosen point; between those of its neighbours."));
    m_opacity = named(
        new NumberField({.unit = QStringLiteral("%"),
                         .step = 1,
                         .digits = 3,
                         .range = NumberField::Range{0, 100}},
                        this),
        "pointOpacity",
        tr("Of the chosen point: the share of light that a hundredth of the volume's diagonal of "
           "it stops."));
    m_colour = named(new QPushButton(tr("Colour…"), this), "pointColour",
                     tr("The colour of the chosen point."));
    m_byGradient = named(
        new QCheckBox(tr("&Only surfaces"), this), "byGradient",
        tr("Gradient opacity: matter is the clearer the less attenuation changes there, so that "
           "only surfaces are left."));
    auto* grid = spaced(new QGridLayout(this), kSpacing);
    grid->addWidget(label, 0, 0);
    grid->addWidget(m_preset, 0, 1);
    grid->addWidget(m_editor, 1, 0, 1, 2);
    int row = 2;
    for (const auto& [text, field] :
         {std::pair(tr("Attenuation"), m_value), {tr("Opacity"), m_opacity}}) {
        auto* name = new QLabel(text, this);
        field->attachLabel(name);
        grid->addWidget(name, row, 0);
        grid->addWidget(field, row++, 1);
    }
    grid->addWidget(m_byGradient, row, 0);
    grid->addWidget(m_colour, row, 1, Qt::AlignRight);
    grid->setColumnStretch(1, 1);
}

void TransferGroup::connectParts() {
    connect(&m_history, &AppearanceHistory::changed, this, &TransferGroup::showAppearance);
    connect(m_preset, &QComboBox::activated, this, &TransferGroup::choosePreset);
    connect(m_editor, &TransferEditor::edited, this, &TransferGroup::takePoints);
    connect(m_editor, &TransferEditor::levelEdited, this, &TransferGroup::levelEdited);
    connect(m_editor, &TransferEditor::chosenChanged, this, &TransferGroup::showPoint);
    connect(m_editor, &TransferEditor::colourRequested, this, &TransferGroup::askColour);
    connect(m_colour, &QPushButton::clicked, this, &TransferGroup::askColour);
    const auto takeField = [this](double, bool isFinal) {
        TransferPoint point = m_editor->transfer().points[m_editor->chosen()];
        point.value = m_value->value();
        point.opacity = m_opacity->value() / 100;
        m_editor->changeChosen(point, isFinal);
    };
    connect(m_value, &NumberField::valueEdited, this, takeField);
    connect(m_opacity, &NumberField::valueEdited, this, takeField);
    connect(m_byGradient, &QCheckBox::toggled, this, [this](bool isByGradient) {
        VolumeAppearance appearance = m_history.appearance();
        appearance.transfer.isByGradient = isByGradient;
        m_history.edit(appearance, true);
    });
}

TransferFunction TransferGroup::presetOf(TransferPreset preset) const {
    TransferFunction transfer = presetTransfer(preset, m_histogram, m_window);
    transfer.isByGradient = m_history.appearance().transfer.isByGradient;
    return transfer;
}

void TransferGroup::setHistogram(const Histogram& histogram, const QString& unit) {
    m_histogram = histogram;
    m_editor->setHistogram(histogram, unit);
    m_value->setUnit(unit);
    // A material is told anew in another volume.
    VolumeAppearance appearance = m_history.appearance();
    if (!appearance.preset) return;
    appearance.transfer = presetOf(*appearance.preset);
    m_history.restart(appearance);
}

void TransferGroup::setWindow(const GreyWindow& window) {
    m_window = window;
    showAppearance();
}

void TransferGroup::setLevel(std::optional<double> level) {
    m_editor->setLevel(level);
}

void TransferGroup::choosePreset(int index) {
    VolumeAppearance appearance = m_history.appearance();
    if (index >= static_cast<int>(std::size(kTransferPresets))) {
        takePoints(m_editor->transfer(), true);
        return;
    }
    appearance.preset = kTransferPresets[index];
    appearance.transfer = presetOf(*appearance.preset);
    m_history.edit(appearance, true);
}

void TransferGroup::takePoints(const TransferFunction& transfer, bool isFinal) {
    VolumeAppearance appearance = m_history.appearance();
    appearance.preset.reset();
    appearance.transfer = transfer;
    m_history.edit(appearance, isFinal);
}

void TransferGroup::askColour() {
    auto* dialog = new QColorDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setOption(QColorDialog::DontUseNativeDialog);
    dialog->setWindowTitle(tr("Colour…"));
    dialog->setCurrentColor(m_editor->transfer().points[m_editor->chosen()].colour);
    connect(dialog, &QColorDialog::colorSelected, this, [this](const QColor& colour) {
        TransferPoint point = m_editor->transfer().points[m_editor->chosen()];
        point.colour = colour.rgb();
        m_editor->changeChosen(point, true);
    });
    dialog->open();
}

void TransferGroup::showAppearance() {
    const VolumeAppearance& appearance = m_history.appearance();
    const TransferFunction transfer =
        appearance.preset == TransferPreset::window
            ? windowTransfer(m_window, appearance.transfer.isByGradient)
            : appearance.transfer;
    const QSignalBlocker noPreset(m_preset);
    const QSignalBlocker noGradient(m_byGradient);
    m_preset->setCurrentIndex(appearance.preset ? static_cast<int>(*appearance.preset)
                                                : static_cast<int>(std::size(kTransferPresets)));
    m_byGradient->setChecked(transfer.isByGradient);
    m_editor->setTransfer(transfer);
    showPoint();
}

void TransferGroup::showPoint() {
    const TransferPoint& point = m_editor->transfer().points[m_editor->chosen()];
    m_value->setValue(point.value);
    m_opacity->setValue(100 * point.opacity);
    QPixmap swatch(16, 16);
    swatch.fill(QColor(point.colour));
    m_colour->setIcon(swatch);
}

}  // namespace gantry
