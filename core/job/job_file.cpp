#include "core/job/job_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/version.h"

namespace gantry {

using json = nlohmann::ordered_json;

namespace {

constexpr std::array<std::string_view, 3> kEngines = {"auto", "cpu", "gpu"};
constexpr std::array<std::string_view, 2> kKernels = {"columns", "reference"};
constexpr std::array<std::string_view, 3> kFilterPlaces = {"auto", "cpu", "gpu"};
constexpr Index kMostBytes = Index{1} << 60;

template <class Enum, std::size_t N>
Enum choose(JsonFields& fields, std::string_view field,
            const std::array<std::string_view, N>& names) {
    const std::vector<std::string> allowed(names.begin(), names.end());
    const std::string text = fields.choice(field, allowed, names[0]);
    return static_cast<Enum>(std::find(names.begin(), names.end(), text) - names.begin());
}

VolumeGrid parseGrid(JsonFields fields) {
    VolumeGrid grid;
    grid.voxels = fields.integers3("voxels");
    grid.pitchMm = fields.numbers3("pitchMm");
    grid.centerMm = fields.numbers3("centerMm");
    fields.finish();
    return grid;
}

PixelType parseOutputType(JsonFields& fields) {
    const std::string text = fields.choice("type", {"float32", "uint16", "uint8"});
    if (text == "uint16") return PixelType::uint16;
    return text == "uint8" ? PixelType::uint8 : PixelType::float32;
}

Index positive(JsonFields& fields, std::string_view field, Index fallback, Index least,
               Index most) {
    const Index value = fields.integer(field, fallback);
    if (value < least || value > most)
        fields.fail(field, fmt::format("is {}; it must be {} to {}", value, least, most));
    return value;
}

std::string parseGpuKernel(JsonFields& fields) {
    std::vector<std::string> allowed = {"auto"};
    for (const GpuKernelName& kernel : kGpuKernels)
        allowed.emplace_back(kernel.name);
    const std::string kernel = fields.choice("gpuKernel", allowed, "auto");
    return kernel == "auto" ? "" : kernel;
}

std::vector<int> parseDevices(JsonFields& fields) {
    std::vector<int> devices;
    if (!fields.has("devices")) return devices;
    for (const double number : fields.numbers("devices")) {
        if (number < 0 || number > 1023 || number != std::floor(number))
            fields.fail("devices", fmt::format("names GPU {}; numbers must be 0 to 1023", number));
        devices.push_back(static_cast<int>(number));
    }
    return devices;
}

// Fields that jobs have had since there are GPU engines.
void parseGpuFields(JsonFields& fields, JobSpec& spec) {
    spec.gpuKernel = parseGpuKernel(fields);
    spec.fast = fields.choice("precision", {"exact", "fast"}, "exact") == "fast";
    spec.filterOn = choose<FilterOn>(fields, "filterOn", kFilterPlaces);
    spec.devices = parseDevices(fields);
    spec.deviceMemoryBytes = positive(fields, "deviceMemoryBytes", 0, 0, kMostBytes);
}

// All but scan and volume.
void parseSettings(JsonFields& fields, JobSpec& spec) {
    JsonFields filter = fields.object("filter");
    spec.filter.window = parseFilterWindow(filter.text("window"));
    spec.filter.cutoff = filter.number("cutoff");
    filter.finish();

    JsonFields output = fields.object("output");
    spec.output.path = output.text("path");
    spec.output.type = parseOutputType(output);
    spec.output.range.reset();
    if (output.has("range")) spec.output.range = output.numbers2("range");
    output.finish();

    spec.engine = choose<Engine>(fields, "engine", kEngines);
    spec.cpuKernel = choose<CpuKernel>(fields, "cpuKernel", kKernels);
    parseGpuFields(fields, spec);
    spec.threads = static_cast<int>(positive(fields, "threads", 0, 0, 4096));
    spec.memoryBytes = positive(fields, "memoryBytes", 0, 0, kMostBytes);
    spec.batchViews = positive(fields, "batchViews", 32, 1, 1024);
    spec.checksumInput = fields.boolean("checksumInput", true);
    (void)fields.text("programVersion", "");
}

void addVolume(json& document, const VolumeGrid& volume) {
    document["volume"] = {
        {"voxels", volume.voxels}, {"pitchMm", volume.pitchMm}, {"centerMm", volume.centerMm}};
}

void addSettings(json& document, const JobSpec& spec) {
    json output = {{"path", spec.output.path.string()}, {"type", name(spec.output.type)}};
    if (spec.output.range) output["range"] = *spec.output.range;
    document["filter"] = {{"window", name(spec.filter.window)}, {"cutoff", spec.filter.cutoff}};
    document["output"] = output;
    document["engine"] = kEngines[static_cast<std::size_t>(spec.engine)];
    document["cpuKernel"] = kKernels[static_cast<std::size_t>(spec.cpuKernel)];
    document["gpuKernel"] = spec.gpuKernel.empty() ? "auto" : spec.gpuKernel;
    document["precision"] = spec.fast ? "fast" : "exact";
    document["filterOn"] = kFilterPlaces[static_cast<std::size_t>(spec.filterOn)];
    document["devices"] = spec.devices;
    document["deviceMemoryBytes"] = spec.deviceMemoryBytes;
    document["threads"] = spec.threads;
    document["memoryBytes"] = spec.memoryBytes;
    document["batchViews"] = spec.batchViews;
    document["checksumInput"] = spec.checksumInput;
}

}  // namespace

JobSpec parseJobSpec(const std::string& text, const std::string& where) {
    const nlohmann::json document = parseJson(text, where);
    JsonFields fields(document, where);
    if (const Index version = fields.integer("gantryJob"); version != 1)
        fields.fail("gantryJob", fmt::format("is {}; this version of Gantry reads 1", version));
    JobSpec spec;
    const std::filesystem::path scanPath = fields.text("scanFile");
    spec.scan = parseScan(jsonText(fields.raw("scan")), scanPath);
    spec.volume = parseGrid(fields.object("volume"));
    parseSettings(fields, spec);
    fields.finish();
    return spec;
}

std::string toJson(const JobSpec& spec) {
    json document = {{"gantryJob", 1},
                     {"programVersion", programVersion()},
                     {"scanFile", spec.scan.path.string()},
                     {"scan", ownOrderedJson(toJson(spec.scan))}};
    addVolume(document, spec.volume);
    addSettings(document, spec);
    return jsonText(document) + "\n";
}

bool takeSettings(const std::string& text, const std::string& where, JobSpec& spec) {
    const nlohmann::json document = parseJson(text, where);
    JsonFields fields(document, where);
    if (const Index version = fields.integer("gantrySettings"); version != 1)
        fields.fail("gantrySettings", fmt::format("version {} is not known; allowed: 1", version));
    JobSpec taken = spec;
    parseSettings(fields, taken);
    const bool hasVolume = fields.has("volume");
    if (hasVolume) taken.volume = parseGrid(fields.object("volume"));
    fields.finish();
    spec = std::move(taken);
    return hasVolume;
}

std::string settingsJson(const JobSpec& spec, bool withVolume) {
    json document = {{"gantrySettings", 1}, {"programVersion", programVersion()}};
    if (withVolume) addVolume(document, spec.volume);
    addSettings(document, spec);
    return jsonText(document) + "\n";
}

}  // namespace gantry
