#include "core/describe/description_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/problem_list.h"

namespace gantry {

namespace {

constexpr const char* kAsTold = "as told";
constexpr const char* kSure = "(sure)";
constexpr std::size_t kMaxShown = 60;      // characters of a value
constexpr std::size_t kMaxIgnored = 2000;  // keys that are listed

std::string shortened(const std::string& value) {
    if (value.size() <= kMaxShown) return value;
    std::size_t end = kMaxShown;
    while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80)
        --end;  // not within a character
    return value.substr(0, end) + "…";
}

std::string titleOf(KeyName name) {
    return name.section.empty() ? std::string(name.key)
                                : fmt::format("[{}] {}", name.section, name.key);
}

}  // namespace

std::string_view name(StatedCertainty certainty) noexcept {
    switch (certainty) {
        case StatedCertainty::certain:
            return "certain";
        case StatedCertainty::likely:
            return "likely";
        case StatedCertainty::unknown:
            break;
    }
    return "unknown";
}

std::string writtenAnswer(const OpenQuestion& question) {
    return fmt::format("{}={}; {}", question.name, question.taken, question.how);
}

bool isTold(const OpenQuestion& question) {
    return question.how == kAsTold;
}

bool isSettled(const OpenQuestion& question) {
    return isTold(question) || question.how.ends_with(kSure);
}

std::vector<OpenQuestion> answeredAs(std::vector<OpenQuestion> questions,
                                     const std::vector<std::string>& written) {
    for (OpenQuestion& question : questions)
        for (const std::string& text : written) {
            const std::string begin = question.name + "=";
            const std::size_t end = text.find("; ");
            if (!text.starts_with(begin) || end == std::string::npos) continue;
            question.taken = text.substr(begin.size(), end - begin.size());
            question.how = text.substr(end + 2);
        }
    return questions;
}

Answers answersIn(const std::vector<std::string>& written) {
    Answers answers;
    for (const std::string& text : written) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) continue;
        const std::size_t end = text.find("; ", equals);
        answers[text.substr(0, equals)] = text.substr(equals + 1, end - equals - 1);
    }
    return answers;
}

