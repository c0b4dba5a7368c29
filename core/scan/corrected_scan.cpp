#include "core/scan/corrected_scan.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/engine/view_steps.h"
#include "core/scan/view_stages.h"

namespace gantry {

namespace {

// The magnification at the rotation axis.
double magnificationOf(const ScanGeometry& geometry) {
    if (geometry.isParallel()) return 1;
    if (!geometry.isCone())
        throw InputError(
            "Phase retrieval needs a parallel beam or a circular cone beam; the scan has "
            "calibrated poses.",
            {.field = "prep.phaseEnergyKeV"});
    return geometry.cone().sourceToDetectorMm / geometry.cone().sourceToIsocenterMm;
}

PhaseOptics phaseOptics(const ScanGeometry& geometry, PhaseSpec spec) {
    const double magnification = magnificationOf(geometry);
    spec.distanceMm /= magnification;
    const std::array<double, 2>& pitch = geometry.detector.pitchMm;
    return {spec, {pitch[0] / magnification, pitch[1] / magnification}};
}

// Another source's views as line integrals, each corrected independently.
class CorrectedViews : public ProjectionSource {
  public:
    // corrected: the rest of the scan, without its source
    CorrectedViews(std::shared_ptr<const OpenScan> stored, const Acquisition& corrected)
        : m_stored(std::move(stored)), m_corrected(corrected), m_info(m_stored->source->info()) {
        m_info.pixelType = PixelType::float32;
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    [[nodiscard]] std::string viewName(Index view) const override {
        return m_stored->source->viewName(view);
    }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        const IndexRange read = stepRows(m_corrected, rows).front().read;
        HostBuffer<std::byte> stored(read.size() * m_stored->storedRowBytes());
        readStoredRows(*m_stored, view, read, stored.span());
        InvalidPixels ignored;
        ViewCorrector corrector(m_corrected);
        const Span3<const float> values =
            corrector.apply(view, stored.span(), read, rows, {}, ignored);
        const auto* from =
            reinterpret_cast<const std::byte*>(values.row(0, rows.begin - read.begin));
        std::copy_n(from, pixels.size(), pixels.data());
    }

  private:
    std::shared_ptr<const OpenScan> m_stored;
    Acquisition m_corrected;
    SourceInfo m_info;
};

}  // namespace

OpenScan corrected(OpenScan scan, const Corrections& corrections, int threads,
                   const std::stop_token& stop) {
    scan = selected(std::move(scan), corrections.pixels);
    if (corrections.hasModules())
        scan = levelled(std::move(scan), corrections.modules, threads, stop);
    if (corrections.hasFlux()) {
        scan.air = scan.airBeams->of(scan, corrections.flux,
                                     threads > 0 ? threads : availableThreads(), stop);
        scan.offsets = scan.air->offsets;
        scan.corrections.flux = corrections.flux;
    }
    if (!corrections.changesPixels()) return scan;
    auto stored = std::make_shared<const OpenScan>(std::move(scan));
    OpenScan result = *stored;
    if (corrections.hasPhase())
        result.phase = phaseOptics(stored->description.geometry, corrections.phase);
    DetectorCalibration plain;
    plain.rows = stored->stored.rows;
    plain.columns = stored->stored.columns;
    result.calibration = std::make_shared<const DetectorCalibration>(std::move(plain));
    result.repair = nullptr;
    result.judged = nullptr;
    result.missing = nullptr;
    result.offsets.clear();
    result.kind = ProjectionKind::attenuation;
    result.stored.pixelType = PixelType::float32;
    result.corrections = corrections;
    result.corrections.pixels = stored->corrections.pixels;
    result.beforeSteps = stored;
    result.source = std::make_shared<const CorrectedViews>(stored, result);
    result.uncorrected = std::move(stored);
    return result;
}

void ViewCorrector::toIntegralsOf(Index storedView, Span3<float> view, IndexRange read,
                                  const IndexRanges& wanted, IndexRange counted,
                                  InvalidPixels& invalid) {
    // Rows that are only read for their neighbours are converted without counting.
    Index from = read.begin;
    const auto convertTo = [&](Index to, IndexRange countedNow) {
        if (to > from)
            invalid += toIntegrals(m_stored, storedView, from,
                                   {view.row(0, from - read.begin), 1, to - from, view.size(2)},
                                   countedNow);
        from = std::max(from, to);
    };
    for (const IndexRange& part : wanted.parts()) {
        convertTo(part.begin, {});
        convertTo(part.end, counted);
    }
    convertTo(read.end, {});
}

Span3<float> ViewCorrector::integrals(Index storedView, std::span<const std::byte> pixels,
                                      IndexRange read, const IndexRanges& wanted,
                                      IndexRange counted, InvalidPixels& invalid) {
    const Index columns = m_stored.stored.columns;
    const Index count = read.size() * columns;
    if (m_view.count() < count) m_view = HostBuffer<float>(count);
    const Span3<float> view = {m_view.data(), 1, read.size(), columns};
    toFloat(m_stored.stored.pixelType, pixels, {view.data(), static_cast<std::size_t>(count)});
    toIntegralsOf(storedView, view, read, wanted, counted, invalid);
    if (m_stored.repair) m_stored.repair->apply(read.begin, view);
    return view;
}

Span3<const float> ViewCorrector::apply(Index storedView, std::span<const std::byte> pixels,
                                        IndexRange read, const IndexRanges& wanted,
                                        IndexRange counted, InvalidPixels& invalid) {
    const Span3<float> view = integrals(storedView, pixels, read, wanted, counted, invalid);
    if (!m_areStepsMade)
        for (const CorrectionStep* step : stepsOf(m_corrections))
            if (step->ofView) m_steps.push_back(step->ofView(m_corrections, m_views));
    m_areStepsMade = true;
    const auto onReplaced = [&](Index row, Index replaced) {
        const Index v = read.begin + row;
        const bool isWanted = std::ranges::any_of(
            wanted.parts(), [v](const IndexRange& part) { return part.contains(v); });
        if (isWanted && counted.contains(v)) invalid.zingers += replaced;
    };
    for (const ViewCorrection& step : m_steps)
        step(view, onReplaced);
    return view;
}

}  // namespace gantry
