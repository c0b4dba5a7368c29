#include "ui/widgets/fields/number_field.h"

#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/models/number_input.h"
#include "ui/models/text.h"
#include "ui/widgets/fields/number_question.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

constexpr int kWheelRestMs = 400;
constexpr int kMarkMargin = 6;

// For style sheets that choose by a property.
void setStyled(QWidget& widget, const char* property, const QVariant& value) {
    if (widget.property(property) == value) return;
    widget.setProperty(property, value);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

}  // namespace

NumberField::NumberField(Style style, QWidget* parent)
    : QWidget(parent),
      m_style(std::move(style)),
      m_edit(named(new QLineEdit, "edit")),
      m_unit(new QLabel(m_style.unit, m_edit)),
      m_problem(named(new QLabel, "problem")),
      m_question(new NumberQuestion(m_style.unit)),
      m_guess(named(new QLabel(tr("guess"), m_edit), "guess")) {
    m_edit->setAlignment(Qt::AlignRight);
    m_edit->setFont(tabular(font()));
    m_edit->installEventFilter(this);
    // A dropped file is to be opened, not typed.
    m_edit->setAcceptDrops(false);
    m_unit->setProperty("muted", true);
    m_unit->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_guess->setProperty("kind", "warning");
    m_guess->hide();
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto* column = spaced(new QVBoxLayout(this), 2);
    column->addWidget(m_edit);
    column->addWidget(m_problem);
    column->addWidget(m_question);
    setFocusProxy(m_edit);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    m_stepsTimer.setSingleShot(true);
    m_stepsTimer.setInterval(kWheelRestMs);
    connect(&m_stepsTimer, &QTimer::timeout, this, [this] { emit valueEdited(m_value, true); });
    connect(m_edit, &QLineEdit::textEdited, this, &NumberField::checkTyping);
    connect(m_question, &NumberQuestion::chosen, this, &NumberField::choose);
    connect(m_question, &NumberQuestion::left, this, [this] {
        restore();
        m_edit->setFocus();
    });
    m_edit->setPlaceholderText(m_style.zero);
    showValue();
    showMarks();
}

void NumberField::setValue(double value) {
    const bool isSame = value == m_value || (std::isnan(value) && std::isnan(m_value));
    m_value = value;
    // A text being typed or refused stays until the value changes.
    if (m_edit->isModified() && (m_edit->hasFocus() || isSame)) return;
    showValue();
}

void NumberField::setProblem(const QString& sentence, bool isError) {
    m_givenProblem = sentence;
    m_isGivenError = isError;
    showProblem();
}

QString NumberField::problem() const {
    return m_typingProblem.isEmpty() ? m_givenProblem : m_typingProblem;
}

void NumberField::setGuess(const QString& reason) {
    m_guess->setVisible(!reason.isEmpty());
    m_guess->setToolTip(reason);
    m_edit->setAccessibleDescription(reason.isEmpty() ? QString() : tr("A guess: %1").arg(reason));
    showMarks();
}

void NumberField::attachLabel(QLabel* label) {
    m_label = label;
    label->setBuddy(m_edit);
    label->setCursor(Qt::SizeHorCursor);
    label->installEventFilter(this);
    const QString name =
        label->accessibleName().isEmpty() ? label->text().remove('&') : label->accessibleName();
    m_edit->setAccessibleName(m_style.unit.isEmpty() ? name : name + ", " + m_style.unit);
}

QString NumberField::textOfValue() const {
    if (!std::isfinite(m_value)) return {};
    if (m_value == 0 && !m_style.zero.isEmpty()) return {};
    const bool isWhole = m_style.whole && std::abs(m_value) < 1e15;
    return isWhole ? QString::number(m_value, 'f', 0) : numberText(m_value, m_style.digits);
}

QString NumberField::withUnit(const QString& number) const {
    return m_style.unit.isEmpty() ? number : number + ' ' + m_style.unit;
}

// Shows the value's text; the typed text is lost.
void NumberField::showValue() {
    const QString text = textOfValue();
    if (text != m_edit->text()) m_edit->setText(text);
    m_edit->setModified(false);
    m_textBefore = text;
    m_hasPointOfOurs = text.contains('.');
    m_typingProblem.clear();
    m_question->hide();
    showProblem();
}

void NumberField::setUnit(const QString& unit) {
    if (unit == m_style.unit) return;
    m_style.unit = unit;
    m_unit->setText(unit);
    showMarks();
}

// Shows the unit at the right end of the field, the mark of a guess at the left one.
void NumberField::showMarks() {
    const auto extent = [](const QLabel& mark) {
        return mark.isHidden() || mark.text().isEmpty() ? 0 : mark.sizeHint().width() + kMarkMargin;
    };
    m_edit->setTextMargins(extent(*m_guess), 0, extent(*m_unit), 0);
    for (QLabel* mark : {m_unit, m_guess})
        mark->resize(mark->sizeHint().width(), m_edit->height());
    m_unit->move(m_edit->width() - m_unit->width() - kMarkMargin, 0);
    m_guess->move(kMarkMargin, 0);
    const int digitsSeen = m_guess->isHidden() ? 6 : 5;
    m_edit->setMinimumWidth(extent(*m_guess) + extent(*m_unit) + 2 * kMarkMargin +
                            m_edit->fontMetrics().horizontalAdvance(QString(digitsSeen, '0')));
}

void NumberField::showProblem() {
    const bool isAsked = !m_question->isHidden();
    const bool isError = m_typingProblem.isEmpty() ? m_isGivenError : !isAsked;
    const QString sentence = problem();
    const QString kind = isError ? "error" : "warning";
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
    setStyled(*m_problem, "kind", kind);
    setStyled(*m_edit, "problem", sentence.isEmpty() ? QString() : kind);
    setAccessibleDescription(sentence);
}

