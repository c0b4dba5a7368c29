#pragma once

#include <optional>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/geometry/scan_geometry.h"
#include "core/scan/inspect/picture_facts.h"
#include "core/scan/inspect/sinogram.h"

namespace gantry {

/// Whether rays that measure the same are seen where the detector is: they are parallel, or a cone
/// whose mid-plane it sees, and the axis leans by little.
[[nodiscard]] bool canHaveConjugateRays(const ScanGeometry& geometry);

/// Whether these can be found by the scan's angles, too: the views are close enough to each other
/// that what lies between two is their mean.
[[nodiscard]] bool hasConjugateRays(const ScanGeometry& geometry);

/// What speaks against the stated angles or axis; of several reasons, the first that holds of
/// checkArc(), checkEnds(), checkSense() and checkAxis(), as the later ones rely on the earlier.
/// Tests: tests/core/scan/sinogram_checks_test.cpp, tests/core/scan/picture_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkTurning(const ScanGeometry& geometry,
                                                  const std::vector<PictureFacts>& facts,
                                                  const Sinogram& sinogram, double contrast);

/// A warning where conjugate rays and those of another turn are clearly found at other angles than
/// the stated ones: a half turn stated as a whole one, 240° as 360°. Objects that look the same
/// from several sides tell nothing.
/// Tests: tests/core/scan/sinogram_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkArc(const ScanGeometry& geometry,
                                              const Sinogram& sinogram);

/// A warning where the last view alone is the mirror image of the first in what is stated as a
/// whole turn. The steps may be so large that checkArc() cannot tell. Tests:
/// tests/core/scan/sinogram_checks_test.cpp, tests/core/scan/picture_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkEnds(const ScanGeometry& geometry,
                                               const Sinogram& sinogram);

/// A warning where the object turns about another column than the stated one: by its moments, where
/// all of it is seen over half a turn or a whole one, and otherwise by conjugate rays.
/// facts: of views spread over the scan; contrast: contrastOf() them
/// Tests: tests/core/scan/picture_checks_test.cpp, tests/core/scan/sinogram_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkAxis(const ScanGeometry& geometry,
                                               const std::vector<PictureFacts>& facts,
                                               const Sinogram& sinogram, double contrast);

/// A warning where the rays of a cone are alike only if the gantry turned the other way, or the
/// images are mirrored.
/// Tests: tests/core/scan/sinogram_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkSense(const ScanGeometry& geometry,
                                                const Sinogram& sinogram, double contrast);

/// A warning where all views are alike but for noise, although what they show is not symmetrical
/// about any column: nothing turned. A round object that turns about its middle looks so, too, but
/// is symmetrical.
/// Tests: tests/core/scan/picture_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkStandstill(const ScanGeometry& geometry,
                                                     const Sinogram& sinogram);

/// A warning where from one view to the next much more changes than between the views around them,
/// once to four times, or nothing for several views: the object slipped, or the stage stood still.
/// Of scans whose views were taken in the order of their angles, and of which all were read.
/// Tests: tests/core/scan/picture_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkJumps(const ScanGeometry& geometry,
                                                const Sinogram& sinogram);

}  // namespace gantry
