#include "ui/models/scan/tenfold_change.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/geometry/check/validate.h"
#include "core/geometry/volume_grid.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

struct Quantity {
    const char* name;
    const char* unit;
    double (*of)(const ScanGeometry& geometry);
};

FieldOfView fieldOrNone(const ScanGeometry& geometry) {
    const auto problems = validate(geometry);
    const bool isSound = std::ranges::none_of(problems, [](const Problem& problem) {
        return problem.severity == Problem::Severity::error;
    });
    return isSound ? fieldOfView(geometry) : FieldOfView{};
}

constexpr std::array kQuantities = {
    Quantity{QT_TRANSLATE_NOOP("TenfoldChange", "Magnification"), "×",
             [](const ScanGeometry& geometry) { return geometry.magnification(); }},
    Quantity{QT_TRANSLATE_NOOP("TenfoldChange", "Detector pitch along u"), "mm",
             [](const ScanGeometry& geometry) { return geometry.detector.pitchMm[0]; }},
    Quantity{QT_TRANSLATE_NOOP("TenfoldChange", "Detector pitch along v"), "mm",
             [](const ScanGeometry& geometry) { return geometry.detector.pitchMm[1]; }},
    Quantity{QT_TRANSLATE_NOOP("TenfoldChange", "Diameter of the field of view"), "mm",
             [](const ScanGeometry& geometry) { return 2 * fieldOrNone(geometry).radiusMm; }},
    Quantity{QT_TRANSLATE_NOOP("TenfoldChange", "Height of the field of view"), "mm",
             [](const ScanGeometry& geometry) {
                 const FieldOfView field = fieldOrNone(geometry);
                 return field.zMaxMm - field.zMinMm;
             }},
};

bool isTenfold(double before, double after) {
    constexpr double kMuch = 10;
    const auto isSize = [](double value) { return std::isfinite(value) && value > 0; };
    return isSize(before) && isSize(after) &&
           std::max(before, after) > kMuch * std::min(before, after);
}

}  // namespace

QString tenfoldChange(const ScanGeometry& before, const ScanGeometry& after) {
    constexpr int kDigits = 4;
    for (const Quantity& quantity : kQuantities) {
        const double was = quantity.of(before);
        const double is = quantity.of(after);
        if (!isTenfold(was, is)) continue;
        return QCoreApplication::translate("TenfoldChange",
                                           "%1 changed more than tenfold: %2 → %3 %4. Check the "
                                           "number and its unit.")
            .arg(QCoreApplication::translate("TenfoldChange", quantity.name),
                 numberText(was, kDigits), numberText(is, kDigits), QString(quantity.unit));
    }
    return {};
}

}  // namespace gantry
