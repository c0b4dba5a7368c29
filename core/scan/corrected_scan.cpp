#include "core/scan/corrected_scan.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/engine/view_steps.h"
#include "core/scan/view_corrector.h"
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
            corrector.apply({view, read, stored.span(), rows, {}}, ignored);
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

}  // namespace gantry
