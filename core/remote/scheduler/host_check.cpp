#include "core/remote/scheduler/host_check.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <map>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/job/batch_script.h"

namespace gantry {

namespace {

std::string checkScript(const Host& host) {
    std::string script = "echo 'asked reach'\n" + setupLines(host);
    script += fmt::format("scratch={}\n", placeWord(host.scratch));
    script += R"sh(one() { head -n 1 | head -c 300; }
for t in cksum head tail find df setsid timeout; do
  command -v "$t" >/dev/null 2>&1 || echo "lacks $t"
done
echo "asked tools"
if mkdir -p "$scratch" 2>/dev/null && cd "$scratch" && : >".gantry-$$"; then
  rm -f ".gantry-$$"; echo "scratch $(pwd)"; set -- $(df -Pk . | tail -n 1); echo "free $4"
fi
echo "asked scratch"
)sh";
    script += fmt::format("echo \"version $({} --version 2>&1 | one)\"; echo 'asked version'\n",
                          gantryWords(host));
    script += fmt::format(
        "if {} reconstruct --help 2>/dev/null | grep -q -e --ranks; then echo 'ranks yes'; fi\n",
        gantryWords(host));
    if (host.scheduler == Scheduler::slurm)
        script += R"sh(echo "slurm $(sbatch --version 2>&1 | one)"
if s=$(timeout 15 sinfo -h -o '%P|%a|%D|%G|%l' 2>&1); then
  printf '%s\n' "$s" | head -n 50 | while IFS= read -r l; do echo "partition $l"; done
else printf '%s\n' "$s" | one | { read -r l; echo "down $l"; }; fi
echo "asked slurm"
command -v srun >/dev/null && echo "mpi srun by $(srun --mpi=list 2>&1 | grep -vi 'types are\|available' | sed 's/^srun: *//' | tr -s ' \t\n' ' ' | sed 's/^ //' | head -c 300)"
echo "asked mpi"
)sh";
    else
        script += R"sh(echo "mpi $(mpirun --version 2>/dev/null | one)"
echo "asked mpi"
echo "gpus $(nvidia-smi -L 2>/dev/null | grep -c GPU)"
)sh";
    script += "echo 'asked gpus'\necho \"clock $(date +%s)\"\necho 'asked clock'\n";
    return script;
}

using Lines = std::multimap<std::string, std::string>;

