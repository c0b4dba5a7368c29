#include "core/job/event_line.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"

namespace gantry {

namespace {

// The values of an event's fields, by type.
struct Fields {
    std::optional<std::string> event, lane, stage, state, message, code, field, level, text, host;
    std::optional<std::int64_t> t, rank, beginNs, endNs, slab, batch, bytes, updates, count,
        iteration, iterations;
    std::optional<double> fraction, elapsedSeconds, leftSeconds, gups, workSeconds, residual,
        change, seconds;
};

template <class Value>
struct Field {
    std::string_view name;
    std::optional<Value> Fields::*place;
};

constexpr std::array<Field<std::string>, 10> kTexts = {{{"event", &Fields::event},
                                                        {"lane", &Fields::lane},
                                                        {"stage", &Fields::stage},
                                                        {"state", &Fields::state},
                                                        {"message", &Fields::message},
                                                        {"code", &Fields::code},
                                                        {"field", &Fields::field},
                                                        {"level", &Fields::level},
                                                        {"text", &Fields::text},
                                                        {"host", &Fields::host}}};
constexpr std::array<Field<std::int64_t>, 11> kWholes = {{{"t", &Fields::t},
                                                          {"rank", &Fields::rank},
                                                          {"beginNs", &Fields::beginNs},
                                                          {"endNs", &Fields::endNs},
                                                          {"slab", &Fields::slab},
                                                          {"batch", &Fields::batch},
                                                          {"bytes", &Fields::bytes},
                                                          {"updates", &Fields::updates},
                                                          {"count", &Fields::count},
                                                          {"iteration", &Fields::iteration},
                                                          {"iterations", &Fields::iterations}}};
constexpr std::array<Field<double>, 8> kNumbers = {{{"fraction", &Fields::fraction},
                                                    {"elapsedSeconds", &Fields::elapsedSeconds},
                                                    {"leftSeconds", &Fields::leftSeconds},
                                                    {"gups", &Fields::gups},
                                                    {"workSeconds", &Fields::workSeconds},
                                                    {"residual", &Fields::residual},
                                                    {"change", &Fields::change},
                                                    {"seconds", &Fields::seconds}}};

// Fills Fields while a line is parsed, because building a JSON tree for each line takes twice as
// long. Unknown fields and nested values are skipped.
class FieldReader {
  public:
    explicit FieldReader(Fields& fields) : m_fields(fields) {}

    bool key(std::string& name) {
        m_key = m_depth == 1 ? std::string_view(m_name = std::move(name)) : std::string_view();
        return true;
    }
    // NOLINTBEGIN(readability-identifier-naming): the names that the parser calls
    bool string(std::string& value) { return put(kTexts, std::move(value)); }
    bool number_integer(std::int64_t value) { return whole(value); }
    bool number_unsigned(std::uint64_t value) {
        constexpr auto kMax = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
        return value > kMax ? put(kNumbers, static_cast<double>(value))
                            : whole(static_cast<std::int64_t>(value));
    }
    bool number_float(double value, const std::string&) { return put(kNumbers, value); }
    bool boolean(bool) { return true; }
    bool null() { return true; }
    bool binary(std::vector<std::uint8_t>&) { return true; }
    bool start_object(std::size_t) { return enter(); }
    bool end_object() { return leave(); }
    // An event is an object, so a line that is a list is none.
    bool start_array(std::size_t) { return m_depth > 0 && enter(); }
    bool end_array() { return leave(); }
    static bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
        return false;
    }
    // NOLINTEND(readability-identifier-naming)

  private:
    template <class Value, std::size_t N>
    bool put(const std::array<Field<Value>, N>& known, Value value) {
        if (m_depth != 1) return m_depth > 1;  // a single value is no event
        for (const Field<Value>& field : known) {
            if (field.name != m_key) continue;
            m_fields.*field.place = std::move(value);
            break;
        }
        return true;
    }
    bool whole(std::int64_t value) {
        put(kNumbers, static_cast<double>(value));
        return put(kWholes, value);
    }
    bool enter() {
        ++m_depth;
        return true;
    }
    bool leave() {
        --m_depth;
        return true;
    }

