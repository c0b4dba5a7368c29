#include "ui/models/axis_ticks.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace gantry {
namespace {

// Finds the smallest of 1, 2 and 5 times a power of ten that is at least `step`.
double roundedUp(double step) {
    const double power = std::pow(10.0, std::floor(std::log10(step)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        // The tolerance allows for rounding errors: 0.3 / 0.1 is not exactly 3.
        if (factor * power >= step * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
}

// Formats 30000000 as 3×10⁷.
QString scientific(double value, int digits) {
    static const QString kSuperscripts = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    const QStringList parts = QString::number(value, 'e', digits).split('e');
    const int exponent = parts[1].toInt();
    QString superscript = exponent < 0 ? QStringLiteral("⁻") : QString();
    for (const QChar digit : QString::number(std::abs(exponent)))
        superscript.append(kSuperscripts[digit.digitValue()]);
    return parts[0] + QStringLiteral("×10") + superscript;
}

}  // namespace

double niceAtMost(double max) {
    const double power = std::pow(10.0, std::floor(std::log10(max)));
    for (const double factor : {5.0, 2.0}) {
        if (factor * power <= max * (1 + 1e-9)) return factor * power;
    }
    return power;
}

std::vector<double> niceTicks(double low, double high, int atMost) {
    if (!std::isfinite(low) || !std::isfinite(high) || high < low || atMost < 1) return {};
    const double magnitude = std::max(std::abs(low), std::abs(high));
    const double width = high - low;
    // Between ends that differ only by rounding errors there is no other number to show.
    if (!std::isfinite(width) || width <= magnitude * 1e-12) return {low};
    double step = roundedUp(width / atMost);
    const auto countAt = [&](double spacing) {
        return std::floor(high / spacing + 1e-9) - std::ceil(low / spacing - 1e-9) + 1;
    };
    while (countAt(step) > atMost)
        step = roundedUp(step * 1.5);
    if (!(step > 0)) return {low};
    std::vector<double> ticks;
    const double first = std::ceil(low / step - 1e-9);
    for (int i = 0; i < static_cast<int>(countAt(step)); ++i) {
        const double tick = (first + i) * step;
        ticks.push_back(std::abs(tick) < step * 1e-6 ? 0.0 : tick);
    }
    if (ticks.empty()) ticks.push_back(low);
    return ticks;
}

QString tickText(double tick, const std::vector<double>& ticks) {
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : std::abs(tick);
    double max = std::abs(tick);
    for (const double other : ticks)
        max = std::max(max, std::abs(other));
    if (!(step > 0) || !std::isfinite(max)) return QString::number(tick);
    if (max >= 1e6 || max < 1e-4) {
        if (tick == 0) return QStringLiteral("0");
        const auto exponent = [](double value) { return std::floor(std::log10(value) + 1e-9); };
        const double decimals = exponent(std::abs(tick)) - exponent(step);
        return scientific(tick, static_cast<int>(std::clamp(decimals, 0.0, 12.0)));
    }
    const int decimals = static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
    return QString::number(tick, 'f', std::clamp(decimals, 0, 12));
}

}  // namespace gantry
