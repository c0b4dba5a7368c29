#pragma once

#include <QWidget>

#include "ui/widgets/fields/number_field.h"

class QSlider;

namespace gantry {

/// A number that is set by a slider between two ends, or typed. Its parts go into one row of a
/// form. Tests: tests/ui/panels/volume_panel_test.cpp
class SliderField : public QWidget {
    Q_OBJECT

  public:
    /// step: of a pixel that the field's label is dragged
    SliderField(const QString& name, const QString& unit, QWidget* parent = nullptr,
                double step = 1);
    void setRange(double min, double max);
    void setValue(double value);
    [[nodiscard]] double value() const { return m_field->value(); }
    [[nodiscard]] NumberField& field() { return *m_field; }

  signals:
    /// By the user. `isFinal` is false during a drag.
    void valueEdited(double value, bool isFinal);

  private:
    void showOnSlider();
    void takeSlider(bool isFinal);

    QSlider* m_slider = nullptr;
    NumberField* m_field = nullptr;
    double m_min = 0;
    double m_max = 1;
};

}  // namespace gantry
