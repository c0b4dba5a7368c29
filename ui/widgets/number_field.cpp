#include "ui/widgets/number_field.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QStyle>
#include <QToolTip>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/models/number_input.h"
#include "ui/models/text.h"
#include "ui/widgets/theme.h"

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

double modifierFactor(Qt::KeyboardModifiers modifiers) {
    if (modifiers & Qt::ControlModifier) return 0.1;
    return modifiers & Qt::ShiftModifier ? 10 : 1;
}

}  // namespace

NumberField::NumberField(Style style, QWidget* parent)
    : QWidget(parent),
      m_style(std::move(style)),
      m_edit(new QLineEdit),
      m_unit(new QLabel(m_style.unit, m_edit)),
      m_problem(new QLabel),
      m_guess(new QLabel(tr("guess"), m_edit)) {
    m_edit->setObjectName("edit");
    m_edit->setAlignment(Qt::AlignRight);
    m_edit->setFont(tabular(font()));
    m_edit->installEventFilter(this);
    m_unit->setProperty("muted", true);
    m_unit->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_guess->setObjectName("guess");
    m_guess->setProperty("kind", "warning");
    m_guess->hide();
    m_problem->setObjectName("problem");
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(m_edit);
    column->addWidget(m_problem);
    setFocusProxy(m_edit);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    m_stepsTimer.setSingleShot(true);
    m_stepsTimer.setInterval(kWheelRestMs);
    connect(&m_stepsTimer, &QTimer::timeout, this, [this] { emit valueEdited(m_value, true); });
    connect(m_edit, &QLineEdit::textEdited, this, &NumberField::checkTyping);
    showValue();
    showMarks();
}

void NumberField::setValue(double value) {
    const bool isSame = value == m_value || (std::isnan(value) && std::isnan(m_value));
    m_value = value;
    // What is being typed stays, and so does what was refused, until there is another value.
    if (m_edit->isModified() && (m_edit->hasFocus() || isSame)) return;
    showValue();
}

void NumberField::setRange(std::optional<Range> range) {
    m_style.range = range;
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
    const QString name = label->text().remove('&');
    m_edit->setAccessibleName(m_style.unit.isEmpty() ? name : name + ", " + m_style.unit);
}

// The text of the value; whatever was typed is forgotten.
void NumberField::showValue() {
    QString text;
    if (std::isfinite(m_value)) {
        const bool isWhole = m_style.whole && std::abs(m_value) < 1e15;
        text = isWhole ? QString::number(m_value, 'f', 0) : numberText(m_value, m_style.digits);
    }
    if (text != m_edit->text()) m_edit->setText(text);
    m_edit->setModified(false);
    m_typingProblem.clear();
    showProblem();
}

// The unit at the right end of the field, the mark of a guess at the left one.
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
    const bool isError = !m_typingProblem.isEmpty() || m_isGivenError;
    const QString sentence = problem();
    const QString kind = isError ? "error" : "warning";
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
    setStyled(*m_problem, "kind", kind);
    setStyled(*m_edit, "problem", sentence.isEmpty() ? QString() : kind);
    setAccessibleDescription(sentence);
}

QString NumberField::reasonAgainst(double value) const {
    const QString unit = m_style.unit.isEmpty() ? QString() : ' ' + m_style.unit;
    if (m_style.whole && value != std::round(value)) return tr("Only whole numbers are possible.");
    if (!m_style.range) return {};
    const auto& [least, most] = *m_style.range;
    if (value < least) return tr("At least %1%2.").arg(numberText(least, m_style.digits), unit);
    if (value > most) return tr("At most %1%2.").arg(numberText(most, m_style.digits), unit);
    return {};
}

// Says at once what more typing cannot mend: "6" may become 600, "6000" not.
void NumberField::checkTyping(const QString& text) {
    m_typingProblem.clear();
    const auto value = parseNumber(text, m_style.unit);
    if (!value && !isBeginningOfNumber(text)) {
        m_typingProblem = tr("Not a number.");
    } else if (value && m_style.range && std::abs(*value) > std::abs(m_style.range->most) &&
               std::abs(*value) > std::abs(m_style.range->least)) {
        m_typingProblem = reasonAgainst(*value);
    }
    showProblem();
}

