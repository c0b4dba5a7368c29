#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/hdf5/hdf5_file.h"

namespace gantry {

/// More frames than any scan has.
inline constexpr Index kMaxHdf5Frames = 10'000'000;

/// A length of a file in mm, its absolute value; nothing if it is missing or not usable. Without a
/// unit it is in m.
/// @throws InputError naming the dataset: a unit that is no length
[[nodiscard]] std::optional<double> lengthMm(const Hdf5File& file, const std::string& dataset);

/// The size of a pixel, mm. A number without a unit that would be above a centimetre in m is in µm.
struct PixelSize {
    double mm = 0;
    std::string doubt;  ///< a clause; empty: none
};
[[nodiscard]] std::optional<PixelSize> pixelSize(const Hdf5File& file, const std::string& dataset);

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
