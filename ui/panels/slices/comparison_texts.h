#pragma once

#include <QCoreApplication>
#include <QString>

/// What the comparison of two volumes in the Slices tab says.
namespace gantry::texts {

inline QString ofComparison(const char* text) {
    return QCoreApplication::translate("Comparison", text);
}

inline QString compareWith() {
    return ofComparison("Compare with…");
}
inline QString compareWithHelp() {
    return ofComparison(
        "Shows another volume beside this one: side by side, blended, or their difference "
        "(Ctrl+Shift+C).");
}
inline QString compareWithFile() {
    return ofComparison("&File…");
}
inline QString compareWithFolder() {
    return ofComparison("F&older: OME-Zarr, or slices…");
}
inline QString comparisonShown() {
    return ofComparison("Sho&w");
}
inline QString comparisonModeHelp() {
    return ofComparison(
        "A is the open volume, B the one it is compared with. Cross-hair, zoom and grey window are "
        "common to both (Alt+W).");
}
inline QString sideBySide() {
    return ofComparison("Side by side");
}
inline QString blendedMode() {
    return ofComparison("Blended");
}
inline QString differenceMode() {
    return ofComparison("Difference A − B");
}
inline QString blendHelp() {
    return ofComparison("From A, at the left, to B");
}
inline QString differenceReach() {
    return ofComparison("Blue to red ±");
}
inline QString differenceReachHelp() {
    return ofComparison(
        "Difference that is shown in full blue, where A is the smaller, and full red. White: none. "
        "Dragging with the right button in a slice changes it too.");
}
inline QString flip() {
    return ofComparison("Flip A, B");
}
inline QString flipHelp() {
    return ofComparison("Shows the other of the two volumes in the same place (B).");
}
inline QString closeComparison() {
    return ofComparison("Close comparison");
}
inline QString closeComparisonHelp() {
    return ofComparison("Back to the slices of A alone (Esc).");
}
inline QString namedA(const QString& name) {
    return ofComparison("A: %1").arg(name);
}
inline QString namedB(const QString& name) {
    return ofComparison("B: %1").arg(name);
}
inline QString blendOf(int percent) {
    return ofComparison("A %1 %, B %2 %").arg(100 - percent).arg(percent);
}
inline QString readoutOfBoth(const QString& a, const QString& b, const QString& difference) {
    return ofComparison("A %1  B %2  A − B %3").arg(a, b, difference);
}
inline QString outsideOfB() {
    return ofComparison("none");
}

// Beside the slices
inline QString comparison() {
    return ofComparison("Comparison");
}
inline QString computingFigures() {
    return ofComparison("Computing the figures…");
}
inline QString noFigures() {
    return ofComparison("The figures were not computed.");
}
inline QString cancelFigures() {
    return ofComparison("Cancel");
}
inline QString comparedVoxelByVoxel() {
    return ofComparison(
        "Both have the same voxels; these are the figures of “gantry compare A B”, B taken as "
        "true.");
}
inline QString comparedResampled(qint64 voxels, qint64 all) {
    return ofComparison(
               "Their voxels differ. Compared at %1 of A's %2 voxels, those that lie in B; B's "
               "values there are interpolated. SSIM needs the same voxels.")
        .arg(voxels)
        .arg(all);
}
inline QString largest(const QString& value, const QString& place) {
    return ofComparison("Largest difference %1 at %2").arg(value, place);
}
inline QString goToLargest() {
    return ofComparison("Go to largest");
}
inline QString goToLargestHelp() {
    return ofComparison("Moves the cross-hair to the largest difference.");
}

}  // namespace gantry::texts
