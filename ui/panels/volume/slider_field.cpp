#include "ui/panels/volume/slider_field.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>
#include <cmath>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {
constexpr int kSliderSteps = 1000;
constexpr int kFieldWidth = 108;
}  // namespace

SliderField::SliderField(const QString& name, const QString& unit, QWidget* parent, double step)
    : QWidget(parent), m_slider(new QSlider(Qt::Horizontal, this)) {
    NumberField::Style style;
    style.unit = unit;
    style.step = step;
    style.digits = 4;
    m_field = named(new NumberField(style, this), name);
    m_field->setFixedWidth(kFieldWidth);
    m_slider->setObjectName(name + "Slider");
    m_slider->setRange(0, kSliderSteps);
    m_slider->setSingleStep(kSliderSteps / 100);
    m_slider->setPageStep(kSliderSteps / 10);
    m_slider->setMinimumWidth(6 * kSpacing);
    auto* row = spaced(new QHBoxLayout(this), kSpacing);
    row->addWidget(m_slider, 1);
    row->addWidget(m_field);
    connect(m_field, &NumberField::valueEdited, this, [this](double value, bool isFinal) {
        showOnSlider();
        emit valueEdited(value, isFinal);
    });
    connect(m_slider, &QSlider::valueChanged, this,
            [this] { takeSlider(!m_slider->isSliderDown()); });
    connect(m_slider, &QSlider::sliderReleased, this, [this] { takeSlider(true); });
}

void SliderField::setRange(double min, double max) {
    m_min = min;
    m_max = max;
    m_field->setRange(NumberField::Range{min, max});
    showOnSlider();
}

void SliderField::setValue(double value) {
    if (value == m_field->value()) return;
    m_field->setValue(value);
    showOnSlider();
}

void SliderField::showOnSlider() {
    if (m_slider->isSliderDown()) return;
    const QSignalBlocker quiet(m_slider);
    const double share = (m_field->value() - m_min) / (m_max - m_min);
    m_slider->setValue(static_cast<int>(std::lround(kSliderSteps * std::clamp(share, 0.0, 1.0))));
}

void SliderField::takeSlider(bool isFinal) {
    const double share = static_cast<double>(m_slider->value()) / kSliderSteps;
    m_field->setValue(m_min + share * (m_max - m_min));
    emit valueEdited(m_field->value(), isFinal);
}

}  // namespace gantry
