#pragma once

#include <QCoreApplication>
#include <QString>

/// What the panel of live slices says.
namespace gantry::texts {

inline QString ofLive(const char* text) {
    return QCoreApplication::translate("Live", text);
}

inline QString noLiveScan() {
    return ofLive("Open a scan (Ctrl+O) to see slices that follow its geometry.");
}
inline QString aboutLive() {
    return ofLive(
        "Three slices are reconstructed again with every change: of the geometry, the filter and "
        "the volume.");
}
inline QString liveNeeds(const QString& bytes, bool isGpu, qint64 binning) {
    const QString memory =
        isGpu ? ofLive("%1 of the GPU's memory").arg(bytes) : ofLive("%1 of memory").arg(bytes);
    return binning == 1
               ? ofLive("The views are read once and take %1.").arg(memory)
               : ofLive(
                     "The views are read once and take %1: pixels are averaged %2 × %2, as more "
                     "would not fit.")
                     .arg(memory)
                     .arg(binning);
}
inline QString startLive() {
    return ofLive("Start live slices");
}
inline QString stopLive() {
    return ofLive("Stop");
}
inline QString stopLiveHelp() {
    return ofLive("Ends the live slices and gives their memory back.");
}
inline QString readingViews() {
    return ofLive("Reading the views");
}
inline QString centreOfRotation() {
    return ofLive("Centre of rotation");
}
inline QString centreSliderHelp() {
    return ofLive(
        "Moves the detector along u, in steps of a twentieth of a pixel: the rotation axis is seen "
        "elsewhere on it. Arrow keys: one step; Page up and down: a pixel.");
}
inline QString centreText(const QString& pixels) {
    return ofLive("%1 px").arg(pixels);
}
inline QString moveCentre() {
    return ofLive("Move the centre of rotation");
}
inline QString before() {
    return ofLive("Before");
}
inline QString beforeHelp() {
    return ofLive("Shows the slices as they were, to compare (B).");
}
inline QString keepAsBefore() {
    return ofLive("Keep these");
}
inline QString keepAsBeforeHelp() {
    return ofLive("What is seen now is what Before shows from now on.");
}
inline QString coarseSlices(qint64 binning) {
    return ofLive("Coarse, from %1 × %1 pixels…").arg(binning);
}
inline QString oldFilter() {
    return ofLive("In place; weights and filter follow…");
}
inline QString finestSlices() {
    return ofLive("As a reconstruction makes them");
}
inline QString finestBinned(qint64 binning) {
    return ofLive("Finest that fits the memory: pixels averaged %1 × %1").arg(binning);
}
inline QString asBefore() {
    return ofLive("before");
}
inline QString waitsForGeometry() {
    return ofLive("The geometry has errors; the slices are those of before.");
}

}  // namespace gantry::texts
