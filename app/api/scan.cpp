#include <gantry/scan.h>

#include "core/base/parallel.h"
#include "core/io/memory_source.h"
#include "core/scan/open_scan.h"
#include "core/scan/view_preview.h"

namespace gantry {

namespace {

std::vector<float> copyOf(const FloatImage& image) {
    const auto pixels = image.pixels.span();
    return {pixels.begin(), pixels.end()};
}

}  // namespace

Scan::Scan(OpenScan opened) : m_opened(std::make_shared<const OpenScan>(std::move(opened))) {}

Scan Scan::open(const std::filesystem::path& scanFile, const std::stop_token& stop) {
    return Scan(openScan(readScanFile(scanFile), stop));
}

Scan Scan::ofLineIntegrals(const ScanGeometry& geometry, Span3<const float> views) {
    return ofViews(geometry, std::make_shared<MemorySource>(views));
}

Scan Scan::ofViews(const ScanGeometry& geometry, std::shared_ptr<const ProjectionSource> views,
                   std::shared_ptr<const DetectorCalibration> calibration) {
    const ProjectionKind kind = calibration ? ProjectionKind::counts : ProjectionKind::attenuation;
    return Scan(openScan(geometry, std::move(views), kind, std::move(calibration)));
}

const ScanGeometry& Scan::geometry() const {
    return m_opened->description.geometry;
}

const std::string& Scan::name() const {
    return m_opened->description.name;
}

const std::optional<VolumeGrid>& Scan::volume() const {
    return m_opened->description.volume;
}

std::vector<Index> Scan::usedViews() const {
    std::vector<Index> used(m_opened->source->info().views);
    for (Index s = 0; s < std::ssize(used); ++s)
        used[s] = m_opened->numberOf(s);
    return used;
}

std::string Scan::leftOutText() const {
    return gantry::leftOutText(m_opened->leftOut, geometry().views());
}

Scan Scan::withGeometry(const ScanGeometry& geometry, const std::vector<Index>& skipViews) const {
    return Scan(gantry::withGeometry(*m_opened, geometry, skipViews));
}

ViewImages Scan::view(Index number, const FilterSpec& filter, const std::stop_token& stop) const {
    const ViewPreview preview = previewView(*m_opened, number, filter, availableThreads(), stop);
    return {.rows = preview.stored.rows,
            .columns = preview.stored.columns,
            .stored = copyOf(preview.stored),
            .alignedRows = preview.corrected.rows,
            .alignedColumns = preview.corrected.columns,
            .lineIntegrals = copyOf(preview.corrected),
            .filtered = copyOf(preview.filtered)};
}

std::string Scan::toJson() const {
    return gantry::toJson(m_opened->description);
}

}  // namespace gantry
