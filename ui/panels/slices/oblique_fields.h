#pragma once

#include <QWidget>

#include "ui/models/image/plane_raster.h"

namespace gantry {

class NumberField;

/// How the oblique slice lies, in two fields. Tests: tests/ui/panels/slices_oblique_test.cpp
class ObliqueFields : public QWidget {
    Q_OBJECT

  public:
    explicit ObliqueFields(QWidget* parent = nullptr);

    void setAngles(const ObliqueAngles& angles);

  signals:
    void anglesEdited(const gantry::ObliqueAngles& angles, bool isFinal);

  private:
    NumberField* m_turn = nullptr;
    NumberField* m_tilt = nullptr;
};

}  // namespace gantry
