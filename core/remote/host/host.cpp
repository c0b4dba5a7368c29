#include "core/remote/host/host.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

using enum FieldPresence;

constexpr FieldWord kSchedulers[] = {{"none", "The machine itself, in turn"}, {"slurm", "Slurm"}};
constexpr FieldWord kStarts[] = {
    {"path", "A program"}, {"module", "In a module"}, {"image", "In an Apptainer image"}};
constexpr std::array kSections = {"start", "slurm"};
constexpr std::string_view kHere = "local";

constexpr FieldChoice<Host> kScheduler = {
    kSchedulers, [](const Host& h) { return static_cast<std::size_t>(h.scheduler); },
    [](Host& h, std::size_t word) { h.scheduler = static_cast<Scheduler>(word); }};
constexpr FieldChoice<Host> kStartBy = {
    kStarts, [](const Host& h) { return static_cast<std::size_t>(h.startBy); },
    [](Host& h, std::size_t word) { h.startBy = static_cast<StartBy>(word); }};

bool hasSlurm(const Host& h) {
    return h.scheduler == Scheduler::slurm;
}
bool needsModule(const Host& h) {
    return h.startBy == StartBy::module;
}
bool needsImage(const Host& h) {
    return h.startBy == StartBy::image;
}

constexpr FileField<Host> kHostFields[] = {
    {{"", "address", defaulted, "",
      "what `ssh` is given: a name of its configuration, or user@host; empty: this machine"},
     [](Host& h) -> std::string& { return h.address; },
     {.label = "Address"}},
    {{"", "scheduler", defaulted, "", "what gives jobs their machines"},
     kScheduler,
     {.label = "Jobs are started by"}},
    {{"", "scratch", needed, "",
      "a folder there for what is sent and made; it begins with `/`, `~/` or `$NAME/`"},
     [](Host& h) -> std::string& { return h.scratch; },
     {.label = "Scratch folder"}},
    {{"", "cluster", defaulted, "",
      "its description for forecasts: `abci`, `h200` or a file; empty: none"},
     [](Host& h) -> std::string& { return h.cluster; },
     {.label = "Forecasts as for"}},
    {{"start", "by", defaulted, "", "how gantry is started"},
     kStartBy,
     {.label = "Gantry there is"}},
    {{"start", "program", defaulted, "", "the program's file there, or its name in the PATH"},
     [](Host& h) -> std::string& { return h.program; },
     {.label = "Program"}},
    {{"start", "module", defaulted, "", "modules to load first, with blanks between"},
     [](Host& h) -> std::string& { return h.module; },
     {.label = "Modules"},
     needsModule},
    {{"start", "image", defaulted, "", "the Apptainer image that has gantry"},
     [](Host& h) -> std::string& { return h.image; },
     {.label = "Image"},
     needsImage},
    {{"slurm", "partition", defaulted, "", "empty: the default one"},
     [](Host& h) -> std::string& { return h.partition; },
     {.label = "Partition"},
     hasSlurm},
    {{"slurm", "account", defaulted, "", "whose budget is charged; empty: the default one"},
     [](Host& h) -> std::string& { return h.account; },
     {.label = "Account"},
     hasSlurm},
    {{"slurm", "qos", defaulted, "", "quality of service; empty: the default one"},
     [](Host& h) -> std::string& { return h.qos; },
     {.label = "Quality of service"},
     hasSlurm},
    {{"slurm", "timeMinutes", defaulted, "min", "the longest that a job may take; 0: not known", 0,
      1'000'000},
     [](Host& h) -> int& { return h.timeMinutes; },
     {.label = "Longest time"},
     hasSlurm},
    {{"slurm", "nodes", defaulted, "", "of a job, where no forecast says how many", 1, 100'000},
     [](Host& h) -> int& { return h.nodes; },
     {.label = "Usual nodes"},
     hasSlurm},
    {{"slurm", "maxNodes", defaulted, "", "that a job may ask for", 1, 100'000, "mostNodes"},
     [](Host& h) -> int& { return h.maxNodes; },
     {.label = "Max nodes"},
     hasSlurm},
    {{"slurm", "gpusPerNode", defaulted, "", "that a job asks for; 0: none", 0, 64},
     [](Host& h) -> int& { return h.gpusPerNode; },
     {.label = "GPUs a node"},
     hasSlurm},
    {{"slurm", "ranksPerNode", defaulted, "", "processes (ranks) on a node, one a GPU", 1, 1024},
     [](Host& h) -> int& { return h.ranksPerNode; },
     {.label = "Processes a node"},
     hasSlurm},
    {{"slurm", "launcher", defaulted, "", "what starts the ranks, with its options"},
     [](Host& h) -> std::string& { return h.launcher; },
     {.label = "Launcher"},
     hasSlurm},
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairsIn(JsonFields& fields, const char* name) {
    Pairs pairs;
    if (!fields.has(name)) return pairs;
    const nlohmann::json& object = fields.raw(name);
    if (!object.is_object()) fields.fail(name, "must be an object of texts");
    for (const auto& [key, value] : object.items()) {
        if (!value.is_string()) fields.fail(name, fmt::format("has {}, which is no text", key));
        pairs.emplace_back(key, value.get<std::string>());
    }
    return pairs;
}

json toJson(const Pairs& pairs) {
    json object = json::object();
    for (const auto& [key, value] : pairs)
        object[key] = value;
    return object;
}

// These texts are put into a script's lines for Slurm, where nothing can be quoted.
void checkPlain(const JsonFields& fields, std::string_view name, const std::string& text,
                std::string_view more) {
    const bool isPlain = std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               more.find(c) != std::string_view::npos;
    });
    if (!isPlain || text.starts_with('-'))
        fields.fail(name, fmt::format("is '{}'; it may have letters, digits and {} and no dash "
                                      "at its begin",
                                      shownText(text), more));
}

void checkHost(const JsonFields& fields, const Host& host) {
    checkPlain(fields, "address", host.address, "_.@:-[]%");
    checkPlain(fields, "slurm.partition", host.partition, "_.,-");
    checkPlain(fields, "slurm.account", host.account, "_.@-");
    checkPlain(fields, "slurm.qos", host.qos, "_.-");
    checkPlain(fields, "slurm.launcher", host.launcher, " _./=,:-");
    checkPlain(fields, "start.module", host.module, " _./+-");
    if (!isPlace(host.scratch))
        fields.fail("scratch", fmt::format("is '{}'; it must begin with /, ~/ or $NAME/",
                                           shownText(host.scratch)));
    if (host.startBy == StartBy::module && host.module.empty())
        fields.fail("start.module", "is missing; name the module that has gantry");
    if (host.startBy == StartBy::image && !isPlace(host.image))
        fields.fail("start.image", "must be the image's place on the host, from / on");
    if (host.program.empty()) fields.fail("start.program", "must not be empty");
    if (host.nodes > host.maxNodes)
        fields.fail("slurm.nodes",
                    fmt::format("is {}, more than maxNodes, {}", host.nodes, host.maxNodes));
    for (const auto& [variable, value] : host.environment) {
        if (!isVariableName(variable))
            fields.fail("environment",
                        fmt::format("has '{}'; a variable's name has letters, digits and _ and no "
                                    "digit at its begin",
                                    shownText(variable)));
        if (value.find('\0') != std::string::npos)
            fields.fail("environment", fmt::format("has a null character in '{}'", variable));
    }
    for (const auto& [here, there] : host.pathMap)
        if (!here.starts_with('/') || !there.starts_with('/'))
            fields.fail("pathMap", fmt::format("has '{}' and '{}'; both must begin with /",
                                               shownText(here), shownText(there)));
}

fs::path fileOf(const std::string& name) {
    return hostsFolder() / (name + ".json");
}

Host thisMachine() {
    Host host;
    host.name = kHere;
    host.scratch = "~/.cache/gantry";
    return host;
}

}  // namespace

