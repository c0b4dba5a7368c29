#include "core/prep/pixel_selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.h"

namespace gantry {

namespace {

Index maxBin(const PixelBlock& block) {
    return std::min(block.count[0], block.count[1]);
}

bool isPart(const std::vector<Index>& crop, const Detector& detector) {
    return crop.size() == 4 && crop[0] >= 0 && crop[1] >= 0 && crop[0] < crop[2] &&
           crop[1] < crop[3] && crop[2] <= detector.columns && crop[3] <= detector.rows;
}

// The pixels of the part, or those of the whole detector where it does not lie on that.
PixelBlock croppedTo(const std::vector<Index>& crop, const Detector& detector) {
    if (!isPart(crop, detector)) return {.count = {detector.columns, detector.rows}};
    return {.first = {crop[0], crop[1]}, .count = {crop[2] - crop[0], crop[3] - crop[1]}};
}

[[noreturn]] void refuse(const char* field, const std::string& problem) {
    throw InputError(fmt::format("{} is {}", field, problem), {.field = field});
}

}  // namespace

bool PixelSelection::isOn(const Detector& detector) const {
    return (crop.empty() || isPart(crop, detector)) && bin >= 1 &&
           bin <= maxBin(croppedTo(crop, detector));
}

PixelBlock blockOf(const PixelSelection& selection, const Detector& detector) {
    const auto& [crop, bin] = selection;
    PixelBlock block = croppedTo(crop, detector);
    if (!selection.isOn(detector)) {
        if (!crop.empty() && !isPart(crop, detector))
            refuse("prep.crop",
                   fmt::format("{}; it must be a first column and row, and one past the last ones, "
                               "of the detector's {} × {} pixels",
                               fmt::join(crop, ", "), detector.columns, detector.rows));
        refuse("prep.bin", fmt::format("{} pixels; the detector has {} × {} pixels{}, so that it "
                                       "must be 1 to {}",
                                       bin, block.count[0], block.count[1],
                                       crop.empty() ? "" : " in prep.crop", maxBin(block)));
    }
    block.binning = {bin, bin};
    block.count = {block.count[0] / bin, block.count[1] / bin};
    return block;
}

ScanGeometry selected(const ScanGeometry& declared, const PixelSelection& selection) {
    return selection.isWhole() ? declared
                               : onPixels(declared, blockOf(selection, declared.detector));
}

}  // namespace gantry