    Fields& m_fields;
    std::string m_name;
    std::string_view m_key;  ///< of m_name; empty within nested values
    int m_depth = 0;
};

std::optional<JobState> parseState(std::string_view text) {
    for (const JobState state : {JobState::queued, JobState::running, JobState::done,
                                 JobState::failed, JobState::cancelled})
        if (name(state) == text) return state;
    return std::nullopt;
}

// Whole numbers of a span must be small enough that sums of many do not overflow.
bool isCount(std::int64_t value) {
    return value >= 0 && value < std::int64_t{1} << 53;
}

bool takeSpan(Fields& fields, EventNews& news) {
    if (!fields.rank || !fields.lane || !fields.stage || !fields.beginNs || !fields.endNs)
        return false;
    TimelineSpan span;
    span.lane = std::move(*fields.lane);
    span.beginNs = *fields.beginNs;
    span.endNs = *fields.endNs;
    span.slab = fields.slab.value_or(0);
    span.batch = fields.batch.value_or(0);
    span.bytes = fields.bytes.value_or(0);
    span.updates = fields.updates.value_or(0);
    for (const std::int64_t count :
         {*fields.rank, span.beginNs, span.endNs, span.slab, span.batch, span.bytes, span.updates})
        if (!isCount(count)) return false;
    if (*fields.rank > std::numeric_limits<int>::max() || span.endNs < span.beginNs) return false;
    span.rank = static_cast<int>(*fields.rank);
    try {
        span.stage = parseStage(*fields.stage);
    } catch (const InputError&) {
        return false;
    }
    news.work.worked({span.beginNs, span.endNs});
    news.lastNs = std::max(news.lastNs.value_or(0), span.endNs);
    news.spans.push_back(std::move(span));
    return true;
}

bool takeProgress(const Fields& fields, EventNews& news) {
    if (!fields.fraction || !fields.elapsedSeconds || !fields.leftSeconds || !fields.gups)
        return false;
    news.progress = {std::clamp(*fields.fraction, 0.0, 1.0), *fields.elapsedSeconds,
                     *fields.leftSeconds, *fields.gups};
    if (fields.iteration && fields.iterations && isCount(*fields.iteration) &&
        isCount(*fields.iterations)) {
        news.progress->iteration = *fields.iteration;
        news.progress->iterations = *fields.iterations;
    }
    return true;
}

bool takeIteration(const Fields& fields, EventNews& news) {
    if (!fields.iteration || !isCount(*fields.iteration) || !fields.residual || !fields.change ||
        !fields.seconds)
        return false;
    news.iterations.push_back(
        {*fields.iteration, *fields.residual, *fields.change, *fields.seconds});
    return true;
}

// An impossible moment is ignored; the run's spans then determine it.
void takeMoment(const Fields& fields, const std::optional<JobState>& state, EventNews& news) {
    if (!fields.t || !isCount(*fields.t)) return;
    news.lastNs = std::max(news.lastNs.value_or(0), *fields.t);
    WorkTime& work = news.work;
    if (!state)
        work.seen(*fields.t);
    else if (*state == JobState::running)
        work.begin(*fields.t);
    else if (*state == JobState::queued)
        work.breakOff();
    else
        work.end(*fields.t);
}

bool takeState(Fields& fields, EventNews& news) {
    const std::optional<JobState> state = fields.state ? parseState(*fields.state) : std::nullopt;
    if (!state) return false;
    takeMoment(fields, state, news);
    news.state = state;
    news.workSeconds = fields.workSeconds;
    news.stateMessage = std::move(fields.message).value_or("");
    news.stateCode = parseErrorCode(fields.code.value_or(""));
    news.stateField = std::move(fields.field).value_or("");
    return true;
}

bool takeLog(const Fields& fields, EventNews& news) {
    if (!fields.level || !fields.text) return false;
    news.logs.push_back(*fields.level + ": " + *fields.text);
    return true;
}

constexpr std::int64_t kMaxRanks = 1'000'000;

bool takeRanks(const Fields& fields, EventNews& news) {
    if (!fields.count || *fields.count < 1 || *fields.count > kMaxRanks) return false;
    news.ranks = static_cast<int>(*fields.count);
    return true;
}

bool takeHost(Fields& fields, EventNews& news) {
    constexpr std::size_t kMaxBytes = 255;  // of a machine's name
    if (!fields.rank || !fields.host || *fields.rank < 0 || *fields.rank >= kMaxRanks ||
        fields.host->size() > kMaxBytes)
        return false;
    news.hosts[static_cast<int>(*fields.rank)] = std::move(*fields.host);
    return true;
}

bool take(Fields& fields, EventNews& news) {
    if (!fields.event) return false;
    const std::string& kind = *fields.event;
    if (kind == "span") return takeSpan(fields, news);
    if (kind == "state") return takeState(fields, news);
    takeMoment(fields, {}, news);
    if (kind == "progress") return takeProgress(fields, news);
    if (kind == "iteration") return takeIteration(fields, news);
    if (kind == "log") return takeLog(fields, news);
    if (kind == "ranks") return takeRanks(fields, news);
    if (kind == "host") return takeHost(fields, news);
    return kind == "start" || kind == "metric" || kind == "preview" || kind == "clock";
}

}  // namespace

void takeEventLine(std::string_view line, EventNews& news) {
    if (line.empty()) return;
    Fields fields;
    FieldReader reader(fields);
    if (!nlohmann::json::sax_parse(line, &reader) || !take(fields, news)) ++news.skippedLines;
}

}  // namespace gantry
