#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/base/written_place.h"
#include "core/io/input_files.h"
#include "core/metrics/line_profile.h"
#include "core/metrics/region.h"
#include "core/report/compare_volumes.h"
#include "core/report/measure_volume.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

struct CompareOptions {
    fs::path volume;
    fs::path other;
    std::optional<std::string> phantom;
    std::optional<double> scaleMm;
    std::optional<std::array<double, 3>> centerMm;
    std::optional<double> density;
    int supersampling = 3;
    std::optional<double> maskRadiusMm;
    std::optional<std::string> slices;
    std::optional<std::string> profile;
    std::optional<std::string> region;
    fs::path profileFile;
    fs::path report;
    std::optional<double> maxRmse;
    std::optional<double> minPsnr;
    std::optional<double> maxRegionPercent;
    bool json = false;
};

// The volume or phantom that the volume is compared with.
struct Truth {
    Volume volume;
    std::string name;
    std::optional<PhantomFile> phantom;
    std::string placedBy;
    std::vector<RegionError> regions;
};

Truth phantomTruth(const CompareOptions& o, const Volume& volume) {
    Truth truth;
    TruthPlacement placement = findTruth(o.volume, *o.phantom);
    PhantomPlacement& place = placement.phantom.placement;
    if (o.scaleMm || o.centerMm || o.density) placement.from = "the options given";
    place.scaleMm = o.scaleMm.value_or(place.scaleMm);
    place.density = o.density.value_or(place.density);
    if (o.centerMm) place.centerMm = {(*o.centerMm)[0], (*o.centerMm)[1], (*o.centerMm)[2]};
    const Phantom phantom = makePhantom(placement.phantom.phantom, place);
    truth.name = phantom.name;
    truth.phantom = placement.phantom;
    truth.placedBy = placement.from;
    truth.volume = voxelised(phantom, volume.grid, o.supersampling, availableThreads());
    truth.regions = compareRegions(volume, phantom);
    return truth;
}

Truth volumeTruth(const CompareOptions& o) {
    Truth truth;
    truth.volume = readVolume(o.other);
    truth.name = o.other.string();
    return truth;
}

IndexRange readSlices(const std::string& text) {
    const std::size_t at = text.find(':');
    if (at == std::string::npos)
        throwError<InputError>("--slices is '{}'; it must be FIRST:LAST, such as 10:20.", text);
    IndexRange range;
    readValue(text.substr(0, at), "--slices", range.begin);
    readValue(text.substr(at + 1), "--slices", range.end);
    ++range.end;  // the end is included
    return range;
}

std::string profileText(const CompareOptions& o, const Volume& volume, const Volume& truth) {
    const auto [from, to] = readLine(*o.profile, "--profile");
    const VoxelLine line =
        voxelLine(volume.grid, {from[0], from[1], from[2]}, {to[0], to[1], to[2]});
    return profileCsv(line, lineProfile(volume.span(), line.fromXyz, line.toXyz, line.samples),
                      lineProfile(truth.span(), line.fromXyz, line.toXyz, line.samples));
}

// The region in both volumes at the positions of the first one's voxels: they are compared voxel by
// voxel.
struct ComparedRegion {
    RegionStatistics volume;
    RegionStatistics truth;
    std::vector<Index> volumeBins;
    std::vector<Index> truthBins;
    double volumeMm3 = 0;
};

ComparedRegion comparedRegion(const CompareOptions& o, const Volume& volume, const Volume& truth) {
    const auto [low, high] = readLine(*o.region, "--region");
    const WorldBox box{low, high};
    ComparedRegion region;
    region.volume = boxStatistics(volume.span(), volume.grid, box);
    region.truth = boxStatistics(truth.span(), volume.grid, box);
    region.volumeBins = boxHistogram(volume.span(), volume.grid, box, region.volume);
    region.truthBins = boxHistogram(truth.span(), volume.grid, box, region.truth);
    const auto& pitch = volume.grid.pitchMm;
    region.volumeMm3 = static_cast<double>(region.volume.voxels + region.volume.notFinite) *
                       pitch[0] * pitch[1] * pitch[2];
    return region;
}

TextRows comparedTable(const ComparedRegion& region) {
    TextRows rows = {{"Region", "Value", "Truth", "Unit"}};
    const auto found = regionFigures(region.volume, region.volumeMm3);
    const auto wanted = regionFigures(region.truth, region.volumeMm3);
    for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i)
        rows.push_back({found[i][0], found[i][1], wanted[i][1], found[i][2]});
    return rows;
}

