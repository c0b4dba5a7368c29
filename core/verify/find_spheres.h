#pragma once

#include <vector>

#include "core/io/volume/read_volume.h"
#include "core/verify/test_piece.h"

namespace gantry {

/// Finds the spheres of a test piece in a volume in which it stands in any pose: the piece is moved
/// and rotated as a whole until every sphere lies on one that the volume shows.
///
/// Bodies above the level halfway between the volume's median and its brightest value count as
/// spheres if their size is one of the list's. Three of them whose distances match those of three
/// in the list make a trial; of those that put every sphere of the list within half a radius of
/// one, the closest is chosen, because a piece may look nearly alike from several sides. A mirrored
/// one is not found.
///
/// @returns the list in the volume's world: true centre distances, in place within half a radius
/// @throws InputError stating how many spheres the volume shows, and how many the list has
/// Tests: tests/core/verify/sphere_measures_test.cpp
[[nodiscard]] std::vector<KnownSphere> findSpheres(const Volume& volume,
                                                   const std::vector<KnownSphere>& piece);

/// The same spheres moved and rotated as a whole, so that the sum of the squared distances of their
/// centres from `centersMm` is minimal. They must be near to these before.
/// @throws InputError if all lie on one line
/// Tests: tests/core/verify/sphere_measures_test.cpp
[[nodiscard]] std::vector<KnownSphere> fittedOnto(const std::vector<Vec3>& centersMm,
                                                  std::vector<KnownSphere> piece);

}  // namespace gantry
