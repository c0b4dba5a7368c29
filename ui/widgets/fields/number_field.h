#pragma once

#include <QString>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "ui/widgets/fields/pending_edit.h"

class QKeyEvent;
class QLabel;
class QLineEdit;
class QMouseEvent;

namespace gantry {

class NumberQuestion;

/// A number with its unit in the field: type, wheel, arrow keys, or drag the label. Enter, leaving
/// the field, or a command that uses it applies, Esc restores. A text that is out of range or no
/// number stays visible, with the reason below it. An ambiguous one, "1,000", is asked about below
/// it and not applied until one is chosen. The wheel counts only if the pointer has clicked into
/// the field since it came in, so that scrolling past changes nothing. Tests:
/// tests/ui/widgets/number_field_test.cpp, tests/ui/widgets/number_question_test.cpp
class NumberField : public QWidget, public PendingEdit {
    Q_OBJECT

  public:
    struct Range {
        double min;
        double max;
    };
    struct Style {
        QString unit = {};  ///< "mm", "°", "px"; empty: none
        /// For wheel, arrow keys and a drag's pixel; Ctrl: a tenth, Shift: tenfold.
        double step = 1;
        int digits = 6;  ///< significant digits shown
        bool whole = false;
        std::optional<Range> range = {};  ///< limits of typing; steps stop at them
        QString zero = {};  ///< what 0 means and stands in its place, "usual"; empty: the digit
        /// Converts a text that was typed in a special unit of the field to `unit`; other text is
        /// returned unchanged, and nothing while such a unit is incomplete. Null: there is none.
        std::function<QString(const QString& text)> inUnit = {};
    };

    explicit NumberField(Style style, QWidget* parent = nullptr);

    [[nodiscard]] double value() const { return m_value; }
    /// Shows a value without a signal; does not disturb a text that is being typed.
    void setValue(double value);
    /// Shows the value again, because the text being typed was meant for something else.
    void forgetTyping() { showValue(); }
    void setRange(std::optional<Range> range) { m_style.range = range; }
    void setUnit(const QString& unit);
    /// Shows a sentence below the field, in the warning's or the error's colour; empty: none.
    void setProblem(const QString& sentence, bool isError);
    [[nodiscard]] QString problem() const;
    /// Marks the value as a guess, with the reason as a tool tip; empty: none.
    void setGuess(const QString& reason);
    /// The label in front of the field; dragging it sideways changes the value.
    void attachLabel(QLabel* label);
    [[nodiscard]] bool isPending() const override;
    bool take() override;

  signals:
    /// Emitted for edits by the user. `isFinal` is false during a drag or wheel movement.
    void valueEdited(double value, bool isFinal);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void applyValue(double value);
    void refuse(const QString& sentence);
    void choose(double value);
    void restore();
    void stepBy(double steps, bool isFinal);
    void finishSteps();
    void showValue();
    void showMarks();
    void showProblem();
    void checkTyping(const QString& text);
    void followPoint(const QString& text);
    [[nodiscard]] QString textOfValue() const;
    [[nodiscard]] QString withUnit(const QString& number) const;
    [[nodiscard]] std::vector<double> interpretations() const;
    [[nodiscard]] QString reasonAgainst(double value) const;
    [[nodiscard]] QString inUnit(const QString& text) const;
    [[nodiscard]] double stepped(double from, double steps) const;
    bool onEditEvent(QEvent* event);
    bool onWheel(QEvent* event);
    bool onKey(const QKeyEvent& key);
    bool onLabelEvent(QEvent* event);
    bool onDrag(QMouseEvent* event);

    Style m_style;
    double m_value = 0;
    QLineEdit* m_edit = nullptr;
    QLabel* m_unit = nullptr;
    QLabel* m_problem = nullptr;
    NumberQuestion* m_question = nullptr;
    QLabel* m_guess = nullptr;
    QLabel* m_label = nullptr;
    QString m_typingProblem;  ///< of the typed text; shown in preference to the other one
    QString m_givenProblem;
    bool m_isGivenError = false;
    QString m_textBefore;           // before the last change of the text
    bool m_hasPointOfOurs = false;  // the text's decimal point was shown, not typed
    bool m_isClicked = false;       // the pointer has clicked since it came in
    QTimer m_stepsTimer;            ///< ends a turn of the wheel
    std::optional<double> m_dragFromX;
    double m_dragFromValue = 0;
    double m_dragSteps = 0;
};

}  // namespace gantry
