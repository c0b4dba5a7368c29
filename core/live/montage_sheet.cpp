#include "core/live/montage_sheet.h"

#include <fmt/format.h>

#include "core/geometry/vec3.h"

namespace gantry {

double pixelAspect(const Plane& plane) {
    const auto side = [](Vec3 along, Index pixels) {
        return length(along) / static_cast<double>(pixels);
    };
    return side(plane.alongColumnMm, plane.rows) / side(plane.alongRowMm, plane.columns);
}

MontageSheet montageSheet(const MontageValues& values, const MontageSlice& slice,
                          const MontageResult& made, const std::string& scan, Index longestPx) {
    MontageSheet sheet;
    const VariedField& field = values.field;
    sheet.title =
        field.label == field.path ? field.path : fmt::format("{} ({})", field.label, field.path);
    sheet.subtitle = fmt::format("{}: {}", scan, sliceText(slice, made.binning));
    sheet.columns = slice.plane.columns;
    sheet.rows = slice.plane.rows;
    sheet.pixelAspect = pixelAspect(slice.plane);
    sheet.longestPx = longestPx;
    for (std::size_t i = 0; i < made.pixels.size(); ++i) {
        SheetPicture& picture = sheet.pictures.emplace_back();
        picture.pixels = made.pixels[i];
        picture.value = field.withUnit(values.words[i]);
        picture.isBest = made.scores.best == i;
        if (const std::optional<double>& share = made.scores.shares[i])
            picture.note =
                fmt::format("sharpness {:.3f}{}", *share, picture.isBest ? ", the sharpest" : "");
    }
    return sheet;
}

}  // namespace gantry
