#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/as_rank.h"
#include "app/cli/device_json.h"
#include "app/cli/launch_ranks.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "app/wiring/wiring.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/cluster/local_ranks.h"
#include "core/cluster/mpi/mpi_communicator.h"
#include "core/cpu/cpu_backend.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const DeviceList& list) {
    Json devices = Json::array();
    for (const DeviceInfo& device : list.devices)
        devices.push_back(deviceJson(device));
    Json document = {{"devices", devices},
                     {"cpu", {{"name", cpuName()}, {"threads", availableThreads()}}}};
    if (list.devices.empty()) document["whyNoGpu"] = list.whyNone;
    return document;
}

void print(const DeviceList& list) {
    if (list.devices.empty()) {
        show("No GPU: {}.\n", list.whyNone);
    } else {
        TextRows rows = {{"GPU", "free memory", "SMs", "compute", "clock", "load", "driver"}};
        for (const DeviceInfo& d : list.devices)
            rows.push_back(
                {fmt::format("{}: {}", d.number, d.name),
                 fmt::format("{} of {}", formatBytes(d.freeBytes), formatBytes(d.memoryBytes)),
                 fmt::format("{}", d.multiprocessors),
                 fmt::format("{}.{}", d.computeMajor, d.computeMinor),
                 fmt::format("{} MHz", d.clockMHz),
                 d.loadPercent < 0 ? "unknown" : fmt::format("{} %", d.loadPercent),
                 fmt::format("CUDA {}", cudaVersion(d.driverVersion))});
        show("{}", textTable(rows));
    }
    show("{}, {} threads\n", cpuName(), availableThreads());
}

// What ranks that a launcher of MPI has started see of each other and of their machines.
int showAsRank(bool json, Session& session, JobRanks& ranks) {
    std::vector<std::string> shares;
    ranks.work(
        [&](const std::stop_token&) {
            (void)ranks.shareOf(JobSpec(), session.backends());
            shares = ranks.shares();
            ranks.waitForAll();
        },
        session.stop());
    if (!ranks.isFirst()) return 0;
    const std::vector<std::string> hosts = ranks.hosts();
    if (json) {
        show("{}\n", shownJson(Json{{"hosts", hosts}, {"ranks", shares}}));
        return 0;
    }
    std::vector<std::string> machines = hosts;
    std::ranges::sort(machines);
    machines.erase(std::unique(machines.begin(), machines.end()), machines.end());
    show("{} rank{} on {}\n", hosts.size(), hosts.size() == 1 ? "" : "s",
         fmt::join(machines, ", "));
    for (std::size_t rank = 0; rank < shares.size(); ++rank)
        show("{}: {}\n", hosts[rank], shares[rank]);
    return 0;
}

}  // namespace

void addDevices(Command program) {
    auto json = std::make_shared<bool>(false);
    auto count = std::make_shared<int>(1);
    Command command = program.command(
        "devices", "List what can reconstruct here: GPUs with memory and load, and the CPU");
    command.option("--ranks", *count, "N",
                   "Start as many ranks here, and list what each sees of the machine");
    command.flag("--json", *json, "Print one JSON document");
    command.examples(
        "  gantry devices\n  gantry devices --ranks 4\n  srun --mpi=pmix gantry devices");
    command.action([json, count](Session& session) {
        if (isStartedByMpi())
            return runAsRank(session,
                             [&](JobRanks& ranks) { return showAsRank(*json, session, ranks); });
        if (const std::string why = whyRanksAreApart(1); !why.empty()) throw InputError(why);
        checkRanks(*count);
        if (*count > 1) return runRanks(*count, session.words(), session.stop());
        const DeviceList list = findDevices();
        if (*json)
            showJson(toJson(list));
        else
            print(list);
        return 0;
    });
}

}  // namespace gantry
