#pragma once

#include <string>
#include <vector>

#include "core/scan/inspect/inspect_scan.h"

namespace gantry {

/// A scan derived from bare images, and the list of its guessed fields.
struct GuessedScan {
    ScanFile scan;  ///< complete enough to be edited; folder and path are set
    /// Fields (by their JSON names) that no description states, each with the reason for its value
    /// in one sentence.
    struct Guess {
        std::string field;
        std::string reason;
        bool isUnsure = false;  ///< nothing supports the value, so it must be reported, not only
                                ///< marked
        bool isStated = false;  ///< the value stands in the files: no guess at all
    };
    std::vector<Guess> guesses;
};

/// Describes images without a scan.json as far as they allow: size and number of the views, counts
/// or attenuation, dark and flat frames by the names of folders and files beside them, the arc and
/// a parallel beam's axis by comparing views (guess_arc.h). Distances and pixel pitch are those of
/// a common bench scanner, or of a parallel beam. All of it is listed as guesses.
/// @throws InputError when the images cannot be projections
/// Tests: tests/core/scan/guess_scan_test.cpp
[[nodiscard]] GuessedScan guessScan(const Inspection& inspection);

}  // namespace gantry
