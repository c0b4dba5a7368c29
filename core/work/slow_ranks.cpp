#include "core/work/slow_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace gantry {

namespace {

constexpr double kClearly = 0.8;
constexpr std::size_t kMax = 8;  // sentences

// A rank's voxel updates, and how long each of its stages worked. Waiting for other ranks does not
// count.
struct Work {
    double updates = 0;
    std::array<double, kStageCount> seconds{};

    [[nodiscard]] double rate() const {
        double longest = 0;
        for (const Stage stage : {Stage::load, Stage::filter, Stage::upload, Stage::backproject,
                                  Stage::download, Stage::store})
            longest = std::max(longest, seconds[static_cast<std::size_t>(stage)]);
        return longest > 0 ? updates / longest : 0;
    }
};

struct Slow {
    std::size_t rank = 0;
    double part = 1;  ///< of the speed that its share implies
};

}  // namespace

std::vector<std::string> slowRanks(std::span<const TimelineSpan> spans, std::int64_t beginNs,
                                   const GridPlan& plan, const std::vector<std::string>& hosts) {
    std::vector<Work> work(hosts.size());
    for (const TimelineSpan& span : spans) {
        const auto rank = static_cast<std::size_t>(span.rank);
        if (span.beginNs < beginNs || rank >= work.size()) continue;
        // The same thread prepares and filters.
        const Stage stage = span.stage == Stage::prepare ? Stage::filter : span.stage;
        work[rank].seconds[static_cast<std::size_t>(stage)] +=
            1e-9 * static_cast<double>(span.endNs - span.beginNs);
        if (stage == Stage::backproject) work[rank].updates += static_cast<double>(span.updates);
    }
    const double even = 1 / static_cast<double>(hosts.size());
    const auto shareOf = [&](std::size_t rank) {
        return plan.shares.empty() ? even : plan.shares[rank];
    };
    double rates = 0;
    double shares = 0;
    for (std::size_t rank = 0; rank < work.size(); ++rank) {
        if (work[rank].updates <= 0) continue;
        rates += work[rank].rate();
        shares += shareOf(rank);
    }
    std::vector<Slow> slow;
    for (std::size_t rank = 0; rank < work.size(); ++rank) {
        if (work[rank].updates <= 0 || shares <= shareOf(rank)) continue;
        const double others = (rates - work[rank].rate()) / (shares - shareOf(rank));
        const double part = work[rank].rate() / shareOf(rank) / others;
        if (part < kClearly) slow.push_back({rank, part});
    }
    std::sort(slow.begin(), slow.end(),
              [](const Slow& a, const Slow& b) { return a.part < b.part; });
    std::vector<std::string> sentences;
    for (const Slow& one : slow) {
        if (sentences.size() == kMax) {
            sentences.push_back(fmt::format("So were {} more ranks.", slow.size() - kMax));
            break;
        }
        sentences.push_back(fmt::format(
            "Rank {} on {} was slower than its share of the work: it worked at {:.0f} % of the "
            "speed that {:.1f} % mean beside the others.",
            one.rank, hosts[one.rank], 100 * one.part, 100 * shareOf(one.rank)));
    }
    return sentences;
}

double slowestForecast(std::span<const RankPlan> ranks) {
    double max = 0;
    for (const RankPlan& rank : ranks) {
        if (rank.forecast.wall <= 0) return 0;
        max = std::max(max, rank.forecast.wall);
    }
    return max;
}

}  // namespace gantry
