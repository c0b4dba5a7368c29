#include "core/remote/scheduler/batch_script.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>
#include <vector>

#include "core/remote/host/shell_text.h"
#include "core/remote/scheduler/batch_system.h"

namespace gantry {

namespace {

std::string withNumbers(std::string words, const JobResources& resources) {
    for (const auto& [name, number] : {std::pair("{ranks}", resources.ranks()),
                                       {"{ranksPerNode}", resources.ranksPerNode},
                                       {"{nodes}", resources.nodes}})
        for (std::size_t at = 0; (at = words.find(name)) != std::string::npos;)
            words.replace(at, std::string_view(name).size(), std::to_string(number));
    return words;
}

// An image sees the user's home alone by itself.
std::string bindWords(const Host& host) {
    std::vector<std::string> places = {host.scratch};
    for (const auto& [here, there] : host.pathMap)
        places.push_back(there);
    places.insert(places.end(), host.binds.begin(), host.binds.end());
    std::string words;
    for (const std::string& place : places)
        words += fmt::format(" --bind {}", placeWord(place));
    return words;
}

}  // namespace

std::string variableLines(const Host& host) {
    std::string lines;
    for (const auto& [variable, value] : host.environment)
        lines += fmt::format("export {}={}\n", variable, shellWord(value));
    return lines;
}

std::string moduleLines(const Host& host) {
    std::string lines;
    if (!host.module.empty()) {
        lines +=
            "if ! command -v module >/dev/null 2>&1; then\n"
            "  for f in /etc/profile.d/modules.sh /etc/profile.d/lmod.sh "
            "/etc/profile.d/z00_lmod.sh; do\n"
            "    if [ -r \"$f\" ]; then . \"$f\"; break; fi\n  done\nfi\nmodule load";
        std::istringstream names(host.module);
        for (std::string name; names >> name;)
            lines += fmt::format(" {}", shellWord(name));
        lines += "\n";
    }
    for (const std::string& line : host.setup)
        lines += line + "\n";
    return lines;
}

std::string setupLines(const Host& host) {
    return variableLines(host) + moduleLines(host);
}

std::string gantryWords(const Host& host) {
    std::string program = isPlace(host.program) ? placeWord(host.program) : shellWord(host.program);
    if (host.startBy != StartBy::image) return program;
    const char* gpus = host.gpusPerNode > 0 ? " --nv" : "";
    return fmt::format("apptainer exec{}{} {} {}", gpus, bindWords(host), placeWord(host.image),
                       program);
}

std::string launcherWords(const Host& host, const JobResources& resources) {
    if (!host.hasQueue()) return {};
    const std::string_view usual = batchSystem(host.scheduler).launcher;
    return withNumbers(host.launcher.empty() ? std::string(usual) : host.launcher, resources);
}

std::string arrayScript(const Host& host, const std::string& script, const std::string& id,
                        int count) {
    const BatchSystem& queue = batchSystem(host.scheduler);
    std::string text = "#!/bin/sh\n";
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(queue.prefix) && line.find("--output=") == std::string::npos)
            text += line + "\n";
    return text + queue.array(id, count) + "exec sh ./job.sh\n";
}

std::string batchScript(const Host& host, const JobResources& resources, const std::string& id,
                        const std::string& words) {
    const BatchSystem& system = batchSystem(host.scheduler);
    std::string script = "#!/bin/sh\n" + system.head(host, resources, id);
    if (!resources.reason.empty())
        script += fmt::format("# {} {}, {} ranks: {}.\n", resources.nodes,
                              resources.nodes == 1 ? "node" : "nodes", resources.ranks(),
                              shownText(resources.reason));
    script +=
        "# Run in the job's folder on the host; job/ has the request, out/ gets the volume.\n"
        "umask 077\n";
    script += system.begin(host, resources) + setupLines(host);
    script += "rm -f ended\ntrap : TERM  # for what it starts to end by itself\n";
    script += system.begun;
    std::string command = words;
    if (command.empty()) command = "worker \"$PWD/job\"";
    if (!host.hasQueue() && resources.ranks() > 1)
        command += fmt::format(" --ranks {}", resources.ranks());
    if (words.empty()) command += " \"$@\"";
    if (host.hasQueue()) script += launcherWords(host, resources) + " ";
    script += fmt::format("{} {}\n", gantryWords(host), command);
    script += "code=$?\necho \"$code\" >ended.part && mv ended.part ended\nexit \"$code\"\n";
    return script;
}

}  // namespace gantry
