#include "ui/panels/slices/slices_density.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/volume/calibration.h"
#include "core/report/measure_volume.h"
#include "ui/panels/slices/measurements.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

enum Matter : int { kUnknown, kAir, kWater, kOther };

constexpr double kAirHu = -1000;
constexpr double kWaterHu = 0;

Matter matterOf(std::optional<double> hounsfield) {
    if (!hounsfield) return kUnknown;
    if (*hounsfield == kAirHu) return kAir;
    return *hounsfield == kWaterHu ? kWater : kOther;
}

std::vector<SliceMeasure> knownRegions(const Measurements& measurements) {
    std::vector<SliceMeasure> known;
    for (const SliceMeasure& one : measurements.all())
        if (one.kind == MeasureKind::region && one.knownHu) known.push_back(one);
    return known;
}

// The scale by the means of these regions.
ValueScale scaleOfRegions(const LoadedVolume& volume, const std::vector<SliceMeasure>& regions,
                          const std::stop_token& stop) {
    std::vector<KnownValue> known;
    known.reserve(regions.size());
    std::atomic<double> fraction = 0;
    for (const SliceMeasure& region : regions) {
        const double mean =
            measureRegion(*volume.levels, regionOf(region), fraction, stop).found.mean;
        known.push_back(
            {(mean - volume.scale.intercept) / volume.scale.slope, region.knownHu.value()});
    }
    const std::optional<ValueScale> scale = scaleThrough(known);
    if (!scale)
        throw InputError(
            "The known regions have the same mean or the same HU. Mark two that differ, such as "
            "air and water.");
    return *scale;
}

}  // namespace

SlicesDensity::SlicesDensity(Measurements& measurements, QWidget* parent)
    : QWidget(parent), m_measurements(measurements) {
    setObjectName("slicesDensity");
    buildRows();
    connect(m_matter, &QComboBox::activated, this, [this] { edit(); });
    connect(m_number, &NumberField::valueEdited, this, [this](double, bool isFinal) {
        if (isFinal) edit();
    });
    connect(m_calibrate, &QPushButton::clicked, this, [this] { calibrate(); });
    connect(m_again, &QPushButton::clicked, this, [this] { m_measurements.setScale({}); });
    connect(&m_measurements, &Measurements::changed, this, [this] { showState(); });
}

void SlicesDensity::buildRows() {
    m_matter = named(new QComboBox(this), "regionMatter",
                     tr("What this region is known to be. Two such regions give the volume's "
                        "values in Hounsfield units."));
    m_matter->addItems({tr("not known"), tr("air, −1000 HU"), tr("water, 0 HU"), tr("other…")});
    m_number = named(new NumberField({.unit = QStringLiteral("HU"),
                                      .step = 10,
                                      .digits = 6,
                                      .range = NumberField::Range{-1e6, 1e6}},
                                     this),
                     "regionHu", tr("What the mean of this region is known to be"));
    m_calibrate = named(new QPushButton(tr("Show in HU"), this), "calibrateVolume");
    m_again = named(new QPushButton(tr("Show in /mm"), this), "attenuationAgain",
                    tr("Makes the values attenuation again (Ctrl+Z brings HU back)"));
    m_state = named(copyable(new QLabel(this)), "densityState");
    auto* label = new QLabel(tr("This is"), this);
    label->setBuddy(m_matter);
    auto* matter = new QHBoxLayout;
    matter->setSpacing(kSpacing);
    matter->addWidget(label);
    matter->addWidget(m_matter, 1);
    matter->addWidget(m_number, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(kSpacing);
    buttons->addWidget(m_calibrate);
    buttons->addWidget(m_again);
    buttons->addStretch(1);
    auto* layout = spaced(new QVBoxLayout(this), kSpacing);
    layout->addLayout(matter);
    layout->addLayout(buttons);
    layout->addWidget(m_state);
}

void SlicesDensity::setVolume(std::shared_ptr<const LoadedVolume> volume) {
    m_reading.cancel();
    m_volume = std::move(volume);
    tell({}, false);
    showChosen();
}

void SlicesDensity::showChosen() {
    const SliceMeasure* chosen = m_measurements.chosen();
    const bool isRegion = chosen && chosen->kind == MeasureKind::region;
    setVisible(isRegion && m_volume && m_volume->levels);
    if (!isRegion) return;
    const Matter matter = matterOf(chosen->knownHu);
    m_matter->setCurrentIndex(matter);
    m_number->setVisible(matter == kOther);
    if (chosen->knownHu) m_number->setValue(*chosen->knownHu);
    showState();
}

void SlicesDensity::showState() {
    const auto known = knownRegions(m_measurements).size();
    m_calibrate->setEnabled(known >= 2);
    m_calibrate->setToolTip(
        known >= 2 ? tr("Makes the volume's values Hounsfield units, by the means of the %1 known "
                        "regions. No voxel is rewritten; Ctrl+Z takes it back.")
                         .arg(known)
                   : tr("Say of two regions what they are: of this one, and of another that you "
                        "draw (R)."));
    m_again->setVisible(m_volume && m_volume->scale != ValueScale{});
}

void SlicesDensity::edit() {
    const SliceMeasure* chosen = m_measurements.chosen();
    if (!chosen) return;
    SliceMeasure region = *chosen;
    switch (m_matter->currentIndex()) {
        case kAir:
            region.knownHu = kAirHu;
            break;
        case kWater:
            region.knownHu = kWaterHu;
            break;
        case kOther:
            region.knownHu = m_number->isVisible() ? m_number->value() : 1000;
            break;
        default:
            region.knownHu.reset();
    }
    tell({}, false);
    m_measurements.edit(region, true);
    showChosen();
}

void SlicesDensity::calibrate() {
    tell(tr("Reading the known regions…"), false);
    m_reading.start(
        [volume = m_volume, known = knownRegions(m_measurements)](const std::stop_token& stop) {
            return scaleOfRegions(*volume, known, stop);
        },
        [this](const ValueScale& scale) {
            tell(tr("HU = %1 · (/mm) %2 %3")
                     .arg(QString::number(scale.slope, 'g', 6),
                          scale.intercept < 0 ? QStringLiteral("−") : QStringLiteral("+"),
                          QString::number(std::abs(scale.intercept), 'g', 6)),
                 false);
            m_measurements.setScale(scale);
        },
        [this](const QString& sentence) { tell(sentence, true); });
}

void SlicesDensity::tell(const QString& sentence, bool isError) {
    m_state->setText(sentence);
    m_state->setProperty("kind", isError ? "error" : "");
    m_state->setVisible(!sentence.isEmpty());
}

}  // namespace gantry