nlohmann::ordered_json statisticsJson(const RegionStatistics& found,
                                      const std::vector<Index>& bins) {
    return {{"mean", found.mean},         {"standardDeviation", found.standardDeviation},
            {"smallest", found.smallest}, {"largest", found.largest},
            {"voxels", found.voxels},     {"notFinite", found.notFinite},
            {"histogram", bins}};
}

nlohmann::ordered_json toJson(const CompareOptions& o, const Truth& truth,
                              const VolumeComparison& comparison) {
    const ImageError& error = comparison.error;
    // JSON has no infinity, so numbers that are not finite become null.
    nlohmann::ordered_json document = {
        {"volume", o.volume.string()},
        {"truth", truth.name},
        {"rmse", error.rmse},
        {"relativeRmse", error.relativeRmse},
        {"mae", error.mae},
        {"maxError", error.maxError},
        {"maxErrorMm", {comparison.maxErrorMm.x, comparison.maxErrorMm.y, comparison.maxErrorMm.z}},
        {"psnrDb", error.psnrDb},
        {"ssim", error.ssim},
        {"peak", error.peak},
        {"voxels", error.voxels},
        {"notFinite", error.notFinite},
        {"samePlace", comparison.samePlace}};
    if (truth.phantom) {
        document["phantom"] = ownOrderedJson(toJson(*truth.phantom));
        document["placement"] = truth.placedBy;
        nlohmann::ordered_json regions = nlohmann::ordered_json::array();
        for (const RegionError& region : truth.regions) {
            const auto [x, y, z] = region.region.centerMm;
            regions.push_back({{"centerMm", {x, y, z}},
                               {"radiusMm", region.region.radiusMm},
                               {"true", region.region.attenuation},
                               {"mean", region.found.mean},
                               {"errorPercent", region.errorPercent},
                               {"standardDeviation", region.found.standardDeviation},
                               {"voxels", region.found.voxels}});
        }
        document["regions"] = regions;
    }
    return document;
}

// The first given limit that is not met, as a sentence; empty: all are met.
std::string unmetLimit(const CompareOptions& o, const Truth& truth, const ImageError& error) {
    if (o.maxRmse && !(error.rmse <= *o.maxRmse))
        return fmt::format("the RMSE is {:.4g} /mm; --max-rmse allows {:.4g} /mm", error.rmse,
                           *o.maxRmse);
    if (o.minPsnr && !(error.psnrDb >= *o.minPsnr))
        return fmt::format("the PSNR is {:.2f} dB; --min-psnr requires {:.2f} dB", error.psnrDb,
                           *o.minPsnr);
    if (o.maxRegionPercent)
        for (const RegionError& region : truth.regions)
            if (!(std::abs(region.errorPercent) <= *o.maxRegionPercent))
                return fmt::format(
                    "a region of {:.5f} /mm is {:+.2f} % off; --max-region-percent allows {:.2f} %",
                    region.region.attenuation, region.errorPercent, *o.maxRegionPercent);
    return {};
}

void writeExtras(const CompareOptions& o, const Volume& volume, const Truth& truth,
                 const VolumeComparison& comparison) {
    if (o.profile) {
        const std::string csv = profileText(o, volume, truth.volume);
        if (!o.profileFile.empty())
            writeFileAtomically(o.profileFile, csv);
        else if (!o.json)
            show("{}", csv);
    }
    if (o.report.empty()) return;
    makeFolder(o.report);
    writeComparison(o.report, comparisonReport(volume, truth.volume, truth.name, comparison));
}

void print(const CompareOptions& o, const Volume& volume, const Truth& truth,
           const VolumeComparison& comparison) {
    std::optional<ComparedRegion> region;
    if (o.region) region = comparedRegion(o, volume, truth.volume);
    if (o.json) {
        nlohmann::ordered_json document = toJson(o, truth, comparison);
        if (region)
            document["region"] = {{"volumeMm3", region->volumeMm3},
                                  {"volume", statisticsJson(region->volume, region->volumeBins)},
                                  {"truth", statisticsJson(region->truth, region->truthBins)}};
        showJson(document);
    } else {
        show("{} against {}\n", o.volume.string(), truth.name);
        if (truth.phantom)
            show("  scale {} mm, density {} /mm, placed by {}\n", truth.phantom->placement.scaleMm,
                 truth.phantom->placement.density, truth.placedBy);
        if (!comparison.samePlace)
            show("  The two differ in voxel size or place; they are compared voxel by voxel.\n");
        show("{}", textTable(errorTable(comparison.error)));
        const auto [x, y, z] = comparison.maxErrorMm;
        show("  The largest error is at x, y, z = {:.6g}, {:.6g}, {:.6g} mm.\n", x, y, z);
        if (!comparison.regions.empty()) show("{}", textTable(regionTable(truth.regions)));
        if (region) show("{}", textTable(comparedTable(*region)));
    }
}

