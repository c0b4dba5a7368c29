#include "ui/models/image/enlarged.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

// Where a pixel of the larger image lies between two of the smaller one.
struct Between {
    Index first;
    Index second;
    float share;  // weight of the second
};

std::vector<Between> placesOf(Index large, Index small) {
    std::vector<Between> places;
    places.reserve(static_cast<std::size_t>(large));
    for (Index i = 0; i < large; ++i) {
        const double at = (static_cast<double>(i) + 0.5) * static_cast<double>(small) /
                              static_cast<double>(large) -
                          0.5;
        const double inside = std::clamp(at, 0.0, static_cast<double>(small - 1));
        const auto first = static_cast<Index>(inside);
        places.push_back({first, std::min(first + 1, small - 1),
                          static_cast<float>(inside - static_cast<double>(first))});
    }
    return places;
}

}  // namespace

GreyImage enlarged(const GreyImage& image, Index columns, Index rows) {
    if (image.isEmpty() || (image.columns == columns && image.rows == rows)) return image;
    const auto pixels = std::make_shared<std::vector<float>>();
    pixels->reserve(static_cast<std::size_t>(columns * rows));
    const std::vector<Between> across = placesOf(columns, image.columns);
    for (const Between& row : placesOf(rows, image.rows))
        for (const Between& column : across) {
            const auto along = [&](Index r) {
                return std::lerp(image.at(column.first, r), image.at(column.second, r),
                                 column.share);
            };
            pixels->push_back(std::lerp(along(row.first), along(row.second), row.share));
        }
    GreyImage large = image;
    large.owner = pixels;
    large.pixels = *pixels;
    large.columns = columns;
    large.rows = rows;
    return large;
}

}  // namespace gantry
