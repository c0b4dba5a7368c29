#include "ui/panels/shared/scan_problems.h"

#include <algorithm>

namespace gantry {

const SeriesInspection* viewsOf(const Inspection& inspection) {
    const SeriesInspection* largest = nullptr;
    for (const SeriesInspection& series : inspection.series) {
        if (series.kind == "projections") return &series;
        // A folder of bare images has fewer dark and flat frames than projections.
        const bool isCandidate = series.kind == "images";
        if (isCandidate && (!largest || series.info.views > largest->info.views)) largest = &series;
    }
    return largest;
}

std::vector<Problem> problemsOfScan(const ScanDocument& document) {
    std::vector<Problem> problems = document.problems();
    const std::shared_ptr<const Inspection> inspection = document.inspection();
    const ScanFile& scan = document.request().job.scan;
    if (!inspection || !inspection->scan || !isSameImages(*inspection->scan, scan)) return problems;
    // What the pictures say against the geometry is true of the one that they were held against.
    const bool isSameGeometry = inspection->scan->geometry == scan.geometry;
    for (const Problem& problem : inspection->problems) {
        const bool isOfFiles = problem.field.starts_with("projections.");
        const bool isKnown = std::ranges::any_of(
            document.problems(), [&](const Problem& each) { return each.field == problem.field; });
        // The document itself knows the unusable views, with its edits.
        if ((isOfFiles || isSameGeometry) && !isKnown && problem.field != kSkipViews)
            problems.push_back(problem);
    }
    std::stable_partition(problems.begin(), problems.end(), [](const Problem& problem) {
        return problem.severity == Problem::Severity::error;
    });
    return problems;
}

bool isKnownFromImages(const ScanField& field, const ScanDocument& document) {
    const bool isColumns = field.name == QLatin1String("detector.columns");
    const bool isRows = field.name == QLatin1String("detector.rows");
    if (!isColumns && !isRows && field.name != QLatin1String("trajectory.views")) return false;
    const std::shared_ptr<const Inspection> inspection = document.inspection();
    const SeriesInspection* views = inspection ? viewsOf(*inspection) : nullptr;
    // Until the images are inspected they are assumed to agree; a form that changes while it is
    // read is disturbing.
    if (!views) return document.problems().empty();
    const ScanGeometry& geometry = document.geometry();
    if (isColumns) return views->info.columns == geometry.detector.columns;
    if (isRows) return views->info.rows == geometry.detector.rows;
    return views->info.views == geometry.views();
}

}  // namespace gantry
