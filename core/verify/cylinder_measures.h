#pragma once

#include <optional>
#include <vector>

#include "core/io/volume/read_volume.h"
#include "core/verify/test_piece.h"

namespace gantry {

/// The part of an object's contrast that is left at a spatial frequency.
struct MtfPoint {
    double perMm = 0;  ///< line pairs / mm
    double value = 1;  ///< 1 at frequency 0
};

/// The difference that a square of that size must have to be distinguished from noise.
struct CdfPoint {
    Index voxels = 1;  ///< side of the tile
    double widthMm = 0;
    double percent = 0;  ///< standard deviation of the tiles' means, % of the cylinder's mean
};

/// An upright cylinder of one material measured in a volume, after ASTM E1695-95 (2013): the MTF
/// from its rim, the contrast discrimination function from its inside.
///
/// The edge response is the mean of the voxels about the rim by their distance from it, in bins of
/// an eighth of a voxel; the rim is a circle fitted to the level halfway between inside and
/// outside, slice by slice. The line spread is its difference from bin to bin, in place of the
/// standard's piecewise cubic fits: the effect of bins and differences on the MTF is known and
/// divided out.
struct CylinderMeasures {
    Vec3 centerMm;
    double radiusMm = 0;
    double attenuation = 0;  ///< mean inside, 1/mm
    double noise = 0;        ///< standard deviation of voxels inside, 1/mm
    double background = 0;   ///< outside, 1/mm
    Index slices = 0;        ///< that were measured
    std::vector<MtfPoint> mtf;
    double mtf50PerMm = 0;  ///< where the MTF first falls to 50 %; 0: it does not
    double mtf10PerMm = 0;
    std::vector<CdfPoint> cdf;
};

/// expected: where the cylinder is; none: it is found as the brightest body in the volume's middle
/// slice. Up to 15 slices about its middle are measured.
/// @throws InputError if no cylinder is found, or its radius is under 8 voxels
/// Tests: tests/core/verify/cylinder_measures_test.cpp
[[nodiscard]] CylinderMeasures measureCylinder(const Volume& volume,
                                               const std::optional<KnownSphere>& expected = {});

/// Where the curve first falls to `value`, by linear interpolation; 0 if it does not.
[[nodiscard]] double frequencyAt(const std::vector<MtfPoint>& mtf, double value);

}  // namespace gantry
