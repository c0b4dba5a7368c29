#include "ui/panels/volume/clipping_group.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>

#include "ui/models/text.h"
#include "ui/panels/volume/slider_field.h"
#include "ui/panels/volume/volume_appearance.h"
#include "ui/scene/volume/reduced_volume.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QString boxEnd(const QString& axis, bool isUpper) {
    return isUpper ? ClippingGroup::tr("%1 to").arg(axis) : ClippingGroup::tr("%1 from").arg(axis);
}

const QString kAxisNames[] = {QStringLiteral("x"), QStringLiteral("y"), QStringLiteral("z")};

SliderField* addSlider(QGridLayout& form, const QString& text, SliderField* slider) {
    const int row = form.rowCount();
    auto* label = new QLabel(text, slider->parentWidget());
    slider->field().attachLabel(label);
    form.addWidget(label, row, 0);
    form.addWidget(slider, row, 1);
    return slider;
}

}  // namespace

ClippingGroup::ClippingGroup(AppearanceHistory& history, QWidget* parent)
    : QWidget(parent), m_history(history) {
    auto* form = new QGridLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(kSpacing);
    form->setVerticalSpacing(kSpacing / 2);
    form->setColumnStretch(1, 1);
    buildBox(*form);
    buildPlane(*form);
    connect(&m_history, &AppearanceHistory::changed, this, &ClippingGroup::showAppearance);
}

void ClippingGroup::buildBox(QGridLayout& form) {
    m_box = named(new QCheckBox(tr("&Box"), this), "clipBox",
                  tr("Shows only what lies between these positions, in mm from the isocentre."));
    form.addWidget(m_box, 0, 0, 1, 2);
    connect(m_box, &QCheckBox::toggled, this, [this](bool isOn) {
        VolumeAppearance appearance = m_history.appearance();
        appearance.isBoxClipped = isOn;
        m_history.edit(appearance, true);
    });
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (const bool isUpper : {false, true}) {
            const QString name = (isUpper ? "boxHigh" : "boxLow") + kAxisNames[axis].toUpper();
            auto* slider = addSlider(form, boxEnd(kAxisNames[axis], isUpper),
                                     new SliderField(name, QStringLiteral("mm"), this));
            (isUpper ? m_high : m_low)[axis] = slider;
            connect(slider, &SliderField::valueEdited, this,
                    [this, axis, isUpper](double value, bool isFinal) {
                        VolumeAppearance appearance = m_history.appearance();
                        double& low = appearance.boxLowMm[axis];
                        double& high = appearance.boxHighMm[axis];
                        // An end takes the other one along, rather than pass it.
                        if (isUpper) low = std::min(low, value);
                        if (!isUpper) high = std::max(high, value);
                        (isUpper ? high : low) = value;
                        appearance.isBoxClipped = true;
                        m_history.edit(appearance, isFinal);
                    });
        }
}

SliderField* ClippingGroup::addRow(QGridLayout& form, const QString& text, const QString& name,
                                   const QString& unit, double VolumeAppearance::*part) {
    auto* slider = addSlider(form, text, new SliderField(name, unit, this));
    slider->setToolTip(
        tr("Azimuth and elevation tell in which direction matter is removed; offset is how far "
           "from the volume's centre that begins."));
    connect(slider, &SliderField::valueEdited, this, [this, part](double value, bool isFinal) {
        VolumeAppearance appearance = m_history.appearance();
        appearance.*part = value;
        appearance.isPlaneClipped = true;
        m_history.edit(appearance, isFinal);
    });
    return slider;
}

void ClippingGroup::buildPlane(QGridLayout& form) {
    m_plane = named(new QCheckBox(tr("Oblique &plane"), this), "clipPlane",
                    tr("Removes what lies on one side of a plane of any direction."));
    form.addWidget(m_plane, form.rowCount(), 0, 1, 2);
    connect(m_plane, &QCheckBox::toggled, this, [this](bool isOn) {
        VolumeAppearance appearance = m_history.appearance();
        appearance.isPlaneClipped = isOn;
        m_history.edit(appearance, true);
    });
    const QString degree = QStringLiteral("°");
    m_azimuth =
        addRow(form, tr("Azimuth"), "planeAzimuth", degree, &VolumeAppearance::planeAzimuthDeg);
    m_elevation = addRow(form, tr("Elevation"), "planeElevation", degree,
                         &VolumeAppearance::planeElevationDeg);
    m_offset = addRow(form, tr("Offset"), "planeOffset", QStringLiteral("mm"),
                      &VolumeAppearance::planeOffsetMm);
    m_azimuth->setRange(-180, 180);
    m_elevation->setRange(-90, 90);
}

void ClippingGroup::setGrid(const VolumeGrid& grid) {
    const VolumeAppearance whole = unclipped({}, grid);
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (SliderField* slider : {m_low[axis], m_high[axis]})
            slider->setRange(whole.boxLowMm[axis], whole.boxHighMm[axis]);
    const double reach = 0.5 * diagonalMm(grid);
    m_offset->setRange(-reach, reach);
    showAppearance();
}

void ClippingGroup::showAppearance() {
    const VolumeAppearance& appearance = m_history.appearance();
    const QSignalBlocker noBox(m_box);
    const QSignalBlocker noPlane(m_plane);
    m_box->setChecked(appearance.isBoxClipped);
    m_plane->setChecked(appearance.isPlaneClipped);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        m_low[axis]->setValue(appearance.boxLowMm[axis]);
        m_high[axis]->setValue(appearance.boxHighMm[axis]);
    }
    m_azimuth->setValue(appearance.planeAzimuthDeg);
    m_elevation->setValue(appearance.planeElevationDeg);
    m_offset->setValue(appearance.planeOffsetMm);
}

}  // namespace gantry
