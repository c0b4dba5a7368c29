#include "ui/models/text.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

struct LengthUnit {
    double minMm;  // smallest length for which it is used
    double mm;
    const char* name;
};
constexpr LengthUnit kLengthUnits[] = {
    {1e6, 1e6, "km"}, {1e4, 1e3, "m"}, {0.1, 1, "mm"}, {1e-4, 1e-3, "µm"}, {0, 1e-6, "nm"}};
constexpr LengthUnit kMillimetres = kLengthUnits[2];

LengthUnit unitFor(double mm) {
    const double size = std::abs(mm);
    if (!(size > 0) || !std::isfinite(size)) return kMillimetres;
    return *std::ranges::find_if(kLengthUnits,
                                 [size](const LengthUnit& unit) { return size >= unit.minMm; });
}

}  // namespace

QString numberText(double value, int digits) {
    // A whole number without exponent is used where it is as short: counts, sizes.
    const double size = std::abs(value);
    if (size >= std::pow(10, digits) && size < 1e9) return QString::number(value, 'f', 0);
    return QString::number(value, 'g', digits);
}

QString lengthText(double mm, int digits) {
    return lengthsText({mm}, digits);
}

QString lengthsText(const std::vector<double>& mm, int digits) {
    const auto largest =
        std::ranges::max_element(mm, [](double a, double b) { return std::abs(a) < std::abs(b); });
    const LengthUnit unit = largest == mm.end() ? kMillimetres : unitFor(*largest);
    QStringList numbers;
    for (const double each : mm)
        numbers.append(numberText(each / unit.mm, digits));
    return numbers.join(QStringLiteral(" × ")) + ' ' + QString::fromUtf8(unit.name);
}

}  // namespace gantry
