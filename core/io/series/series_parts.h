#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/io/image_shape.h"
#include "core/io/series/bad_view.h"

namespace gantry {

/// A file of a series, or one image of it, and what its header showed.
struct SeriesPart {
    static constexpr Index kWholeFile = -1;

    std::size_t file = 0;        ///< its number
    Index image = kWholeFile;    ///< number within the file, where that holds several
    Index views = 1;             ///< that it counts for; 0: the rest of what most files hold
    ImageShape shape{};          ///< of its views
    std::exception_ptr fault{};  ///< the InputError that makes it unusable
};

/// The usable part of a series.
struct UsableParts {
    std::vector<std::size_t> parts;       ///< numbers of the usable ones, in order; at least one
    ImageShape shape;                     ///< the shape that they share
    std::vector<BadView> bad;             ///< the views of all others
    std::vector<std::size_t> fileOfView;  ///< of all views, including bad ones
};

/// All parts, which must be without fault and like the first one.
/// @throws InputError of the first part with a fault; or naming the first one that deviates
[[nodiscard]] UsableParts useAll(std::span<const std::filesystem::path> files,
                                 std::span<const SeriesPart> parts);

/// The parts without fault whose size and pixel type are those of most views, even if the first one
/// is not among them.
/// @throws InputError of the first part, if all have faults
/// Tests: tests/core/io/open_views_test.cpp
[[nodiscard]] UsableParts useMost(std::span<const std::filesystem::path> files,
                                  std::span<const SeriesPart> parts);

/// useAll() or useMost().
using ChooseParts = std::function<UsableParts(std::span<const std::filesystem::path> files,
                                              std::span<const SeriesPart> parts)>;

/// "view_7.tif is damaged.", made from the InputError that was thrown for that file.
[[nodiscard]] std::string faultSentence(const std::filesystem::path& file,
                                        const std::exception_ptr& fault);

}  // namespace gantry
