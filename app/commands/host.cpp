#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/field_options.h"
#include "app/cli/host_json.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/remote/action/host_scratch.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/scheduler/batch_system.h"
#include "core/remote/scheduler/host_check.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

struct HostWords {
    std::string name;
    fs::path file;
    std::vector<std::function<void(Host&)>> edits;  ///< what options of a host's fields ask for
    bool yes = false;
    bool json = false;
};

int add(const HostWords& words) {
    if (words.file.empty() && words.name.empty())
        throw InputError("Give the host's FILE, or --name and --scratch with what else it needs.");
    Host host;
    if (!words.file.empty()) host = parseHost(readTextFile(words.file, 1'000'000), words.file);
    if (!words.name.empty()) host.name = words.name;
    for (const auto& edit : words.edits)
        edit(host);
    addHost(host);
    if (words.json) {
        show("{}\n", shownJson(nlohmann::ordered_json{{"host", host.name}, {"setup", host.setup}}));
        return 0;
    }
    for (const std::string& line : host.setup)
        show("Before Gantry, it runs there: {}\n", shownText(line));
    show("Host {} is known now. Check it: gantry host check {}\n", host.name, host.name);
    return 0;
}

void printFinding(const HostFinding& finding) {
    show("  {:<3}  {}: {}\n", finding.isGood ? "yes" : "no", finding.what, finding.found);
    if (!finding.advice.empty()) show("       {}\n", finding.advice);
    std::fflush(stdout);
}

int check(const HostWords& words, Session& session) {
    std::function<void(const HostFinding&)> found;
    if (!words.json) found = printFinding;
    const std::vector<HostFinding> findings =
        checkHost(findHost(words.name), found, session.stop());
    const bool isGood = std::ranges::all_of(
        findings, [](const HostFinding& each) { return each.isGood || each.isRemark(); });
    if (!words.json) return isGood ? 0 : 1;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const HostFinding& finding : findings)
        list.push_back(toJson(finding));
    show("{}\n", shownJson(nlohmann::ordered_json{
                     {"host", words.name}, {"good", isGood}, {"findings", list}}));
    return isGood ? 0 : 1;
}

int list(const HostWords& words) {
    nlohmann::ordered_json hosts = nlohmann::ordered_json::array();
    std::vector<std::vector<std::string>> rows = {{"Host", "address", "jobs by", "scratch"}};
    for (const std::string& name : knownHosts()) {
        try {
            const Host host = findHost(name);
            const std::string by(batchSystem(host.scheduler).name);
            rows.push_back({name, host.isHere() ? "this machine" : host.address, by, host.scratch});
            hosts.push_back({{"host", name}, {"address", host.address}, {"scratch", host.scratch}});
        } catch (const InputError& error) {
            rows.push_back({name, error.message(), "", ""});
            hosts.push_back({{"host", name}, {"error", error.message()}});
        }
    }
    if (words.json)
        show("{}\n", shownJson(hosts));
    else if (rows.size() == 1)
        show("No host is known yet. Add one by: gantry host add FILE.json\n");
    else
        show("{}", textTable(rows));
    return 0;
}

bool isAgreed(const HostWords& words, Index bytes) {
    if (words.yes) return true;
    if (::isatty(STDIN_FILENO) == 0) return false;
    show("Remove all of it, {}? [y/N] ", formatBytes(bytes));
    std::fflush(stdout);
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "yes";
}

int clean(const HostWords& words, Session& session) {
    const Host host = findHost(words.name);
    const std::vector<ScratchFolder> folders = unusedFolders(host, session.stop());
    Index bytes = 0;
    nlohmann::ordered_json listed = nlohmann::ordered_json::array();
    for (const ScratchFolder& folder : folders) {
        bytes += folder.bytes;
        listed.push_back(
            {{"folder", folder.path}, {"bytes", folder.bytes}, {"reason", folder.reason}});
        if (!words.json)
            show("  {}  {}  ({})\n", formatBytes(folder.bytes), folder.path, folder.reason);
    }
    const bool removes = !folders.empty() && isAgreed(words, bytes);
    if (removes) removeFolders(host, folders, session.stop());
    if (words.json)
        show("{}\n", shownJson(nlohmann::ordered_json{
                         {"host", host.name}, {"removed", removes}, {"folders", listed}}));
    else if (folders.empty())
        show("Nothing there is unused: neither data that were sent nor ended jobs.\n");
    else
        show("{}\n", removes ? "Removed." : "Nothing was removed. To do so: --yes");
    return 0;
}

// An option of each field, which sets it whatever the file says.
void addFields(Command& command, const std::shared_ptr<HostWords>& words) {
    for (const FileField<Host>& field : hostFields())
        addOptionOf(command, {optionOf(field, Host(), [words, &field](const FieldValue& value) {
                        words->edits.emplace_back(
                            [&field, value](Host& host) { field.assign(host, value); });
                    })});
}

}  // namespace

void addHosts(Command program) {
    Command hosts = program.command("host", "Machines and clusters that jobs can run on");
    auto words = std::make_shared<HostWords>();
    Command adding = hosts.command("add", "Take a host's file, as a site hands it out, or options");
    adding.option("file", words->file, "FILE", "A JSON file that describes the host");
    adding.option("--name", words->name, "NAME", "What it is called; by default as the file");
    adding.flag("--json", words->json, "Print one JSON document");
    addFields(adding, words);
    adding.examples(
        "  gantry host add cluster.json\n"
        "  gantry host add cluster.json --account ct --memory-per-node 180G\n"
        "  gantry host add --name big --address me@big --scratch '~/gantry'");
    adding.action([words](Session&) { return add(*words); });

    Command checking = hosts.command("check", "Whether all is there that jobs need, line by line");
    checking.required("name", words->name, "NAME", "A host of `gantry host list`, or a file");
    checking.flag("--json", words->json, "Print one JSON document");
    checking.examples("  gantry host check cluster");
    checking.action([words](Session& session) { return check(*words, session); });

    Command listing = hosts.command("list", "The hosts that are known");
    listing.flag("--json", words->json, "Print one JSON document");
    listing.examples("  gantry host list");
    listing.action([words](Session&) { return list(*words); });

    Command cleaning = hosts.command(
        "clean",
        "Remove what is fetched or old on a host: jobs that have ended, and data sent for them");
    cleaning.required("name", words->name, "NAME", "A host of `gantry host list`, or a file");
    cleaning.flag("--yes", words->yes, "Do not ask");
    cleaning.flag("--json", words->json, "Print one JSON document; removes with --yes alone");
    cleaning.examples("  gantry host clean cluster");
    cleaning.action([words](Session& session) { return clean(*words, session); });
}

}  // namespace gantry
