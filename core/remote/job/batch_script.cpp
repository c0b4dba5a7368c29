#include "core/remote/job/batch_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/geometry/views/aligned_views.h"
#include "core/io/pixel_type.h"
#include "core/plan/cluster/cluster_file.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace {

// Part of the possible saving that a doubling of the nodes must reach.
constexpr double kWorth = 0.8;
constexpr int kTimesForecast = 3;
constexpr int kMinMinutes = 10;

struct Choice {
    int nodes = 1;
    double seconds = 0;
    std::string others;  ///< the time that other numbers would take
};

double secondsOn(int nodes, const Host& host, const Cluster& cluster,
                 const ClusterProblem& problem) {
    return chooseGrid(cluster, problem, Index{nodes} * host.ranksPerNode, {}).wall;
}

Choice chooseNodes(const Host& host, const JobSpec& spec, int wished) {
    const Cluster cluster = findCluster(host.cluster);
    const AlignedViews views = alignedViews(spec.scan.geometry);
    const ClusterProblem problem = {views, spec.volume, 2, sizeBytes(spec.output.type)};
    if (wished > 0) return {wished, secondsOn(wished, host, cluster, problem), {}};
    Choice choice = {1, secondsOn(1, host, cluster, problem), {}};
    for (int nodes = 2; nodes <= host.maxNodes; nodes *= 2) {
        const double seconds = secondsOn(nodes, host, cluster, problem);
        const double worth = choice.seconds / seconds / 2;
        choice.others = fmt::format("{} nodes would take {}, at {:.0f} % of their worth", nodes,
                                    formatDuration(seconds), 100 * worth);
        if (worth < kWorth) return choice;
        choice = {nodes, seconds, fmt::format("the host gives at most {} nodes", host.maxNodes)};
    }
    return choice;
}

int minutesFor(const Host& host, double seconds, int wished) {
    if (wished > 0) return wished;
    const int min = kMinMinutes;
    const int minutes = std::max(min, static_cast<int>(std::ceil(kTimesForecast * seconds / 60)));
    return host.timeMinutes > 0 ? std::min(minutes, host.timeMinutes) : minutes;
}

void line(std::string& script, const std::string& option, const std::string& value) {
    if (!value.empty()) script += fmt::format("#SBATCH --{}={}\n", option, value);
}

std::string slurmLines(const Host& host, const JobResources& resources, const std::string& id) {
    std::string script;
    line(script, "job-name", "gantry-" + id);
    line(script, "nodes", std::to_string(resources.nodes));
    line(script, "ntasks-per-node", std::to_string(resources.ranksPerNode));
    if (host.gpusPerNode > 0) line(script, "gpus-per-node", std::to_string(host.gpusPerNode));
    if (resources.minutes > 0) line(script, "time", std::to_string(resources.minutes));
    line(script, "partition", host.partition);
    line(script, "account", host.account);
    line(script, "qos", host.qos);
    script += "#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --output=output.txt\n";
    // Slurm counts whole minutes; for short jobs its own notice before the end must suffice.
    constexpr int kMinutesForNotice = 5;
    if (resources.minutes >= kMinutesForNotice)
        script +=
            "# The ranks are asked to end a minute before the limit: finished slabs are kept.\n"
            "#SBATCH --signal=TERM@60\n";
    return script;
}

}  // namespace

JobResources resourcesFor(const Host& host, const JobSpec& spec, int nodes, int minutes) {
    if (nodes < 0 || nodes > host.maxNodes)
        throw InputError(
            fmt::format("--nodes is {}; {} gives a job from 1 to {} (slurm.maxNodes "
                        "in its file).",
                        nodes, host.name, host.maxNodes));
    if (minutes < 0 || (host.timeMinutes > 0 && minutes > host.timeMinutes))
        throw InputError(
            fmt::format("--minutes is {}; {} gives a job at most {} min "
                        "(slurm.timeMinutes in its file).",
                        minutes, host.name, host.timeMinutes));
    JobResources resources = {nodes > 0 ? nodes : host.nodes, host.ranksPerNode,
                              minutes > 0 ? minutes : host.timeMinutes,
                              nodes > 0 ? "as asked for" : "as the host's file says"};
    if (host.cluster.empty()) return resources;
    const Choice choice = chooseNodes(host, spec, nodes);
    resources.nodes = choice.nodes;
    resources.minutes = minutesFor(host, choice.seconds, minutes);
    resources.reason = fmt::format("predicted to take {}", formatDuration(choice.seconds));
    if (!choice.others.empty()) resources.reason += "; " + choice.others;
    return resources;
}

std::string setupLines(const Host& host) {
    std::string lines;
    for (const auto& [variable, value] : host.environment)
        lines += fmt::format("export {}={}\n", variable, shellWord(value));
    if (host.module.empty()) return lines;
    lines +=
        "if ! command -v module >/dev/null 2>&1; then\n"
        "  for f in /etc/profile.d/modules.sh /etc/profile.d/lmod.sh "
        "/etc/profile.d/z00_lmod.sh; do\n"
        "    if [ -r \"$f\" ]; then . \"$f\"; break; fi\n  done\nfi\nmodule load";
    std::istringstream names(host.module);
    for (std::string name; names >> name;)
        lines += " " + shellWord(name);
    return lines + "\n";
}

std::string gantryWords(const Host& host) {
    std::string program = isPlace(host.program) ? placeWord(host.program) : shellWord(host.program);
    if (host.startBy != StartBy::image) return program;
    const char* gpus = host.gpusPerNode > 0 ? " --nv" : "";
    return fmt::format("apptainer exec{} {} {}", gpus, placeWord(host.image), program);
}

std::string batchScript(const Host& host, const JobResources& resources, const std::string& id) {
    std::string script = "#!/bin/sh\n";
    const bool isSlurm = host.scheduler == Scheduler::slurm;
    if (isSlurm) script += slurmLines(host, resources, id);
    if (!resources.reason.empty())
        script += fmt::format("# {} {}, {} ranks: {}.\n", resources.nodes,
                              resources.nodes == 1 ? "node" : "nodes", resources.ranks(),
                              shownText(resources.reason));
    script +=
        "# Run in the job's folder on the host; job/ has the request, out/ gets the volume.\n"
        "umask 077\n";
    script += setupLines(host);
    script += "rm -f ended\ntrap : TERM  # for what it starts to end by itself\n";
    script += isSlurm ? "echo \"${SLURM_JOB_ID} ${SLURM_RESTART_COUNT:-0} ${SLURM_JOB_NODELIST}\" "
                        ">begun\n"
                      : "echo \"$$ 0 $(hostname)\" >begun\n";
    const std::string ranks = isSlurm ? host.launcher + " " : std::string();
    const std::string more = isSlurm || resources.ranks() == 1
                                 ? std::string()
                                 : fmt::format(" --ranks {}", resources.ranks());
    script += fmt::format("{}{} worker \"$PWD/job\"{} \"$@\"\n", ranks, gantryWords(host), more);
    script += "code=$?\necho \"$code\" >ended.part && mv ended.part ended\nexit \"$code\"\n";
    return script;
}

}  // namespace gantry
