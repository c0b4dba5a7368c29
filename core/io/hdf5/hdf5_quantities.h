#pragma once

#include <optional>
#include <span>
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

/// Takes the size of a pixel along u and v from two datasets; where only one is there, pixels are
/// square. A number without a unit that would be above 5 mm in m is in
/// µm. A size that no detector has is doubted.
/// @throws as lengthMm()
void takePixelSize(const Hdf5File& file, const std::string& alongU, const std::string& alongV,
                   StatedGeometry& stated);

/// The number that a text is; nothing: it is none.
[[nodiscard]] std::optional<double> numberIn(const std::string& text);

/// Angles as they stand in a file, one a frame or one a projection; they may be no numbers (NaN).
struct StoredAngles {
    std::vector<double> deg;
    std::string unit;  ///< as in the file; empty: none
    double degPerUnit = 1;
};
/// @throws InputError naming the dataset: it holds texts that are no numbers, or has a unit that is
///         no angle
[[nodiscard]] StoredAngles storedAngles(const Hdf5File& file, const std::string& dataset);

/// The first of the datasets that is there, or the first of all. datasets: at least one
[[nodiscard]] std::string firstOf(const Hdf5File& file, std::span<const std::string> datasets);

/// Angles of the projections, as far as they can be meant.
struct ProjectionAngles {
    std::vector<double> deg;  ///< empty: not stated, or not usable
    std::string doubt;        ///< a sentence without its full stop; empty: none
};
/// Angles that are all the same stand for none; those without a unit that span half or a whole turn
/// in radians are radians, and those in radians of more than two turns are degrees. angles: of the
/// projections alone
/// @throws InputError naming the dataset: one is no number
[[nodiscard]] ProjectionAngles projectionAngles(const Hdf5File& file, const std::string& dataset,
                                                StoredAngles angles);

}  // namespace gantry
