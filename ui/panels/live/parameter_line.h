#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/scan/live_parameter.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;

namespace gantry {

class ScanDocument;

/// Chooses one parameter of the open scan's geometry and edits it with a slider of fine steps about
/// where it was at the start. Tests: tests/ui/panels/live_panel_test.cpp
class ParameterLine : public QWidget {
    Q_OBJECT

  public:
    ParameterLine(ScanDocument& scan, QWidget* parent);

    /// What the geometry has now is where the sliders' middles are.
    void begin();
    /// Shows the geometry as it is.
    void refresh();
    [[nodiscard]] const LiveParameter& parameter() const;
    [[nodiscard]] double value() const;
    [[nodiscard]] QString text(double value) const { return parameter().field.text(value); }
    /// Edits the scan's field. gesture: edits of the same are one step of undo
    void setValue(double value, const QString& gesture);

  signals:
    void parameterChanged();
    void filmstripToggled(bool isShown);

  private:
    [[nodiscard]] double start() const;
    void showParameter();

    ScanDocument& m_scan;
    std::vector<LiveParameter> m_parameters;
    std::vector<double> m_starts;  // one a parameter
    QComboBox* m_choice = nullptr;
    QSlider* m_slider = nullptr;
    QLabel* m_value = nullptr;
    QPushButton* m_filmstrip = nullptr;
};

}  // namespace gantry
