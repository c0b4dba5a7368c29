#include "core/job/varied_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/job/job_fields.h"
#include "core/job/read_value.h"

namespace gantry {

namespace {

constexpr Index kMaxOfRange = 1000;

// The values of "0.2..1/5".
std::vector<std::string> wordsOfRange(const std::string& text, std::size_t dots,
                                      std::string_view name) {
    const std::size_t slash = text.find('/', dots);
    double from = 0;
    double to = 0;
    Index count = 0;
    readValue(text.substr(0, dots), name, from);
    readValue(text.substr(dots + 2, slash - dots - 2), name, to);
    readValue(text.substr(slash + 1), name, count);
    if (count < 2 || count > kMaxOfRange)
        throwError<InputError>("{} {}: a range has 2 to {} values.", name, text, kMaxOfRange);
    return rangeWords(from, to, count);
}

OptionField numberOf(const FieldShape& shape, const FieldOption& option, FieldValue usual) {
    return {&shape, &option, FieldKind::number, {}, std::move(usual), {}};
}

// All fields of a job, one after the other.
class VariedFields {
  public:
    explicit VariedFields(const JobSpec& job) : m_job(job) {
        add<JobSpec>(
            jobFields(), [](auto& spec) -> auto& { return spec; });
        add<ScanFile>(
            scanFileFields(), [](auto& spec) -> auto& { return spec.scan; });
        add<ScanFile>(
            scanFormFields(), [](auto& spec) -> auto& { return spec.scan; });
    }
    [[nodiscard]] const std::vector<VariedField>& all() const { return m_all; }

  private:
    // partOf: the part of a job that the table is of
    template <class Owner, class PartOf>
    void add(std::span<const FileField<Owner>> table, PartOf partOf) {
        const Owner usual = {};
        for (const FileField<Owner>& field : table) {
            if (!hasField(m_job.scan.geometry, field.shape)) continue;
            VariedField varied;
            varied.path = field.shape.path();
            // Flags of a scan's fields belong to commands that make scans.
            const bool isOfJob = std::is_same_v<Owner, JobSpec>;
            if (isOfJob && isAlone(table, field)) varied.word = wordOf(field.option.flag);
            varied.what = field.option.what;
            varied.group = field.option.group;
            varied.choices = field.words();
            varied.hasEffect = [&field, partOf](const JobSpec& spec) {
                return !field.applies || field.applies(partOf(spec));
            };
            const FieldKind kind = field.kind();
            if (kind == FieldKind::pair || kind == FieldKind::triple)
                addNumbers(varied, field, partOf);
            else if (kind == FieldKind::number || kind == FieldKind::optionalNumber ||
                     kind == FieldKind::whole || kind == FieldKind::choice ||
                     kind == FieldKind::flag)
                addOne(varied, field, usual, partOf);
        }
    }
    template <class Owner, class PartOf>
    void addOne(VariedField varied, const FileField<Owner>& field, const Owner& usual,
                PartOf partOf) {
        varied.option = optionOf(field, usual, {});
        varied.value = [&field, partOf](const JobSpec& spec) { return field.value(partOf(spec)); };
        varied.assign = [&field, partOf](JobSpec& spec, const FieldValue& value) {
            field.assign(partOf(spec), value);
        };
        addNamed(std::move(varied), field.option, field.shape);
    }
    template <class Owner, class PartOf>
    void addNumbers(const VariedField& whole, const FileField<Owner>& field, PartOf partOf) {
        const auto numbers = std::get<std::vector<double>>(field.value(partOf(m_job)));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            VariedField varied = whole;
            varied.path += fmt::format("[{}]", i);
            varied.word.clear();
            const FieldOption& option = field.option.parts ? field.option.parts[i] : field.option;
            if (field.option.parts) varied.what = option.what;
            varied.option = numberOf(field.shape, option, numbers[i]);
            varied.value = [&field, partOf, i](const JobSpec& spec) {
                return FieldValue(std::get<std::vector<double>>(field.value(partOf(spec))).at(i));
            };
            varied.assign = [&field, partOf, i](JobSpec& spec, const FieldValue& value) {
                auto all = std::get<std::vector<double>>(field.value(partOf(spec)));
                all[i] = std::get<double>(value);
                field.assign(partOf(spec), all);
            };
            addNamed(std::move(varied), option, field.shape);
        }
    }
    void addNamed(VariedField varied, const FieldOption& option, const FieldShape& shape) {
        varied.label = option.label.empty() ? varied.path : std::string(option.label);
        varied.unit = option.unit.empty() ? shape.unit : option.unit;
        m_all.push_back(std::move(varied));
    }
    template <class Owner>
    static bool isAlone(std::span<const FileField<Owner>> table, const FileField<Owner>& field) {
        return !field.option.flag.empty() &&
               std::ranges::count(table, field.option.flag, [](const FileField<Owner>& each) {
                   return each.option.flag;
               }) == 1;
    }
    static std::string_view wordOf(std::string_view flag) {
        return flag.substr(flag.find_last_of(',') + 1).substr(2);  // without "-o," and "--"
    }

    const JobSpec& m_job;
    std::vector<VariedField> m_all;
};

VariedField fieldAt(const JobSpec& job, const std::string& path) {
    std::vector<VariedField> fields = variedFields(job);
    const auto field = std::ranges::find(fields, path, &VariedField::path);
    if (field == fields.end()) throwError<InternalError>("no field is called {}", path);
    return std::move(*field);
}

}  // namespace

std::string VariedField::withUnit(const std::string& valueWord) const {
    if (unit.empty()) return valueWord;
    return valueWord + (unit == "°" ? "" : " ") + unit;
}

std::vector<VariedField> variedFields(const JobSpec& job) {
    return VariedFields(job).all();
}

FieldValue variedValue(const OptionField& field, const std::string& name, const std::string& word) {
    FieldValue value = optionValue(field, name, word);
    const FieldOption& option = *field.option;
    const auto* number = std::get_if<double>(&value);
    if (!number || option.high <= option.low || value == field.usual) return value;
    if (!(*number >= option.low && *number <= option.high))
        throwError<InputError>("{} is {}; it must be {:g} to {:g}.", name, word, option.low,
                               option.high);
    return value;
}

void assignWord(JobSpec& job, const std::string& path, const std::string& word) {
    const VariedField field = fieldAt(job, path);
    field.assign(job, variedValue(field.option, path, word));
}

bool assignIfUsual(JobSpec& job, const std::string& path, const std::string& word) {
    const VariedField field = fieldAt(job, path);
    const FieldValue value = variedValue(field.option, path, word);
    const FieldValue now = field.value(job);
    if (now == field.option.usual) field.assign(job, value);
    return now == value || now == field.option.usual;
}

std::vector<std::string> valueWords(const std::string& text, std::string_view name) {
    const std::size_t dots = text.find("..");
    if (dots != std::string::npos && text.find('/', dots) != std::string::npos)
        return wordsOfRange(text, dots, name);
    std::vector<std::string> words;
    std::string_view rest = text;
    while (true) {
        words.emplace_back(trimmed(rest.substr(0, rest.find(','))));
        if (rest.find(',') == std::string_view::npos) return words;
        rest.remove_prefix(rest.find(',') + 1);
    }
}

std::vector<std::string> rangeWords(double from, double to, Index count) {
    std::vector<std::string> words;
    for (Index i = 0; i < count; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(count - 1);
        // Fewer digits than a number has, so that no rounding shows.
        words.push_back(fmt::format("{:.10g}", from + share * (to - from)));
    }
    return words;
}

}  // namespace gantry