std::optional<double> numberOfAnyCountry(std::string_view text) {
    std::string digits(trimmed(text));
    if (digits.starts_with('+')) digits.erase(0, 1);
    if (digits.find('.') == std::string::npos && std::ranges::count(digits, ',') == 1)
        std::ranges::replace(digits, ',', '.');
    double value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, code] = std::from_chars(digits.data(), end, value);
    if (code != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::string shownNumber(double value) {
    return fmt::format("{:.10g}", value);
}

std::string shownPair(double first, double second) {
    return fmt::format("{:.10g}, {:.10g}", first, second);
}

DescriptionSheet::DescriptionSheet(const std::filesystem::path& file, std::vector<KeyValue> keys,
                                   Answers answers)
    : m_keys(std::move(keys)), m_answers(std::move(answers)) {
    m_plain.reserve(m_keys.size());
    for (const KeyValue& key : m_keys)
        m_plain.emplace_back(plainKey(key.section), plainKey(key.key));
    m_result.file = std::filesystem::absolute(file).lexically_normal();
    m_result.scan.folder = m_result.file.parent_path();
    m_result.scan.path = m_result.scan.folder / "scan.json";
    m_result.scan.name = m_result.file.stem().string();
}

const KeyValue* DescriptionSheet::find(KeyName name) const {
    const std::string section = plainKey(name.section);
    const std::string key = plainKey(name.key);
    for (std::size_t i = 0; i < m_keys.size(); ++i)
        if (m_plain[i].second == key && (section.empty() || m_plain[i].first == section))
            return &m_keys[i];
    return nullptr;
}

const KeyValue* DescriptionSheet::use(KeyName name) {
    const KeyValue* key = find(name);
    if (!key) return nullptr;
    m_used.insert(key);
    return key->value.empty() ? nullptr : key;
}

std::string DescriptionSheet::placeOf(const KeyValue& key) const {
    const std::size_t last = key.section.rfind('/');
    const std::string section =
        last == std::string::npos ? key.section : key.section.substr(last + 1);
    const std::string file = key.file.empty() ? m_result.file.filename().string() : key.file;
    return fmt::format("{}{} {}{}", file, key.line > 0 ? fmt::format(":{}", key.line) : "",
                       section.empty() ? "" : fmt::format("[{}] ", shortened(section)),
                       shortened(key.key));
}

// For messages: "/scans/a.log: line 7: Pitch".
std::string DescriptionSheet::lineOf(const KeyValue& key) const {
    return fmt::format("{}: {}{}", m_result.file.string(),
                       key.line > 0 ? fmt::format("line {}: ", key.line) : "", shortened(key.key));
}

const KeyValue& DescriptionSheet::needed(KeyName name) {
    if (const KeyValue* key = use(name)) return *key;
    throwError<InputError>("{}: {} is missing or empty; the scan needs it", m_result.file.string(),
                           titleOf(name));
}

double DescriptionSheet::numberOf(const KeyValue& key) const {
    const std::optional<double> value = numberOfAnyCountry(key.value);
    if (!value)
        throwError<InputError>("{} is \"{}\"; it must be a finite number", lineOf(key),
                               quotable(key.value));
    return *value;
}

Index DescriptionSheet::countOf(const KeyValue& key, Index max) const {
    const double value = numberOf(key);
    if (!(value >= 1 && value <= static_cast<double>(max) && std::floor(value) == value))
        throwError<InputError>("{} is {}; it must be a whole number from 1 to {}", lineOf(key),
                               quotable(key.value), max);
    return static_cast<Index>(value);
}

double DescriptionSheet::number(KeyName name) {
    return numberOf(needed(name));
}

Index DescriptionSheet::count(KeyName name, Index max) {
    return countOf(needed(name), max);
}

std::string DescriptionSheet::text(KeyName name) {
    return needed(name).value;
}

std::optional<double> DescriptionSheet::findNumber(KeyName name) {
    const KeyValue* key = use(name);
    return key ? std::optional(numberOf(*key)) : std::nullopt;
}

std::optional<Index> DescriptionSheet::findCount(KeyName name, Index max) {
    const KeyValue* key = use(name);
    return key ? std::optional(countOf(*key, max)) : std::nullopt;
}

std::string DescriptionSheet::findText(KeyName name) {
    const KeyValue* key = use(name);
    return key ? key->value : std::string();
}

std::vector<double> DescriptionSheet::numbers(KeyName name, std::size_t count) {
    const KeyValue& key = needed(name);
    std::vector<double> found;
    std::string_view rest = key.value;
    while (!rest.empty() && found.size() <= count) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        const std::optional<double> value = numberOfAnyCountry(word);
        if (!value) break;
        found.push_back(*value);
        rest = trimmed(rest.substr(word.size()));
    }
    if (found.size() != count || !rest.empty())
        throwError<InputError>("{} is \"{}\"; it must be {} finite numbers", lineOf(key),
                               quotable(key.value), count);
    return found;
}

std::vector<double> DescriptionSheet::everyNumber(KeyName name) {
    const std::string section = plainKey(name.section);
    const std::string key = plainKey(name.key);
    std::vector<double> found;
    for (std::size_t i = 0; i < m_keys.size(); ++i) {
        if (m_plain[i].second != key || m_plain[i].first != section) continue;
        m_used.insert(&m_keys[i]);
        found.push_back(numberOf(m_keys[i]));
    }
    m_lists.insert(key);
    return found;
}

bool DescriptionSheet::isOn(KeyName name) {
    const std::string value = inLowerCase(findText(name));
    const std::string word = value.substr(0, value.find(' '));
    return word == "yes" || word == "true" || word == "on" || word == "1";
}

void DescriptionSheet::state(std::string field, std::string value, std::string unit,
                             std::initializer_list<KeyName> keys, StatedCertainty certainty,
                             std::string note) {
    Statement statement{std::move(field), std::move(value), std::move(unit), {},
                        certainty,        std::move(note)};
    for (const KeyName& name : keys)
        if (const KeyValue* key = use(name)) statement.places.push_back(placeOf(*key));
    m_result.statements.push_back(std::move(statement));
}

