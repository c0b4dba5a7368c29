#include "ui/panels/slices/comparison_tools.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>

#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr int kWhole = 100;  // percent

}  // namespace

ComparisonTools::ComparisonTools(QWidget* parent) : QWidget(parent) {
    m_mode = new QComboBox(this);
    m_mode->setObjectName("comparisonMode");
    m_mode->setToolTip(
        tr("A is the open volume, B the one it is compared with. Cross-hair, zoom and grey window "
           "are common to both (Alt+W)."));
    // In the order of ComparisonLook::Mode.
    m_mode->addItems({tr("Side by side"), tr("Blended"), tr("Difference A − B")});
    m_blend = new QSlider(Qt::Horizontal, this);
    m_blend->setObjectName("blend");
    m_blend->setRange(0, kWhole);
    m_blend->setValue(kWhole / 2);
    m_blend->setFixedWidth(16 * kSpacing);
    m_blend->setToolTip(tr("From A, at the left, to B"));
    m_blend->setAccessibleName(tr("From A, at the left, to B"));
    NumberField::Style style;
    style.unit = QStringLiteral("/mm");
    style.step = 0.001;
    style.range = NumberField::Range{1e-9, 1e9};
    m_reach = new NumberField(style, this);
    m_reach->setObjectName("differenceReach");
    m_reach->setToolTip(
        tr("Difference that is shown in full blue, where A is the smaller, and full red. White: "
           "none. Dragging with the right button in a slice changes it too."));
    auto* reachLabel = new QLabel(tr("Blue to red ±"), this);
    reachLabel->setBuddy(m_reach);
    m_reachLabel = reachLabel;
    auto* flip = new QPushButton(tr("Flip A, B"), this);
    flip->setObjectName("flip");
    flip->setToolTip(tr("Shows the other of the two volumes in the same place (B)."));
    auto* close = new QPushButton(tr("Close comparison"), this);
    close->setObjectName("closeComparison");
    close->setToolTip(tr("Back to the slices of A alone (Esc)."));
    auto* modeLabel = new QLabel(tr("Sho&w"), this);
    modeLabel->setBuddy(m_mode);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(kSpacing);
    for (QWidget* part : {static_cast<QWidget*>(modeLabel), static_cast<QWidget*>(m_mode),
                          static_cast<QWidget*>(m_blend), m_reachLabel,
                          static_cast<QWidget*>(m_reach), static_cast<QWidget*>(flip)})
        line->addWidget(part);
    line->addStretch(1);
    line->addWidget(close);
    connect(m_mode, &QComboBox::currentIndexChanged, this, [this] { showLook(); });
    connect(m_blend, &QSlider::valueChanged, this, [this] { showLook(); });
    connect(m_reach, &NumberField::valueEdited, this, &ComparisonTools::reachEdited);
    connect(flip, &QPushButton::clicked, this, &ComparisonTools::flip);
    connect(close, &QPushButton::clicked, this, &ComparisonTools::closeRequested);
    showLook();
}

ComparisonLook ComparisonTools::look() const {
    return {static_cast<ComparisonLook::Mode>(m_mode->currentIndex()), m_blend->value()};
}

void ComparisonTools::flip() {
    // From anything else to A, and from A to B.
    const bool isA = look() == ComparisonLook{ComparisonLook::Mode::blended, 0};
    QSignalBlocker once(this);
    m_mode->setCurrentIndex(static_cast<int>(ComparisonLook::Mode::blended));
    m_blend->setValue(isA ? kWhole : 0);
    once.unblock();
    showLook();
}

void ComparisonTools::setReach(double reach) {
    m_reach->setValue(reach);
}

void ComparisonTools::showLook() {
    const ComparisonLook now = look();
    m_blend->setVisible(now.mode == ComparisonLook::Mode::blended);
    m_reach->setVisible(now.mode == ComparisonLook::Mode::difference);
    m_reachLabel->setVisible(now.mode == ComparisonLook::Mode::difference);
    emit lookChosen(now);
}

}  // namespace gantry