void NumberField::apply() {
    finishSteps();
    if (!m_edit->isModified()) return;
    const auto value = parseNumber(m_edit->text(), m_style.unit);
    if (!value) {
        const QString example = numberText(std::isfinite(m_value) ? m_value : 1, m_style.digits);
        m_typingProblem =
            tr("Not a number: type one such as %1%2.")
                .arg(example, m_style.unit.isEmpty() ? QString() : ' ' + m_style.unit);
        showProblem();
        return;
    }
    m_typingProblem = reasonAgainst(*value);
    if (!m_typingProblem.isEmpty()) {
        showProblem();
        return;
    }
    const bool isNew = *value != m_value;
    m_value = *value;
    showValue();
    if (isNew) emit valueEdited(m_value, true);
}

void NumberField::restore() {
    showValue();
    m_edit->selectAll();
}

double NumberField::stepped(double from, double steps) const {
    double value = (std::isfinite(from) ? from : 0) + steps * m_style.step;
    if (m_style.whole) value = std::round(value);
    if (m_style.range) value = std::clamp(value, m_style.range->least, m_style.range->most);
    // 0.1 + 0.2 is 0.3 here.
    constexpr int kDigits = 12;
    return QString::number(value, 'g', kDigits).toDouble();
}

void NumberField::stepBy(double steps, bool isFinal) {
    const auto typed = parseNumber(m_edit->text(), m_style.unit);
    const double from = m_edit->isModified() && typed ? *typed : m_value;
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

bool NumberField::onEditEvent(QEvent* event) {
    switch (event->type()) {
        case QEvent::Resize:
        case QEvent::FontChange:
        case QEvent::StyleChange:
            showMarks();
            return false;
        case QEvent::FocusOut:
            apply();
            return false;
        case QEvent::ShortcutOverride: {
            // Where nothing is being typed, undo and redo are the window's.
            const auto* key = static_cast<QKeyEvent*>(event);
            if (m_edit->isModified() ||
                (!key->matches(QKeySequence::Undo) && !key->matches(QKeySequence::Redo)))
                return false;
            event->ignore();
            return true;
        }
        case QEvent::Wheel: {
            auto* wheel = static_cast<QWheelEvent*>(event);
            wheel->setAccepted(m_edit->hasFocus() && !m_edit->isReadOnly());
            // With Alt, X11 makes the wheel a sideways one.
            const double turned = wheel->angleDelta().y() / 120.0;
            if (wheel->isAccepted() && turned != 0)
                stepBy(turned * modifierFactor(wheel->modifiers()), false);
            return true;
        }
        case QEvent::KeyPress:
            break;
        default:
            return false;
    }
    auto* key = static_cast<QKeyEvent*>(event);
    const double factor = modifierFactor(key->modifiers());
    switch (key->key()) {
        case Qt::Key_Up:
            stepBy(factor, false);
            return true;
        case Qt::Key_Down:
            stepBy(-factor, false);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            apply();
            if (m_typingProblem.isEmpty()) m_edit->selectAll();
            return true;
        case Qt::Key_Escape:
            // Nothing to restore: it is for whoever is around the field.
            if (!m_edit->isModified()) return false;
            restore();
            return true;
        default:
            return false;
    }
}

bool NumberField::onLabelEvent(QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseMove:
        case QEvent::MouseButtonRelease:
            return isEnabled() && onDrag(static_cast<QMouseEvent*>(event));
        case QEvent::ToolTip:
            if (!m_label->toolTip().isEmpty() || toolTip().isEmpty()) return false;
            QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), toolTip(), m_label);
            return true;
        default:
            return false;
    }
}

// A drag of the label; a click gives the field the focus.
bool NumberField::onDrag(QMouseEvent* event) {
    const double x = event->globalPosition().x();
    if (event->type() == QEvent::MouseButtonPress) {
        if (event->button() != Qt::LeftButton) return false;
        apply();
        m_dragFromX = x;
        m_dragFromValue = m_value;
        m_dragSteps = 0;
        return true;
    }
    if (!m_dragFromX) return false;
    if (event->type() == QEvent::MouseMove) {
        m_dragSteps += (x - *m_dragFromX) * modifierFactor(event->modifiers());
        m_dragFromX = x;
        const double value = stepped(m_dragFromValue, m_dragSteps);
        if (value == m_value) return true;
        m_value = value;
        showValue();
        emit valueEdited(m_value, false);
        return true;
    }
    m_dragFromX.reset();
    if (m_dragSteps == 0) {
        m_edit->setFocus(Qt::MouseFocusReason);
        m_edit->selectAll();
    } else {
        emit valueEdited(m_value, true);
    }
    return true;
}

bool NumberField::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_edit) return onEditEvent(event);
    return watched == m_label ? onLabelEvent(event) : QWidget::eventFilter(watched, event);
}

}  // namespace gantry
