#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"
#include "core/io/image_shape.h"
#include "core/io/ole/ole_file.h"
#include "core/io/projection_format.h"

namespace gantry {

/// Images of one kind in a ZEISS Xradia file; rows from the top, as its own viewer shows them.
struct XradiaImages {
    ImageShape shape;
    std::vector<const OleStream*> streams;  ///< one an image, in order; null: it is missing
};

/// A file of ZEISS Xradia microscopes: .txrm of a scan, .xrm of an image.
/// Tests: tests/core/io/xradia_source_test.cpp
class XradiaFile {
  public:
    /// @throws InputError naming the file: as OleFile; it holds no images of that maker, or a
    ///         reconstructed volume (.txm)
    explicit XradiaFile(const std::filesystem::path& path);

    [[nodiscard]] const OleFile& ole() const { return m_ole; }

    /// The first number of a stream; nothing: the stream is missing, or too short for one.
    [[nodiscard]] std::optional<Index> integer(std::string_view stream) const;
    [[nodiscard]] std::optional<double> number(std::string_view stream) const;
    /// The numbers of a stream, at most `max`; they need not be finite.
    [[nodiscard]] std::vector<double> numbers(std::string_view stream, Index max) const;

    /// The images that were taken: fewer than were to be, of a scan that was ended early.
    /// @throws InputError naming what of their number, size or type cannot be
    [[nodiscard]] XradiaImages images() const;
    /// The images without the sample; none where the scan has none.
    /// @throws InputError as images()
    [[nodiscard]] XradiaImages references() const;

    /// How long each of the images or references was exposed, in seconds; none where the file does
    /// not have both, or where all of them are the same.
    [[nodiscard]] std::vector<double> exposures(FrameKind kind) const;

  private:
    [[nodiscard]] Index needed(std::string_view stream, Index max) const;
    [[nodiscard]] PixelType typeOf(Index code, std::string_view stream) const;

    OleFile m_ole;
};

}  // namespace gantry
