#include "ui/models/number_input.h"

#include <QRegularExpression>
#include <array>
#include <cmath>
#include <numbers>

namespace gantry {
namespace {

// Units that can be converted into each other have the same `kind`.
struct ConvertedUnit {
    const char* name;
    char kind;
    double size;
};

constexpr std::array kConvertedUnits = {
    ConvertedUnit{"nm", 'l', 1e-6},  ConvertedUnit{"µm", 'l', 1e-3},
    ConvertedUnit{"um", 'l', 1e-3},  ConvertedUnit{"mm", 'l', 1},
    ConvertedUnit{"cm", 'l', 10},    ConvertedUnit{"m", 'l', 1000},
    ConvertedUnit{"in", 'l', 25.4},  ConvertedUnit{"°", 'a', 1},
    ConvertedUnit{"deg", 'a', 1},    ConvertedUnit{"rad", 'a', 180 / std::numbers::pi},
    ConvertedUnit{"px", 'p', 1},     ConvertedUnit{"pixel", 'p', 1},
    ConvertedUnit{"pixels", 'p', 1}, ConvertedUnit{"voxel", 'v', 1},
    ConvertedUnit{"voxels", 'v', 1}, ConvertedUnit{"/mm", 'k', 1},
    ConvertedUnit{"1/mm", 'k', 1},   ConvertedUnit{"/cm", 'k', 0.1},
    ConvertedUnit{"1/cm", 'k', 0.1}, ConvertedUnit{"MB", 'b', 1},
    ConvertedUnit{"GB", 'b', 1000},  ConvertedUnit{"TB", 'b', 1e6},
    ConvertedUnit{"ms", 't', 1e-3},  ConvertedUnit{"s", 't', 1},
    ConvertedUnit{"min", 't', 60},
};

const ConvertedUnit* unitNamed(const QString& name) {
    for (const ConvertedUnit& unit : kConvertedUnits) {
        if (name.compare(QString::fromUtf8(unit.name), Qt::CaseInsensitive) == 0) return &unit;
    }
    return nullptr;
}

// How many of `to` one of `from` is.
std::optional<double> conversion(const QString& from, const QString& to) {
    if (from.isEmpty() || from.compare(to, Qt::CaseInsensitive) == 0) return 1;
    const ConvertedUnit* a = unitNamed(from);
    const ConvertedUnit* b = unitNamed(to);
    if (a == nullptr || b == nullptr || a->kind != b->kind) return {};
    return a->size / b->size;
}

// Replaces typographic signs by those of C.
QString withPlainSigns(QString text) {
    text.replace(QChar(0x2212), '-').replace(QChar(0x3BC), QChar(0xB5));
    return text.trimmed();
}

// Removes characters that may separate thousands, for a text that is being typed.
QString plain(QString text) {
    static const QRegularExpression grouping(R"((?<=\d)[\s']+(?=\d))",
                                             QRegularExpression::UseUnicodePropertiesOption);
    text = withPlainSigns(text).remove(grouping);
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

bool isLike(const QString& text, const char* pattern) {
    return QRegularExpression(QRegularExpression::anchoredPattern(QLatin1String(pattern)),
                              QRegularExpression::UseUnicodePropertiesOption)
        .match(text)
        .hasMatch();
}

// The possible meanings of digits with separators, in C's notation; thousands come in threes.
std::vector<QString> meaningsOf(QString digits) {
    if (!isLike(digits, R"(.*\d.*)")) return {};
    const auto whole = [&](const char* separators) {
        return QString(digits).remove(QRegularExpression(separators));
    };
    const auto decimal = [](QString text) { return text.replace(',', '.'); };
    if (isLike(digits, R"([1-9]\d{0,2}[.,]\d{3})")) return {whole("[.,]"), decimal(digits)};
    if (isLike(digits, R"(\d*(?:[.,](?:\d{3}\s)*\d*)?)")) return {decimal(whole(R"(\s)"))};
    if (isLike(digits, R"(\d{1,3}(?:[\s']\d{3})+(?:[.,]\d*)?)"))
        return {decimal(whole(R"([\s'])"))};
    if (isLike(digits, R"(\d{1,3}(?:,\d{3})+(?:\.\d*)?)")) return {whole(",")};
    if (isLike(digits, R"(\d{1,3}(?:\.\d{3})+(?:,\d*)?)")) return {decimal(whole("\\."))};
    return {};
}

}  // namespace

std::vector<double> numberInterpretations(const QString& text, const QString& unit,
                                          const NumberLimits& limits) {
    // A unit that begins with a digit, "1/mm", must be separated.
    static const QRegularExpression pattern(
        R"(^([+-]?)([\d.,\s']+?)([eE][+-]?\d+)?(?:\s+(1/\S.*)|\s*([^\d.,\s'].*))?$)",
        QRegularExpression::UseUnicodePropertiesOption);
    const auto match = pattern.match(withPlainSigns(text));
    if (!match.hasMatch()) return {};
    const auto factor = conversion(match.captured(4) + match.captured(5), unit);
    if (!factor) return {};
    std::vector<QString> meanings = meaningsOf(match.captured(2).trimmed());
    if (meanings.size() == 2) {
        const double thousand = 1000 * *factor;
        const bool hasThousands = limits.max >= thousand || limits.min <= -thousand;
        if (limits.isWhole)
            meanings.pop_back();
        else if (!hasThousands)
            meanings.erase(meanings.begin());
    }
    std::vector<double> interpretations;
    for (const QString& meaning : meanings) {
        const double number =
            (match.captured(1) + meaning + match.captured(3)).toDouble() * *factor;
        if (!std::isfinite(number)) return {};
        // 0.1 in is 2.54 mm, not 2.5399999999999996.
        constexpr int kDigits = 14;
        interpretations.push_back(*factor == 1 ? number
                                               : QString::number(number, 'g', kDigits).toDouble());
    }
    return interpretations;
}

std::optional<double> parseNumber(const QString& text, const QString& unit,
                                  const NumberLimits& limits) {
    const std::vector<double> interpretations = numberInterpretations(text, unit, limits);
    return interpretations.size() == 1 ? std::optional(interpretations.front()) : std::nullopt;
}

bool isBeginningOfNumber(const QString& text) {
    static const QRegularExpression pattern(
        R"(^[+-]?(?:\d*\.?\d*)(?:(?<=[\d.])[eE][+-]?\d*)?\s*$)");
    return pattern.match(plain(text)).hasMatch();
}

}  // namespace gantry
