#include "core/job/facts_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/job/job_fields.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kAbouts = {"kernel", "device", "host", "storage"};
const std::vector<std::string> kEngines = {std::string(kCpuWord), std::string(kGpuWord)};
const std::vector<std::string> kViewStates = {"stored", "prepared", "filtered"};

template <class Enum>
const std::string& wordAt(const std::vector<std::string>& words, Enum value) {
    return words[static_cast<std::size_t>(value)];
}

template <class Enum>
Enum choiceOf(JsonFields& fields, const char* name, const std::vector<std::string>& words) {
    const std::string word = fields.choice(name, words);
    const auto found = std::ranges::find(words, word);
    return static_cast<Enum>(found - words.begin());
}

Json toJson(const Question& question) {
    return {{"about", wordAt(kAbouts, question.about)},
            {"engine", wordAt(kEngines, question.engine)},
            {"device", question.device},
            {"kernel", question.kernel},
            {"fast", question.fast},
            {"hostTakes", wordAt(kViewStates, question.hostTakes)},
            {"of", question.of},
            {"place", question.place}};
}

Question parseQuestion(JsonFields fields) {
    Question question;
    question.about = choiceOf<Question::About>(fields, "about", kAbouts);
    question.engine = choiceOf<EngineKind>(fields, "engine", kEngines);
    question.device = static_cast<int>(fields.integer("device"));
    question.kernel = fields.text("kernel");
    question.fast = fields.boolean("fast", false);
    question.hostTakes = choiceOf<ViewState>(fields, "hostTakes", kViewStates);
    question.of = fields.text("of");
    question.place = fields.text("place");
    fields.finish();
    return question;
}

Json toJson(const Answer& answer) {
    if (const auto* failure = std::get_if<DeviceFailure>(&answer))
        return {{"failure", failure->message},
                {"code", name(failure->details.code)},
                {"advice", failure->details.advice},
                {"field", failure->details.field}};
    if (const auto* kernel = std::get_if<KernelFacts>(&answer))
        return {{"kernel", kernel->choice.kernel.name},
                {"fast", kernel->choice.kernel.isFast},
                {"layerSlices", kernel->choice.kernel.layerSlices},
                {"mirrors", kernel->choice.kernel.mirrors},
                {"updatesPerSecond", kernel->choice.updatesPerSecond},
                {"slices", kernel->choice.slices},
                {"columnSlices", kernel->choice.columnSlices},
                {"whyNoFilter", kernel->whyNoFilter},
                {"startSeconds", kernel->startSeconds}};
    if (const auto* device = std::get_if<DeviceRates>(&answer))
        return {{"uploadBytes", device->uploadBytes},
                {"downloadBytes", device->downloadBytes},
                {"filterPixels", device->filterPixels}};
    if (const auto* host = std::get_if<HostRates>(&answer))
        return {{"loadBytes", host->loadBytes},
                {"preparePixels", host->preparePixels},
                {"filterPixels", host->filterPixels},
                {"correctPixels", host->correctPixels}};
    const auto& storage = std::get<StorageRate>(answer);
    return {{"storeBytes", storage.bytes}, {"ofJobs", storage.ofJobs}};
}

Answer parseKernel(JsonFields& fields) {
    KernelFacts facts;
    facts.choice.kernel.name = fields.text("kernel");
    facts.choice.kernel.isFast = fields.boolean("fast", false);
    facts.choice.kernel.layerSlices = fields.integer("layerSlices");
    facts.choice.kernel.mirrors = fields.boolean("mirrors", false);
    facts.choice.updatesPerSecond = fields.number("updatesPerSecond");
    facts.choice.slices = fields.number("slices");
    facts.choice.columnSlices = fields.number("columnSlices");
    facts.whyNoFilter = fields.text("whyNoFilter");
    facts.startSeconds = fields.number("startSeconds");
    return facts;
}

Answer parseAnswer(JsonFields fields, Question::About about) {
    Answer answer;
    if (fields.has("failure")) {
        DeviceFailure failure;
        failure.message = fields.text("failure");
        failure.details.code = parseErrorCode(fields.text("code"));
        failure.details.advice = fields.text("advice");
        failure.details.field = fields.text("field");
        answer = failure;
    } else if (about == Question::About::kernel) {
        answer = parseKernel(fields);
    } else if (about == Question::About::device) {
        DeviceRates rates;
        rates.uploadBytes = fields.number("uploadBytes");
        rates.downloadBytes = fields.number("downloadBytes");
        rates.filterPixels = fields.number("filterPixels");
        answer = rates;
    } else if (about == Question::About::host) {
        answer = HostRates{fields.number("loadBytes"), fields.number("preparePixels"),
                           fields.number("filterPixels"), fields.number("correctPixels", 0)};
    } else {
        StorageRate storage{fields.number("storeBytes")};
        for (const auto& [kind, rate] : fields.raw("ofJobs").items())
            if (rate.is_number()) storage.ofJobs[kind] = rate.get<double>();
        answer = storage;
    }
    fields.finish();
    return answer;
}

}  // namespace

Json toJson(const Facts& facts) {
    Json list = Json::array();
    for (const Facts::Fact& fact : facts.all())
        list.push_back({{"question", toJson(fact.question)}, {"answer", toJson(fact.answer)}});
    return list;
}

Json toJson(const std::vector<DeviceFacts>& devices) {
    Json list = Json::array();
    for (const DeviceFacts& device : devices)
        list.push_back({{"device", device.number},
                        {"name", device.name},
                        {"memoryBytes", device.memoryBytes},
                        {"freeBytes", device.freeBytes}});
    return list;
}

Facts parseFacts(const nlohmann::json& list, const std::string& where) {
    Facts facts;
    for (const nlohmann::json& item : list) {
        JsonFields fields(item, where, "facts");
        const Question question = parseQuestion(fields.object("question"));
        facts.add(question, parseAnswer(fields.object("answer"), question.about));
        fields.finish();
    }
    return facts;
}

std::vector<DeviceFacts> parseDeviceFacts(const nlohmann::json& list, const std::string& where) {
    std::vector<DeviceFacts> devices;
    for (const nlohmann::json& item : list) {
        JsonFields fields(item, where, "devices");
        DeviceFacts device;
        device.number = static_cast<int>(fields.integer("device"));
        device.name = fields.text("name");
        device.memoryBytes = fields.integer("memoryBytes");
        device.freeBytes = fields.integer("freeBytes");
        fields.finish();
        devices.push_back(device);
    }
    return devices;
}

}  // namespace gantry
