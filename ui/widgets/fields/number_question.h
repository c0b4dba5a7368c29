#pragma once

#include <QWidget>
#include <vector>

class QKeyEvent;
class QPushButton;

namespace gantry {

/// Two buttons below a number field, "1000 mm" and "1 mm", if the typed text has two
/// interpretations. Tab or Down goes to them, Enter or Space chooses, Esc leaves.
/// Tests: tests/ui/widgets/number_question_test.cpp
class NumberQuestion : public QWidget {
    Q_OBJECT

  public:
    explicit NumberQuestion(QString unit, QWidget* parent = nullptr);
    void ask(const std::vector<double>& interpretations);
    /// Gives the first button the focus.
    void enter();

  signals:
    void chosen(double value);
    void left();  ///< by Esc

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QString m_unit;
    std::vector<double> m_interpretations;
    std::vector<QPushButton*> m_buttons;
};

}  // namespace gantry
