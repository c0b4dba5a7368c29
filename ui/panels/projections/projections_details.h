#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/image/grey_image.h"

class QLabel;
class QSpinBox;

namespace gantry {

class HistogramView;
class ProfilePlot;

/// Below the images: the selected row before and after filtering, the histogram of one image with
/// its window, and the beam of all views where it is measured.
/// Tests: tests/ui/panels/projections_panel_test.cpp
class ProjectionsDetails : public QWidget {
    Q_OBJECT

  public:
    explicit ProjectionsDetails(QWidget* parent = nullptr);

    void setRows(Index rows);
    void setRow(Index row);
    /// The images whose selected row is drawn; empty ones leave out their curve.
    void setImages(const GreyImage& corrected, const GreyImage& filtered);
    /// beam: of each view, as a share of the flat fields'; empty: it is not measured, and not shown
    void setBeam(const std::vector<double>& beam);
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
    void showBeam();

    GreyImage m_corrected;
    GreyImage m_filtered;
    ProfilePlot* m_profile = nullptr;
    QSpinBox* m_row = nullptr;
    HistogramView* m_histogram = nullptr;
    QLabel* m_histogramName = nullptr;
    std::vector<double> m_beam;
    QWidget* m_beamTitle = nullptr;
    ProfilePlot* m_beamPlot = nullptr;
};

}  // namespace gantry
