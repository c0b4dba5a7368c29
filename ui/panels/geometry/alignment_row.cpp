#include "ui/panels/geometry/alignment_row.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QString withUnit(const QString& number, AlignmentUnit unit) {
    return unit == AlignmentUnit::pixels ? AlignmentRow::tr("%1 px").arg(number)
                                         : AlignmentRow::tr("%1°").arg(number);
}

// Returns as many decimals as show one digit of the uncertainty.
int decimalsFor(const Finding& finding, AlignmentUnit unit) {
    const int max = unit == AlignmentUnit::pixels ? 3 : 4;
    if (!(finding.uncertainty > 0) || !std::isfinite(finding.uncertainty)) return max - 1;
    return std::clamp(static_cast<int>(-std::floor(std::log10(finding.uncertainty))), 1, max);
}

QString changeText(const Finding& finding, AlignmentUnit unit) {
    const int decimals = decimalsFor(finding, unit);
    const double min = std::pow(10, -decimals) / 2;
    const double value = std::abs(finding.value) < min ? 0 : finding.value;
    return withUnit(QString::asprintf("%+.*f", decimals, value), unit);
}

// A reason is a part of a sentence, which may be one of its own.
QString sentenceOf(const QString& reason) {
    if (reason.isEmpty()) return {};
    const QString text = reason.front().toUpper() + reason.mid(1);
    return text.endsWith('.') ? text : text + '.';
}

QString basisOf(const QString& reason) {
    const bool isWhole = reason.isEmpty() || reason.endsWith('.') || reason.front().isUpper();
    return isWhole ? sentenceOf(reason) : AlignmentRow::tr("From %1.").arg(reason);
}

}  // namespace

QString findingText(const Finding& finding, AlignmentUnit unit) {
    if (!finding.isFound) return AlignmentRow::tr("cannot tell");
    const int decimals = decimalsFor(finding, unit);
    const double uncertainty = std::max(finding.uncertainty, std::pow(10, -decimals));
    return AlignmentRow::tr("%1 ± %2").arg(
        changeText(finding, unit), withUnit(QString::number(uncertainty, 'f', decimals), unit));
}

AlignmentRow::AlignmentRow(const QString& name, AlignmentUnit unit, QWidget* parent)
    : QWidget(parent), m_unit(unit) {
    m_check = new QCheckBox(name, this);
    m_valueText = new QLabel(this);
    m_valueText->setObjectName("value");
    m_valueText->setFont(tabular(font()));
    m_valueText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_reason = new QLabel(this);
    m_reason->setObjectName("reason");
    m_reason->setProperty("muted", true);
    m_reason->setTextFormat(Qt::PlainText);
    m_reason->setWordWrap(true);
    m_reason->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_reason->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // The longest there are take two lines.
    m_reason->setMinimumHeight(2 * m_reason->fontMetrics().lineSpacing());
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(kSpacing);
    grid->setVerticalSpacing(kSpacing / 4);
    grid->addWidget(m_check, 0, 0);
    grid->addWidget(m_valueText, 0, 1, Qt::AlignRight);
    grid->addWidget(m_reason, 1, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    connect(m_check, &QCheckBox::toggled, this, &AlignmentRow::chosenChanged);
    clear();
}

void AlignmentRow::showFinding(const Finding& finding, const QString& more) {
    m_value = finding.value;
    m_change = changeText(finding, m_unit);
    const QString reason = QString::fromStdString(finding.reason);
    QString sentence = finding.isFound ? basisOf(reason) : sentenceOf(reason);
    // Roll and tilt cost every view a resampling.
    const bool isWorthIt = m_unit == AlignmentUnit::pixels || finding.isSignificant();
    if (finding.isFound && !isWorthIt)
        sentence += ' ' + tr("No more than its uncertainty: nothing to change.");
    show(findingText(finding, m_unit), more.isEmpty() ? sentence : more + ' ' + sentence,
         finding.isFound, isWorthIt);
}

void AlignmentRow::clear() {
    m_value = 0;
    m_change.clear();
    show(tr("–"), {}, false, false);
}

void AlignmentRow::show(const QString& value, const QString& reason, bool isFound, bool isChosen) {
    const QSignalBlocker quiet(m_check);
    m_check->setEnabled(isFound);
    m_check->setChecked(isFound && isChosen);
    m_check->setAccessibleName(m_check->text() + ": " + value);
    m_check->setAccessibleDescription(reason);
    m_valueText->setText(value);
    m_reason->setText(reason);
}

bool AlignmentRow::isChosen() const {
    return m_check->isEnabled() && m_check->isChecked();
}

QString AlignmentRow::name() const {
    return m_check->text();
}

QString AlignmentRow::change() const {
    return m_check->text() + ' ' + m_change;
}

}  // namespace gantry
