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

/// A file of a series, or one image of it, as it was found when its header was read.
struct SeriesPart {
    static constexpr Index kWholeFile = -1;

    std::size_t file = 0;        ///< its number
    Index image = kWholeFile;    ///< number within the file, where that holds several
    Index views = 1;             ///< that it stands for; 0: the rest of what most files hold
    ImageShape shape{};          ///< of its views
    std::exception_ptr fault{};  ///< the InputError for which it cannot be used
};

/// What of a series can be used.
struct UsableParts {
    std::vector<std::size_t> parts;       ///< numbers of the usable ones, in order; at least one
    ImageShape shape;                     ///< that they have in common
    std::vector<BadView> bad;             ///< the views of all others
    std::vector<std::size_t> fileOfView;  ///< of all views, the bad ones counted in
};

/// All parts, which must be without fault and like the first one.
/// @throws InputError as of the first part with a fault; or naming the first that deviates
[[nodiscard]] UsableParts useAll(std::span<const std::filesystem::path> files,
                                 std::span<const SeriesPart> parts);

/// The parts without fault that are of the size and pixel type that most views have, be the first
/// one among them or not.
/// @throws InputError as of the first part, where all have faults
/// Tests: tests/core/io/open_views_test.cpp
[[nodiscard]] UsableParts useMost(std::span<const std::filesystem::path> files,
                                  std::span<const SeriesPart> parts);

/// useAll() or useMost().
using ChooseParts = std::function<UsableParts(std::span<const std::filesystem::path> files,
                                              std::span<const SeriesPart> parts)>;

/// "view_7.tif is damaged." of the InputError that was thrown for that file.
[[nodiscard]] std::string faultSentence(const std::filesystem::path& file,
                                        const std::exception_ptr& fault);

}  // namespace gantry
