#include "core/work/scan_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/base/json_text.h"
#include "core/base/throw_error.h"
#include "core/geometry/views/aligned_views.h"
#include "core/job/provenance.h"

namespace gantry {

namespace {

using json = nlohmann::ordered_json;

double radiusOf(const VolumeGrid& grid) {
    return static_cast<double>(grid.voxels[0]) * grid.pitchMm[0] / 2;
}

std::string nameOf(const ScanFile& scan) {
    return scan.path.empty() ? scan.name : scan.path.string();
}

// Reads one slice of a part, by its place in the volume.
void readSlice(const StackPart& part, Index z, HostBuffer<float>& slice) {
    const auto& voxels = part.volume.grid.voxels;
    part.volume.read(z - part.slices.begin, {slice.data(), 1, voxels[1], voxels[0]});
}

double rms(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        sum += d * d;
    }
    return std::sqrt(sum / static_cast<double>(a.size()));
}

// The position of the minimum of a parabola through three neighbours.
double minBetween(double below, double here, double above) {
    const double bend = below - 2 * here + above;
    return bend > 0 ? std::clamp(0.5 * (below - above) / bend, -0.5, 0.5) : 0;
}

constexpr Index kMaxShift = 3;

StackFit fitOf(const StackPart& lower, const StackPart& upper) {
    const IndexRange both = {upper.slices.begin, std::min(lower.slices.end, upper.slices.end)};
    StackFit fit = {lower.name, upper.name, both.size()};
    if (both.size() < 2 * kMaxShift + 1) return fit;
    const Index count = lower.volume.grid.voxels[0] * lower.volume.grid.voxels[1];
    HostBuffer<float> below(count);
    HostBuffer<float> above(count);
    const Index middle = both.begin + both.size() / 2;
    readSlice(lower, middle, below);
    std::array<double, 2 * kMaxShift + 1> differences{};
    for (Index shift = -kMaxShift; shift <= kMaxShift; ++shift) {
        readSlice(upper, middle - shift, above);
        differences[static_cast<std::size_t>(shift + kMaxShift)] = rms(below.span(), above.span());
    }
    const double size =
        rms(below.span(), std::vector<float>(static_cast<std::size_t>(count), 0.0F));
    const auto best = static_cast<std::size_t>(
        std::distance(differences.begin(), std::ranges::min_element(differences)));
    fit.difference = size > 0 ? differences[kMaxShift] / size : 0;
    // Slices that are all alike match at every shift.
    constexpr double kTelling = 1.2;
    fit.isKnown = std::ranges::max(differences) > kTelling * differences[best] && size > 0;
    fit.shiftSlices = static_cast<double>(best) - static_cast<double>(kMaxShift);
    if (best > 0 && best + 1 < differences.size())
        fit.shiftSlices +=
            minBetween(differences[best - 1], differences[best], differences[best + 1]);
    return fit;
}

// The weight of a scan in one of its slices: it grows with the distance from its ends.
double weightOf(const StackPart& part, Index z) {
    return static_cast<double>(std::min(z - part.slices.begin, part.slices.end - 1 - z)) + 0.5;
}

json recordBeside(const std::filesystem::path& volume) {
    const std::filesystem::path path = provenancePath(volume);
    json record = ownOrderedJson(readTextFile(path));
    if (!record.is_object() || !record.contains("inputs"))
        throwError<InputError>(
            "{} is damaged: it is no record of how a volume came about. Remove it and its volume, "
            "and start again.",
            path.string());
    return record;
}

}  // namespace

HeightRange heightsOf(const StackedScan& stacked, double radiusMm) {
    const ScanGeometry& geometry = stacked.scan.geometry;
    const FieldOfView field = fieldOfView(geometry);
    const double halfRow = geometry.detector.pitchMm[1] / geometry.magnification() / 2;
    HeightRange range = {field.zMinMm + halfRow, field.zMaxMm - halfRow};
    const AlignedDetector detector = alignedDetector(geometry);
    if (!detector.isParallel()) {
        // Beyond the source's height the cone cuts the corners of what the views show.
        const double share = 1 - std::min(1.0, radiusMm / detector.axisDistanceMm);
        const double sourceMm = geometry.isCone() ? geometry.cone().sourceOffsetMm[1] : 0;
        range = {sourceMm + share * (range.lowMm - sourceMm),
                 sourceMm + share * (range.highMm - sourceMm)};
    } else if (geometry.isLaminography()) {
        const double lost = radiusMm * std::tan(radians(std::abs(geometry.detector.tiltDeg)));
        range = {range.lowMm + lost, range.highMm - lost};
    }
    return {range.lowMm + stacked.heightMm, range.highMm + stacked.heightMm};
}

VolumeGrid gridOfStack(const std::vector<StackedScan>& scans, const VolumeGrid& first) {
    HeightRange all = heightsOf(scans.front(), radiusOf(first));
    for (const StackedScan& scan : scans) {
        const HeightRange range = heightsOf(scan, radiusOf(first));
        all = {std::min(all.lowMm, range.lowMm), std::max(all.highMm, range.highMm)};
    }
    VolumeGrid grid = first;
    // Both ends are at centres of slices.
    grid.voxels[2] = std::max<Index>(
        1, static_cast<Index>(std::floor((all.highMm - all.lowMm) / first.pitchMm[2] + 1e-6)) + 1);
    grid.centerMm[2] = (all.lowMm + all.highMm) / 2;
    return grid;
}

