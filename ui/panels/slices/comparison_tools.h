#pragma once

#include <QWidget>

#include "ui/panels/slices/compared_view.h"

class QComboBox;
class QSlider;

namespace gantry {

class NumberField;

/// The row above two compared volumes: how they are shown.
/// Tests: tests/ui/panels/slices_comparison_test.cpp
class ComparisonTools : public QWidget {
    Q_OBJECT

  public:
    explicit ComparisonTools(QWidget* parent = nullptr);

    [[nodiscard]] ComparisonLook look() const;
    /// Shows the other volume in the same place.
    void flip();
    /// That is shown in full colours, in 1/mm.
    void setReach(double reach);

  signals:
    void lookChosen(const gantry::ComparisonLook& look);
    void reachEdited(double reach);
    void closeRequested();

  private:
    void showLook();

    QComboBox* m_mode = nullptr;
    QSlider* m_blend = nullptr;
    QWidget* m_reachLabel = nullptr;
    NumberField* m_reach = nullptr;
};

}  // namespace gantry