std::span<const FileField<Host>> hostFields() {
    return kHostFields;
}

Host parseHost(std::string_view text, const fs::path& path) {
    const nlohmann::json document = parseJson(text, path.string());
    JsonFields fields(document, path.string());
    if (const Index version = fields.integer("gantryHost"); version != 1)
        fields.fail("gantryHost", fmt::format("is {}; this version of Gantry reads 1", version));
    Host host;
    host.name = path.stem().string();
    readSection(fields, hostFields(), "", host);
    for (const char* section : kSections) {
        if (!fields.has(section)) continue;
        JsonFields object = fields.object(section);
        readSection(object, hostFields(), section, host);
        object.finish();
    }
    host.environment = pairsIn(fields, "environment");
    host.pathMap = pairsIn(fields, "pathMap");
    fields.finish();
    checkHost(fields, host);
    return host;
}

std::string toJson(const Host& host) {
    json document = {{"gantryHost", 1}};
    writeSection(document, hostFields(), "", host);
    for (const char* section : kSections)
        writeSection(document[section], hostFields(), section, host);
    document["environment"] = toJson(host.environment);
    document["pathMap"] = toJson(host.pathMap);
    return jsonText(document) + "\n";
}

fs::path userFolder(const char* variable, const char* belowHome) {
    const char* given = std::getenv(variable);
    const char* home = std::getenv("HOME");
    fs::path folder = given ? given : "";
    if (!folder.is_absolute()) folder = fs::path(home ? home : "/") / belowHome;
    return folder / "gantry";
}

