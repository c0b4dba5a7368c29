#pragma once

#include <QWidget>

#include "ui/models/image/grey_image.h"

class QLabel;
class QSpinBox;

namespace gantry {

class HistogramView;
class ProfilePlot;

/// Below the images: the selected row before and after filtering, and the histogram of one image
/// with its window.
/// Tests: tests/ui/panels/projections_panel_test.cpp
class ProjectionsDetails : public QWidget {
    Q_OBJECT

  public:
    explicit ProjectionsDetails(QWidget* parent = nullptr);

    void setRows(Index rows);
    void setRow(Index row);
    /// The images whose selected row is drawn; empty ones leave out their curve.
    void setImages(const GreyImage& corrected, const GreyImage& filtered);
    void setHistogram(const QString& name, const Histogram& histogram, const QString& unit,
                      const GreyWindow& window);

  signals:
    void rowChosen(gantry::Index row);
    void windowEdited(const gantry::GreyWindow& window);
    void automaticRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void showProfile();

    GreyImage m_corrected;
    GreyImage m_filtered;
    ProfilePlot* m_profile = nullptr;
    QSpinBox* m_row = nullptr;
    HistogramView* m_histogram = nullptr;
    QLabel* m_histogramName = nullptr;
};

}  // namespace gantry
