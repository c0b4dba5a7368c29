#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/geometry/check/problem_list.h"
#include "core/job/job_fields.h"

// The rows of jobFields() for what is done to views before they are filtered: the section "prep" of
// job.json. For job_fields.cpp alone.

namespace gantry::corrections_in_files {

using J = JobSpec;
using enum FieldPresence;

inline constexpr FieldChoice<J> kFlux = {
    kFluxMethods, [](const J& j) { return static_cast<std::size_t>(j.corrections.flux.method); },
    [](J& j, std::size_t word) {
        j.corrections.flux.method = static_cast<FluxMethod>(word);
        if (!j.corrections.hasFlux()) j.corrections.flux.airRegion.clear();
    }};
inline constexpr FieldChoice<J> kModules = {
    kModuleMethods,
    [](const J& j) { return static_cast<std::size_t>(j.corrections.modules.method); },
    [](J& j, std::size_t word) {
        j.corrections.modules.method = static_cast<ModuleMethod>(word);
        if (!j.corrections.hasModules()) j.corrections.modules = {};
    }};
inline constexpr FieldChoice<J> kTruncation = {
    kTruncationMethods,
    [](const J& j) { return static_cast<std::size_t>(j.corrections.truncation.method); },
    [](J& j, std::size_t word) {
        j.corrections.truncation.method = static_cast<TruncationMethod>(word);
    }};
inline constexpr FieldChoice<J> kRings = {
    kRingMethods, [](const J& j) { return static_cast<std::size_t>(j.corrections.rings.method); },
    [](J& j, std::size_t word) { j.corrections.rings.method = static_cast<RingMethod>(word); }};

inline bool hasModules(const J& j) {
    return j.corrections.hasModules();
}
inline bool hasFlux(const J& j) {
    return j.corrections.hasFlux();
}
inline bool hasZingers(const J& j) {
    return j.corrections.hasZingers();
}
inline bool hasPhase(const J& j) {
    return j.corrections.hasPhase();
}
inline bool hasLag(const J& j) {
    return j.corrections.hasLag();
}
inline bool hasWavelets(const J& j) {
    return j.corrections.rings.method == RingMethod::wavelets;
}
inline bool hasTruncation(const J& j) {
    return j.corrections.truncation.method != TruncationMethod::none;
}
inline bool hasCylinder(const J& j) {
    return j.corrections.truncation.method == TruncationMethod::waterCylinder;
}
inline bool hasRingWidth(const J& j) {
    return j.corrections.hasRings() && !hasWavelets(j);
}

inline constexpr std::string_view kCropping = "cropping";
inline constexpr std::string_view kModuleLevels = "levels of modules";
inline constexpr std::string_view kBinning = "binning";
inline constexpr std::string_view kBeamFlux = "beam flux";
inline constexpr std::string_view kZingers = "removal of zingers";
inline constexpr std::string_view kPhase = "phase retrieval";
inline constexpr std::string_view kLag = "removal of lag";
inline constexpr std::string_view kRingRemoval = "ring removal";
inline constexpr std::string_view kTruncated = "cut-off object";

inline constexpr FieldOption kZingerSwitch = {
    .label = "Remove zingers",
    .help =
        "Replaces pixels that are far too bright in one view, as of a scattered photon, by the "
        "median around them."};
inline constexpr FieldOption kPhaseSwitch = {
    .label = "Retrieve phase",
    .help =
        "Takes the bright and dark fringes off edges that a coherent beam makes, for an object "
        "of one material (Paganin et al. 2002)."};
inline constexpr FieldOption kLagSwitch = {
    .label = "Remove lag",
    .help =
        "Takes off what the detector gives of a view with the views after it (after Starman et "
        "al. 2012)."};

inline constexpr FileField<J> kCorrectionFields[] = {
    {{"prep", "modules", defaulted, "",
      "how the modules of a tiled detector are levelled: `none`, as the flat fields say; `fit`, by "
      "the steps between them that all views have"},
     kModules,
     {.flag = "--modules",
      .group = kOutputOptions,
      .label = "Modules",
      .help =
          "Modules of a tiled detector whose gains differ from what the flat fields say make "
          "rings and bands. One level for each is fitted to the steps between them that all views "
          "have, and goes into the flat fields. Modules that do not step stay as they "
          "are.",
      .what = kModuleLevels}},
    {{"prep", "moduleColumnsPx", whereSet, "px",
      "the columns at which a module begins, but for the first module, in pixels as stored; "
      "without these and the rows, they are found",
      1, kMaxPixels},
     [](J& j) -> std::vector<Index>& { return j.corrections.modules.columnsPx; },
     {.flag = "--module-columns",
      .form = "U,…",
      .group = kOutputOptions,
      .label = "Module columns",
      .what = kModuleLevels,
      .absent = "found"},
     hasModules},
    {{"prep", "moduleRowsPx", whereSet, "px",
      "the rows at which a module begins, but for the first module, row 0 below; without these and "
      "the columns, they are found",
      1, kMaxPixels},
     [](J& j) -> std::vector<Index>& { return j.corrections.modules.rowsPx; },
     {.flag = "--module-rows",
      .form = "V,…",
      .group = kOutputOptions,
      .label = "Module rows",
      .what = kModuleLevels,
      .absent = "found"},
     hasModules},
    {{"prep", "crop", whereSet, "px",
      "the part of the detector that is used: first column, first row, and one past the last "
      "column and row; a fitted volume is as large as what that part sees; without it, all is used",
      0, kMaxPixels},
     [](J& j) -> std::vector<Index>& { return j.corrections.pixels.crop; },
     {.flag = "--crop",
      .form = "U0,V0,U1,V1",
      .group = kMethodOptions,
      .label = "Crop",
      .help = "Only this part of the detector is used: first column, first row, and one past the "
              "last column and row, such as 0,200,1024,300 for a hundred rows. Rows that are left "
              "out are not read where the file allows it. Other regions count from its corner.",
      .what = kCropping,
      .absent = "all"}},
    {{"prep", "bin", defaulted, "px",
      "each N × N pixels of the detector become one before anything else, for a quick look; "
      "regions and the width of zingers count these, widths and scales of rings the detector's "
      "own; a fitted volume has voxels of their size; 1: none",
      1, kMaxBin},
     [](J& j) -> Index& { return j.corrections.pixels.bin; },
     {.flag = "--bin",
      .form = "N",
      .group = kMethodOptions,
      .label = "Bin pixels",
      .help = "Each N × N pixels become one, for a quick look at a large scan: with 2 there are an "
              "eighth as many voxels, with 4 a sixty-fourth. Regions in pixels count the larger "
              "pixels; rings are as wide as without. 1: none.",
      .what = kBinning}},
    {{"prep", "flux", defaulted, "",
      "by what each view's beam is known: `none`, the flat fields or a beam monitor in the files; "
      "`air`, what the detector measures beside the object; `plane`, a plane through that"},
     kFlux,
     {.flag = "--flux",
      .group = kOutputOptions,
      .label = "Beam flux",
      .help = "If the beam of the views is weaker or stronger than that of the flat fields, or "
              "drifts, every level is wrong. Air beside the object makes it right: each view is "
              "divided by what the detector measures there. The air is found on the left or the "
              "right side of the detector, or on both.",
      .what = kBeamFlux}},
    {{"prep", "airRegion", whereSet, "px",
      "where the detector shows only air in all views: first column, first row, and one past the "
      "last column and row; without it, that is found",
      0, kMaxPixels},
     [](J& j) -> std::vector<Index>& { return j.corrections.flux.airRegion; },
     {.flag = "--air",
      .form = "U0,V0,U1,V1",
      .group = kOutputOptions,
      .label = "Air region",
      .help = "Where the detector shows only air in all views: first column, first row, and one "
              "past the last column and row, such as 0,0,40,1024. Empty: it is found.",
      .what = kBeamFlux,
      .absent = "found"},
     hasFlux},
    {{"prep", "truncation", defaulted, "",
      "how rows go on beyond the detector's edges where the object does, before they are filtered"},
     kTruncation,
     {.flag = "--truncation",
      .group = kOutputOptions,
      .label = "Extend rows",
      .help = "An object that passes the left or right edge of the detector gets a bright rim and "
              "wrong levels, unless its rows go on beyond the edge.",
      .what = kTruncated}},
    {{"prep", "truncationPerMm", defaulted, "1/mm",
      "the object's attenuation for a `cylinder`; 0: found in the scan"},
     [](J& j) -> double& { return j.corrections.truncation.attenuationPerMm; },
     {.flag = "--object-attenuation",
      .form = "1/MM",
      .group = kOutputOptions,
      .label = "Attenuation",
      .help = "Of the object beyond the edge. With 0 it is found in the scan itself, to a few "
              "percent.",
      .what = kTruncated,
      .unit = "/mm",
      .step = 0.001,
      .low = 0,
      .high = 1000},
     hasCylinder},
    {{"prep", "fieldOfViewMm", defaulted, "mm",
      "the width of a fitted volume of an object that is cut off; what lies outside of the "
      "measured "
      "field of view is an estimate; 0: as wide as that"},
     [](J& j) -> double& { return j.corrections.truncation.fieldOfViewMm; },
     {.flag = "--field-of-view-mm",
      .form = "MM",
      .group = kMethodOptions,
      .label = "Field of view",
      .help =
          "The width of the fitted volume, in mm. Wider than what the detector sees, it shows "
          "the rows' estimated parts, too: rough shapes of what lies outside. 0: as wide as the "
          "detector sees.",
      .what = kTruncated,
      .unit = "mm",
      .step = 1,
      .low = 0,
      .high = 1e6},
     hasTruncation},
    {{"prep", "rings", defaulted, "", "how rings are removed, before views are filtered"},
     kRings,
     {.flag = "--rings",
      .group = kOutputOptions,
      .label = "Rings",
      .help = "Takes out the stripes of the sinogram, which become rings in the slices. All views "
              "of a row are held in memory for it.",
      .what = kRingRemoval}},
    {{"prep", "ringWidthPx", defaulted, "px",
      "width of the median (`sorting`) or the moving average (`smoothed-mean`) along a row, in the "
      "detector's own pixels; odd",
      3, 1001},
     [](J& j) -> Index& { return j.corrections.rings.widthPx; },
     {.flag = "--ring-width",
      .form = "N",
      .group = kOutputOptions,
      .label = "Ring width",
      .help = "Width of the median or the mean along the row, in the detector's own pixels, also "
              "where several become one; odd. Rings of up to half of it go; wider takes more of "
              "the object too.",
      .what = kRingRemoval,
      .step = 2},
     hasRingWidth,
     [](J& j) { j.corrections.rings.widthPx |= 1; }},
    {{"prep", "ringLevels", defaulted, "", "scales of the `wavelets`", 1, 12},
     [](J& j) -> Index& { return j.corrections.rings.levels; },
     {.label = "Ring scales",
      .help = "Scales of the wavelets: rings of up to about 2 to this power pixels go.",
      .what = kRingRemoval},
     hasWavelets},
    {{"prep", "ringDampCycles", defaulted, "cycles a scan",
      "`wavelets`: what changes more slowly over the views is taken for a ring"},
     [](J& j) -> double& { return j.corrections.rings.dampCycles; },
     {.label = "Damping cycles",
      .help = "What changes more slowly than so many cycles a scan is taken for a ring. More takes "
              "broken rings, and more of the object.",
      .what = kRingRemoval,
      .unit = "cycles",
      .step = 0.5,
      .low = 0.1,
      .high = 100},
     hasWavelets},
    {{"prep", "zingerRatio", defaulted, "",
      "pixels that are brighter than the median around them by more than this factor, such as "
      "1.2, are replaced by it; 0: none"},
     [](J& j) -> double& { return j.corrections.zingers.ratio; },
     {.flag = "--zingers",
      .form = "F",
      .group = kOutputOptions,
      .label = "Zinger factor",
      .help = "A pixel is a zinger where it is brighter than the median of the 3 × 3 pixels around "
              "it by more than this factor. It must be more than noise does.",
      .what = kZingers,
      .unit = "× median",
      .step = 0.05,
      .start = 1.2,
      .low = 1.001,
      .high = 1000,
      .onOff = &kZingerSwitch},
     hasZingers},
    {{"prep", "zingerWidthPx", defaulted, "px", "width of the square that the median is of", 3, 15},
     [](J& j) -> Index& { return j.corrections.zingers.widthPx; },
     {.what = kZingers}},
    {{"prep", "phaseEnergyKeV", defaulted, "keV",
      "energy of the beam, for phase retrieval after Paganin; 0: none, and the next two have no "
      "effect"},
     [](J& j) -> double& { return j.corrections.phase.energyKeV; },
     {.flag = "--phase",
      .form = "KEV",
      .group = kOutputOptions,
      .label = "Energy",
      .help = "Energy of the beam, in keV.",
      .what = kPhase,
      .start = 20,
      .low = 0.1,
      .high = 10000,
      .onOff = &kPhaseSwitch},
     hasPhase},
    {{"prep", "phaseDistanceMm", defaulted, "mm", "distance from the object to the detector"},
     [](J& j) -> double& { return j.corrections.phase.distanceMm; },
     {.flag = "--phase",
      .form = "MM",
      .group = kOutputOptions,
      .label = "Distance",
      .help = "From the object to the detector, in mm.",
      .what = kPhase,
      .step = 10,
      .start = 100,
      .low = 0.001,
      .high = kMaxDistanceMm},
     hasPhase},
    {{"prep", "phaseDeltaOverBeta", defaulted, "", "δ/β of the object's material"},
     [](J& j) -> double& { return j.corrections.phase.deltaOverBeta; },
     {.flag = "--phase",
      .form = "F",
      .group = kOutputOptions,
      .label = "Delta over beta",
      .help = "Of the material at this energy: its refractive index is 1 − δ + iβ. About 200 to "
              "1000 for tissue and plastics; more is smoother.",
      .what = kPhase,
      .step = 10,
      .start = 500,
      .low = 1,
      .high = 1e7},
     hasPhase},
    {{"prep", "lagShare", defaulted, "",
      "part of a view's signal that the detector gives with the views after it, such as 0.02; 0: "
      "none"},
     [](J& j) -> double& { return j.corrections.lag.share; },
     {.flag = "--lag",
      .form = "SHARE",
      .group = kOutputOptions,
      .label = "Lag share",
      .help = "Part of a view's signal that the detector gives with the views after it: 0.01 to "
              "0.05 for flat panels. A view taken just after the beam goes out shows it.",
      .what = kLag,
      .step = 0.005,
      .start = 0.02,
      .low = 1e-5,
      .high = 0.5,
      .onOff = &kLagSwitch},
     hasLag},
    {{"prep", "lagViews", defaulted, "views",
      "after how many views 1/e of what is still to come is left"},
     [](J& j) -> double& { return j.corrections.lag.views; },
     {.flag = "--lag",
      .form = "VIEWS",
      .group = kOutputOptions,
      .label = "Lag decay",
      .help = "After so many views 1/e (0.37) of what is still to come is left.",
      .what = kLag,
      .unit = "views",
      .step = 0.5,
      .low = 0.1,
      .high = 1e6},
     hasLag},
};

}  // namespace gantry::corrections_in_files
