#include "core/remote/job/job_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/geometry/views/aligned_views.h"
#include "core/io/pixel_type.h"
#include "core/plan/cluster/cluster_file.h"
#include "core/plan/host_memory.h"

namespace gantry {

namespace {

// Part of the possible saving that a doubling of the nodes must reach.
constexpr double kWorth = 0.8;
constexpr int kTimesForecast = 3;
constexpr int kMinMinutes = 10;

struct Choice {
    int nodes = 1;
    double seconds = 0;
    Index slices = 0;    ///< of the volume, that a rank makes at most
    std::string others;  ///< the time that other numbers would take
};

Choice choiceOf(int nodes, const Host& host, const Cluster& cluster,
                const ClusterProblem& problem) {
    const ClusterForecast forecast =
        chooseGrid(cluster, problem, Index{nodes} * host.ranksPerNode, {});
    return {nodes, forecast.wall, forecast.slices, {}};
}

Choice chooseNodes(const Host& host, const JobSpec& spec, int wished) {
    const Cluster cluster = findCluster(host.cluster);
    const AlignedViews views = alignedViews(spec.geometry());
    const ClusterProblem problem = {views, spec.volume, 2, sizeBytes(spec.output.type)};
    if (wished > 0) return choiceOf(wished, host, cluster, problem);
    Choice choice = choiceOf(1, host, cluster, problem);
    for (int nodes = 2; nodes <= host.maxNodes; nodes *= 2) {
        const Choice next = choiceOf(nodes, host, cluster, problem);
        const double worth = choice.seconds / next.seconds / 2;
        choice.others = fmt::format("{} nodes would take {}, at {:.0f} % of their worth", nodes,
                                    formatDuration(next.seconds), 100 * worth);
        if (worth < kWorth) return choice;
        choice = next;
        choice.others = fmt::format("the host gives at most {} nodes", host.maxNodes);
    }
    return choice;
}

int minutesFor(const Host& host, double seconds, int wished) {
    if (wished > 0) return wished;
    const int min = kMinMinutes;
    const int minutes = std::max(min, static_cast<int>(std::ceil(kTimesForecast * seconds / 60)));
    return host.timeMinutes > 0 ? std::min(minutes, host.timeMinutes) : minutes;
}

int cpusFor(const Host& host, const JobSpec& spec) {
    if (host.cpusPerRank > 0) return host.cpusPerRank;
    if (spec.threads > 0) return std::max(1, spec.threads / host.ranksPerNode);
    if (host.cluster.empty()) return 0;
    return findCluster(host.cluster).coresPerNode / host.ranksPerNode;
}

// What its ranks take of a node, by the slices that each makes.
Index memoryFor(const Host& host, const JobSpec& spec, int ranks, Index slices) {
    constexpr double kBesideTheLimit = 1.1;
    if (spec.memoryBytes > 0)
        return static_cast<Index>(kBesideTheLimit * static_cast<double>(spec.memoryBytes));
    if (slices == 0) slices = (spec.volume.voxels[2] + ranks - 1) / ranks;
    const bool isOnCpu = host.gpusPerNode == 0 || spec.engine == Engine::cpu;
    return host.ranksPerNode * roughHostBytes(spec, spec.geometry(), slices,
                                              isOnCpu ? EngineKind::cpu : EngineKind::gpu);
}

}  // namespace

JobResources resourcesFor(const Host& host, const JobSpec& spec, int nodes, int minutes) {
    if (nodes < 0 || nodes > host.maxNodes)
        throwError<InputError>(
            "--nodes is {}; {} gives a job from 1 to {} (batch.maxNodes "
            "in its file).",
            nodes, host.name, host.maxNodes);
    if (minutes < 0 || (host.timeMinutes > 0 && minutes > host.timeMinutes))
        throwError<InputError>(
            "--minutes is {}; {} gives a job at most {} min "
            "(batch.timeMinutes in its file).",
            minutes, host.name, host.timeMinutes);
    JobResources resources = {nodes > 0 ? nodes : host.nodes, host.ranksPerNode,
                              minutes > 0 ? minutes : host.timeMinutes,
                              nodes > 0 ? "as asked for" : "as the host's file says"};
    if (!host.hasQueue()) return resources;
    Choice choice;
    if (!host.cluster.empty()) {
        choice = chooseNodes(host, spec, nodes);
        resources.nodes = choice.nodes;
        resources.minutes = minutesFor(host, choice.seconds, minutes);
        resources.reason = fmt::format("predicted to take {}", formatDuration(choice.seconds));
        if (!choice.others.empty()) resources.reason += "; " + choice.others;
    }
    resources.cpusPerRank = cpusFor(host, spec);
    resources.memoryBytes = memoryFor(host, spec, resources.ranks(), choice.slices);
    return resources;
}

Index JobResources::memoryMb() const {
    constexpr Index kMb = 1 << 20;
    return (memoryBytes + kMb - 1) / kMb;
}

}  // namespace gantry
