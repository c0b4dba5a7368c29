#include "ui/models/number_input.h"

#include <QRegularExpression>
#include <array>
#include <cmath>
#include <numbers>

namespace gantry {
namespace {

// Units that are converted into each other; of one kind where `kind` is the same.
struct Unit {
    const char* name;
    char kind;
    double size;
};

constexpr std::array kUnits = {
    Unit{"nm", 'l', 1e-6},  Unit{"µm", 'l', 1e-3},
    Unit{"um", 'l', 1e-3},  Unit{"mm", 'l', 1},
    Unit{"cm", 'l', 10},    Unit{"m", 'l', 1000},
    Unit{"in", 'l', 25.4},  Unit{"°", 'a', 1},
    Unit{"deg", 'a', 1},    Unit{"rad", 'a', 180 / std::numbers::pi},
    Unit{"px", 'p', 1},     Unit{"pixel", 'p', 1},
    Unit{"pixels", 'p', 1}, Unit{"voxel", 'v', 1},
    Unit{"voxels", 'v', 1}, Unit{"/mm", 'k', 1},
    Unit{"1/mm", 'k', 1},   Unit{"/cm", 'k', 0.1},
    Unit{"1/cm", 'k', 0.1}, Unit{"MB", 'b', 1},
    Unit{"GB", 'b', 1000},  Unit{"TB", 'b', 1e6},
    Unit{"ms", 't', 1e-3},  Unit{"s", 't', 1},
    Unit{"min", 't', 60},
};

const Unit* unitNamed(const QString& name) {
    for (const Unit& unit : kUnits) {
        if (name.compare(QString::fromUtf8(unit.name), Qt::CaseInsensitive) == 0) return &unit;
    }
    return nullptr;
}

// How many of `to` one of `from` is.
std::optional<double> conversion(const QString& from, const QString& to) {
    if (from.isEmpty() || from.compare(to, Qt::CaseInsensitive) == 0) return 1;
    const Unit* a = unitNamed(from);
    const Unit* b = unitNamed(to);
    if (a == nullptr || b == nullptr || a->kind != b->kind) return {};
    return a->size / b->size;
}

// Signs as C has them, thousands without their separators.
QString plain(QString text) {
    text.replace(QChar(0x2212), '-').replace(QChar(0x3BC), QChar(0xB5));
    static const QRegularExpression grouping(R"((?<=\d)[\s']+(?=\d))",
                                             QRegularExpression::UseUnicodePropertiesOption);
    text = text.trimmed().remove(grouping);
    const auto comma = text.lastIndexOf(',');
    const auto point = text.lastIndexOf('.');
    if (comma >= 0 && point >= 0) {
        text.remove(comma > point ? '.' : ',');
    } else if (text.count(',') > 1) {
        text.remove(',');
    } else if (text.count('.') > 1) {
        text.remove('.');
    }
    return text.replace(',', '.');
}

}  // namespace

std::optional<double> parseNumber(const QString& text, const QString& unit) {
    static const QRegularExpression pattern(
        R"(^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\S.*)?$)");
    const auto match = pattern.match(plain(text));
    if (!match.hasMatch()) return {};
    bool isNumber = false;
    const double number = match.captured(1).toDouble(&isNumber);
    const auto factor = conversion(match.captured(2), unit);
    if (!isNumber || !factor || !std::isfinite(number * *factor)) return {};
    if (*factor == 1) return number;
    // 0.1 in is 2.54 mm, not 2.5399999999999996.
    constexpr int kDigits = 14;
    return QString::number(number * *factor, 'g', kDigits).toDouble();
}

bool isBeginningOfNumber(const QString& text) {
    static const QRegularExpression pattern(
        R"(^[+-]?(?:\d*\.?\d*)(?:(?<=[\d.])[eE][+-]?\d*)?\s*$)");
    return pattern.match(plain(text)).hasMatch();
}

}  // namespace gantry
