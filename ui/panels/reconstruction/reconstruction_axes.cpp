#include "ui/panels/reconstruction/reconstruction_axes.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/widgets/style/theme.h"

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
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpacing / 4);
    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    if (!linkText.isEmpty()) {
        m_link = new QCheckBox(linkText);
        m_link->setObjectName(name + "Link");
        top->addWidget(m_link);
        connect(m_link, &QCheckBox::toggled, this, [this](bool isLinked) {
            showLink();
            if (isLinked && !areEqual(m_values)) take(0, m_values[0], true);
        });
    }
    column->addLayout(top);
    auto* row = new QHBoxLayout;
    row->setSpacing(kSpacing / 2);
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

}  // namespace gantry
