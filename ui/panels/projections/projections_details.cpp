#include "ui/panels/projections/projections_details.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>

#include "ui/models/image/projection_images.h"
#include "ui/widgets/image/histogram_view.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

ProjectionsDetails::ProjectionsDetails(QWidget* parent) : QWidget(parent) {
    m_row = named(
        new QSpinBox(this), "row",
        tr("Detector row of the profile and the sinogram; the lowest is 0. Its line can be dragged "
           "in the images."));
    m_row->setPrefix("v ");
    m_row->setAccessibleName(tr("Detector row"));
    m_row->setAlignment(Qt::AlignRight);
    m_row->setKeyboardTracking(false);
    m_profile = named(new ProfilePlot(this), "profile");
    m_profile->setAccessibleName(tr("Row profile"));
    m_histogram = named(
        new HistogramView(this), "histogram",
        tr("What is shown as black and as white: drag the lines, or drag with the right button in "
           "an image. Double click: automatic."));
    m_histogram->setAccessibleName(tr("Histogram"));
    m_histogramName = named(new QLabel(this), "histogramName");
    m_histogramName->setProperty("muted", true);
    m_beamTitle = heading(tr("Beam of the views"), this);
    m_beamPlot =
        named(new ProfilePlot(this), "beam",
              tr("How bright each view is by the air beside the object, as a share of the flat "
                 "fields. Each view is divided by it."));
    m_beamPlot->setAccessibleName(tr("Beam of the views"));

    const auto line = [this](const QString& text, QWidget* field) {
        auto* layout = new QHBoxLayout;
        layout->addWidget(heading(text, this));
        layout->addStretch(1);
        layout->addWidget(field);
        return layout;
    };
    auto* layout = spaced(new QGridLayout(this), QSize(2 * kSpacing, kSpacing / 2));
    layout->addLayout(line(tr("Row profile"), m_row), 0, 0);
    layout->addWidget(m_profile, 1, 0);
    layout->addLayout(line(tr("Grey window"), m_histogramName), 0, 1);
    layout->addWidget(m_histogram, 1, 1);
    layout->addWidget(m_beamTitle, 2, 0, 1, 2);
    layout->addWidget(m_beamPlot, 3, 0, 1, 2);
    layout->setRowStretch(1, 1);
    // What the legend and the axes need.
    layout->setColumnMinimumWidth(0, 28 * kSpacing);
    layout->setColumnMinimumWidth(1, 14 * kSpacing);
    layout->setColumnStretch(0, 3);
    layout->setColumnStretch(1, 2);

    showBeam();

    connect(m_row, &QSpinBox::valueChanged, this, [this](int row) { emit rowChosen(row); });
    connect(m_histogram, &HistogramView::windowEdited, this, &ProjectionsDetails::windowEdited);
    connect(m_histogram, &HistogramView::automaticRequested, this,
            &ProjectionsDetails::automaticRequested);
}

void ProjectionsDetails::setRows(Index rows) {
    const QSignalBlocker quiet(m_row);
    m_row->setRange(0, static_cast<int>(std::max<Index>(rows, 1)) - 1);
}

void ProjectionsDetails::setRow(Index row) {
    const QSignalBlocker quiet(m_row);
    m_row->setValue(static_cast<int>(row));
    showProfile();
}

void ProjectionsDetails::setImages(const GreyImage& corrected, const GreyImage& filtered) {
    m_corrected = corrected;
    m_filtered = filtered;
    showProfile();
}

void ProjectionsDetails::setHistogram(const QString& name, const Histogram& histogram,
                                      const QString& unit, const GreyWindow& window) {
    m_histogram->setHistogram(histogram, unit);
    m_histogram->setWindow(window);
    m_histogramName->setText(name);
}

void ProjectionsDetails::showProfile() {
    const Theme theme = themeOf(*this);
    std::vector<ProfilePlot::Curve> curves;
    const auto add = [&](const GreyImage& image, const QString& name, const QColor& colour) {
        if (auto values = rowOf(image, m_row->value()); !values.empty())
            curves.push_back({name, image.unit, colour, std::move(values)});
    };
    add(m_corrected, tr("line integral"), theme.muted);
    add(m_filtered, tr("filtered"), theme.accent);
    m_profile->setCurves(std::move(curves), tr("column u"));
}

void ProjectionsDetails::setBeam(const std::vector<double>& beam) {
    m_beam = beam;
    showBeam();
}

void ProjectionsDetails::showBeam() {
    m_beamTitle->setVisible(!m_beam.empty());
    m_beamPlot->setVisible(!m_beam.empty());
    m_beamPlot->setCurves({{tr("share of the flat fields"), {}, themeOf(*this).accent, m_beam}},
                          tr("view"));
}

void ProjectionsDetails::changeEvent(QEvent* event) {
    // The curves' colours are the theme's.
    if (event->type() == QEvent::PaletteChange) {
        showProfile();
        showBeam();
    }
    QWidget::changeEvent(event);
}

}  // namespace gantry
