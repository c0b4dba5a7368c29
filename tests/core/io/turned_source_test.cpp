#include "core/io/turned_source.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/io/open_source.h"
#include "tests/core/io/image_files.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;

constexpr Index kShownColumns = 17;
constexpr Index kShownRows = 11;

/// 16-bit pixels as a viewer shows them, the upper left one first.
struct Shown {
    Index columns = 0;
    Index rows = 0;
    std::vector<std::uint16_t> pixels;

    [[nodiscard]] std::uint16_t at(Index row, Index column) const {
        return pixels[static_cast<std::size_t>(row * columns + column)];
    }
};

// A quarter clockwise: the left column becomes the top row.
Shown turnedOnce(const Shown& from) {
    Shown to{from.rows, from.columns, {}};
    for (Index column = 0; column < from.columns; ++column)
        for (Index row = from.rows - 1; row >= 0; --row)
            to.pixels.push_back(from.at(row, column));
    return to;
}

// The detector's rows, upwards, from left to right.
Bytes inOrder(const Shown& image, IndexRange rows, bool firstRowIsTop, bool isMirrored) {
    std::vector<std::uint16_t> values;
    for (Index v = rows.begin; v < rows.end; ++v)
        for (Index u = 0; u < image.columns; ++u)
            values.push_back(image.at(firstRowIsTop ? image.rows - 1 - v : v,
                                      isMirrored ? image.columns - 1 - u : u));
    Bytes bytes(values.size() * sizeof(std::uint16_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

TEST(TurnedSource, ImagesAreTurnedBeforeTheirRowsAndColumnsAreTaken) {
    const TemporaryFolder folder;
    ForeignTiff spec;
    spec.columns = kShownColumns;
    spec.rows = kShownRows;
    spec.type = PixelType::uint16;
    spec.mode = "wl";
    const Bytes pixels = randomPixels(spec.type, kShownColumns * kShownRows, 7);
    writeTiff(folder / "view.tif", spec, pixels);
    Shown image{kShownColumns, kShownRows, std::vector<std::uint16_t>(kShownColumns * kShownRows)};
    std::memcpy(image.pixels.data(), pixels.data(), pixels.size());
    const Shown stored = image;
    for (const int turnDeg : {90, 180, 270}) {
        image = turnedOnce(image);
        for (int flips = 0; flips < 4; ++flips) {
            SCOPED_TRACE(testing::Message() << turnDeg << "°, flips " << flips);
            OpenOptions options;
            options.firstRowIsTop = (flips & 1) == 0;
            options.isMirrored = (flips & 2) != 0;
            options.turnDeg = turnDeg;
            const auto source = openSource({folder / "view.tif"}, options);
            ASSERT_EQ(source->info().columns, image.columns);
            ASSERT_EQ(source->info().rows, image.rows);
            for (const IndexRange rows : {IndexRange{0, image.rows}, IndexRange{3, 8}})
                EXPECT_PIXELS_EQ(readView(*source, 0, rows),
                                 inOrder(image, rows, options.firstRowIsTop, options.isMirrored));
        }
        // Where each pixel was before.
        for (Index row = 0; row < image.rows; ++row)
            for (Index column = 0; column < image.columns; ++column) {
                const ImagePlace was =
                    placeBeforeTurn({row, column}, image.columns, image.rows, turnDeg);
                ASSERT_EQ(stored.at(was.row, was.column), image.at(row, column));
            }
    }
}

}  // namespace
}  // namespace gantry