std::size_t DescriptionSheet::ask(const char* name, std::vector<std::string> choices,
                                  std::string what) {
    std::size_t taken = 0;
    const auto answer = m_answers.find(name);
    if (answer != m_answers.end()) {
        const auto found = std::ranges::find(choices, answer->second);
        if (found == choices.end())
            throwError<InputError>("{}: the answer to {} is \"{}\"; it must be {}",
                                   m_result.file.string(), name, quotable(answer->second),
                                   listed(choices, "or"));
        taken = static_cast<std::size_t>(found - choices.begin());
    }
    OpenQuestion& question = m_result.questions.emplace_back();
    question.name = name;
    question.what = std::move(what);
    question.taken = choices[taken];
    question.choices = std::move(choices);
    if (answer != m_answers.end()) question.how = kAsTold;
    return taken;
}

double DescriptionSheet::askSign(const char* name, std::string what) {
    return ask(name, {"stated", "negated"}, std::move(what)) == 0 ? 1 : -1;
}

double DescriptionSheet::askRotation(bool isClockwise, std::string what) {
    std::vector<std::string> choices = {"counter-clockwise", "clockwise"};
    if (isClockwise) std::ranges::reverse(choices);
    return (ask("rotation", choices, std::move(what)) == 0) == isClockwise ? -1 : 1;
}

void DescriptionSheet::readSize(KeyName columns, KeyName rows) {
    Detector& detector = scan().geometry.detector;
    detector.columns = count(columns, kMaxPixels);
    detector.rows = count(rows, kMaxPixels);
    state("detector.columns", fmt::format("{}", detector.columns), "px", {columns},
          StatedCertainty::certain);
    state("detector.rows", fmt::format("{}", detector.rows), "px", {rows},
          StatedCertainty::certain);
}

void DescriptionSheet::takeDistances(double sodMm, std::initializer_list<KeyName> sod, double sddMm,
                                     std::initializer_list<KeyName> sdd, std::string note) {
    CircularCone& cone = scan().geometry.cone();
    cone.sourceToIsocenterMm = sodMm;
    cone.sourceToDetectorMm = sddMm;
    state("trajectory.sourceToIsocenterMm", shownNumber(sodMm), "mm", sod,
          StatedCertainty::certain);
    state("trajectory.sourceToDetectorMm", shownNumber(sddMm), "mm", sdd, StatedCertainty::certain,
          std::move(note));
}

void DescriptionSheet::takePitch(std::array<double, 2> pitchMm, std::initializer_list<KeyName> keys,
                                 std::string note) {
    scan().geometry.detector.pitchMm = pitchMm;
    state("detector.pitchMm", shownPair(pitchMm[0], pitchMm[1]), "mm", keys,
          StatedCertainty::certain, std::move(note));
}

Index DescriptionSheet::readViews(KeyName name) {
    const Index views = count(name, kMaxViews);
    state("trajectory.views", fmt::format("{}", views), "", {name}, StatedCertainty::certain);
    return views;
}

void DescriptionSheet::askOrientation(bool isUsuallyMirrored, StatedCertainty rows,
                                      StatedCertainty columns, bool isUsuallyTop) {
    ProjectionFiles& files = scan().projections;
    std::vector<std::string> edges = {"top", "bottom"};
    if (!isUsuallyTop) std::ranges::reverse(edges);
    files.firstRowIsTop =
        (ask("firstRow", edges, "Which edge the images' first row is.") == 0) == isUsuallyTop;
    std::vector<std::string> choices = {"no", "yes"};
    if (isUsuallyMirrored) std::ranges::reverse(choices);
    files.isMirrored =
        (ask("mirrored", choices,
             "Whether the images are mirrored left to right, seen from the source: with the "
             "rotation changed, too, the volume is as sharp and a mirror image.") == 0) ==
        isUsuallyMirrored;
    state("detector.firstRow", files.firstRowIsTop ? "top" : "bottom", "", {}, rows);
    state("detector.mirrored", files.isMirrored ? "true" : "false", "", {}, columns);
}

