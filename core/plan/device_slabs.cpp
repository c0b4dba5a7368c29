#include "core/plan/device_slabs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/geometry/footprint.h"
#include "core/geometry/views/mirror.h"

namespace gantry {

namespace {

// The slices of a pair whose sides are `side`, counted from the outside inwards within the slices
// that have their mirror image in the volume. In the middle both sides meet.
IndexRanges pairOf(IndexRange mirrored, IndexRange side) {
    const IndexRange lower = {mirrored.begin + side.begin, mirrored.begin + side.end};
    const IndexRange upper = {mirrored.end - side.end, mirrored.end - side.begin};
    return lower.end < upper.begin ? IndexRanges(lower, upper) : hullOf(lower, upper);
}

// Slices on one side of the mirror; the middle one counts on one side.
Index sideOf(IndexRange mirrored) {
    return (mirrored.size() + 1) / 2;
}

// Max rows that a slab of `count` of `all` slices needs anywhere. Slabs far from the source's
// height need most rows, unless their footprint leaves the detector.
Index maxRows(Index all, Index count, const std::function<Index(IndexRange slices)>& rowsOf) {
    constexpr Index kPlaces = 9;
    Index max = 0;
    for (Index i = 0; i < kPlaces; ++i) {
        const Index begin = (all - count) * i / (kPlaces - 1);
        max = std::max(max, rowsOf({begin, begin + count}));
    }
    return max;
}

// The largest count up to `max` for which `fits` holds; 0 where it never does.
Index largestThatFits(Index max, const std::function<bool(Index count)>& fits) {
    Index good = 0;
    Index bad = max + 1;
    while (bad - good > 1) {
        const Index count = (good + bad) / 2;
        (fits(count) ? good : bad) = count;
    }
    return good;
}

// Slices in proportion to the speeds, no share above its limit; nothing when all shares together
// cannot hold them.
std::vector<double> proportions(double slices, std::span<const DeviceShare> shares) {
    std::vector<double> result(shares.size(), -1);
    double left = slices;
    while (true) {
        double speed = 0;
        for (std::size_t d = 0; d < shares.size(); ++d)
            if (result[d] < 0) speed += shares[d].speed;
        if (speed <= 0) break;
        bool isAnyFull = false;
        const double perSpeed = left / speed;
        for (std::size_t d = 0; d < shares.size(); ++d) {
            const auto max = static_cast<double>(shares[d].maxSlices);
            if (result[d] >= 0 || shares[d].speed * perSpeed <= max) continue;
            result[d] = max;
            left -= max;
            isAnyFull = true;
        }
        if (isAnyFull) continue;
        for (std::size_t d = 0; d < shares.size(); ++d)
            if (result[d] < 0) result[d] = shares[d].speed * perSpeed;
        return result;
    }
    return left > 0 ? std::vector<double>() : result;
}

// Whole slices that add up to `slices`, at least one each; nothing when that is impossible.
std::vector<Index> wholeSlices(Index slices, std::span<const DeviceShare> shares) {
    if (std::ranges::any_of(shares, [](const DeviceShare& share) { return share.maxSlices < 1; }))
        return {};
    const std::vector<double> wanted = proportions(static_cast<double>(slices), shares);
    std::vector<Index> result;
    for (std::size_t d = 0; d < wanted.size(); ++d)
        result.push_back(
            std::clamp<Index>(static_cast<Index>(std::floor(wanted[d])), 1, shares[d].maxSlices));
    // The rounding remainder goes to the share that is furthest below its proportion, or comes from
    // the one furthest above.
    const auto missing = [&](std::size_t d) { return wanted[d] - static_cast<double>(result[d]); };
    for (Index left = slices - std::reduce(result.begin(), result.end());
         left != 0 && !result.empty();) {
        const Index step = left > 0 ? 1 : -1;
        std::size_t best = shares.size();
        for (std::size_t d = 0; d < shares.size(); ++d) {
            const bool canTake = step > 0 ? result[d] < shares[d].maxSlices : result[d] > 1;
            if (!canTake) continue;
            if (best == shares.size() ||
                static_cast<double>(step) * (missing(d) - missing(best)) > 0)
                best = d;
        }
        if (best == shares.size()) return {};
        result[best] += step;
        left -= step;
    }
    return result;
}

// The part of the devices' speed that is used where they share a pass of `layers` layers: it takes
// as long as the slowest device.
double usedSpeed(Index layers, std::span<const DeviceShare> inLayers) {
    const std::vector<Index> assigned = wholeSlices(layers, inLayers);
    double speed = 0;
    double seconds = 0;
    for (std::size_t d = 0; d < assigned.size(); ++d) {
        speed += inLayers[d].speed;
        seconds = std::max(seconds, static_cast<double>(assigned[d]) / inLayers[d].speed);
    }
    return seconds > 0 ? static_cast<double>(layers) / (speed * seconds) : 0;
}

// The fewest layers, up to `max`, whose multiples devices share nearly as well as any number: two
// for two equal devices, three where one is twice as fast as the other.
Index wellShared(Index max, std::span<const DeviceShare> inLayers) {
    constexpr double kNearly = 0.98;
    constexpr Index kMaxTried = 64;
    const auto devices = std::ssize(inLayers);
    std::vector<double> used;
    for (Index layers = devices; layers <= std::min(max, devices + kMaxTried); ++layers)
        used.push_back(usedSpeed(layers, inLayers));
    const double best = *std::ranges::max_element(used);
    const auto first = std::ranges::find_if(used, [&](double u) { return u >= kNearly * best; });
    return devices + (first - used.begin());
}

// The height of the last of several passes.
enum class LastPass {
    asOthers,
    thin,  // as few layers as can be shared well
};

struct Heights {
    FirstPass first;
    LastPass last;
};

// Where passes over `layers` layers end. All but one are multiples of what the devices share well.
// Where layers are too few, all but the last pass have one for each device. Thinner ones come last,
// so that little is left to copy and store when nothing is left to add.
std::vector<Index> passEnds(Index layers, std::span<const DeviceShare> inLayers, Index passes,
                            bool isLayered, Heights heights) {
    const auto devices = std::ssize(inLayers);
    std::vector<Index> ends;
    if (heights.first == FirstPass::thin && isLayered && passes > 2 && passes * devices <= layers) {
        const Index thin = wellShared(layers / passes, inLayers);
        ends.push_back(thin);
        for (const Index end : passEnds(layers - thin, inLayers, passes - 1, isLayered,
                                        {FirstPass::asOthers, heights.last}))
            ends.push_back(thin + end);
        return ends;
    }
    if (passes * devices > layers) {
        for (Index pass = 1; pass <= passes; ++pass)
            ends.push_back(std::min(layers, pass * devices));
        return ends;
    }
    const Index unit = isLayered ? wellShared(layers / passes, inLayers) : 1;
    const Index units = layers / unit;
    const Index others = std::max<Index>(1, passes - 1);
    const Index before = units - (heights.last == LastPass::thin ? 1 : units / passes);
    for (Index pass = 1; pass < passes; ++pass) {
        const Index unitsSoFar = pass * (before / others) + std::min(pass, before % others);
        const bool hasRest = pass > before % others;
        ends.push_back(unit * unitsSoFar + (hasRest ? layers % unit : 0));
    }
    ends.push_back(layers);
    return ends;
}

// Cuts [0, count) into layers of `layer` slices; the last one may be thinner.
std::vector<IndexRange> assignLayers(Index count, std::span<const DeviceShare> shares, Index passes,
                                     Index layer, Heights heights) {
    const Index layers = (count + layer - 1) / layer;
    const auto devices = std::ssize(shares);
    if (devices == 0 || (passes - 1) * devices >= layers) return {};
    std::vector<DeviceShare> inLayers(shares.begin(), shares.end());
    for (DeviceShare& share : inLayers)
        share.maxSlices /= layer;
    std::vector<IndexRange> ranges;
    ranges.reserve(passes * devices);
    Index begin = 0;
    for (const Index end : passEnds(layers, inLayers, passes, layer > 1, heights)) {
        Index next = begin * layer;
        const Index height = end - begin;
        const std::span<const DeviceShare> all = inLayers;
        const std::vector<Index> assigned =
            wholeSlices(height, all.first(std::min(devices, height)));
        if (assigned.empty()) return {};
        for (const Index part : assigned) {
            ranges.push_back({next, std::min(count, next + part * layer)});
            next = ranges.back().end;
        }
        begin = end;
    }
    return ranges;
}

// Cuts [0, count) into passes and each into a range a device, of whole layers where there are
// enough.
std::vector<IndexRange> assignRanges(Index count, std::span<const DeviceShare> shares, Index passes,
                                     Index layer, FirstPass first) {
    const auto devices = std::ssize(shares);
    if (layer > 1 && passes * devices * layer <= count) {
        for (const LastPass last : {LastPass::thin, LastPass::asOthers}) {
            std::vector<IndexRange> ranges =
                assignLayers(count, shares, passes, layer, {first, last});
            if (!ranges.empty()) return ranges;
        }
    }
    return assignLayers(count, shares, passes, 1, {FirstPass::asOthers, LastPass::asOthers});
}

Index passesOver(Index count, Index devices) {
    return (count + devices - 1) / devices;
}

// Cuts the slices that have no mirror image in the volume, into passes no higher than those over
// pairs if the devices can hold these.
std::vector<IndexRange> assignRest(IndexRange rest, std::span<const DeviceShare> shares,
                                   Index maxHeight, Index layer) {
    const Index max = passesOver(rest.size(), std::ssize(shares));
    std::vector<IndexRange> ranges;
    for (Index passes = std::min(max, passesOver(rest.size(), std::max<Index>(1, maxHeight)));
         ranges.empty() && passes <= max; ++passes)
        ranges = assignRanges(rest.size(), shares, passes, layer, FirstPass::asOthers);
    for (IndexRange& range : ranges)
        range = {rest.begin + range.begin, rest.begin + range.end};
    return ranges;
}

}  // namespace

Index maxSlicesThatFit(const AlignedViews& aligned, const VolumeGrid& grid,
                       const std::function<bool(Index slices, Index rows)>& fits) {
    const auto rowsOf = [&](IndexRange slices) {
        return footprintRows(aligned, grid, slices).size();
    };
    return largestThatFits(grid.voxels[2], [&](Index slices) {
        return fits(slices, maxRows(grid.voxels[2], slices, rowsOf));
    });
}

Index maxPairedSlicesThatFit(const AlignedViews& aligned, const VolumeGrid& grid, Index mirror,
                             const std::function<bool(Index slices, Index rows)>& fits) {
    const IndexRange mirrored = mirroredRange(grid, mirror);
    const auto rowsOf = [&](IndexRange side) {
        return slabOf(aligned, grid, pairOf(mirrored, side)).rows.size();
    };
    const Index side = sideOf(mirrored);
    return 2 * largestThatFits(side, [&](Index slices) {
               return fits(2 * slices, maxRows(side, slices, rowsOf));
           });
}

std::vector<SlabPlan> assignSlabs(const AlignedViews& aligned, const VolumeGrid& grid,
                                  std::span<const DeviceShare> shares, Index passes, Index layer,
                                  FirstPass first) {
    std::vector<SlabPlan> slabs;
    for (const IndexRange& slices : assignRanges(grid.voxels[2], shares, passes, layer, first))
        slabs.push_back(slabOf(aligned, grid, slices));
    return slabs;
}

std::vector<SlabPlan> assignPairs(const AlignedViews& aligned, const VolumeGrid& grid, Index mirror,
                                  std::span<const DeviceShare> shares, Index passes, Index layer,
                                  FirstPass first) {
    const IndexRange mirrored = mirroredRange(grid, mirror);
    std::vector<DeviceShare> ofSide(shares.begin(), shares.end());
    for (DeviceShare& share : ofSide)
        share.maxSlices /= 2;
    std::vector<SlabPlan> slabs;
    for (const IndexRange& side : assignRanges(sideOf(mirrored), ofSide, passes, layer, first))
        slabs.push_back(slabOf(aligned, grid, pairOf(mirrored, side)));
    if (slabs.empty() || mirrored.size() == grid.voxels[2]) return slabs;
    const IndexRange rest = mirrored.begin > 0 ? IndexRange{0, mirrored.begin}
                                               : IndexRange{mirrored.end, grid.voxels[2]};
    const std::vector<IndexRange> plain =
        assignRest(rest, shares, passesOver(mirrored.size(), passes), layer);
    if (plain.empty()) return {};
    for (const IndexRange& slices : plain)
        slabs.push_back(slabOf(aligned, grid, slices));
    return slabs;
}

Index maxPasses(const VolumeGrid& grid, Index devices, std::optional<Index> mirror) {
    return passesOver(mirror ? sideOf(mirroredRange(grid, *mirror)) : grid.voxels[2], devices);
}

Index passesToOverlap(const AlignedViews& aligned, const VolumeGrid& grid, Index devices,
                      std::optional<Index> mirror) {
    constexpr double kBytesPerSlab = 0.5e9;  // copied and stored in about a tenth of a second
    constexpr double kMaxPasses = 16;        // so that little is left to copy and store at the end
    constexpr double kMaxReading = 1.6;      // times what one pass reads
    constexpr Index kTileSlices = 128;       // thinner slabs leave tiles of kernels half empty
    const double bytes =
        static_cast<double>(grid.count()) * sizeof(float) / static_cast<double>(devices);
    const Index fullTiles = grid.voxels[2] / (devices * kTileSlices);
    auto passes = static_cast<Index>(std::clamp(
        std::min(bytes / kBytesPerSlab, static_cast<double>(fullTiles)), 1.0, kMaxPasses));
    const auto whole =
        static_cast<double>(footprintRows(aligned, grid, {0, grid.voxels[2]}).size());
    const DeviceShare all = {1, grid.voxels[2] + 1};
    for (; passes > 1; --passes) {
        Index rows = 0;
        for (const SlabPlan& slab : mirror
                                        ? assignPairs(aligned, grid, *mirror, {&all, 1}, passes, 1)
                                        : assignSlabs(aligned, grid, {&all, 1}, passes, 1))
            rows += slab.rows.size();
        if (static_cast<double>(rows) <= kMaxReading * whole) break;
    }
    return passes;
}

}  // namespace gantry
