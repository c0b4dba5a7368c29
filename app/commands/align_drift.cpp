#include "app/commands/align_drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/beside_scan.h"
#include "app/cli/terminal.h"
#include "core/align/drift.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/io/series/view_numbers.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAxisNames[] = {"u", "v"};
// More that the curve may err by between the reference views blurs edges.
constexpr double kMaxResidualPx = 0.5;

Json numberOrNull(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

Json toJson(const DriftPoint& point) {
    const bool isUsed = point.tells(0) || point.tells(1);
    Json document = {{"referenceView", point.reference},
                     {"angleDeg", point.angleDeg},
                     {"view", numberOrNull(point.view)},
                     {"used", isUsed}};
    if (!point.fault.empty()) document["reason"] = point.fault;
    if (!isUsed) return document;
    document["shiftPx"] = point.shiftPx;
    document["uncertaintyPx"] = {numberOrNull(point.uncertaintyPx[0]),
                                 numberOrNull(point.uncertaintyPx[1])};
    return document;
}

Json toJson(const DriftCommandOptions& o, const Drift& drift) {
    Json points = Json::array();
    for (const DriftPoint& point : drift.points)
        points.push_back(toJson(point));
    return {{"scan", o.scan.string()},
            {"referenceScan", o.reference.string()},
            {"drifted", drift.isSignificant},
            {"found", drift.isFound},
            {"references", points},
            {"residualPx", {numberOrNull(drift.residualPx[0]), numberOrNull(drift.residualPx[1])}},
            {"viewShiftsPx", drift.shiftsPx}};
}

// The shifts along one axis.
std::string rangeText(const Drift& drift, int axis, double pitchMm) {
    if (!drift.isFound[axis]) return "cannot tell: the views show too little structure along it";
    const auto along = [&](const std::array<double, 2>& shift) { return shift[axis]; };
    const auto [min, max] = std::ranges::minmax_element(drift.shiftsPx, {}, along);
    const double minPx = along(*min);
    const double maxPx = along(*max);
    std::string text = fmt::format("{:+.2f} to {:+.2f} px, {:+.4g} to {:+.4g} mm on the detector",
                                   minPx, maxPx, minPx * pitchMm, maxPx * pitchMm);
    if (std::isfinite(drift.residualPx[axis]))
        text += fmt::format("; reference views lie {:.2f} px from the curve through the others",
                            drift.residualPx[axis]);
    return text;
}

std::string nextStep(const DriftCommandOptions& o, const Drift& drift) {
    if (!drift.isSignificant)
        return o.out.empty() ? "Nothing is to be corrected."
                             : fmt::format(
                                   "Nothing is to be corrected: {} has the geometry "
                                   "unchanged.",
                                   o.out.string());
    if (o.out.empty()) return "Give --out FILE to write a scan.json with these shifts.";
    return fmt::format("Reconstruct {}, or find the centre from there: gantry align {}.",
                       o.out.string(), o.out.string());
}

void print(const DriftCommandOptions& o, const ScanGeometry& geometry, const Drift& drift) {
    const auto used = std::ranges::count_if(
        drift.points, [](const DriftPoint& p) { return p.tells(0) || p.tells(1); });
    std::vector<std::pair<std::string, std::string>> fields;
    for (const int axis : {0, 1})
        fields.emplace_back(fmt::format("shift along {}", kAxisNames[axis]),
                            rangeText(drift, axis, geometry.detector.pitchMm[axis]));
    fields.emplace_back("from", fmt::format("{} of {} comparisons with reference views", used,
                                            drift.points.size()));
    show("{}\n{}", o.scan.string(), textFields(fields));
    if (used > 0) {
        TextRows rows = {{"reference view", "at", "view", "u px", "±", "v px", "±"}};
        for (const DriftPoint& p : drift.points)
            if (p.tells(0) || p.tells(1))
                rows.push_back({fmt::format("{}", p.reference), fmt::format("{:.6g}°", p.angleDeg),
                                fmt::format("{:.6g}", p.view), fmt::format("{:+.2f}", p.shiftPx[0]),
                                fmt::format("{:.2f}", p.uncertaintyPx[0]),
                                fmt::format("{:+.2f}", p.shiftPx[1]),
                                fmt::format("{:.2f}", p.uncertaintyPx[1])});
        show("{}", textTable(rows));
    }
    for (const DriftPoint& p : drift.points)
        if (!p.fault.empty())
            show("Reference view {} at {:.6g}° is left out: it {}.\n", p.reference, p.angleDeg,
                 p.fault);
    if (std::ranges::any_of(drift.residualPx, [](double px) { return px > kMaxResidualPx; }))
        show(
            "Reference views are too few for a drift as fast as this: between them the shifts may "
            "be wrong by more than {} px.\n",
            kMaxResidualPx);
    show("{}\n", nextStep(o, drift));
}

void writeDriftCorrected(const DriftCommandOptions& o, ScanFile scan, const Drift& drift) {
    if (drift.isSignificant)
        scan.name += fmt::format("{}views shifted by {}", scan.name.empty() ? "" : ", ",
                                 o.reference.string());
    scan.geometry = withDrift(scan.geometry, drift);
    writeFileAtomically(o.out, toJson(scan));
}

}  // namespace

int alignDrift(const DriftCommandOptions& o, Session& session) {
    const ScanFile description = readScanFile(o.scan);
    ScanFile reference = readScanFile(o.reference);
    if (!o.out.empty()) requireBesideScan("--out", o.out, o.scan);
    requireApartFromScan({o.out}, description);
    requireApartFromScan({o.out}, reference);
    ProgressLine progress("Comparing", o.json);
    DriftOptions options;
    options.threads = o.threads > 0 ? o.threads : availableThreads();
    options.onProgress = [&](double fraction) { progress.update(fraction); };
    options.stop = session.stop();
    std::vector<Index>& skip = reference.projections.skipViews;
    skip = united(std::move(skip), findBadViews(reference, options.threads, session.stop()));
    const OpenScan scan = openScan(description, session.stop());
    const Drift drift = findDrift(scan, openScan(reference, session.stop()), options);
    progress.end();
    if (!o.out.empty()) writeDriftCorrected(o, scan.description, drift);
    if (o.json)
        showJson(toJson(o, drift));
    else
        print(o, scan.description.geometry, drift);
    return 0;
}

}  // namespace gantry
