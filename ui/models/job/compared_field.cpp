#include "ui/models/job/compared_field.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/io/scan_file/scan_fields.h"
#include "ui/models/job/option_text.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

bool isOfScan(const VariedField& field) {
    return std::ranges::find(kScanGroups, field.group) != std::end(kScanGroups);
}

QString groupNameOf(const VariedField& field) {
    if (isOfScan(field)) return optionText(field.group);
    return field.path.starts_with("prep.") ? tr("Corrections") : tr("Filter");
}

bool isCompared(const VariedField& field) {
    if (field.label == field.path) return false;
    // Whole numbers of a scan count its pixels and views.
    if (isOfScan(field))
        return field.group != ScanGroup::images && field.option.kind != FieldKind::whole;
    return std::ranges::any_of(std::array{"prep.", "filter.", "filterRows"},
                               [&](const char* part) { return field.path.starts_with(part); });
}

// Returns nothing for what is no number.
std::optional<double> numberOf(const FieldValue& value) {
    if (const auto* whole = std::get_if<Index>(&value)) return static_cast<double>(*whole);
    if (const auto* number = std::get_if<double>(&value)) return *number;
    return std::nullopt;
}

}  // namespace

std::vector<VariedField> comparedFields(const JobSpec& job) {
    std::vector<VariedField> fields = variedFields(job);
    std::erase_if(fields, [](const VariedField& field) { return !isCompared(field); });
    const auto place = [](const VariedField& field) {
        if (!isOfScan(field)) return field.path.starts_with("prep.") ? -2 : -1;
        // The alignment comes first of the geometry.
        if (field.isScored()) return 0;
        return 1 + static_cast<int>(std::ranges::find(kScanGroups, field.group) -
                                    std::begin(kScanGroups));
    };
    std::ranges::stable_sort(fields, {}, place);
    return fields;
}

QString nameOf(const VariedField& field) {
    const QString name = tr("%1: %2").arg(groupNameOf(field), optionText(field.label));
    return field.unit.empty() ? name : tr("%1 (%2)").arg(name, optionText(field.unit));
}

QString valueText(const VariedField& field, const FieldValue& value) {
    if (const auto* word = std::get_if<std::string>(&value)) {
        const std::size_t place = placeOf(*word, field.choices);
        const bool hasLabel = place < field.choices.size() && !field.choices[place].label.empty();
        return hasLabel ? optionText(field.choices[place].label) : QString::fromStdString(*word);
    }
    if (const auto* isOn = std::get_if<bool>(&value)) return *isOn ? tr("Yes") : tr("No");
    constexpr int kDigits = 10;
    const std::string number = numberText(numberOf(value).value_or(0), kDigits).toStdString();
    return QString::fromStdString(field.withUnit(number));
}

bool isSameValue(const FieldValue& a, const FieldValue& b) {
    const std::optional<double> x = numberOf(a);
    const std::optional<double> y = numberOf(b);
    if (!x || !y) return a == b;
    constexpr double kRounding = 1e-7;
    return std::abs(*x - *y) <= kRounding * std::max(std::abs(*x), std::abs(*y));
}

ValueRange usualRange(const VariedField& field, const JobSpec& job) {
    const FieldOption& option = *field.option.option;
    const FieldShape& shape = *field.option.shape;
    const bool isWhole = field.option.kind == FieldKind::whole;
    double now = numberOf(field.value(job)).value_or(0);
    if (option.start > 0 && !(now > 0)) now = option.start;  // it is off
    // Steps of a field are fine; a slice shows a difference at many of them.
    const double reach = option.step * (isWhole ? 4 : 20);
    ValueRange range = {now - reach, now + reach, 9};
    if (isWhole && shape.max > shape.min) {
        range.from = std::max(range.from, static_cast<double>(shape.min));
        range.to = std::min(range.to, static_cast<double>(shape.max));
    }
    if (option.high > option.low) {
        range.from = std::max(range.from, option.low);
        range.to = std::min(range.to, option.high);
    }
    return range;
}

QString rangeText(const VariedField& field, const ValueRange& range) {
    QStringList texts;
    const bool isWhole = field.option.kind == FieldKind::whole;
    const double step = std::max(1.0, field.option.option->step);
    for (const std::string& word : rangeWords(range.from, range.to, range.count)) {
        const double value = QString::fromStdString(word).toDouble();
        const double whole = range.from + std::round((value - range.from) / step) * step;
        const QString text =
            isWhole ? QString::number(std::llround(whole)) : QString::fromStdString(word);
        if (!texts.contains(text)) texts << text;
    }
    return texts.join(QStringLiteral(", "));
}

}  // namespace gantry
