#include "core/io/hdf5/hdf5_pixel_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/io/hdf5/hdf5_images.h"
#include "core/io/pixel_type.h"

namespace gantry {

namespace {

std::vector<float> rowOf(const Hdf5Images& images, Index image) {
    const ImageShape& shape = images.shape();
    std::vector<std::byte> stored(shape.columns * sizeBytes(shape.type));
    std::vector<float> row(shape.columns);
    images.read(image, {shape.rows / 2, shape.rows / 2 + 1}, stored);
    toFloat(shape.type, stored, row);
    return row;
}

// How far two rows are from being each other's multiple, as a part of the first one.
double differenceInForm(const std::vector<float>& a, const std::vector<float>& b) {
    double product = 0;
    double square = 0;
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        product += static_cast<double>(a[i]) * b[i];
        square += static_cast<double>(b[i]) * b[i];
        sum += std::abs(a[i]);
    }
    if (!(square > 0) || !(sum > 0)) return 0;
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference += std::abs(a[i] - product / square * b[i]);
    return difference / sum;
}

// Whether a flat frame looks like the projection beside it rather than like another flat frame.
// Intensity does not matter.
bool looksLikeView(const Hdf5Images& images, Index flat, Index otherFlat,
                   const std::vector<Index>& projections) {
    const std::vector<float> row = rowOf(images, flat);
    const double fromFlat = differenceInForm(row, rowOf(images, otherFlat));
    for (const Index beside : {flat - 1, flat + 1})
        if (std::ranges::binary_search(projections, beside) &&
            2 * differenceInForm(row, rowOf(images, beside)) < fromFlat)
            return true;
    return false;
}

// The flat frames beside projections that look like these.
std::vector<Index> flatsLikeProjections(const Hdf5Images& images,
                                        const std::vector<Index>& projections,
                                        const std::vector<Index>& flats) {
    constexpr int kMaxLookedAt = 8;  // because a frame may have to be decompressed for a row
    const auto isProjection = [&](Index frame) {
        return std::ranges::binary_search(projections, frame);
    };
    const auto isBeside = [&](Index flat) {
        return isProjection(flat - 1) || isProjection(flat + 1);
    };
    // What is beside no projection is a flat frame most likely.
    const auto inside = std::ranges::find_if_not(flats, isBeside);
    std::vector<Index> found;
    int looksLeft = kMaxLookedAt;
    for (const Index flat : flats) {
        if (flats.size() < 2 || !isBeside(flat)) continue;
        if (looksLeft-- == 0) break;
        const Index other = inside != flats.end()   ? *inside
                            : flat == flats.front() ? flats.back()
                                                    : flats.front();
        if (looksLikeView(images, flat, other, projections)) found.push_back(flat);
    }
    return found;
}

// Removes these frames, and what is known of each of them.
void leaveOut(const std::vector<Index>& leftOut, Hdf5Frames& frames) {
    const auto isKept = [&](std::size_t i) {
        return !std::ranges::binary_search(leftOut, frames.numbers[i]);
    };
    const auto keep = [&](auto& values) {
        if (values.size() != frames.numbers.size()) return;
        auto kept = values.begin();
        for (std::size_t i = 0; i < values.size(); ++i)
            if (isKept(i)) *kept++ = values[i];
        values.erase(kept, values.end());
    };
    keep(frames.projectionsBefore);
    keep(frames.monitor);
    std::erase_if(frames.numbers,
                  [&](Index frame) { return std::ranges::binary_search(leftOut, frame); });
}

void judgeBadPixels(const Hdf5File& file, Hdf5Tomography& scan) {
    constexpr Index kMaxPixels = 400'000'000;
    const std::string& dataset = scan.badPixels.dataset;
    if (dataset.empty()) return;
    const Hdf5Images mask(file, dataset);
    const ImageShape& shape = mask.shape();
    const Index pixels = shape.rows * shape.columns;
    if (pixels > kMaxPixels) return;
    std::vector<std::byte> stored(pixels * sizeBytes(shape.type));
    std::vector<float> values(pixels);
    mask.read(0, {0, shape.rows}, stored);
    toFloat(shape.type, stored, values);
    const Index bad = std::ranges::count_if(values, [](float value) { return value != 0; });
    if (bad == 0) return;
    scan.stated.hasBadPixels = 2 * bad <= pixels;
    scan.stated.remarks.push_back(
        {"projections.badPixels",
         scan.stated.hasBadPixels
             ? fmt::format("{} has {} of {} pixels that are not usable", dataset, bad, pixels)
             : fmt::format("A mask of bad pixels, {}, is not used: {} of its {} pixels are not 0, "
                           "which by NeXus means that they are not usable",
                           dataset, bad, pixels),
         !scan.stated.hasBadPixels});
}

}  // namespace

std::vector<Index> leaveOutProjections(const Hdf5File& file, Hdf5Tomography& scan) {
    const std::string& data = scan.flat.dataset;
    if (data.empty() || data != scan.projections.dataset) return {};
    std::vector<Index> found =
        flatsLikeProjections(Hdf5Images(file, data), scan.projections.numbers, scan.flat.numbers);
    if (found.size() == scan.flat.numbers.size()) return {};
    leaveOut(found, scan.flat);
    return found;
}

void addPixelStatements(const Hdf5File& file, Hdf5Tomography& scan) {
    if (const std::vector<Index> found = leaveOutProjections(file, scan); !found.empty())
        scan.stated.remarks.push_back(
            {"projections.flat",
             fmt::format("Image {}{} of {} is marked as a flat frame, and looks like the "
                         "projection beside it rather than like the other flat frames: it is left "
                         "out. If it is a projection its key must be 0, and 3 leaves it out",
                         found.front(),
                         found.size() > 1 ? fmt::format(" (and {} more)", found.size() - 1) : "",
                         scan.flat.dataset),
             true});
    judgeBadPixels(file, scan);
}

}  // namespace gantry