void requireOutputsApart(const CompareOptions& o) {
    ReadFiles read;
    for (const fs::path& volume : {o.volume, o.other})
        if (!volume.empty()) addVolumeFiles(read, volume);
    if (!o.profileFile.empty()) read.requireApart(o.profileFile);
    if (!o.report.empty())
        read.requireApart({o.report / "comparison.html", o.report / "comparison.png"});
}

int compare(const CompareOptions& o) {
    if (o.phantom.has_value() == !o.other.empty())
        throw InputError("Name another volume to compare with, or a phantom with --phantom.");
    requireOutputsApart(o);
    const Volume volume = readVolume(o.volume);
    const Truth truth = o.phantom ? phantomTruth(o, volume) : volumeTruth(o);
    ComparedPart part;
    part.maskRadiusMm = o.maskRadiusMm;
    if (o.slices) part.slices = readSlices(*o.slices);
    VolumeComparison comparison = compareVolumes(volume, truth.volume, part, availableThreads());
    comparison.regions = truth.regions;
    print(o, volume, truth, comparison);
    writeExtras(o, volume, truth, comparison);
    if (!o.report.empty() && !o.json)
        show("  report   {}\n", (o.report / "comparison.html").string());
    const std::string unmet = unmetLimit(o, truth, comparison.error);
    if (!unmet.empty()) throwError<Error>("{}: {}", o.volume.string(), unmet);
    return 0;
}

}  // namespace

void addCompare(Command program) {
    auto options = std::make_shared<CompareOptions>();
    CompareOptions& o = *options;
    Command command = program.command(
        "compare", "Compare a volume with another, or with the phantom it should show");
    command.required("volume", o.volume, "VOLUME", "The volume");
    command.option("other", o.other, "OTHER", "Another volume of the same size, taken as true");
    command.option("--phantom", o.phantom, "NAME",
                   "shepp-logan, shepp-logan-contrast, shepp-logan-toft, spheres, cylinders, "
                   "ball-helix or ball-rings");
    command.option("--phantom-scale-mm", o.scaleMm, "MM",
                   "Its scale; by default as in the phantom.json of the volume's scan");
    command.option("--phantom-center-mm", o.centerMm, "X,Y,Z",
                   "Its centre, mm; by default likewise");
    command.option("--density", o.density, "1/MM", "Its density; by default likewise");
    command.option("--supersampling", o.supersampling, "N",
                   "The phantom's voxels are means of N³ points; 1: the value at their centre");
    command.option(
        "--mask-radius-mm", o.maskRadiusMm, "MM",
        "Compare only voxels within this distance of the rotation axis (SSIM takes all)");
    command.option("--slices", o.slices, "FIRST:LAST", "Compare only these slices");
    command.option("--profile", o.profile, "X,Y,Z:X,Y,Z",
                   "Values along a line in mm, as CSV, two per voxel");
    command.option("--profile-out", o.profileFile, "FILE", "Where the profile goes");
    command.option(
        "--region", o.region, "X,Y,Z:X,Y,Z",
        "Mean, noise, extremes and size of a box, from its low to its high corner in mm");
    command.option("--report", o.report, "FOLDER",
                   "Write comparison.html and comparison.png: slices, truth, difference");
    command.option("--max-rmse", o.maxRmse, "1/MM", "Fail (exit 1) above that RMSE");
    command.option("--min-psnr", o.minPsnr, "DB", "Fail below that PSNR");
    command.option("--max-region-percent", o.maxRegionPercent, "%",
                   "Fail when a uniform region's mean is further off");
    command.flag("--json", o.json, "Print one JSON document");
    command.examples(
        "  gantry compare volume.mha --phantom shepp-logan\n"
        "  gantry compare volume.mha reference.mha --json\n"
        "  gantry compare volume.mha --phantom shepp-logan --report volume.mha.job\n"
        "  gantry compare volume.mha other.mha --region -5,-5,0:5,5,8\n"
        "  gantry compare volume.mha other.mha --profile -90,0,0:90,0,0 --profile-out line.csv");
    command.action([options](Session&) { return compare(*options); });
}

}  // namespace gantry
