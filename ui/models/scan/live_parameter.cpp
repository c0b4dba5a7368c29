#include "ui/models/scan/live_parameter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/models/axis_ticks.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

// A number of the geometry that has the shown unit already; `at` gives a reference to it.
template <class At>
LiveParameter plain(QString name, QString change, QString unit, double step, int decimals, At at) {
    return {std::move(name),
            std::move(change),
            std::move(unit),
            step,
            decimals,
            false,
            at,
            [at](ScanGeometry& geometry, double value) { at(geometry) = value; }};
}

LiveParameter centre() {
    return {tr("Centre of rotation"),
            tr("Move the centre of rotation"),
            QStringLiteral("px"),
            0.05,
            2,
            true,
            [](const ScanGeometry& geometry) {
                return geometry.detector.offsetMm[0] / geometry.detector.pitchMm[0];
            },
            [](ScanGeometry& geometry, double pixels) {
                geometry.detector.offsetMm[0] = pixels * geometry.detector.pitchMm[0];
            }};
}

}  // namespace

QString LiveParameter::text(double value, double start) const {
    const double shown = isShift ? value - start : value;
    const bool isZero = std::abs(shown) < 0.5 * std::pow(10, -decimals);
    const QString sign = isZero      ? QString()
                         : shown < 0 ? QStringLiteral("−")
                         : isShift   ? QStringLiteral("+")
                                     : QString();
    return sign + amount(std::abs(shown));
}

QString LiveParameter::amount(double value) const {
    const QString space = unit == QStringLiteral("°") ? QString() : QStringLiteral(" ");
    return QString::number(value, 'f', decimals) + space + unit;
}

std::vector<LiveParameter> liveParameters(const ScanGeometry& geometry) {
    std::vector<LiveParameter> all = {centre()};
    const QString degrees = QStringLiteral("°");
    if (geometry.isCone()) {
        constexpr double kShareOfDistance = 2e-4;
        const double distance = std::max(1.0, geometry.cone().sourceToDetectorMm);
        all.push_back(plain(
            tr("Source–detector distance"), tr("Change the source–detector distance"),
            QStringLiteral("mm"), niceAtMost(kShareOfDistance * distance), 2,
            [](auto& of) -> auto& { return of.cone().sourceToDetectorMm; }));
    }
    all.push_back(plain(
        tr("Roll"), tr("Roll the detector"), degrees, 0.02, 2,
        [](auto& of) -> auto& { return of.detector.rollDeg; }));
    all.push_back(plain(
        tr("Tilt"), tr("Tilt the detector"), degrees, 0.05, 2,
        [](auto& of) -> auto& { return of.detector.tiltDeg; }));
    return all;
}

}  // namespace gantry
