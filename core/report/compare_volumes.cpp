#include "core/report/compare_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/throw_error.h"
#include "core/job/provenance.h"
#include "core/phantom/shape_math.h"
#include "core/phantom/voxelise.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// The folder of the scan that a volume was made from; empty when its record lacks it.
fs::path scanFolderOf(const fs::path& volume) {
    const fs::path record = provenancePath(volume);
    if (!pathExists(record)) return {};
    const nlohmann::json document = readJsonFile(record);
    const auto request = document.find("request");
    if (request == document.end() || !request->is_object()) return {};
    const auto scan = request->find("scanFile");
    if (scan == request->end() || !scan->is_string()) return {};
    return fs::path(scan->get<std::string>()).parent_path();
}

// Signed distance to a shape's surface, negative inside; its size is at most the true distance,
// because a unit of the shape's own coordinates is at least its shortest half axis long.
double distanceTo(const PhantomShape& shape, const UnitSpace& space, Vec3 pointMm) {
    const Vec3 q = space.point(pointMm);
    const auto& [a, b, c] = shape.halfAxesMm;
    if (shape.kind == PhantomShape::Kind::ellipsoid) return (length(q) - 1) * std::min({a, b, c});
    const double wall = (std::hypot(q.x, q.y) - 1) * std::min(a, b);
    const double ends = (std::abs(q.z) - 1) * c;
    return std::max(wall, ends);
}

struct Candidate {
    std::vector<bool> inside;  // shapes that contain it
    double room = std::numeric_limits<double>::max();
};

Candidate candidateAt(const Phantom& phantom, const std::vector<UnitSpace>& spaces, Vec3 pointMm) {
    Candidate candidate;
    for (std::size_t i = 0; i < spaces.size(); ++i) {
        const double distance = distanceTo(phantom.shapes[i], spaces[i], pointMm);
        candidate.inside.push_back(distance < 0);
        candidate.room = std::min(candidate.room, std::abs(distance));
    }
    return candidate;
}

}  // namespace

bool isSamePlace(const VolumeGrid& a, const VolumeGrid& b) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto voxels = static_cast<double>(a.voxels[axis]);
        const double max = 1e-3 * a.pitchMm[axis];
        if (std::abs(a.pitchMm[axis] - b.pitchMm[axis]) * voxels > max ||
            std::abs(a.centerMm[axis] - b.centerMm[axis]) > max)
            return false;
    }
    return true;
}

TruthPlacement findTruth(const fs::path& volume, const std::string& phantom) {
    PhantomFile standard;
    standard.phantom = phantom;
    const fs::path folder = scanFolderOf(volume);
    if (folder.empty() || !pathExists(folder / kPhantomFileName))
        return {standard, "the default placement"};
    const PhantomFile file = readPhantomFile(folder / kPhantomFileName);
    if (file.phantom == phantom) return {file, (folder / kPhantomFileName).string()};
    return {standard,
            fmt::format("the default placement: the scan was made of '{}'", file.phantom)};
}

Volume voxelised(const Phantom& phantom, const VolumeGrid& grid, int supersampling, int threads) {
    Volume volume{grid, HostBuffer<float>(grid.count())};
    voxelisePhantom(phantom, grid, {0, grid.voxels[2]}, supersampling, threads, volume.span());
    return volume;
}

VolumeComparison compareVolumes(const Volume& volume, const Volume& truth, const ComparedPart& part,
                                int threads) {
    const auto [nX, nY, nZ] = volume.grid.voxels;
    if (truth.grid.voxels != volume.grid.voxels)
        throwError<InputError>("The volumes differ in size: {} × {} × {} and {} × {} × {} voxels.",
                               nX, nY, nZ, truth.grid.voxels[0], truth.grid.voxels[1],
                               truth.grid.voxels[2]);
    const IndexRange slices = part.slices.value_or(IndexRange{0, nZ});
    if (slices.begin < 0 || slices.end > nZ || slices.empty())
        throwError<InputError>("Slices {} to {} are not in the volume; they must be 0 to {}.",
                               slices.begin, slices.end - 1, nZ - 1);
    HostBuffer<unsigned char> mask;
    Span3<const unsigned char> maskSpan;
    if (part.maskRadiusMm) {
        mask = HostBuffer<unsigned char>(slices.size() * nX * nY);
        for (Index y = 0; y < nY; ++y)
            for (Index x = 0; x < nX; ++x) {
                const Vec3 p =
                    volume.grid.positionMm(static_cast<double>(x), static_cast<double>(y), 0);
                const bool counts = std::hypot(p.x, p.y) <= *part.maskRadiusMm;
                for (Index z = 0; z < slices.size(); ++z)
                    mask[(z * nY + y) * nX + x] = counts ? 1 : 0;
            }
        maskSpan = {mask.data(), slices.size(), nY, nX};
    }
    VolumeComparison comparison;
    comparison.samePlace = isSamePlace(volume.grid, truth.grid);
    comparison.error =
        imageError(volume.span().slices(slices), truth.span().slices(slices), 0, maskSpan, threads);
    comparison.error.maxErrorAt[2] += slices.begin;
    const auto [x, y, z] = comparison.error.maxErrorAt;
    comparison.maxErrorMm = volume.grid.positionMm(static_cast<double>(x), static_cast<double>(y),
                                                   static_cast<double>(z));
    return comparison;
}

