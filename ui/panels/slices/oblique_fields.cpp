#include "ui/panels/slices/oblique_fields.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

ObliqueFields::ObliqueFields(QWidget* parent) : QWidget(parent) {
    setObjectName("obliqueFields");
    const auto field = [this](const char* name, const QString& help, double maxDeg) {
        NumberField::Style style;
        style.unit = QStringLiteral("°");
        style.digits = 4;
        style.range = NumberField::Range{-maxDeg, maxDeg};
        auto* made = new NumberField(style, this);
        made->setObjectName(name);
        made->setToolTip(help);
        connect(made, &NumberField::valueEdited, this, [this](double, bool isFinal) {
            emit anglesEdited({m_turn->value(), m_tilt->value()}, isFinal);
        });
        return made;
    };
    m_turn = field("obliqueTurn",
                   tr("About the rotation axis, counter-clockwise seen from above. 0° is sagittal, "
                      "90° coronal."),
                   180);
    m_tilt = field(
        "obliqueTilt",
        tr("About the slice's horizontal line, its upper part towards you. ±90° is axial."), 90);
    auto* reset = new QPushButton(tr("Reset"), this);
    reset->setObjectName("obliqueReset");
    reset->setToolTip(tr("Back to the sagittal slice; Ctrl+Z takes it back"));
    connect(reset, &QPushButton::clicked, this, [this] { emit anglesEdited({}, true); });

    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, kSpacing);
    grid->setSpacing(kSpacing);
    grid->addWidget(heading(tr("Oblique slice"), this), 0, 0, 1, 2);
    grid->addWidget(reset, 0, 1, Qt::AlignRight);
    int row = 1;
    for (const auto& [text, angle] : {std::pair(tr("Turned"), m_turn), {tr("Tilted"), m_tilt}}) {
        auto* label = new QLabel(text, this);
        angle->attachLabel(label);
        grid->addWidget(label, row, 0);
        grid->addWidget(angle, row++, 1);
    }
    grid->setColumnStretch(1, 1);
}

void ObliqueFields::setAngles(const ObliqueAngles& angles) {
    m_turn->setValue(angles.turnDeg);
    m_tilt->setValue(angles.tiltDeg);
}

}  // namespace gantry
