#pragma once

#include <QString>

#include "ui/models/image/grey_image.h"

namespace gantry {

/// A slice or slab as a view shows it, to be saved.
struct SlicePicture {
    GreyImage image;
    GreyWindow window;
    double columnMm = 1;     ///< width of a pixel
    double thicknessMm = 1;  ///< of the slice
    bool hasScale = true;
    QString caption;  ///< empty: none
};

/// Saves the picture in greys: one pixel a voxel along the finer direction, square pixels, the top
/// row first; a scale bar and a caption over it where there is the room.
/// Any thread. Nothing half-written is left.
/// @throws Error naming the file
/// Tests: tests/ui/panels/slice_export_test.cpp
void savePng(const SlicePicture& picture, const QString& path);

/// Saves the values alone, in 1/mm as 32-bit floats, the top row first, with the pixels' size.
/// Any thread. Nothing half-written is left.
/// @throws Error naming the file
/// Tests: tests/ui/panels/slice_export_test.cpp
void saveTiff(const SlicePicture& picture, const QString& path);

}  // namespace gantry
