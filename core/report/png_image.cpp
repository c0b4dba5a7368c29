#include "core/report/png_image.h"

#include <png.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace gantry {

Picture::Picture(Index w, Index h, std::uint8_t grey)
    : width(w), height(h), rgb(static_cast<std::size_t>(3 * w * h), grey) {}

void Picture::paste(const Picture& other, Index column, Index row) {
    const Index columns = std::min(other.width, width - column);
    const Index rows = std::min(other.height, height - row);
    for (Index y = 0; y < rows; ++y)
        std::copy_n(other.rgb.data() + 3 * y * other.width, 3 * columns,
                    rgb.data() + 3 * ((row + y) * width + column));
}

Picture greyPicture(const std::vector<float>& values, Index width, Index height, double low,
                    double high) {
    Picture picture(width, height, 0);
    const double scale = high > low ? 255 / (high - low) : 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double grey = std::clamp((static_cast<double>(values[i]) - low) * scale, 0.0, 255.0);
        std::fill_n(picture.rgb.data() + 3 * i, 3, static_cast<std::uint8_t>(std::lround(grey)));
    }
    return picture;
}

Picture differencePicture(const std::vector<float>& values, Index width, Index height, double max) {
    Picture picture(width, height, 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double share =
            max > 0 ? std::clamp(static_cast<double>(values[i]) / max, -1.0, 1.0) : 0;
        const auto faded = static_cast<std::uint8_t>(std::lround(255 * (1 - std::abs(share))));
        std::uint8_t* pixel = picture.rgb.data() + 3 * i;
        pixel[0] = share < 0 ? faded : 255;
        pixel[1] = faded;
        pixel[2] = share > 0 ? faded : 255;
    }
    return picture;
}

Picture stretched(const Picture& picture, Index width, Index height) {
    Picture result(width, height, 0);
    for (Index y = 0; y < height; ++y)
        for (Index x = 0; x < width; ++x)
            std::copy_n(picture.rgb.data() + 3 * (y * picture.height / height * picture.width +
                                                  x * picture.width / width),
                        3, result.rgb.data() + 3 * (y * width + x));
    return result;
}

namespace {

// One value per pixel if all pixels are grey, which compresses much better; empty otherwise.
std::vector<std::uint8_t> greysOf(const Picture& picture) {
    std::vector<std::uint8_t> greys(picture.rgb.size() / 3);
    for (std::size_t i = 0; i < greys.size(); ++i) {
        const std::uint8_t* pixel = picture.rgb.data() + 3 * i;
        if (pixel[0] != pixel[1] || pixel[0] != pixel[2]) return {};
        greys[i] = pixel[0];
    }
    return greys;
}

}  // namespace

std::string toPng(const Picture& picture) {
    const std::vector<std::uint8_t> greys = greysOf(picture);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width);
    image.height = static_cast<png_uint_32>(picture.height);
    image.format = greys.empty() ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    const std::vector<std::uint8_t>& pixels = greys.empty() ? picture.rgb : greys;
    // Asking for the exact size would compress it twice.
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
        throw InternalError("a picture could not be encoded as PNG");
    bytes.resize(size);
    return bytes;
}

}  // namespace gantry
