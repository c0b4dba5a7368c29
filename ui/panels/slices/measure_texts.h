#pragma once

#include <QCoreApplication>
#include <QString>

/// What the measuring tools of the slices say: in one place, to be read together.
namespace gantry::texts {

inline QString ofMeasuring(const char* text) {
    return QCoreApplication::translate("Measuring", text);
}

inline QString distance() {
    return ofMeasuring("Distance");
}
inline QString distanceHelp() {
    return ofMeasuring("Distance: drag in a slice, or click both ends (D). Esc ends the tool.");
}
inline QString angle() {
    return ofMeasuring("Angle");
}
inline QString angleHelp() {
    return ofMeasuring(
        "Angle: click one end, the vertex, and the other end (A). Esc ends the tool.");
}
inline QString lineProfile() {
    return ofMeasuring("Line profile");
}
inline QString lineProfileHelp() {
    return ofMeasuring(
        "Line profile: the attenuation along a line; drag, or click both ends (P). Esc ends the "
        "tool.");
}
inline QString measuredRegion() {
    return ofMeasuring("Measured region");
}
inline QString measuredRegionHelp() {
    return ofMeasuring(
        "Region: mean and noise in a box; drag its diagonal in one slice, its depth in another "
        "(R). "
        "Esc ends the tool.");
}
inline QString readingVoxels(int percent) {
    return ofMeasuring("Reading the voxels, %1 %").arg(percent);
}
inline QString notRead() {
    return ofMeasuring("Cancelled. Move a handle to measure again.");
}
inline QString stopMeasuring() {
    return ofMeasuring("Cancel");
}
inline QString copyFigures() {
    return ofMeasuring("Copy");
}
inline QString copyFiguresHelp() {
    return ofMeasuring("Copies the figures, of a profile all its values");
}
inline QString saveProfile() {
    return ofMeasuring("Save…");
}
inline QString saveProfileHelp() {
    return ofMeasuring("Saves the profile as CSV: distance in mm, attenuation in 1/mm");
}
inline QString csvFiles() {
    return ofMeasuring("CSV files");
}
inline QString removeMeasurement() {
    return ofMeasuring("Remove");
}
inline QString removeMeasurementHelp() {
    return ofMeasuring("Removes this measurement (Delete); Ctrl+Z brings it back");
}
inline QString meanFigure(const QString& value) {
    return ofMeasuring("mean %1").arg(value);
}
inline QString noProfile() {
    return ofMeasuring("Reading the voxels…");
}

// Saving a slice
inline QString saveSlice() {
    return ofMeasuring("Save the slice");
}
inline QString saveSliceHelp() {
    return ofMeasuring("Saves the slice of the view used last, as it is shown (E)");
}
inline QString slicePicture() {
    return ofMeasuring("&Picture (PNG)…");
}
inline QString captionedPicture() {
    return ofMeasuring("Picture with &caption (PNG)…");
}
inline QString sliceValues() {
    return ofMeasuring("&Values (32-bit TIFF)…");
}
inline QString pictureFiles() {
    return ofMeasuring("Pictures");
}
inline QString tiffFiles() {
    return ofMeasuring("TIFF files");
}
inline QString sliceSaved(const QString& name) {
    return ofMeasuring("The slice is saved as %1.").arg(name);
}

}  // namespace gantry::texts
