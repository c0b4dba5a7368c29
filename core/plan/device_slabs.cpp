#include "core/plan/device_slabs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/geometry/footprint.h"

namespace gantry {

namespace {

// Slabs far from the source's height need the most rows, unless their footprint leaves the
// detector.
Index mostRows(const AlignedViews& aligned, const VolumeGrid& grid, Index slices) {
    constexpr Index kPlaces = 9;
    Index most = 0;
    for (Index i = 0; i < kPlaces; ++i) {
        const Index begin = (grid.voxels[2] - slices) * i / (kPlaces - 1);
        most = std::max(most, footprintRows(aligned, grid, {begin, begin + slices}).size());
    }
    return most;
}

// Slices in proportion to the speeds, none above its most; nothing when all together cannot hold
// them.
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
            const auto most = static_cast<double>(shares[d].mostSlices);
            if (result[d] >= 0 || shares[d].speed * perSpeed <= most) continue;
            result[d] = most;
            left -= most;
            isAnyFull = true;
        }
        if (isAnyFull) continue;
        for (std::size_t d = 0; d < shares.size(); ++d)
            if (result[d] < 0) result[d] = shares[d].speed * perSpeed;
        return result;
    }
    return left > 0 ? std::vector<double>() : result;
}

// Whole slices that add up to `slices`, at least one each; nothing when they cannot.
std::vector<Index> wholeSlices(Index slices, std::span<const DeviceShare> shares) {
    if (std::any_of(shares.begin(), shares.end(),
                    [](const DeviceShare& share) { return share.mostSlices < 1; }))
        return {};
    const std::vector<double> wanted = proportions(static_cast<double>(slices), shares);
    std::vector<Index> result;
    for (std::size_t d = 0; d < wanted.size(); ++d)
        result.push_back(
            std::clamp<Index>(static_cast<Index>(std::floor(wanted[d])), 1, shares[d].mostSlices));
    // The rounding remainder goes to the share that lacks most, or comes from the one that exceeds
    // most.
    const auto missing = [&](std::size_t d) { return wanted[d] - static_cast<double>(result[d]); };
    for (Index left = slices - std::reduce(result.begin(), result.end());
         left != 0 && !result.empty();) {
        const Index step = left > 0 ? 1 : -1;
        std::size_t best = shares.size();
        for (std::size_t d = 0; d < shares.size(); ++d) {
            const bool canTake = step > 0 ? result[d] < shares[d].mostSlices : result[d] > 1;
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

}  // namespace

Index mostSlicesThatFit(const AlignedViews& aligned, const VolumeGrid& grid,
                        const std::function<bool(Index slices, Index rows)>& fits) {
    Index good = 0;
    Index bad = grid.voxels[2] + 1;
    while (bad - good > 1) {
        const Index slices = (good + bad) / 2;
        (fits(slices, mostRows(aligned, grid, slices)) ? good : bad) = slices;
    }
    return good;
}

namespace {

// The same volume cut in layers of so many slices, the topmost one perhaps thinner.
std::vector<SlabPlan> dealLayers(const AlignedViews& aligned, const VolumeGrid& grid,
                                 std::span<const DeviceShare> shares, Index passes, Index layer) {
    const Index nZ = grid.voxels[2];
    const Index layers = (nZ + layer - 1) / layer;
    const auto devices = static_cast<Index>(shares.size());
    if (devices == 0 || (passes - 1) * devices >= layers) return {};
    std::vector<DeviceShare> inLayers(shares.begin(), shares.end());
    for (DeviceShare& share : inLayers)
        share.mostSlices /= layer;
    // Where layers are too few, all but the last pass have one for each device.
    const bool isThinnest = passes * devices > layers;
    const auto end = [&](Index pass) {
        return isThinnest ? std::min(layers, pass * devices) : pass * layers / passes;
    };
    std::vector<SlabPlan> slabs;
    slabs.reserve(static_cast<std::size_t>(passes * devices));
    for (Index pass = 0; pass < passes; ++pass) {
        Index z = end(pass) * layer;
        const Index height = end(pass + 1) - end(pass);
        const std::span<const DeviceShare> all = inLayers;
        const std::vector<Index> counts =
            wholeSlices(height, all.first(static_cast<std::size_t>(std::min(devices, height))));
        if (counts.empty()) return {};
        for (const Index count : counts) {
            const IndexRange slices = {z, std::min(nZ, z + count * layer)};
            slabs.push_back(slabOf(aligned, grid, slices));
            z = slices.end;
        }
    }
    return slabs;
}

}  // namespace

std::vector<SlabPlan> dealSlabs(const AlignedViews& aligned, const VolumeGrid& grid,
                                std::span<const DeviceShare> shares, Index passes, Index layer) {
    const auto devices = static_cast<Index>(shares.size());
    if (layer > 1 && passes * devices * layer <= grid.voxels[2]) {
        std::vector<SlabPlan> slabs = dealLayers(aligned, grid, shares, passes, layer);
        if (!slabs.empty()) return slabs;
    }
    return dealLayers(aligned, grid, shares, passes, 1);
}

Index passesToOverlap(const AlignedViews& aligned, const VolumeGrid& grid, Index devices) {
    constexpr double kBytesPerSlab = 0.5e9;  // copied and stored in about a tenth of a second
    constexpr double kMostPasses = 16;       // so that little is left to copy and store at the end
    constexpr double kMostReading = 1.6;     // times what one pass reads
    constexpr Index kTileSlices = 128;       // thinner slabs leave kernels in tiles half empty
    const double bytes =
        static_cast<double>(grid.count()) * sizeof(float) / static_cast<double>(devices);
    const Index fullTiles = grid.voxels[2] / (devices * kTileSlices);
    auto passes = static_cast<Index>(std::clamp(
        std::min(bytes / kBytesPerSlab, static_cast<double>(fullTiles)), 1.0, kMostPasses));
    const auto whole =
        static_cast<double>(footprintRows(aligned, grid, {0, grid.voxels[2]}).size());
    for (; passes > 1; --passes) {
        Index rows = 0;
        for (const SlabPlan& slab :
             planSlabs(aligned, grid, (grid.voxels[2] + passes - 1) / passes))
            rows += slab.rows.size();
        if (static_cast<double>(rows) <= kMostReading * whole) break;
    }
    return passes;
}

}  // namespace gantry
