#pragma once

#include <QWidget>
#include <memory>

#include "core/io/volume/voxel_encoding.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/volume/volume_loading.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace gantry {

class Measurements;
class NumberField;

/// What the chosen region is known to be, air, water or any number of HU, and the scale of the
/// volume by all regions that are known. Hidden while no region is chosen.
/// Tests: tests/ui/panels/slices_density_test.cpp
class SlicesDensity : public QWidget {
    Q_OBJECT

  public:
    explicit SlicesDensity(Measurements& measurements, QWidget* parent = nullptr);

    void setVolume(std::shared_ptr<const LoadedVolume> volume);
    void showChosen();

  private:
    void buildRows();
    void edit();
    void showState();
    void calibrate();
    void tell(const QString& sentence, bool isError);

    Measurements& m_measurements;
    std::shared_ptr<const LoadedVolume> m_volume;
    QComboBox* m_matter = nullptr;
    NumberField* m_number = nullptr;
    QPushButton* m_calibrate = nullptr;
    QPushButton* m_again = nullptr;
    QLabel* m_state = nullptr;
    Background m_reading;
};

}  // namespace gantry
