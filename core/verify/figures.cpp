#include "core/verify/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json_fields.h"
#include "core/verify/edge_rays.h"

namespace gantry {

namespace {

using L = VerifyLimits;
using enum FieldPresence;

constexpr FileField<L> kLimitFields[] = {
    {{"", "minPsnrDb", defaulted, "dB", "min PSNR of a volume against its truth", 0, 0,
      "leastPsnrDb"},
     [](L& l) -> double& { return l.minPsnrDb; }},
    {{"", "minSsim", defaulted, "", "its min SSIM", 0, 0, "leastSsim"},
     [](L& l) -> double& { return l.minSsim; }},
    {{"", "maxRegionPercent", defaulted, "%",
      "how far the mean of a uniform region may be off its true value", 0, 0, "mostRegionPercent"},
     [](L& l) -> double& { return l.maxRegionPercent; }},
    {{"", "maxMtfPercent", defaulted, "%",
      "how far below what filter and detector allow the MTF's 50 % and 10 % frequencies may lie", 0,
      0, "mostMtfPercent"},
     [](L& l) -> double& { return l.maxMtfPercent; }},
    {{"", "maxScalePercent", defaulted, "%", "how far lengths may be off", 0, 0,
      "mostScalePercent"},
     [](L& l) -> double& { return l.maxScalePercent; }},
    {{"", "maxDistanceVoxels", defaulted, "voxels",
      "how far the distance of two spheres' centres may be off (SD)", 0, 0, "mostDistanceVoxels"},
     [](L& l) -> double& { return l.maxDistanceVoxels; }},
    {{"", "maxFormVoxels", defaulted, "voxels", "max form error of a sphere (PF)", 0, 0,
      "mostFormVoxels"},
     [](L& l) -> double& { return l.maxFormVoxels; }},
    {{"", "maxSizeVoxels", defaulted, "voxels", "how far a sphere's diameter may be off (PS)", 0, 0,
      "mostSizeVoxels"},
     [](L& l) -> double& { return l.maxSizeVoxels; }},
};

constexpr double kMicrons = 1000;

std::string shown(double value, int digits, const std::string& unit) {
    // A small negative number rounds to 0, not to −0.
    const double rounded = std::round(value * std::pow(10, digits)) * std::pow(10, -digits);
    return fmt::format("{:.{}f}{}{}", rounded == 0 ? 0 : rounded, digits, unit.empty() ? "" : " ",
                       unit);
}

void addCylinder(const std::string& piece, const PieceMeasures& measures, const L& limits,
                 std::vector<Figure>& figures) {
    const CylinderMeasures& cylinder = *measures.cylinder;
    const auto add = [&](const char* id, const char* name, double value, double expectedAt) {
        Figure figure{piece, id, name, value, "lp/mm", 3};
        const double expected = frequencyAt(measures.expectedMtf, expectedAt);
        if (expected > 0) figure.min = (1 - limits.maxMtfPercent / 100) * expected;
        figures.push_back(figure);
    };
    add("mtf50PerMm", "MTF 50 %", cylinder.mtf50PerMm, 0.5);
    add("mtf10PerMm", "MTF 10 %", cylinder.mtf10PerMm, 0.1);
    figures.push_back({piece, "attenuation", "mean inside", cylinder.attenuation, "/mm", 5});
    figures.push_back({piece, "noisePercent", "noise inside, of the mean",
                       100 * cylinder.noise / std::abs(cylinder.attenuation), "%", 3});
    if (!cylinder.cdf.empty())
        figures.push_back(
            {piece, "cdfPercent",
             fmt::format("contrast discrimination, {:.3g} mm", cylinder.cdf.back().widthMm),
             cylinder.cdf.back().percent, "%", 3});
}

void addSpheres(const std::string& piece, const PieceMeasures& measures, const VolumeGrid& grid,
                const L& limits, std::vector<Figure>& figures) {
    const SphereMeasures& spheres = *measures.spheres;
    // Voxels finer than the detector's columns show no further detail.
    const double voxelUm = kMicrons * std::max(voxelMm(grid), measures.columnMm);
    Figure scale{piece, "scalePercent", "scale error of lengths", 100 * (spheres.scale - 1), "%",
                 4};
    scale.max = limits.maxScalePercent;
    scale.deviation = 100 * spheres.scaleDeviation;
    figures.push_back(scale);
    figures.push_back({piece, "scaleInPlanePercent", "the same, in the plane of the orbit",
                       100 * (spheres.scaleInPlane - 1), "%", 4});
    figures.push_back({piece, "scaleAlongAxisPercent", "the same, along the rotation axis",
                       100 * (spheres.scaleAlongAxis - 1), "%", 4});
    const auto inUm = [&](const char* id, const char* name, double mm, double maxVoxels) {
        Figure figure{piece, id, name, kMicrons * mm, "µm", 1};
        figure.max = maxVoxels * voxelUm;
        figures.push_back(figure);
    };
    inUm("distanceErrorUm", "sphere distance error SD, worst pair", spheres.worstDistanceErrorMm,
         limits.maxDistanceVoxels);
    inUm("formErrorUm", "form error PF, worst sphere", spheres.worstFormErrorMm,
         limits.maxFormVoxels);
    inUm("sizeErrorUm", "size error PS, worst sphere", spheres.worstSizeErrorMm,
         limits.maxSizeVoxels);
}

}  // namespace

std::span<const FileField<VerifyLimits>> limitFields() {
    return kLimitFields;
}

VerifyLimits readLimits(const std::filesystem::path& path) {
    const nlohmann::json document = readJsonFile(path);
    JsonFields fields(document, path.string());
    if (const Index version = fields.integer("gantryLimits"); version != 1)
        fields.fail("gantryLimits", "is {}; this version of Gantry reads 1", version);
    VerifyLimits limits;
    readSection(fields, limitFields(), "", limits);
    fields.finish();
    return limits;
}

bool Figure::isMet() const {
    return (!min || value >= *min) && (!max || std::abs(value) <= *max);
}

std::string Figure::shownValue() const {
    if (!deviation) return shown(value, digits, unit);
    return fmt::format("{} ± {}", shown(value, digits, ""), shown(*deviation, digits, unit));
}

std::string Figure::shownLimit() const {
    if (min) return "at least " + shown(*min, digits, unit);
    return max ? "±" + shown(*max, digits, unit) : std::string();
}

std::vector<Figure> comparisonFigures(const std::string& piece, const VolumeComparison& comparison,
                                      const VerifyLimits& limits) {
    const ImageError& error = comparison.error;
    std::vector<Figure> figures = {
        {piece, "rmse", "RMSE", error.rmse, "/mm", 6},
        {piece, "psnrDb", "PSNR", error.psnrDb, "dB", 2, limits.minPsnrDb},
        {piece, "ssim", "SSIM", error.ssim, "", 4, limits.minSsim}};
    const RegionError* worst = nullptr;
    for (const RegionError& region : comparison.regions)
        if (!worst || std::abs(region.errorPercent) > std::abs(worst->errorPercent))
            worst = &region;
    if (worst) {
        figures.push_back(
            {piece, "regionPercent",
             fmt::format("uniform region, the worst of {}", comparison.regions.size()),
             worst->errorPercent, "%", 2});
        figures.back().max = limits.maxRegionPercent;
    }
    return figures;
}

std::vector<Figure> measuredFigures(const std::string& piece, const PieceMeasures& measures,
                                    const VolumeGrid& grid, const VerifyLimits& limits) {
    std::vector<Figure> figures;
    if (measures.cylinder) addCylinder(piece, measures, limits, figures);
    if (measures.spheres) addSpheres(piece, measures, grid, limits, figures);
    return figures;
}

std::vector<std::vector<std::string>> figureTable(const std::vector<Figure>& figures) {
    std::vector<std::vector<std::string>> rows = {{"Figure", "Value", "Limit", ""}};
    for (const Figure& figure : figures) {
        const std::string limit = figure.shownLimit();
        rows.push_back({figure.piece + ": " + figure.name, figure.shownValue(),
                        limit.empty() ? "–" : limit,
                        limit.empty()    ? ""
                        : figure.isMet() ? "met"
                                         : "missed"});
    }
    return rows;
}

std::vector<std::vector<std::string>> sphereTable(const std::vector<MeasuredSphere>& spheres) {
    std::vector<std::vector<std::string>> rows = {
        {"Sphere\u00a0at\u00a0(mm)", "Δx (µm)", "Δy (µm)", "Δz (µm)", "PF (µm)", "PS (µm)"}};
    const auto um = [](double mm) { return shown(kMicrons * mm, 1, ""); };
    for (const MeasuredSphere& sphere : spheres) {
        const Vec3 known = sphere.known.centerMm;
        const Vec3 off = sphere.centerMm - known;
        rows.push_back({fmt::format("{},\u00a0{},\u00a0{}", shown(known.x, 2, ""),
                                    shown(known.y, 2, ""), shown(known.z, 2, "")),
                        um(off.x), um(off.y), um(off.z), um(sphere.formErrorMm),
                        um(sphere.sizeErrorMm)});
    }
    return rows;
}

std::vector<std::string> missedLimits(const std::vector<Figure>& figures) {
    std::vector<std::string> missed;
    for (const Figure& figure : figures)
        if (!figure.isMet())
            missed.push_back(fmt::format("{}: {} is {}; the limit is {}", figure.piece, figure.name,
                                         figure.shownValue(), figure.shownLimit()));
    return missed;
}

}  // namespace gantry
