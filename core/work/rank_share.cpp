#include "core/work/rank_share.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;
using Views = std::span<const RankView>;

Index countOf(const std::vector<IndexRange>& ranges) {
    Index count = 0;
    for (const IndexRange& range : ranges)
        count += range.size();
    return count;
}

bool sees(const RankView& view, Index core) {
    return std::any_of(view.cores.begin(), view.cores.end(),
                       [&](const IndexRange& range) { return range.contains(core); });
}

bool seesAnyCoreOf(const RankView& view, const RankView& other) {
    return std::any_of(view.cores.begin(), view.cores.end(), [&](const IndexRange& range) {
        return std::any_of(other.cores.begin(), other.cores.end(), [&](const IndexRange& each) {
            return range.begin < each.end && each.begin < range.end;
        });
    });
}

bool seesAnyGpuOf(const RankView& view, const RankView& other) {
    return std::find_first_of(view.gpus.begin(), view.gpus.end(), other.gpus.begin(),
                              other.gpus.end()) != view.gpus.end();
}

// Each processor is divided among the ranks that see it.
int threadsOf(Views views, int number, int ofMachine) {
    const RankView& own = views[static_cast<std::size_t>(number)];
    if (own.cores.empty()) return ofMachine / static_cast<int>(views.size());
    double share = 0;
    for (const IndexRange& range : own.cores)
        for (Index core = range.begin; core < range.end; ++core)
            share += 1.0 / static_cast<double>(std::count_if(
                               views.begin(), views.end(),
                               [&](const RankView& view) { return sees(view, core); }));
    constexpr double kRounding = 1e-6;
    return static_cast<int>(share + kRounding);
}

// The ranks among which GPUs are divided, and the number of this one among them.
struct Sharers {
    int number = 0;
    int count = 0;
};

template <class Shares>
Sharers sharersOf(Views views, int number, const Shares& shares) {
    const RankView& own = views[static_cast<std::size_t>(number)];
    Sharers sharers;
    for (int i = 0; std::cmp_less(i, views.size()); ++i) {
        if (i == number) sharers.number = sharers.count;
        if (i == number || shares(own, views[static_cast<std::size_t>(i)])) ++sharers.count;
    }
    return sharers;
}

std::string withSharers(const std::string& what, const Sharers& sharers) {
    if (sharers.count < 2) return what + ", which no other rank sees";
    return fmt::format("{}, which {} ranks see", what, sharers.count);
}

// "0-3,8"
std::string numbersOf(const std::vector<IndexRange>& ranges) {
    std::vector<std::string> parts;
    parts.reserve(ranges.size());
    for (const IndexRange& range : ranges)
        parts.push_back(range.size() == 1 ? fmt::format("{}", range.begin)
                                          : fmt::format("{}-{}", range.begin, range.end - 1));
    return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

RankView rankView(const Machine& machine) {
    RankView view;
    for (const int core : availableCores())
        if (!view.cores.empty() && view.cores.back().end == core)
            ++view.cores.back().end;
        else
            view.cores.push_back({core, core + 1});
    for (const DeviceFacts& device : machine.gpu.devices)
        view.gpus.push_back(device.uuid.empty() ? fmt::format("{}", device.number) : device.uuid);
    return view;
}

std::string toJson(const RankView& view) {
    Json cores = Json::array();
    for (const IndexRange& range : view.cores)
        cores.push_back({range.begin, range.end});
    return jsonText(Json{{"cores", cores}, {"gpus", view.gpus}}, -1);
}

RankView parseRankView(std::string_view json) {
    const nlohmann::json document = parseJson(json, "what a rank sees");
    RankView view;
    for (const auto& range : document.at("cores"))
        view.cores.push_back({range.at(0), range.at(1)});
    view.gpus = document.at("gpus").get<std::vector<std::string>>();
    return view;
}

JobSpec partOfMachine(JobSpec spec, const Machine& machine, Views views, int number) {
    const auto ranks = static_cast<int>(views.size());
    const int threads =
        spec.threads > 0 ? spec.threads / ranks : threadsOf(views, number, machine.threads);
    spec.threads = std::max(1, threads);
    spec.memoryBytes = (spec.memoryBytes > 0 ? spec.memoryBytes : machine.freeBytes) / ranks;
    std::vector<int> gpus = spec.devices;
    if (gpus.empty())
        for (const DeviceFacts& device : machine.gpu.devices)
            gpus.push_back(device.number);
    if (gpus.empty() || spec.engine == Engine::cpu || asksForCpu(spec)) return spec;
    const Sharers sharers = sharersOf(views, number, seesAnyGpuOf);
    const auto count = static_cast<int>(gpus.size());
    spec.devices.clear();
    // Each rank gets every n-th GPU, or a part of one if there are fewer GPUs than ranks.
    for (int i = sharers.number; sharers.count <= count && i < count; i += sharers.count)
        spec.devices.push_back(gpus[static_cast<std::size_t>(i)]);
    if (!spec.devices.empty()) return spec;
    const int shared = sharers.number % count;
    const int ranksOfIt = (sharers.count - shared + count - 1) / count;
    spec.devices = {gpus[static_cast<std::size_t>(shared)]};
    if (ranksOfIt == 1) return spec;
    for (const DeviceFacts& one : machine.gpu.devices)
        if (one.number == spec.devices.front())
            spec.deviceMemoryBytes = std::max<Index>(1, one.freeBytes / ranksOfIt);
    return spec;
}

std::string describeShare(const JobSpec& spec, Views views, int number) {
    const RankView& own = views[static_cast<std::size_t>(number)];
    std::string text =
        fmt::format("works with {} thread{}", spec.threads, spec.threads == 1 ? "" : "s");
    if (!own.cores.empty()) {
        const Index seen = countOf(own.cores);
        const long all = ::sysconf(_SC_NPROCESSORS_ONLN);
        const std::string cores = fmt::format(
            " {} core{} {}{}", seen < all ? "bound to" : "on", seen == 1 ? "" : "s",
            numbersOf(own.cores), seen < all ? fmt::format(" of {}", all) : std::string());
        text += withSharers(cores, sharersOf(views, number, seesAnyCoreOf));
    }
    if (spec.devices.empty()) return text + ".";
    const std::string gpus =
        fmt::format("; with GPU{} {} of {}", spec.devices.size() == 1 ? "" : "s",
                    fmt::join(spec.devices, ", "), own.gpus.size());
    return text + withSharers(gpus, sharersOf(views, number, seesAnyGpuOf)) + ".";
}

}  // namespace gantry
