#include "core/simulate/check_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "core/base/throw_error.h"
#include "core/phantom/phantom.h"

namespace gantry {

namespace {

constexpr double kMaxCounts = 65535;
constexpr double kMaxShare = 0.9;  // of a gain, which stays above 0

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

// allowed: with the option that sets the value
template <class T>
void requireFault(bool isAllowed, const char* what, T value, const std::string& allowed) {
    if (!isAllowed)
        throwError<InputError>("{} must be {}, and {} was asked for.", what, allowed, value);
}

void checkFaults(const SimulationSpec& spec) {
    const SimulatedFaults& faults = spec.faults;
    const Index columns = spec.geometry.detector.columns;
    requireFault(faults.viewShiftPx >= 0 && faults.viewShiftPx <= 100,
                 "The largest shift of a view (--shift-px)", faults.viewShiftPx, "0 to 100 pixels");
    for (const double px : faults.driftPx)
        requireFault(std::abs(px) <= 100, "The drift of the views (--drift-px)", px,
                     "-100 to 100 pixels");
    requireFault(faults.stripes >= 0 && faults.stripes <= columns / 2,
                 "The number of stripes (--stripes)", faults.stripes,
                 fmt::format("0 to half of the detector's {} columns", columns));
    requireFault(faults.stripeShare >= 0 && faults.stripeShare <= kMaxShare,
                 "The error of a stripe's gain (--stripes)", faults.stripeShare, "0 to 0.9");
    const std::array<Index, 2> sizes = {columns, spec.geometry.detector.rows};
    for (const std::size_t side : {0, 1})
        requireFault(faults.modules[side] == 1 ||
                         (faults.modules[side] > 1 && 8 * faults.modules[side] <= sizes[side]),
                     "The number of modules along a side (--module-gains)", faults.modules[side],
                     fmt::format("1 or more, of 8 pixels at least, along {}", sizes[side]));
    requireFault(faults.moduleShare >= 0 && faults.moduleShare <= kMaxShare,
                 "The error of a module's gain (--module-gains)", faults.moduleShare, "0 to 0.9");
    requireFault(std::abs(faults.moduleStep) <= kMaxShare,
                 "The step of a module's gain (--module-step)", faults.moduleStep, "-0.9 to 0.9");
    requireFault(faults.lag.share >= 0 && faults.lag.share <= 0.5,
                 "The share of a view that comes later (--lag)", faults.lag.share, "0 to 0.5");
    requireFault(faults.lag.views >= 0.1 && faults.lag.views <= 1e6,
                 "The number of views in which lag fades (--lag)", faults.lag.views,
                 "0.1 to 1000000");
}

// Faults of line integrals would not be what a detector does.
void refuseFaultsOfCounts(const SimulationSpec& spec) {
    const SimulatedFaults& faults = spec.faults;
    const auto refuse = [](bool isAsked, const char* option) {
        if (isAsked)
            throwError<InputError>(
                "{} changes counts, which views of attenuation do not have; take --kind counts.",
                option);
    };
    refuse(spec.deadPixels != 0, "--dead-pixels");
    refuse(faults.flatDrift != 0, "--flat-drift");
    refuse(faults.stuckPixels != 0, "--stuck-pixels");
    refuse(faults.zingers != 0, "--zingers");
}

void checkFaultsOfCounts(const SimulationSpec& spec) {
    const SimulatedFaults& faults = spec.faults;
    const Detector& detector = spec.geometry.detector;
    const Index pixels = detector.columns * detector.rows;
    constexpr Index kMaxZingers = 1'000'000;
    const Index maxZingers = std::min(kMaxZingers, spec.geometry.views() * pixels / 10);
    requireFault(std::abs(faults.flatDrift) <= kMaxShare,
                 "The drift of the flat field (--flat-drift)", faults.flatDrift, "-0.9 to 0.9");
    requireFault(faults.stuckPixels >= 0 && faults.stuckPixels <= pixels / 10,
                 "The number of stuck pixels (--stuck-pixels)", faults.stuckPixels,
                 fmt::format("0 to {}, a tenth of the detector's", pixels / 10));
    requireFault(faults.zingers >= 0 && faults.zingers <= maxZingers,
                 "The number of zingers (--zingers)", faults.zingers,
                 fmt::format("0 to {}", maxZingers));
    requireFault(faults.zingerCounts >= 0 && faults.zingerCounts <= 65535,
                 "The counts of a zinger (--zingers)", faults.zingerCounts, "0 to 65535");
}

}  // namespace

void checkSimulation(const SimulationSpec& spec) {
    checkFlux(spec);
    checkFaults(spec);
    if (spec.kind == ProjectionKind::counts) {
        checkCounts(spec);
        checkFaultsOfCounts(spec);
    } else {
        refuseFaultsOfCounts(spec);
    }
    (void)makePhantom(spec.phantom.phantom, spec.phantom.placement);
}

}  // namespace gantry
