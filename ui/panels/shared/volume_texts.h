#pragma once

#include <QCoreApplication>
#include <QString>

/// What the panels of the volume, slices and 3D, say: in one place, to be read together.
namespace gantry::texts {

inline QString ofVolume(const char* text) {
    return QCoreApplication::translate("Volume", text);
}

// Both panels
inline QString volumeOf(const QString& volume, const QString& scan) {
    return ofVolume("%1 of %2").arg(volume, scan);
}
// Goes before "of walnut".
inline QString preview(long share) {
    return ofVolume("preview, 1/%1,").arg(share);
}
inline QString volumeOfAnother(const QString& volume, const QString& scan, const QString& open) {
    return ofVolume("%1 of %2; the scan open is %3").arg(volume, scan, open);
}
inline QString cancel() {
    return ofVolume("Cancel");
}
inline QString cancelReadingHelp() {
    return ofVolume("Stops reading; the volume shown stays open.");
}

// Slices
inline QString noSlices() {
    return ofVolume(
        "Open a volume (Ctrl+O), or reconstruct a scan (Ctrl+R), to see its slices here.");
}
inline QString axial() {
    return ofVolume("Axial");
}
inline QString coronal() {
    return ofVolume("Coronal");
}
inline QString sagittal() {
    return ofVolume("Sagittal");
}
inline QString slab() {
    return ofVolume("&Slab");
}
inline QString slabHelp() {
    return ofVolume(
        "What each view shows: the slice at the cross-hair, or the slices about it made one. The "
        "mean shows less noise, the maximum dense and the minimum thin material (Alt+S).");
}
inline QString slabSlice() {
    return ofVolume("One slice");
}
inline QString slabMean() {
    return ofVolume("Mean");
}
inline QString slabMaximum() {
    return ofVolume("Maximum");
}
inline QString slabMinimum() {
    return ofVolume("Minimum");
}
inline QString thicknessHelp() {
    return ofVolume("Thickness of the slab about the cross-hair, rounded to whole slices");
}
inline QString scaleBar() {
    return ofVolume("Scale &bar");
}
inline QString scaleBarHelp() {
    return ofVolume("Shows a length in each slice (Alt+B).");
}
inline QString regionOfInterest() {
    return ofVolume("Region of interest");
}
inline QString regionNeedsScan() {
    return ofVolume(
        "Open the scan first: the region of interest is that of its next "
        "reconstruction.");
}
inline QString regionNeedsGeometry() {
    return ofVolume("Fix the geometry of the scan first.");
}
inline QString regionHelp() {
    return ofVolume(
        "Shows what the next reconstruction will cover. Drag its edges or its middle; "
        "the voxel size stays.");
}
inline QString changeRegion() {
    return ofVolume("Change region of interest");
}

// Beside the slices
inline QString greyWindow() {
    return ofVolume("Grey window");
}
inline QString histogram() {
    return ofVolume("Histogram");
}
inline QString histogramHelp() {
    return ofVolume(
        "What is shown as black and as white: drag the lines, or drag with the right "
        "button in a slice. Double click: automatic.");
}
inline QString level() {
    return ofVolume("Level");
}
inline QString levelHelp() {
    return ofVolume("Attenuation shown as middle grey");
}
inline QString width() {
    return ofVolume("Width");
}
inline QString widthHelp() {
    return ofVolume("Attenuation from black to white: narrower shows fainter differences");
}
inline QString automatic() {
    return ofVolume("Automatic");
}
inline QString automaticHelp() {
    return ofVolume("Back to the grey window the volume was opened with");
}
inline QString crosshair() {
    return ofVolume("Cross-hair");
}
inline QString crosshairHelp(const QString& axis) {
    return ofVolume("Position of the cross-hair along %1, from the isocentre").arg(axis);
}
inline QString value() {
    return ofVolume("Value");
}
inline QString valueHelp() {
    return ofVolume("Attenuation of the voxel at the cross-hair");
}
inline QString notANumber() {
    return ofVolume("not a number");
}
inline QString volume() {
    return ofVolume("Volume");
}
inline QString voxelOf(qint64 voxel, qint64 count) {
    return ofVolume("%1 of %2").arg(voxel).arg(count);
}
inline QString size(const QString& voxels, const QString& pitch) {
    return ofVolume("%1 voxels of %2").arg(voxels, pitch);
}
inline QString values(const QString& low, const QString& high) {
    return ofVolume("Values %1 to %2").arg(low, high);
}
inline QString shownCoarser(const QString& voxels, const QString& memory) {
    return ofVolume(
               "In memory: %1 voxels, every few of the file's. Where you zoom in, its own voxels "
               "are read; all that takes up to %2.")
        .arg(voxels, memory);
}
inline QString resolution(double share, const QString& pitch) {
    return share < 1.01 ? ofVolume("full resolution, %1").arg(pitch)
                        : ofVolume("1/%1 of the resolution, %2").arg(std::lround(share)).arg(pitch);
}
inline QString ofASample(const QString& values) {
    return ofVolume("%1, of a sample").arg(values);
}
inline QString notFinite(qint64 count) {
    return count == 1 ? ofVolume("One voxel is not a number (NaN or infinite), marked in purple.")
                      : ofVolume("%1 voxels are not numbers (NaN or infinite), marked in purple.")
                            .arg(count);
}

// In 3D
inline QString noRendering() {
    return ofVolume(
        "Open a volume (Ctrl+O), or reconstruct a scan (Ctrl+R), to see it in 3D here.");
}
inline QString renderingHelp() {
    return ofVolume(
        "Left drag turns, middle drag moves, the wheel zooms, right drag changes the "
        "grey window; a double click shows it alone, and again brings the rest back.");
}
inline QString rendering() {
    return ofVolume("&Rendering");
}
inline QString shaded() {
    return ofVolume("Shaded");
}
inline QString maximumIntensity() {
    return ofVolume("Maximum intensity");
}
inline QString renderingKindHelp() {
    return ofVolume(
        "Shaded: dense material as lit surfaces, thin material transparent. Maximum "
        "intensity: the largest attenuation along each line of sight.");
}
inline QString cutOpen() {
    return ofVolume("C&ut open");
}
inline QString cutOpenHelp() {
    return ofVolume(
        "Removes the quarter at the lower x and y, so that you look into the volume. What is cut "
        "is shown in the same greys as in the slices.");
}
inline QString resetView() {
    return ofVolume("Reset view");
}
inline QString resetViewHelp() {
    return ofVolume("Shows the whole volume from the first direction (0).");
}

}  // namespace gantry::texts
