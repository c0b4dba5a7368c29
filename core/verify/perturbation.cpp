#include "core/verify/perturbation.h"

#include "core/verify/likely_cause.h"

namespace gantry {

namespace {

template <double CircularCone::*Distance>
ScanGeometry withDistance(const ScanGeometry& geometry, double percent) {
    ScanGeometry changed = geometry;
    changed.cone().*Distance *= 1 + percent / 100;
    return changed;
}

template <GeometryFault Fault>
ScanGeometry faulty(const ScanGeometry& geometry, double amount) {
    return withFault(geometry, Fault, amount);
}

constexpr Perturbation kPerturbations[] = {
    {"sod", "source–object distance (SOD)", "%", 1, 20,
     withDistance<&CircularCone::sourceToIsocenterMm>},
    {"sdd", "source–detector distance (SDD)", "%", 0.1, 20,
     withDistance<&CircularCone::sourceToDetectorMm>},
    {"offset", "detector's offset along u", "px", 2, 100, faulty<GeometryFault::detectorOffset>},
    {"roll", "detector's roll", "°", 1, 45, faulty<GeometryFault::roll>},
    {"tilt", "detector's tilt", "°", 1, 45, faulty<GeometryFault::tilt>},
};

}  // namespace

std::span<const Perturbation> perturbations() {
    return kPerturbations;
}

}  // namespace gantry
