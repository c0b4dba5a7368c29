#include "core/simulate/check_simulation.h"

#include "core/base/throw_error.h"
#include "core/phantom/phantom.h"

namespace gantry {

namespace {

constexpr double kMaxCounts = 65535;

void checkCounts(const SimulationSpec& spec) {
    const auto refuse = [](const char* what, double value, const char* allowed) {
        throwError<InputError>("The {} must be {}, and {} was asked for.", what, allowed, value);
    };
    if (!(spec.darkCounts >= 0 && spec.darkCounts < kMaxCounts))
        refuse("dark counts", spec.darkCounts, "0 to 65534");
    if (!(spec.flatCounts > spec.darkCounts && spec.flatCounts <= kMaxCounts))
        refuse("flat counts", spec.flatCounts, "more than the dark counts and at most 65535");
    if (spec.fieldFrames < 1 || spec.fieldFrames > 1000)
        refuse("numbers of dark and flat frames", static_cast<double>(spec.fieldFrames),
               "1 to 1000");
    if (!(spec.photons >= 0 && spec.photons <= 1e15))
        refuse("photons a pixel", spec.photons, "0 to 1e15");
    if (!(spec.readoutNoise >= 0 && spec.readoutNoise <= kMaxCounts))
        refuse("readout noise", spec.readoutNoise, "0 to 65535 counts");
    const Detector& detector = spec.geometry.detector;
    if (spec.deadPixels < 0 || spec.deadPixels > detector.columns * detector.rows / 2)
        refuse("number of dead pixels", static_cast<double>(spec.deadPixels),
               "0 to half of the detector's pixels");
}

void checkFlux(const SimulationSpec& spec) {
    for (const double share : spec.flux)
        if (!(share >= 0.01 && share <= 10))
            throwError<InputError>(
                "The beam of the views (--flux) must be 0.01 to 10 of the flat field's, and {} was "
                "asked for.",
                share);
}

}  // namespace

void checkSimulation(const SimulationSpec& spec) {
    if (spec.kind == ProjectionKind::counts) checkCounts(spec);
    checkFlux(spec);
    (void)makePhantom(spec.phantom.phantom, spec.phantom.placement);
}

}  // namespace gantry