std::vector<IndexRange> slicesOfStack(const std::vector<StackedScan>& scans,
                                      const VolumeGrid& grid) {
    std::vector<IndexRange> found;
    const double zeroMm = grid.originMm().z;
    for (const StackedScan& scan : scans) {
        const HeightRange range = heightsOf(scan, radiusOf(grid));
        const auto place = [&](double mm) { return (mm - zeroMm) / grid.pitchMm[2]; };
        const Index begin =
            std::max<Index>(0, static_cast<Index>(std::ceil(place(range.lowMm) - 1e-6)));
        const Index end = std::min<Index>(
            grid.voxels[2], static_cast<Index>(std::floor(place(range.highMm) + 1e-6)) + 1);
        if (end <= begin)
            throwError<InputError>(
                "{}: at a height of {:g} mm it sees none of the volume's slices, which "
                "reach from {:.4g} to {:.4g} mm.",
                nameOf(scan.scan), scan.heightMm, zeroMm,
                grid.positionMm(0, 0, static_cast<double>(grid.voxels[2] - 1)).z);
        found.push_back({begin, end});
    }
    std::vector<std::size_t> upwards(scans.size());
    std::iota(upwards.begin(), upwards.end(), std::size_t{0});
    std::ranges::sort(upwards, {}, [&](std::size_t i) { return found[i].begin; });
    for (std::size_t i = 0; i + 1 < upwards.size(); ++i) {
        const Index gap = found[upwards[i + 1]].begin - found[upwards[i]].end;
        if (gap > 0)
            throwError<InputError>(
                "Between {} and {}, {:.4g} mm of the object's height are seen whole by neither: "
                "their heights are {:g} and {:g} mm.",
                nameOf(scans[upwards[i]].scan), nameOf(scans[upwards[i + 1]].scan),
                static_cast<double>(gap) * grid.pitchMm[2], scans[upwards[i]].heightMm,
                scans[upwards[i + 1]].heightMm);
    }
    return found;
}

VolumeGrid partOfStack(const VolumeGrid& grid, IndexRange slices, const StackedScan& scan) {
    VolumeGrid part = grid.slab(slices);
    part.centerMm[2] -= scan.heightMm;
    return part;
}

std::string StackFit::sentence(double pitchMm) const {
    if (slices == 0) return fmt::format("{} and {} share no slice.", lower, upper);
    const std::string shared = fmt::format("{} and {} share {} slices", lower, upper, slices);
    if (!isKnown) return shared + ", which do not show how well the heights fit.";
    constexpr double kMuch = 0.5;
    if (std::abs(shiftSlices) > kMuch)
        return fmt::format(
            "{}, and fit best with the upper one {:+.2f} mm from its stated height: check the "
            "heights.",
            shared, shiftSlices * pitchMm);
    return fmt::format("{} and differ there by {:.1f} %.", shared, 100 * difference);
}

std::vector<StackFit> stackFits(const std::vector<StackPart>& parts) {
    std::vector<StackFit> fits;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
        fits.push_back(fitOf(parts[i], parts[i + 1]));
    return fits;
}

void joinStack(const std::vector<StackPart>& parts, const VolumeGrid& grid, VolumeSink& sink,
               int threads, const std::function<void(double)>& onProgress,
               const std::stop_token& stop) {
    const Index count = grid.voxels[0] * grid.voxels[1];
    HostBuffer<float> sum(count);
    HostBuffer<float> slice(count);
    for (Index z = 0; z < grid.voxels[2]; ++z) {
        if (stop.stop_requested()) throw Cancelled();
        std::fill_n(sum.data(), count, 0.0F);
        double all = 0;
        for (const StackPart& part : parts)
            if (part.slices.contains(z)) all += weightOf(part, z);
        require(all > 0, "a slice of a stack of scans comes from none of them");
        for (const StackPart& part : parts) {
            if (!part.slices.contains(z)) continue;
            readSlice(part, z, slice);
            const auto weight = static_cast<float>(weightOf(part, z) / all);
            for (Index i = 0; i < count; ++i)
                sum[i] += weight * slice[i];
        }
        sink.write(z, {sum.data(), 1, grid.voxels[1], grid.voxels[0]}, threads);
        onProgress(static_cast<double>(z + 1) / static_cast<double>(grid.voxels[2]));
    }
    sink.finish(threads, stop);
}

std::string stackRecord(const JobSpec& whole, const std::vector<RecordedScan>& scans,
                        const std::vector<std::string>& notes) {
    json inputs = json::array();
    json parts = json::array();
    std::string engine;
    for (const RecordedScan& scan : scans) {
        json part = {{"scan", scan.scan.string()},
                     {"heightMm", scan.heightMm},
                     {"slices", {scan.slices.begin, scan.slices.end}},
                     {"job", scan.job.string()}};
        const json own = recordBeside(scan.part);
        for (const auto& [field, value] : own.items()) {
            if (field == "inputs")
                inputs.insert(inputs.end(), value.begin(), value.end());
            else if (field != "gantryProvenance")
                part[field] = value;
        }
        const std::string name = part.value("engine", "");
        if (engine.find(name) == std::string::npos) engine += (engine.empty() ? "" : ", ") + name;
        parts.push_back(std::move(part));
    }
    json record = ownOrderedJson(toJson(Provenance{whole, engine, notes, {}, {}}));
    record["inputs"] = std::move(inputs);
    record["stack"] = std::move(parts);
    return jsonText(record) + "\n";
}

}  // namespace gantry