std::vector<RegionError> compareRegions(const Volume& volume, const Phantom& phantom) {
    std::vector<RegionError> errors;
    for (const UniformRegion& region : uniformRegions(phantom, volume.grid, 0)) {
        RegionError error{region, {}, 0};
        error.found =
            sphereStatistics(volume.span(), volume.grid, region.centerMm, region.radiusMm);
        error.errorPercent = 100 * (error.found.mean / region.attenuation - 1);
        errors.push_back(error);
    }
    return errors;
}

std::vector<std::vector<std::string>> errorTable(const ImageError& error, const std::string& unit) {
    const auto digits = [](double value) { return fmt::format("{:.4g}", value); };
    std::vector<std::vector<std::string>> rows = {
        {"Error", "Value", "Unit"},
        {"RMSE", digits(error.rmse), unit},
        {"relative RMSE", digits(100 * error.relativeRmse), "%"},
        {"mean |error|", digits(error.mae), unit},
        {"largest |error|", digits(error.maxError), unit},
        {"PSNR", fmt::format("{:.2f}", error.psnrDb), "dB"},
        {"SSIM", fmt::format("{:.4f}", error.ssim), ""},
        {"voxels compared", fmt::format("{}", error.voxels), ""}};
    if (error.notFinite > 0)
        rows.push_back({"voxels that are not numbers", fmt::format("{}", error.notFinite), ""});
    return rows;
}

std::vector<std::vector<std::string>> regionTable(const std::vector<RegionError>& regions) {
    std::vector<std::vector<std::string>> rows = {{"Uniform sphere at x, y, z (mm)", "radius (mm)",
                                                   "true (/mm)", "mean (/mm)", "error",
                                                   "noise (/mm)"}};
    for (const RegionError& error : regions) {
        const auto [x, y, z] = error.region.centerMm;
        rows.push_back({fmt::format("{:.1f}, {:.1f}, {:.1f}", x, y, z),
                        fmt::format("{:.1f}", error.region.radiusMm),
                        fmt::format("{:.5f}", error.region.attenuation),
                        fmt::format("{:.5f}", error.found.mean),
                        fmt::format("{:+.2f} %", error.errorPercent),
                        fmt::format("{:.2g}", error.found.standardDeviation)});
    }
    return rows;
}

Comparison comparisonReport(const Volume& volume, const Volume& truth, const std::string& truthName,
                            const VolumeComparison& comparison) {
    VolumeSummary volumeSummary(volume.grid);
    volumeSummary.add(0, volume.span());
    VolumeSummary truthSummary(volume.grid);
    truthSummary.add(0, truth.span());
    Comparison report;
    report.truthName = truthName;
    report.volume = volumeSummary.centralSlices();
    report.truth = truthSummary.centralSlices();
    report.low = truthSummary.smallest();
    report.high = truthSummary.largest();
    if (!(report.high > report.low)) report.high = report.low + 1;
    report.figures = errorTable(comparison.error);
    if (!comparison.regions.empty()) report.regions = regionTable(comparison.regions);
    return report;
}

std::vector<UniformRegion> uniformRegions(const Phantom& phantom, const VolumeGrid& grid,
                                          double midplaneMm) {
    constexpr double kMarginVoxels = 2;
    constexpr double kMinVoxels = 3;
    constexpr int kAcross = 61;
    constexpr int kUp = 17;
    const double voxel = *std::ranges::max_element(grid.pitchMm);
    const std::vector<UnitSpace> spaces(phantom.shapes.begin(), phantom.shapes.end());
    const auto half = [&](std::size_t axis) {
        return static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis] / 2;
    };
    std::map<std::vector<bool>, UniformRegion> best;
    for (int iz = 0; iz < kUp; ++iz) {
        for (int iy = 0; iy < kAcross; ++iy) {
            for (int ix = 0; ix < kAcross; ++ix) {
                const auto step = [](int i, int n) { return 2.0 * (i + 0.5) / n - 1; };
                const Vec3 point = {grid.centerMm[0] + half(0) * step(ix, kAcross),
                                    grid.centerMm[1] + half(1) * step(iy, kAcross),
                                    midplaneMm + 0.5 * half(2) * step(iz, kUp)};
                const Candidate candidate = candidateAt(phantom, spaces, point);
                // The sphere must lie within the grid too.
                const double room =
                    std::min({candidate.room, half(0) - std::abs(point.x - grid.centerMm[0]),
                              half(1) - std::abs(point.y - grid.centerMm[1]),
                              half(2) - std::abs(point.z - grid.centerMm[2])});
                const double radius = room - kMarginVoxels * voxel;
                UniformRegion& region = best[candidate.inside];
                if (radius > region.radiusMm)
                    region = {point, radius, phantom.attenuationAt(point)};
            }
        }
    }
    std::vector<UniformRegion> regions;
    for (const auto& [inside, region] : best)
        if (region.radiusMm >= kMinVoxels * voxel && region.attenuation > 0)
            regions.push_back(region);
    std::ranges::sort(regions,
                      [](const auto& a, const auto& b) { return a.radiusMm > b.radiusMm; });
    return regions;
}

}  // namespace gantry
