#include "ui/panels/scan/asked_fields.h"

#include <iterator>

namespace gantry {

namespace {

// Asked for with bare images, whether they could be guessed or not.
const char* const kAsked[] = {
    "trajectory.type",
    "trajectory.sourceToIsocenterMm",
    "trajectory.sourceToDetectorMm",
    "detector.pitchMm[0]",
    "detector.pitchMm[1]",
    "trajectory.arcDeg",
    "trajectory.direction",
    "detector.axisColumn",
    "projections.kind",
    "projections.dark",
    "projections.flat",
    "projections.flatValue",
};

// Guesses that are asked about in other terms, or so seldom wrong that the geometry panel does.
const char* const kLeftToGeometry[] = {"detector.offsetMm[0]", "detector.offsetMm[1]"};

}  // namespace

std::set<QString> askedFields(const std::vector<ScanField>& fields,
                              const std::vector<GuessedScan::Guess>& guesses) {
    std::set<QString> asked(std::begin(kAsked), std::end(kAsked));
    for (const GuessedScan::Guess& guess : guesses)
        for (const ScanField& field : fields)
            if (isNamed(field, guess.field)) asked.insert(field.name);
    for (const char* name : kLeftToGeometry)
        asked.erase(name);
    return asked;
}

}  // namespace gantry
