#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/job/forecast_text.h"

namespace gantry {

/// The stages of a forecast as parts of one bar, with names and seconds below it.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp
class ReconstructionStageBar : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionStageBar(QWidget* parent = nullptr);
    void setParts(std::vector<ForecastPart> parts);

    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    [[nodiscard]] int entryWidth() const;
    [[nodiscard]] int columnsIn(int width) const;

    std::vector<ForecastPart> m_parts;
};

}  // namespace gantry
