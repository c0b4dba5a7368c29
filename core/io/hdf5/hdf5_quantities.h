#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/hdf5/hdf5_file.h"
#include "core/io/stated_geometry.h"

namespace gantry {

/// More frames than any scan has.
inline constexpr Index kMaxHdf5Frames = 10'000'000;

/// A length of a file in mm, its absolute value; nothing if it is missing or not usable. Without a
/// unit it is in m.
/// @throws InputError naming the dataset: a unit that is no length
[[nodiscard]] std::optional<double> lengthMm(const Hdf5File& file, const std::string& dataset);

/// Takes the size of a pixel along u and v from two datasets, if the first one is there; without
/// the second one pixels are square. A number without a unit that would be above a centimetre in m
/// is in µm.
/// @throws as lengthMm()
void takePixelSize(const Hdf5File& file, const std::string& alongU, const std::string& alongV,
                   StatedGeometry& stated);

/// Angles as they stand in a file, one a frame or one a projection; they may be no numbers.
struct StoredAngles {
    std::vector<double> deg;
    bool hasUnit = false;
};
/// @throws InputError naming the dataset: a unit that is no angle
[[nodiscard]] StoredAngles storedAngles(const Hdf5File& file, const std::string& dataset);

/// Angles of the projections, as far as they can be meant.
struct ProjectionAngles {
    std::vector<double> deg;  ///< empty: not stated, or not usable
    std::string doubt;        ///< a sentence without its full stop; empty: none
};
/// Angles that are all the same stand for none; those without a unit that span half or a whole turn
/// in radians are radians. angles: of the projections alone
/// @throws InputError naming the dataset: one is no number
[[nodiscard]] ProjectionAngles projectionAngles(const Hdf5File& file, const std::string& dataset,
                                                StoredAngles angles);

}  // namespace gantry
