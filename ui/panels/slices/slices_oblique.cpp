#include "ui/panels/slices/slices_oblique.h"

#include <QStackedWidget>

#include "ui/panels/slices/measurements.h"
#include "ui/panels/slices/oblique_fields.h"
#include "ui/panels/slices/oblique_line.h"
#include "ui/panels/slices/oblique_view.h"
#include "ui/panels/slices/slices_view.h"

namespace gantry {
namespace {

constexpr std::array kCutSlices = {SliceAxis::z, SliceAxis::y};

}  // namespace

SlicesOblique::SlicesOblique(const std::array<SlicesView*, 3>& views, Measurements& measurements,
                             QWidget* parent)
    : QObject(parent), m_measurements(measurements) {
    m_place = new QStackedWidget(parent);
    m_view = new ObliqueView(m_place);
    m_place->addWidget(views[2]);
    m_place->addWidget(m_view);
    m_fields = new ObliqueFields(parent);
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        m_lines[i] = new ObliqueLine(measurements, kCutSlices[i], views[i]->imageView());
    connect(m_fields, &ObliqueFields::anglesEdited, &measurements, &Measurements::setOblique);
    connect(&measurements, &Measurements::obliqueChanged, this, &SlicesOblique::showPlane);
    setShown(false);
}

QWidget* SlicesOblique::place() const {
    return m_place;
}

QWidget* SlicesOblique::fields() const {
    return m_fields;
}

void SlicesOblique::setShown(bool isShown) {
    m_place->setCurrentIndex(isShown ? 1 : 0);
    m_fields->setVisible(isShown);
    for (ObliqueLine* line : m_lines)
        line->setVisible(isShown);
}

void SlicesOblique::setVolume(const VoxelData& volume) {
    m_data = volume;
    m_view->setVolume(volume);
}

void SlicesOblique::setPlace(Vec3 throughMm, const VoxelIndex& voxel) {
    m_throughMm = throughMm;
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const SlicePlane plane = planeOf(kCutSlices[i]);
        m_lines[i]->setPlace(sliceRaster(plane, m_data.grid, m_data.finest(), voxel[plane.normal]),
                             throughMm);
    }
    showPlane();
}

void SlicesOblique::showPlane() {
    m_fields->setAngles(m_measurements.oblique());
    m_view->setPlane(m_measurements.oblique(), m_throughMm);
}

}  // namespace gantry