std::string valueOf(const Lines& lines, const std::string& key) {
    const auto found = lines.find(key);
    return found == lines.end() ? std::string() : shownText(found->second);
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

HostFinding toolsFinding(const Lines& lines) {
    std::vector<std::string> missing;
    const auto [begin, end] = lines.equal_range("lacks");
    for (auto line = begin; line != end; ++line)
        missing.push_back(shownText(line->second, 40));
    if (missing.empty()) return {"tools", true, "the usual ones are there", {}};
    return {"tools", false, "lacks " + listed(missing, "and"), "Ask its administrator for them."};
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

HostFinding ranksFinding(const Host& host, const Lines& lines) {
    const bool needsRanks = host.ranksPerNode > 1 || host.maxNodes > 1;
    const std::string mpi = valueOf(lines, "mpi");
    if (!lines.contains("ranks"))
        return {
            "MPI", !needsRanks, "gantry there is built without MPI",
            needsRanks ? "Ask for a build with MPI, or set ranksPerNode and maxNodes to 1." : ""};
    if (mpi.empty())
        return {"MPI", !needsRanks, "nothing that starts ranks",
                needsRanks ? "Load the MPI that gantry was built with (start.module)." : ""};
    return {"MPI", true, mpi, {}};
}

HostFinding slurmFinding(const Host& host, const Lines& lines) {
    const std::string version = valueOf(lines, "slurm");
    if (!version.starts_with("slurm"))
        return {"Slurm", false, "no sbatch: " + version,
                "Reach the login node, or set scheduler to none in the host's file."};
    if (lines.contains("down"))
        return {"Slurm", false, "does not answer: " + valueOf(lines, "down"),
                "Try again later, or ask its administrator."};
    const auto [begin, end] = lines.equal_range("partition");
    std::vector<std::string> names;
    for (auto line = begin; line != end; ++line) {
        std::istringstream parts(line->second);
        std::string name;
        std::string state;
        std::string nodes;
        std::getline(parts, name, '|');
        std::getline(parts, state, '|');
        std::getline(parts, nodes, '|');
        const bool isDefault = name.ends_with('*');
        if (isDefault) name.pop_back();
        names.push_back(shownText(name, 60));
        if (host.partition.empty() ? !isDefault : name != host.partition) continue;
        return {"Slurm", state == "up",
                fmt::format("{}, partition {} is {}, {} nodes", version, shownText(name, 60),
                            shownText(state, 20), shownText(nodes, 20)),
                state == "up" ? "" : "Choose another partition in the host's file."};
    }
    return {"Slurm", false,
            host.partition.empty() ? version + ", no default partition"
                                   : fmt::format("{}, no partition {}", version, host.partition),
            names.empty() ? "Ask its administrator which partition you may use."
                          : fmt::format("Partitions there: {}.", listed(names, "and"))};
}

// "gpu*|up|8|gpu:a100:4|1-00:00:00": decides by its resources, not its name.
bool hasGpu(const std::string& partition) {
    std::istringstream parts(partition);
    std::string part;
    for (int i = 0; i < 4; ++i)
        std::getline(parts, part, '|');
    return part.starts_with("gpu");
}

HostFinding gpuFinding(const Host& host, const Lines& lines) {
    if (host.scheduler == Scheduler::slurm) {
        const auto [begin, end] = lines.equal_range("partition");
        bool hasGpus = false;
        for (auto line = begin; line != end; ++line)
            hasGpus = hasGpus || hasGpu(line->second);
        if (host.gpusPerNode == 0)
            return {"GPUs", true,
                    hasGpus ? "none are asked for, though Slurm has some"
                            : "none are asked for; Slurm names none",
                    hasGpus ? "Set gpusPerNode in the host's file to use them." : ""};
        return {"GPUs", hasGpus, hasGpus ? "Slurm names some" : "Slurm names none",
                hasGpus ? "" : "Set gpusPerNode to 0, or choose a partition that has some."};
    }
    const auto count = static_cast<int>(numberOf(valueOf(lines, "gpus")));
    return {"GPUs", true, count > 0 ? fmt::format("{}", count) : "none: its CPU does the work", {}};
}

// "0.1.0" belongs to the series "0.1".
std::string seriesOf(const std::string& version) {
    const std::size_t first = version.find('.');
    return version.substr(0, first == std::string::npos ? first : version.find('.', first + 1));
}

}  // namespace

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
    const auto [begin, end] = lines.equal_range("asked");
    for (auto line = begin; line != end; ++line) {
        const std::string& part = line->second;
        if (part == "reach")
            findings.push_back(
                {"reached", true, host.isHere() ? "this machine" : host.address, {}});
        else if (part == "tools")
            findings.push_back(toolsFinding(lines));
        else if (part == "scratch")
            findings.push_back(spaceFinding(host, lines));
        else if (part == "version")
            findings.push_back(versionFinding(host, valueOf(lines, "version")));
        else if (part == "slurm")
            findings.push_back(slurmFinding(host, lines));
        else if (part == "mpi")
            findings.push_back(ranksFinding(host, lines));
        else if (part == "gpus")
            findings.push_back(gpuFinding(host, lines));
        else if (part == "clock")
            findings.push_back(clockFinding(lines, localSeconds));
    }
    return findings;
}

std::vector<HostFinding> checkHost(const Host& host, const HostShell& shell,
                                   const FindingHandler& found, const std::stop_token& stop) {
    constexpr std::size_t kMaxBytes = 1'000'000;
    std::string printed;
    std::vector<HostFinding> findings;
    const auto add = [&](const HostFinding& finding) {
        findings.push_back(finding);
        if (found) found(finding);
    };
    const auto read = [&](std::span<const std::byte> bytes) {
        if (printed.size() + bytes.size() > kMaxBytes) return;
        printed.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const double seconds = std::chrono::duration<double>(now).count();
        const std::vector<HostFinding> known = findingsIn(host, printed, seconds);
        for (std::size_t i = findings.size(); i < known.size(); ++i)
            add(known[i]);
    };
    try {
        const ShellAnswer end = shell.run({.script = checkScript(host), .output = read}, stop);
        if (printed.find("\nasked clock") == std::string::npos)
            add({"shell", false, "ended too early: " + end.complaints,
                 "See what prepares Gantry there in the host's file (start, environment)."});
    } catch (const Cancelled&) {
        throw;
    } catch (const ResourceError& error) {
        const std::string where = host.isHere() ? "this machine" : host.address;
        add({findings.empty() ? "reached" : "connection", false, where, error.message()});
    }
    return findings;
}

}  // namespace gantry
