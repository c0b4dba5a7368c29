#pragma once

#include <QWidget>
#include <vector>

#include "core/doctor/diagnosis.h"
#include "ui/models/image/grey_image.h"

class QButtonGroup;
class QRadioButton;
class QVBoxLayout;

namespace gantry {

/// Readings that fit a scan equally: a button to choose each, how well they fit, and slices.
/// Tests: tests/ui/panels/convention_window_test.cpp
class ConventionRow : public QWidget {
    Q_OBJECT

  public:
    struct Look {
        double sharpest = 1;  ///< of all groups, which a group's sharpness is shown over
        GreyWindow window;    ///< of the slices
        bool listsSameViews = false;
    };
    /// choices: where the buttons go, in order; of all rows together one is chosen
    ConventionRow(const InterpretationGroup& group, const Look& look, QButtonGroup& choices,
                  QWidget* parent = nullptr);

    /// The reading whose button is chosen here; null: none.
    [[nodiscard]] const Interpretation* chosen() const;
    /// The button of the group's own reading.
    [[nodiscard]] QRadioButton& first() { return *m_choices.front().button; }

  private:
    struct Choice {
        QRadioButton* button;
        Interpretation interpretation;
    };
    void addChoice(QVBoxLayout& column, QButtonGroup& choices, const Interpretation& interpretation,
                   int indent);
    void addSameViews(QVBoxLayout& column, QButtonGroup& choices, const InterpretationGroup& group);
    [[nodiscard]] QWidget* makeSlices(const InterpretationGroup& group, const GreyWindow& window);

    std::vector<Choice> m_choices;
};

}  // namespace gantry