fs::path hostsFolder() {
    return userFolder("XDG_CONFIG_HOME", ".config") / "hosts";
}

std::vector<std::string> knownHosts() {
    std::vector<std::string> names;
    if (!isFolder(hostsFolder())) return names;
    for (const fs::path& file : entriesOf(hostsFolder()))
        if (file.extension() == ".json") names.push_back(file.stem().string());
    return names;
}

Host findHost(const std::string& nameOrFile) {
    const bool isName = nameOrFile.find('/') == std::string::npos;
    const fs::path ofUser = fileOf(nameOrFile);
    if (isName && pathExists(ofUser)) return parseHost(readTextFile(ofUser), ofUser);
    if (!isName || pathExists(nameOrFile)) return parseHost(readTextFile(nameOrFile), nameOrFile);
    if (nameOrFile == kHere) return thisMachine();
    const std::vector<std::string> known = knownHosts();
    throw InputError(fmt::format(
        "There is no host '{}'. {} Add one by: gantry host add FILE.json", shownText(nameOrFile),
        known.empty() ? "None is known yet."
                      : fmt::format("Known are: {}.", fmt::join(known, ", "))));
}

Host checkedHost(const Host& host) {
    return parseHost(toJson(host), fileOf(host.name));
}

void checkHostName(const std::string& name) {
    if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.'))
        throw InputError(fmt::format("'{}' cannot be a host's name.", shownText(name)),
                         {.advice = "Give one by --name.", .field = "name"});
}

void addHost(const Host& host) {
    checkHostName(host.name);
    if (pathExists(fileOf(host.name)))
        throw InputError(fmt::format("There is a host '{}' already: {}. Edit or remove that file.",
                                     host.name, fileOf(host.name).string()),
                         {.field = "name"});
    keepHost(host);
}

void keepHost(const Host& host) {
    checkHostName(host.name);
    const std::string text = toJson(checkedHost(host));
    std::error_code error;
    fs::create_directories(hostsFolder(), error);
    writeFileAtomically(fileOf(host.name), text);
}

void removeHost(const std::string& name) {
    checkHostName(name);
    removeFile(fileOf(name));
}

std::optional<std::string> mappedPath(const Host& host, const fs::path& path) {
    std::optional<std::string> mapped;
    std::size_t deepest = 0;
    for (const auto& [here, there] : host.pathMap) {
        const fs::path below = path.lexically_normal().lexically_relative(fs::path(here));
        if (below.empty() || *below.begin() == ".." || here.size() < deepest) continue;
        deepest = here.size();
        mapped = below == "." ? there : (fs::path(there) / below).lexically_normal().string();
    }
    return mapped;
}

}  // namespace gantry