void DescriptionSheet::setting(std::string name, KeyName key, const std::string& unit,
                               std::string option, std::string optionValue, std::string note) {
    const KeyValue* const found = use(key);
    if (!found) return;
    std::string value = shortened(found->value);
    if (!unit.empty()) value += " " + unit;
    m_result.settings.push_back({std::move(name), std::move(value), placeOf(*found),
                                 std::move(option), std::move(optionValue), std::move(note)});
}

void DescriptionSheet::warn(std::string field, std::string sentence) {
    m_result.problems.push_back(
        {Problem::Severity::warning, std::move(field), std::move(sentence)});
}

void DescriptionSheet::refuse(std::string field, std::string sentence) {
    m_result.problems.push_back({Problem::Severity::error, std::move(field), std::move(sentence)});
}

// Warns of each key that a section repeats with another value, where the first value was used. It
// warns once, because a file may repeat a key without end.
void DescriptionSheet::listRepeated() {
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> firsts;
    std::set<std::size_t> told;
    for (std::size_t i = 0; i < m_keys.size(); ++i) {
        const auto [at, isNew] = firsts.try_emplace({m_keys[i].section, m_plain[i].second}, i);
        const std::size_t first = at->second;
        if (isNew || !m_used.contains(&m_keys[first])) continue;
        if (m_lists.contains(m_plain[i].second)) continue;
        m_used.insert(&m_keys[i]);
        if (m_keys[i].value == m_keys[first].value || !told.insert(first).second) continue;
        warn("", fmt::format("{} is {} there and {} in line {}; the first is taken.",
                             placeOf(m_keys[first]), shortened(m_keys[first].value),
                             shortened(m_keys[i].value), m_keys[i].line));
    }
}

void DescriptionSheet::listIgnored(std::span<const KnownKey> known) {
    std::vector<std::pair<std::string, std::string>> rows;  // as m_plain
    rows.reserve(known.size());
    for (const KnownKey& row : known)
        rows.emplace_back(plainKey(row.name.section), plainKey(row.name.key));
    for (std::size_t i = 0; i < m_keys.size() && m_result.ignored.size() < kMaxIgnored; ++i) {
        if (m_used.contains(&m_keys[i])) continue;
        const auto& [section, key] = m_plain[i];
        std::string_view why = "not known to Gantry";
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto& [rowSection, rowKey] = rows[row];
            const bool isIt = rowKey.empty()
                                  ? section.starts_with(rowSection)
                                  : rowKey == key && (rowSection.empty() || rowSection == section);
            if (!isIt) continue;
            why = known[row].why;
            break;
        }
        m_result.ignored.push_back(
            {placeOf(m_keys[i]), shortened(m_keys[i].value), std::string(why)});
    }
}

ScanDescription DescriptionSheet::finish(std::string format, std::span<const KnownKey> known) {
    for (const auto& answer : m_answers) {
        const std::string& name = answer.first;
        const bool isAsked = std::ranges::any_of(
            m_result.questions, [&](const OpenQuestion& one) { return one.name == name; });
        if (isAsked) continue;
        std::vector<std::string> names;
        for (const OpenQuestion& one : m_result.questions)
            names.push_back(one.name);
        throwError<InputError>("{}: there is no question {}; those of this scan are {}",
                               m_result.file.string(), quotable(name), listed(names, "and"));
    }
    m_result.format = std::move(format);
    m_result.scan.origin = {
        m_result.format, m_result.file.lexically_relative(m_result.scan.folder).string(), {}};
    std::vector<std::string>& written = m_result.scan.origin.answers;
    written.reserve(m_result.questions.size());
    for (const OpenQuestion& question : m_result.questions)
        written.push_back(writtenAnswer(question));
    listRepeated();
    listIgnored(known);
    for (Problem& problem : validate(m_result.scan.geometry))
        m_result.problems.push_back(std::move(problem));
    return std::move(m_result);
}

}  // namespace gantry
