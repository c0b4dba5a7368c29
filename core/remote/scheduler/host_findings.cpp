#include "core/remote/scheduler/host_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "core/base/text.h"
#include "core/base/version.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/scheduler/batch_script.h"
#include "core/remote/scheduler/batch_system.h"

namespace gantry {

namespace {

using Lines = std::multimap<std::string, std::string>;

std::string valueOf(const Lines& lines, const std::string& key) {
    const auto found = lines.find(key);
    return found == lines.end() ? std::string() : shownText(found->second);
}

std::vector<std::string> valuesOf(const Lines& lines, const std::string& key,
                                  std::size_t maxBytes) {
    std::vector<std::string> values;
    const auto [begin, end] = lines.equal_range(key);
    for (auto line = begin; line != end; ++line)
        values.push_back(shownText(line->second, maxBytes));
    return values;
}

Lines linesIn(const std::string& printed) {
    Lines lines;
    std::istringstream stream(printed);
    for (std::string line; std::getline(stream, line) && lines.size() < 1000;) {
        const std::size_t blank = std::min(line.find(' '), line.size());
        lines.emplace(line.substr(0, blank), line.substr(std::min(blank + 1, line.size())));
    }
    return lines;
}

double numberOf(const std::string& text) {
    double number = -1;
    std::istringstream(text) >> number;
    return number;
}

HostFinding clockFinding(const Lines& lines, double localSeconds) {
    constexpr double kMuch = 60;
    const double ahead = numberOf(valueOf(lines, "clock")) - localSeconds;
    HostFinding finding = {"clock", std::abs(ahead) < kMuch, "agrees with this machine's", {}};
    if (finding.isGood) return finding;
    finding.found = fmt::format("is {} {} this machine's", formatDuration(std::abs(ahead)),
                                ahead > 0 ? "ahead of" : "behind");
    finding.advice =
        "Jobs run all the same, as none goes by it; expected starts are in the "
        "host's time. Ask its administrator to set it.";
    return finding;
}

HostFinding reachFinding(const Host& host, const Lines& /*lines*/) {
    return {"reached", true, host.isHere() ? "this machine" : host.address, {}};
}

HostFinding toolsFinding(const Host& /*host*/, const Lines& lines) {
    const std::vector<std::string> missing = valuesOf(lines, "lacks", 40);
    if (missing.empty()) return {"tools", true, "the usual ones are there", {}};
    return {"tools", false, fmt::format("lacks {}", listed(missing, "and")),
            "Ask its administrator for them."};
}

HostFinding spaceFinding(const Host& host, const Lines& lines) {
    const std::string scratch = valueOf(lines, "scratch");
    if (scratch.empty())
        return {"scratch folder", false, fmt::format("{} cannot be written", host.scratch),
                "Name another folder in the host's file (scratch)."};
    constexpr Index kKb = 1024;
    constexpr Index kLittle = 1'000'000'000;
    const Index free = kKb * static_cast<Index>(numberOf(valueOf(lines, "free")));
    return {"scratch folder", free > kLittle,
            fmt::format("{}, {} free", scratch, formatBytes(std::max<Index>(free, 0))),
            free > kLittle ? "" : "Free some room there, or name another folder (scratch)."};
}

// Whether gantry there has MPI, and what its launcher knows.
HostFinding mpiFinding(const Host& host, const Lines& lines) {
    const std::string mpi = valueOf(lines, "mpi");
    const auto lacks = [&](const char* what, const char* advice) -> HostFinding {
        return {"MPI", !host.hasRanks(), what, host.hasRanks() ? advice : ""};
    };
    if (!lines.contains("ranks"))
        return lacks("gantry there is built without MPI",
                     "Ask for a build with MPI, or set ranksPerNode and maxNodes to 1.");
    if (mpi.empty())
        return lacks("nothing that starts ranks",
                     "Load the MPI that gantry was built with (start.module), or name what starts "
                     "ranks (batch.launcher).");
    return {"MPI", true, mpi, {}};
}

// "gpu*|up|8|gpu:a100:4|1-00:00:00|64|512000", as far as the scheduler tells.
struct Partition {
    std::string name;
    bool isDefault = false;
    std::string state;
    std::string nodes;
    std::string gpus;
    std::string limit;
    std::string cpus;
};

std::vector<Partition> partitionsIn(const Lines& lines) {
    std::vector<Partition> partitions;
    for (const std::string& line : valuesOf(lines, "partition", 400)) {
        std::istringstream parts(line);
        Partition one;
        for (std::string* part :
             {&one.name, &one.state, &one.nodes, &one.gpus, &one.limit, &one.cpus}) {
            std::getline(parts, *part, '|');
            *part = shownText(*part, 60);
        }
        one.isDefault = one.name.ends_with('*');
        if (one.isDefault) one.name.pop_back();
        partitions.push_back(std::move(one));
    }
    return partitions;
}

const Partition* chosenOf(const Host& host, const std::vector<Partition>& partitions) {
    const auto found =
        std::find_if(partitions.begin(), partitions.end(), [&](const Partition& one) {
            return host.partition.empty() ? one.isDefault : one.name == host.partition;
        });
    return found == partitions.end() ? nullptr : &*found;
}

std::string partitionText(const Partition& one) {
    std::string text = fmt::format("{} is {}", one.name, one.state);
    if (!one.nodes.empty()) text += fmt::format(", {} nodes", one.nodes);
    if (!one.cpus.empty()) text += fmt::format(" of {} processors", one.cpus);
    return text;
}

HostFinding queueFinding(const Host& host, const Lines& lines) {
    const std::string name(batchSystem(host.scheduler).name);
    const std::string version = valueOf(lines, "queue");
    if (lines.contains("without"))
        return {name, false, fmt::format("no {}", listed(valuesOf(lines, "without", 40), "and")),
                "Reach the login node, load what has them (start.module or start.setup), or set "
                "scheduler to none in the host's file."};
    if (lines.contains("down"))
        return {name, false, fmt::format("does not answer: {}", valueOf(lines, "down")),
                "Try again later, or ask its administrator."};
    const std::vector<Partition> partitions = partitionsIn(lines);
    if (const Partition* chosen = chosenOf(host, partitions)) {
        const bool isUp = chosen->state == "up";
        return {name, isUp, fmt::format("{}, {}", version, partitionText(*chosen)),
                isUp ? "" : "Choose another one in the host's file (batch.partition)."};
    }
    // Only Slurm tells which is the default one.
    if (host.partition.empty() && host.scheduler != Scheduler::slurm)
        return {name, true, version, {}};
    std::vector<std::string> names;
    names.reserve(partitions.size());
    for (const Partition& one : partitions)
        names.push_back(one.name);
    return {name, false,
            host.partition.empty() ? version + ", no default partition"
                                   : fmt::format("{}, no {}", version, host.partition),
            names.empty() ? "Ask its administrator which one you may use."
                          : fmt::format("There are {}.", listed(names, "and"))};
}

HostFinding gpuFinding(const Host& host, const Lines& lines) {
    if (host.scheduler == Scheduler::none) {
        const auto count = static_cast<int>(numberOf(valueOf(lines, "gpus")));
        return {
            "GPUs", true, count > 0 ? fmt::format("{}", count) : "none: its CPU does the work", {}};
    }
    const std::vector<Partition> partitions = partitionsIn(lines);
    const Partition* chosen = chosenOf(host, partitions);
    const std::string gpus = chosen && chosen->gpus.starts_with("gpu") ? chosen->gpus : "";
    if (host.gpusPerNode == 0)
        return {"GPUs", true,
                gpus.empty() ? "none are asked for; the scheduler names none"
                             : "none are asked for, though nodes have " + gpus,
                gpus.empty() ? "" : "Set gpusPerNode in the host's file to use them."};
    return {"GPUs", !gpus.empty(), gpus.empty() ? "the scheduler names none" : gpus,
            gpus.empty() ? "Set gpusPerNode to 0, or choose a partition that has some." : ""};
}

std::string jobText(const JobResources& job) {
    std::string text = fmt::format("a job of {} node{}", job.nodes, job.nodes == 1 ? "" : "s");
    return job.minutes > 0 ? fmt::format("{} and {} min", text, job.minutes) : text;
}

HostFinding jobFinding(const Host& host, const Lines& lines) {
    const std::string_view name = batchSystem(host.scheduler).name;
    const std::string job = jobText(largestJob(host));
    if (lines.contains("takes"))
        return {"job", true, fmt::format("{} would take {}", name, job), {}};
    return {"job", false, fmt::format("{} refuses {}: {}", name, job, valueOf(lines, "refuses")),
            "Correct what it names in the host's file (batch), or ask its administrator."};
}

// What became of two ranks that the launcher has started.
HostFinding ranksFinding(const Host& host, const Lines& lines) {
    const int ranks = trialJob(host).ranks();
    const std::string launcher =
        host.hasQueue() ? launcherWords(host, trialJob(host)) : std::string("mpirun");
    const std::string said = valueOf(lines, "said");
    const std::string saw = valueOf(lines, "saw");
    if (const std::string why = valueOf(lines, "untaken"); !why.empty())
        return {"ranks", false, "the scheduler does not take a short job: " + why,
                "Correct what it names in the host's file (batch)."};
    if (lines.contains("waits"))
        return {"ranks", true, "not tried: a short job waited in the queue for more than a minute",
                "Check again when fewer jobs wait."};
    if (lines.contains("hangs"))
        return {"ranks", false,
                fmt::format("'{}' starts, and does not end within a minute", launcher),
                "MPI waits for a rank: see batch.launcher, and which network MPI may use "
                "(environment)."};
    if (valueOf(lines, "code") != "0")
        return {"ranks", false, fmt::format("\"{}\" fails: {}", launcher, said),
                "Correct batch.launcher or what is set before it (start, environment); srun "
                "--mpi=list and the page for administrators tell what there is."};
    if (ranks > 1 && !saw.starts_with(fmt::format("{} ranks", ranks)))
        return {"ranks", false,
                fmt::format("'{}' starts {} processes that do not see each other", launcher, ranks),
                "Start them with the MPI that gantry was built with, as srun --mpi=pmix does "
                "(batch.launcher, start.module)."};
    return {"ranks", true, saw.empty() ? "one starts" : saw, {}};
}

HostFinding startFinding(const Host& host, const Lines& lines) {
    return versionFinding(host, valueOf(lines, "version"));
}

// A part of the check, and what is found by its lines.
struct CheckPart {
    std::string_view name;
    HostFinding (*finding)(const Host& host, const Lines& lines);
};
constexpr CheckPart kCheckParts[] = {
    {"reach", reachFinding},   {"tools", toolsFinding}, {"scratch", spaceFinding},
    {"version", startFinding}, {"queue", queueFinding}, {"mpi", mpiFinding},
    {"job", jobFinding},       {"ranks", ranksFinding}, {"gpus", gpuFinding}};

// "0.1.0" belongs to the series "0.1".
std::string seriesOf(const std::string& version) {
    const std::size_t first = version.find('.');
    return version.substr(0, first == std::string::npos ? first : version.find('.', first + 1));
}

}  // namespace

JobResources largestJob(const Host& host) {
    return {host.maxNodes, host.ranksPerNode, host.timeMinutes, {}, host.cpusPerRank};
}

JobResources trialJob(const Host& host) {
    constexpr int kMinutes = 2;
    constexpr Index kBytes = 500'000'000;
    JobResources job = {1, std::min(2, host.ranksPerNode), kMinutes, {}, host.cpusPerRank, kBytes};
    if (job.ranksPerNode == 1) job.nodes = std::min(2, host.maxNodes);
    return job;
}

HostFinding versionFinding(const Host& host, const std::string& printed) {
    const std::string own(programVersion());
    constexpr std::string_view kName = "gantry ";
    const std::size_t at = printed.find(kName);
    const std::string version =
        at == std::string::npos ? "" : shownText(printed.substr(at + kName.size()), 40);
    const bool isVersion = !version.empty() && version[0] >= '0' && version[0] <= '9';
    if (!isVersion)
        return {"gantry", false,
                printed.empty()
                    ? "nothing of that name"
                    : fmt::format("'{}' said: {}", shownText(host.program), shownText(printed)),
                "Install it there, or say in the host's file how it is started (start)."};
    if (seriesOf(version) != seriesOf(own))
        return {"gantry", false, fmt::format("version {}; this one is {}", version, own),
                "Ask for the same version there, or use the one of there here."};
    return {"gantry", true, "version " + version, {}};
}

std::vector<HostFinding> findingsIn(const Host& host, const std::string& printed,
                                    double localSeconds) {
    const Lines lines = linesIn(printed);
    std::vector<HostFinding> findings;
    for (const std::string& part : valuesOf(lines, "asked", 40))
        if (part == "clock")
            findings.push_back(clockFinding(lines, localSeconds));
        else if (const auto* found = std::ranges::find(kCheckParts, part, &CheckPart::name);
                 found != std::end(kCheckParts))
            findings.push_back(found->finding(host, lines));
    return findings;
}

}  // namespace gantry
