#include "app/cli/over_field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/job/job_fields.h"
#include "core/live/montage.h"

namespace gantry {

namespace {

constexpr Index kMaxOfRange = 1000;
constexpr std::string_view kName = "--over";

// The values of "0.2..1/5".
std::vector<std::string> rangeWords(const std::string& text, std::size_t dots) {
    const std::size_t slash = text.find('/', dots);
    double from = 0;
    double to = 0;
    Index count = 0;
    readValue(text.substr(0, dots), kName, from);
    readValue(text.substr(dots + 2, slash - dots - 2), kName, to);
    readValue(text.substr(slash + 1), kName, count);
    if (count < 2 || count > kMaxOfRange)
        throwError<InputError>("--over {}: a range has 2 to {} values.", text, kMaxOfRange);
    std::vector<std::string> words;
    for (Index i = 0; i < count; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(count - 1);
        // Fewer digits than a number has, so that no rounding shows.
        words.push_back(fmt::format("{:.10g}", from + share * (to - from)));
    }
    return words;
}

OptionField numberOf(const FieldShape& shape, const FieldOption& option, FieldValue usual) {
    return {&shape, &option, FieldKind::number, {}, std::move(usual), {}};
}

// All fields of a job, one after the other.
class Fields {
  public:
    explicit Fields(const JobSpec& job) : m_job(job) {
        add<JobSpec>(
            jobFields(), [](auto& spec) -> auto& { return spec; });
        add<ScanFile>(
            scanFileFields(), [](auto& spec) -> auto& { return spec.scan; });
        add<ScanFile>(
            scanFormFields(), [](auto& spec) -> auto& { return spec.scan; });
    }
    [[nodiscard]] const std::vector<OverField>& all() const { return m_all; }

  private:
    // partOf: the part of a job that the table is of
    template <class Owner, class PartOf>
    void add(std::span<const FileField<Owner>> table, PartOf partOf) {
        const Owner usual = {};
        for (const FileField<Owner>& field : table) {
            if (!hasField(m_job.scan.geometry, field.shape)) continue;
            OverField over;
            over.path = field.shape.path();
            if (isAlone(table, field)) over.word = wordOf(field.option.flag);
            over.what = field.option.what;
            over.isScored = field.option.group == kScoredGroup;
            over.hasEffect = [&field, partOf](const JobSpec& spec) {
                return !field.applies || field.applies(partOf(spec));
            };
            const FieldKind kind = field.kind();
            if (kind == FieldKind::pair || kind == FieldKind::triple)
                addNumbers(over, field, partOf);
            else if (kind == FieldKind::number || kind == FieldKind::optionalNumber ||
                     kind == FieldKind::whole || kind == FieldKind::choice ||
                     kind == FieldKind::flag)
                addOne(over, field, usual, partOf);
        }
    }
    template <class Owner, class PartOf>
    void addOne(OverField over, const FileField<Owner>& field, const Owner& usual, PartOf partOf) {
        over.option = optionOf(field, usual, {});
        over.assign = [&field, partOf](JobSpec& spec, const FieldValue& value) {
            field.assign(partOf(spec), value);
        };
        addNamed(std::move(over), field.option, field.shape);
    }
    template <class Owner, class PartOf>
    void addNumbers(const OverField& whole, const FileField<Owner>& field, PartOf partOf) {
        const auto numbers = std::get<std::vector<double>>(field.value(partOf(m_job)));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            OverField over = whole;
            over.path += fmt::format("[{}]", i);
            over.word.clear();
            const FieldOption& option = field.option.parts ? field.option.parts[i] : field.option;
            if (field.option.parts) over.what = option.what;
            over.option = numberOf(field.shape, option, numbers[i]);
            over.assign = [&field, partOf, i](JobSpec& spec, const FieldValue& value) {
                auto all = std::get<std::vector<double>>(field.value(partOf(spec)));
                all[i] = std::get<double>(value);
                field.assign(partOf(spec), all);
            };
            addNamed(std::move(over), option, field.shape);
        }
    }
    void addNamed(OverField over, const FieldOption& option, const FieldShape& shape) {
        over.label = option.label.empty() ? over.path : std::string(option.label);
        over.unit = option.unit.empty() ? shape.unit : option.unit;
        m_all.push_back(std::move(over));
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
    std::vector<OverField> m_all;
};

// The paths that contain a part of the name: "prep.ringWidthPx" for "rings.width".
std::vector<std::string> pathsNear(const std::vector<OverField>& fields, const std::string& name) {
    std::vector<std::string> parts;
    std::string part;
    for (const char c : inLowerCase(name) + ".") {
        const bool isLetter = c >= 'a' && c <= 'z';
        if (isLetter) part += c;
        constexpr std::size_t kMinLetters = 3;
        if (isLetter) continue;
        if (part.size() >= kMinLetters) parts.push_back(part);
        part.clear();
    }
    std::vector<std::string> near;
    for (const OverField& field : fields) {
        const std::string path = inLowerCase(field.path + " " + field.label);
        if (std::ranges::any_of(
                parts, [&](const auto& each) { return path.find(each) != std::string::npos; }))
            near.push_back(field.path);
    }
    return near;
}

}  // namespace

OverWords overWords(const std::string& text, std::string_view example) {
    const std::size_t sign = std::min(text.find('='), text.size());
    OverWords words = {text.substr(0, sign), {}};
    std::string_view rest = std::string_view(text).substr(sign);
    const std::size_t dots = rest.find("..");
    if (dots != std::string_view::npos && rest.find('/', dots) != std::string_view::npos) {
        words.values = rangeWords(std::string(rest.substr(1)), dots - 1);
        rest = {};
    }
    while (!rest.empty()) {
        rest.remove_prefix(1);
        words.values.emplace_back(rest.substr(0, rest.find(',')));
        rest.remove_prefix(std::min(rest.find(','), rest.size()));
    }
    if (sign == 0 ||
        std::ranges::all_of(words.values, [](const auto& value) { return value.empty(); }))
        throwError<InputError>("--over is '{}'; it must be a field and its values, such as {}.",
                               text, example);
    return words;
}

FieldValue overValue(const OptionField& field, const std::string& name, const std::string& word) {
    FieldValue value = optionValue(field, name, word);
    const FieldOption& option = *field.option;
    const auto* number = std::get_if<double>(&value);
    if (!number || option.high <= option.low || value == field.usual) return value;
    if (!(*number >= option.low && *number <= option.high))
        throwError<InputError>("{} is {}; it must be {:g} to {:g}.", name, word, option.low,
                               option.high);
    return value;
}

OverField overField(const std::string& name, const JobSpec& job) {
    const Fields fields(job);
    const std::vector<OverField>& all = fields.all();
    const std::string path = name.starts_with("scan.") ? name.substr(5) : name;
    // A field of the file comes before one of the same name that forms have.
    const auto found = std::ranges::find_if(
        all, [&](const OverField& field) { return field.path == path || field.word == name; });
    if (found != all.end()) return *found;
    const std::vector<std::string> near = pathsNear(all, name);
    throwError<InputError>(
        "--over has no field '{}' of one value; {}.", name,
        near.empty() ? "it must be one of job.json or scan.json, such as prep.ringWidthPx, "
                       "filter.window or detector.offsetMm[0]"
                     : fmt::format("near to it are {}", fmt::join(near, ", ")));
}

}  // namespace gantry
