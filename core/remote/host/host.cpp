#include "core/remote/host/host.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/throw_error.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

// The name of the second was "slurm" in files of earlier versions.
constexpr std::array kSections = {"start", "batch"};
constexpr std::string_view kHere = "local";

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

bool hasControl(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](unsigned char c) { return std::iscntrl(c) != 0; });
}

// Each of a field's lines has to pass `isAllowed`.
void checkLines(const JsonFields& fields, std::string_view name,
                const std::vector<std::string>& lines, bool (*isAllowed)(std::string_view),
                std::string_view allowed) {
    for (const std::string& line : lines)
        if (hasControl(line) || !isAllowed(line))
            fields.fail(name, fmt::format("has '{}'; {}", shownText(line), allowed));
}

// "/folder" or "/folder:/in/image".
bool isBind(std::string_view bind) {
    const std::size_t colon = std::min(bind.find(':'), bind.size());
    const std::string_view inside = bind.substr(colon);
    return isPlace(bind.substr(0, colon)) && bind.find(',') == std::string_view::npos &&
           (inside.empty() || inside.starts_with(":/"));
}

bool isMemory(std::string_view text) {
    if (text.empty() || text == "all" || text == "none") return true;
    constexpr std::size_t kMaxDigits = 9;
    const std::string_view digits = text.substr(0, text.size() - 1);
    return !digits.empty() && digits.size() <= kMaxDigits && digits[0] != '0' &&
           digits.find_first_not_of("0123456789") == std::string_view::npos &&
           std::string_view("KMGT").find(text.back()) != std::string_view::npos;
}

void checkBatch(const JsonFields& fields, const Host& host) {
    checkPlain(fields, "batch.partition", host.partition, "_.,@-");
    checkPlain(fields, "batch.account", host.account, "_.@-");
    checkPlain(fields, "batch.qos", host.qos, "_.-");
    checkPlain(fields, "batch.reservation", host.reservation, "_.,-");
    checkPlain(fields, "batch.licenses", host.licenses, "_.,:@-");
    checkPlain(fields, "batch.constraint", host.constraint, "_.,:=&|*[]()-");
    checkPlain(fields, "batch.gpuType", host.gpuType, "_.-");
    if (!isMemory(host.memoryPerNode))
        fields.fail("batch.memoryPerNode",
                    fmt::format("is '{}'; it may be all, none or a size as 180G, with K, M, G or T",
                                shownText(host.memoryPerNode)));
    checkLines(
        fields, "batch.options", host.options,
        [](std::string_view line) { return line.starts_with('-'); },
        "an option begins with a dash, as --mail-type=END");
    if (!isShellWords(host.launcher) || host.launcher.starts_with('-'))
        fields.fail("batch.launcher",
                    fmt::format("is '{}'; it may have words, quotes and $NAME, and nothing else "
                                "that a shell acts on",
                                shownText(host.launcher)));
    if (host.nodes > host.maxNodes)
        fields.fail("batch.nodes",
                    fmt::format("is {}, more than maxNodes, {}", host.nodes, host.maxNodes));
}

void checkStart(const JsonFields& fields, const Host& host) {
    checkPlain(fields, "start.module", host.module, " _./+-");
    if (host.startBy == StartBy::module && host.module.empty())
        fields.fail("start.module", "is missing; name the module that has gantry");
    if (host.startBy == StartBy::image && !isPlace(host.image))
        fields.fail("start.image", "must be the image's place on the host, from / on");
    if (host.program.empty()) fields.fail("start.program", "must not be empty");
    checkLines(fields, "start.binds", host.binds, isBind,
               "a folder begins with /, ~/ or $NAME/, may have :/in/image behind it, and has no "
               "comma");
    checkLines(
        fields, "start.setup", host.setup, [](std::string_view line) { return !line.empty(); },
        "each is one line of a shell");
}

void checkPairs(const JsonFields& fields, const Host& host) {
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

void checkHost(const JsonFields& fields, const Host& host) {
    checkPlain(fields, "address", host.address, "_.@:-[]%");
    if (!isPlace(host.scratch))
        fields.fail("scratch", fmt::format("is '{}'; it must begin with /, ~/ or $NAME/",
                                           shownText(host.scratch)));
    checkStart(fields, host);
    checkBatch(fields, host);
    checkPairs(fields, host);
}

fs::path fileOf(const std::string& name) {
    return hostsFolder() / (name + ".json");
}

void checkHostName(const std::string& name) {
    if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.'))
        throw InputError(fmt::format("'{}' cannot be a host's name.", shownText(name)),
                         {.advice = "Give one by --name.", .field = "name"});
}

Host thisMachine() {
    Host host;
    host.name = kHere;
    host.scratch = "~/.cache/gantry";
    return host;
}

}  // namespace

Host parseHost(std::string_view text, const fs::path& path) {
    const nlohmann::json document = parseJson(text, path.string());
    JsonFields fields(document, path.string());
    if (const Index version = fields.integer("gantryHost"); version != 1)
        fields.fail("gantryHost", fmt::format("is {}; this version of Gantry reads 1", version));
    Host host;
    host.name = path.stem().string();
    readSection(fields, hostFields(), "", host);
    for (const std::string section : kSections) {
        const bool isFormer = section == "batch" && !fields.has(section);
        const char* const name = isFormer ? "slurm" : section.c_str();
        if (!fields.has(name)) continue;
        JsonFields object = fields.object(name);
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
    throwError<InputError>("There is no host '{}'. {} Add one by: gantry host add FILE.json",
                           shownText(nameOrFile),
                           known.empty() ? "None is known yet."
                                         : fmt::format("Known are: {}.", fmt::join(known, ", ")));
}

Host checkedHost(const Host& host) {
    checkHostName(host.name);
    return parseHost(toJson(host), fileOf(host.name));
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
