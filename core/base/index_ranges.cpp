#include "core/base/index_ranges.h"

#include <algorithm>
#include <utility>

namespace gantry {

namespace {

// Sorted ranges, none of which touches the next.
std::vector<IndexRange> merged(std::vector<IndexRange> ranges) {
    std::erase_if(ranges, [](const IndexRange& range) { return range.empty(); });
    std::ranges::sort(ranges,
                      [](const IndexRange& a, const IndexRange& b) { return a.begin < b.begin; });
    std::vector<IndexRange> apart;
    for (const IndexRange& range : ranges)
        if (!apart.empty() && range.begin <= apart.back().end)
            apart.back() = hullOf(apart.back(), range);
        else
            apart.push_back(range);
    return apart;
}

}  // namespace

IndexRanges unionOf(std::vector<IndexRange> ranges) {
    std::vector<IndexRange> apart = merged(std::move(ranges));
    while (apart.size() > 2) {
        const auto gap = [&](std::size_t i) { return apart[i + 1].begin - apart[i].end; };
        std::size_t nearest = 0;
        for (std::size_t i = 1; i + 1 < apart.size(); ++i)
            if (gap(i) < gap(nearest)) nearest = i;
        apart[nearest].end = apart[nearest + 1].end;
        apart.erase(apart.begin() + static_cast<std::ptrdiff_t>(nearest) + 1);
    }
    if (apart.empty()) return {};
    return apart.size() == 1 ? IndexRanges(apart[0]) : IndexRanges(apart[0], apart[1]);
}

}  // namespace gantry
