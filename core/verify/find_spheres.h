#pragma once

#include <vector>

#include "core/io/volume/read_volume.h"
#include "core/verify/test_piece.h"

namespace gantry {

/// Where the spheres of a test piece are in a volume in which it stands anyhow: the piece is moved
/// and rotated as a whole until every sphere lies on one that the volume shows.
///
/// Bodies above the level halfway between the volume's middle value and its brightest count as
/// spheres where their size fits the list's. Three of them that are as far apart as three of the
/// list's make a trial; of those that put every sphere of the list within half a radius of one, the
/// nearest is taken: a piece may look nearly alike from several sides. A mirrored one is not found.
///
/// @returns the list in the volume's world: true centre distances, in place within half a radius
/// @throws InputError naming how many spheres the volume shows, and how many the list has
/// Tests: tests/core/verify/sphere_measures_test.cpp
[[nodiscard]] std::vector<KnownSphere> findSpheres(const Volume& volume,
                                                   const std::vector<KnownSphere>& piece);

/// The same spheres moved and rotated as a whole, until the squares of their centres' distances
/// from `centersMm` are least. They are near to these before.
/// @throws InputError where all lie on one line
/// Tests: tests/core/verify/sphere_measures_test.cpp
[[nodiscard]] std::vector<KnownSphere> fittedOnto(const std::vector<Vec3>& centersMm,
                                                  std::vector<KnownSphere> piece);

}  // namespace gantry
