#include "core/report/measure_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"

namespace gantry {
namespace {

constexpr Index kMaxVoxelsRead = 8 << 20;  // at a time: 32 MiB

VoxelBox boxOf(const std::array<IndexRange, 3>& ranges) {
    return {ranges[0], ranges[1], ranges[2]};
}

// Splits a box into whole slices if one fits, otherwise whole rows: in both cases in memory order.
std::vector<VoxelBox> piecesOf(const VoxelBox& box) {
    const Index rowsAtOnce = std::clamp<Index>(kMaxVoxelsRead / box.x.size(), 1, box.y.size());
    const Index slicesAtOnce =
        std::clamp<Index>(kMaxVoxelsRead / (box.x.size() * box.y.size()), 1, box.z.size());
    std::vector<VoxelBox> pieces;
    for (Index z = box.z.begin; z < box.z.end; z += slicesAtOnce)
        for (Index y = box.y.begin; y < box.y.end; y += rowsAtOnce)
            pieces.push_back({box.x,
                              {y, std::min(y + rowsAtOnce, box.y.end)},
                              {z, std::min(z + slicesAtOnce, box.z.end)}});
    return pieces;
}

std::span<const float> read(const VolumeLevels& levels, const VoxelBox& box,
                            HostBuffer<float>& voxels) {
    const Index count = box.x.size() * box.y.size() * box.z.size();
    if (voxels.count() < count) voxels = HostBuffer<float>(count);
    levels.read(0, box, {voxels.data(), box.z.size(), box.y.size(), box.x.size()},
                availableThreads());
    return {voxels.data(), static_cast<std::size_t>(count)};
}

// The voxels that the interpolation of these samples needs.
VoxelBox neighbours(const VolumeGrid& grid, const VoxelLine& line, int first, int last) {
    const auto from = line.at(first);
    const auto to = line.at(last);
    std::array<IndexRange, 3> ranges;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index n = grid.voxels[axis];
        const double low = std::floor(std::min(from[axis], to[axis]));
        const double high = std::floor(std::max(from[axis], to[axis])) + 1;
        ranges[axis] = {std::clamp<Index>(static_cast<Index>(low), 0, n - 1),
                        std::clamp<Index>(static_cast<Index>(high), 0, n - 1) + 1};
    }
    return boxOf(ranges);
}

std::array<double, 3> relativeTo(const VoxelBox& box, const std::array<double, 3>& xyz) {
    return {xyz[0] - static_cast<double>(box.x.begin), xyz[1] - static_cast<double>(box.y.begin),
            xyz[2] - static_cast<double>(box.z.begin)};
}

}  // namespace

MeasuredRegion measureRegion(const VolumeLevels& levels, const WorldBox& box,
                             std::atomic<double>& fraction, const std::stop_token& stop) {
    const VolumeGrid& grid = levels.grids().front();
    const auto ranges = voxelsIn(grid, box);
    const std::vector<VoxelBox> pieces = piecesOf(boxOf(ranges));
    HostBuffer<float> voxels;
    double done = 0;
    const auto step = [&] {
        if (stop.stop_requested()) throw Cancelled();
        fraction = done++ / (2 * static_cast<double>(pieces.size()));
    };
    RegionGather gather;
    std::span<const float> piece;
    for (const VoxelBox& next : pieces) {
        step();
        piece = read(levels, next, voxels);
        gather.add(piece);
    }
    MeasuredRegion result;
    result.found = gather.result();
    if (result.found.voxels == 0)
        throw InputError("The region holds no voxel with a finite value. Move or enlarge it.");
    result.volumeMm3 = static_cast<double>(result.found.voxels + result.found.notFinite) *
                       grid.pitchMm[0] * grid.pitchMm[1] * grid.pitchMm[2];
    result.bins.resize(kRegionBins);
    for (const VoxelBox& next : pieces) {
        step();
        if (pieces.size() > 1) piece = read(levels, next, voxels);
        countInto(result.bins, result.found.smallest, result.found.largest, piece);
    }
    fraction = 1;
    return result;
}

MeasuredProfile measureProfile(const VolumeLevels& levels, Vec3 fromMm, Vec3 toMm,
                               const std::stop_token& stop) {
    constexpr int kAtOnce = 64;  // samples, and so 32 voxels: the box around these is small
    const VolumeGrid& grid = levels.grids().front();
    MeasuredProfile profile;
    VoxelLine& line = profile.line;
    line = voxelLine(grid, fromMm, toMm);
    requireInside(grid, line);
    HostBuffer<float> voxels;
    int first = 0;
    while (first < line.samples) {
        if (stop.stop_requested()) throw Cancelled();
        int last = std::min(first + kAtOnce, line.samples) - 1;
        if (last + 2 == line.samples) ++last;  // a piece has at least two samples
        const VoxelBox box = neighbours(grid, line, first, last);
        (void)read(levels, box, voxels);
        const std::vector<double> part = lineProfile(
            {voxels.data(), box.z.size(), box.y.size(), box.x.size()},
            relativeTo(box, line.at(first)), relativeTo(box, line.at(last)), last - first + 1);
        profile.values.insert(profile.values.end(), part.begin(), part.end());
        first = last + 1;
    }
    return profile;
}

std::vector<std::vector<std::string>> regionFigures(const RegionStatistics& found, double volumeMm3,
                                                    const std::string& unit) {
    const auto digits = [](double value) { return fmt::format("{:.6g}", value); };
    std::vector<std::vector<std::string>> rows = {
        {"mean", digits(found.mean), unit},
        {"standard deviation", digits(found.standardDeviation), unit},
        {"smallest", digits(found.smallest), unit},
        {"largest", digits(found.largest), unit},
        {"voxels", fmt::format("{}", found.voxels), ""},
        {"volume", digits(volumeMm3), "mm³"}};
    if (found.notFinite > 0)
        rows.push_back({"voxels that are not numbers", fmt::format("{}", found.notFinite), ""});
    return rows;
}

std::string profileCsv(const VoxelLine& line, const std::vector<double>& values,
                       const std::vector<double>& truth, const std::string& unit) {
    const std::string ending = unit == "/mm" ? "_per_mm" : unit.empty() ? "" : "_hu";
    std::string csv = "distance_mm,volume" + ending;
    csv += truth.empty() ? "\n" : ",truth" + ending + "\n";
    for (std::size_t i = 0; i < values.size(); ++i) {
        csv += fmt::format("{:.6g},{:.8g}", line.distanceMm(static_cast<int>(i)), values[i]);
        csv += truth.empty() ? "\n" : fmt::format(",{:.8g}\n", truth[i]);
    }
    return csv;
}

}  // namespace gantry
