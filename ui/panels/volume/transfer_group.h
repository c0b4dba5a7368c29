#pragma once

#include <QWidget>
#include <optional>

#include "ui/models/image/transfer_function.h"

class QCheckBox;
class QComboBox;
class QPushButton;

namespace gantry {

class AppearanceHistory;
class NumberField;
class TransferEditor;

/// Presets and points of the transfer function.
/// Tests: tests/ui/panels/volume_panel_test.cpp
class TransferGroup : public QWidget {
    Q_OBJECT

  public:
    explicit TransferGroup(AppearanceHistory& history, QWidget* parent = nullptr);
    void setHistogram(const Histogram& histogram, const QString& unit);
    void setWindow(const GreyWindow& window);
    /// Sets the attenuation of the surface that is shown, 1/mm; none: none is shown.
    void setLevel(std::optional<double> level);

  signals:
    void levelEdited(double level, bool isFinal);

  private:
    void build();
    void connectParts();
    [[nodiscard]] TransferFunction presetOf(TransferPreset preset) const;
    void choosePreset(int index);
    void takePoints(const TransferFunction& transfer, bool isFinal);
    void askColour();
    void showAppearance();
    void showPoint();

    AppearanceHistory& m_history;
    Histogram m_histogram;
    GreyWindow m_window;
    QComboBox* m_preset = nullptr;
    TransferEditor* m_editor = nullptr;
    NumberField* m_value = nullptr;
    NumberField* m_opacity = nullptr;
    QPushButton* m_colour = nullptr;
    QCheckBox* m_byGradient = nullptr;
};

}  // namespace gantry
