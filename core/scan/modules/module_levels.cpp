#include "core/scan/modules/module_levels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/percent.h"
#include "core/scan/flux/air_beam.h"
#include "core/scan/modules/levelled_views.h"
#include "core/scan/modules/module_edges.h"
#include "core/scan/open_scan.h"
#include "core/scan/selected_pixels.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

constexpr Index kMaxViewsSeen = 240;

SteadyProfiles profilesOf(const OpenScan& scan, int threads, const std::stop_token& stop) {
    const SourceInfo& info = scan.stored;
    const Index count = std::min(info.views, kMaxViewsSeen);
    std::vector<Index> chosen;
    for (Index i = 0; i < count; ++i)
        chosen.push_back(i * info.views / count);
    SteadyProfiles profiles(info.rows, info.columns, count, scan.calibration->bad.span());
    visitViews(
        scan, chosen, {0, info.rows}, threads,
        [&](std::size_t i, Span3<const float> view) { profiles.add(static_cast<Index>(i), view); },
        [](double) {}, stop);
    return profiles;
}

void requireOnDetector(const char* field, const char* flag, const char* what,
                       const std::vector<Index>& edges, Index end) {
    if (edges.empty() || edges.back() + kMinModulePx <= end) return;
    throw InputError(
        fmt::format("{} ({}) has an edge at {}, and the detector has {} {}; a module must have at "
                    "least {}.",
                    field, flag, edges.back(), end, what, kMinModulePx),
        {.field = field});
}

std::string placesOf(const ModuleGrid& grid) {
    std::vector<std::string> places;
    const auto add = [&](const char* what, const std::vector<Index>& edges) {
        if (!edges.empty())
            places.push_back(
                fmt::format("{}{} {}", what, edges.size() > 1 ? "s" : "", fmt::join(edges, ", ")));
    };
    add("column", grid.columns);
    add("row", grid.rows);
    return fmt::format("{}", fmt::join(places, " and "));
}

std::vector<std::string> moduleNotes(const ModuleOffsets& fitted, bool areEdgesGiven,
                                     const std::array<EdgesFound, 2>& found) {
    std::vector<std::string> notes;
    if (const Index count = fitted.levelled(); count > 0)
        notes.push_back(fmt::format(
            "{} module{} of the detector {} levelled by up to {} (standard error up to {}); "
            "modules begin at {}.",
            count, count > 1 ? "s" : "", count > 1 ? "were" : "was",
            formatPercent(std::expm1(fitted.largest())),
            formatPercent(*std::ranges::max_element(fitted.errors)), placesOf(fitted.grid)));
    else
        notes.push_back(fmt::format("No module of the detector was levelled: {}.",
                                    areEdgesGiven || fitted.grid.count() > 1
                                        ? "none steps by more than its noise"
                                        : "no step between modules was found"));
    const ModuleGrid unsteady = {found[0].unsteady, found[1].unsteady};
    if (!areEdgesGiven && unsteady.count() > 1)
        notes.push_back(
            fmt::format("The detector steps at {} too, but not alike in all views; that was left "
                        "as it is.",
                        placesOf(unsteady)));
    return notes;
}

// scan: as in its files
LevelledModules fittedIn(const OpenScan& scan, const ModuleSpec& spec, int threads,
                         const std::stop_token& stop) {
    const SourceInfo& info = scan.stored;
    requireOnDetector("prep.moduleColumnsPx", "--module-columns", "columns", spec.columnsPx,
                      info.columns);
    requireOnDetector("prep.moduleRowsPx", "--module-rows", "rows", spec.rowsPx, info.rows);
    const SteadyProfiles profiles = profilesOf(scan, threads, stop);
    const std::array<EdgesFound, 2> found = {findModuleEdges(profiles, DetectorSide::columns),
                                             findModuleEdges(profiles, DetectorSide::rows)};
    ModuleGrid grid = {found[0].edges, found[1].edges};
    if (spec.areEdgesGiven()) grid = {spec.columnsPx, spec.rowsPx};
    LevelledModules levels;
    if (std::max(std::ssize(grid.columns), std::ssize(grid.rows)) > kMaxModuleEdges) {
        levels.notes = {
            fmt::format("No module of the detector was levelled: it steps at more than "
                        "{} columns or rows, which are no modules.",
                        kMaxModuleEdges)};
        return levels;
    }
    levels.fitted = fitModules(profiles, grid, found);
    levels.notes = moduleNotes(levels.fitted, spec.areEdgesGiven(), found);
    return levels;
}

std::shared_ptr<const DetectorCalibration> levelledFields(const OpenScan& scan,
                                                          const ModuleOffsets& fitted) {
    const OpenScan& inFiles = scan.asInFiles();
    const std::vector<float> offsets =
        fitted.ofPixels({.count = {inFiles.stored.columns, inFiles.stored.rows}});
    std::vector<float> gains(offsets.size());
    std::ranges::transform(offsets, gains.begin(), [](float offset) { return std::exp(-offset); });
    auto fields =
        std::make_shared<const DetectorCalibration>(withGains(*inFiles.calibration, gains));
    return scan.wholeDetector
               ? SelectedFieldsOfScan().of(*fields, scan.corrections.pixels).calibration
               : fields;
}

}  // namespace

std::shared_ptr<const LevelledModules> ModuleLevels::of(const OpenScan& stored,
                                                        const ModuleSpec& spec, int threads,
                                                        const std::stop_token& stop) {
    const std::scoped_lock lock(m_mutex);
    if (m_levels && m_spec == spec && m_views == stored.views) return m_levels;
    LevelledModules levels;
    if (stored.wholeDetector) {
        const auto ofFiles =
            stored.wholeDetector->moduleLevels->of(*stored.wholeDetector, spec, threads, stop);
        levels.fitted = ofFiles->fitted;
        levels.notes = ofFiles->notes;
    } else {
        levels = fittedIn(stored, spec, threads, stop);
    }
    levels.airBeams = stored.airBeams;
    levels.calibration = stored.calibration;
    if (levels.fitted.levelled() > 0) {
        levels.airBeams = std::make_shared<AirBeams>();
        if (stored.kind == ProjectionKind::counts)
            levels.calibration = levelledFields(stored, levels.fitted);
        else
            levels.offsets = levels.fitted.ofPixels(blockOf(
                stored.corrections.pixels, stored.asInFiles().description.geometry.detector));
    }
    m_spec = spec;
    m_views = stored.views;
    m_levels = std::make_shared<const LevelledModules>(std::move(levels));
    return m_levels;
}

OpenScan levelled(OpenScan scan, const ModuleSpec& spec, int threads, const std::stop_token& stop) {
    if (scan.unlevelled) scan = OpenScan(*scan.unlevelled);
    auto stored = std::make_shared<const OpenScan>(scan);
    scan.modules =
        scan.moduleLevels->of(*stored, spec, threads > 0 ? threads : availableThreads(), stop);
    scan.corrections.modules = spec;
    scan.calibration = scan.modules->calibration;
    scan.airBeams = scan.modules->airBeams;
    if (!scan.modules->offsets.empty()) {
        scan.source = std::make_shared<const LevelledViews>(stored, scan.modules->offsets);
        scan.stored = scan.source->info();
        scan.judged = nullptr;
        scan.missing = nullptr;  // filled in before anything is taken off
    }
    scan.unlevelled = std::move(stored);
    return scan;
}

}  // namespace gantry