QString NumberField::reasonAgainst(double value) const {
    if (m_style.whole && value != std::round(value)) return tr("Only whole numbers are possible.");
    if (!m_style.range) return {};
    const auto& [min, max] = *m_style.range;
    if (value < min) return tr("At least %1.").arg(withUnit(numberText(min, m_style.digits)));
    if (value > max) return tr("At most %1.").arg(withUnit(numberText(max, m_style.digits)));
    return {};
}

std::vector<double> NumberField::interpretations() const {
    NumberLimits limits{.isWhole = m_style.whole};
    if (m_style.range) {
        limits.min = m_style.range->min;
        limits.max = m_style.range->max;
    }
    std::vector<double> interpretations =
        numberInterpretations(inUnit(m_edit->text()), m_style.unit, limits);
    if (interpretations.size() == 2 && m_hasPointOfOurs) return {interpretations.back()};
    return interpretations;
}

// Tracks whether the decimal point of the shown text is still there.
void NumberField::followPoint(const QString& text) {
    const QString before = std::exchange(m_textBefore, text);
    if (!m_hasPointOfOurs) return;
    const auto [left, other] =
        std::mismatch(before.begin(), before.end(), text.begin(), text.end());
    const auto sameAtBegin = left - before.begin();
    const auto max = std::min(before.size(), text.size()) - sameAtBegin;
    const auto right = std::mismatch(before.rbegin(), before.rbegin() + max, text.rbegin());
    const auto sameAtEnd = right.first - before.rbegin();
    const auto point = before.indexOf('.');
    m_hasPointOfOurs = point < sameAtBegin || point >= before.size() - sameAtEnd;
}

QString NumberField::inUnit(const QString& text) const {
    return m_style.inUnit ? m_style.inUnit(text) : text;
}

// Reports at once an error that more typing cannot correct: "6" may become 600, "6000" not.
void NumberField::checkTyping(const QString& text) {
    followPoint(text);
    m_typingProblem.clear();
    m_question->hide();
    const std::vector<double> values = interpretations();
    if (values.empty() && !isBeginningOfNumber(inUnit(text))) {
        m_typingProblem = tr("Not a number.");
    } else if (values.size() == 1 && m_style.range &&
               std::abs(values.front()) > std::abs(m_style.range->max) &&
               std::abs(values.front()) > std::abs(m_style.range->min)) {
        m_typingProblem = reasonAgainst(values.front());
    }
    showProblem();
}

bool NumberField::isPending() const {
    return m_edit->isModified() || m_stepsTimer.isActive();
}

bool NumberField::take() {
    finishSteps();
    if (!m_edit->isModified()) return true;
    const std::vector<double> values = interpretations();
    if (m_edit->text() == textOfValue()) {
        showValue();
    } else if (!m_style.zero.isEmpty() && m_edit->text().trimmed().isEmpty()) {
        applyValue(0);
    } else if (values.empty()) {
        const QString example = numberText(std::isfinite(m_value) ? m_value : 1, m_style.digits);
        refuse(tr("Not a number: type one such as %1.").arg(withUnit(example)));
    } else if (values.size() > 1) {
        m_question->ask(values);
        refuse(tr("%1 can be read in two ways. Which is meant?").arg(m_edit->text().trimmed()));
    } else if (const QString reason = reasonAgainst(values.front()); !reason.isEmpty()) {
        refuse(reason);
    } else {
        applyValue(values.front());
    }
    return !m_edit->isModified();
}

void NumberField::applyValue(double value) {
    const bool isNew = value != m_value;
    m_value = value;
    showValue();
    if (isNew) emit valueEdited(m_value, true);
}

void NumberField::refuse(const QString& sentence) {
    m_typingProblem = sentence;
    showProblem();
}

// Chooses one of the interpretations of a text.
void NumberField::choose(double value) {
    m_question->hide();
    m_edit->setFocus();
    const QString reason = reasonAgainst(value);
    if (!reason.isEmpty()) return refuse(reason);
    applyValue(value);
    m_edit->selectAll();
}

void NumberField::restore() {
    showValue();
    m_edit->selectAll();
}

double NumberField::stepped(double from, double steps) const {
    double value = (std::isfinite(from) ? from : 0) + steps * m_style.step;
    if (m_style.whole) value = std::round(value);
    if (m_style.range) value = std::clamp(value, m_style.range->min, m_style.range->max);
    // Makes 0.1 + 0.2 equal 0.3.
    constexpr int kDigits = 12;
    return QString::number(value, 'g', kDigits).toDouble();
}

void NumberField::stepBy(double steps, bool isFinal) {
    const std::vector<double> typed =
        m_edit->isModified() ? interpretations() : std::vector{m_value};
    if (typed.size() != 1) {
        take();
        return;
    }
    const double from = typed.front();
    if (m_style.whole) steps = steps < 0 ? std::min(-1.0, steps) : std::max(1.0, steps);
    const double value = stepped(from, steps);
    const bool isNew = value != m_value;
    m_value = value;
    showValue();
    if (isFinal) {
        m_stepsTimer.stop();
    } else {
        m_stepsTimer.start();
    }
    if (isNew || isFinal) emit valueEdited(m_value, isFinal);
}

void NumberField::finishSteps() {
    if (!m_stepsTimer.isActive()) return;
    m_stepsTimer.stop();
    emit valueEdited(m_value, true);
}

}  // namespace gantry
