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
        "the volume. After one of the views' corrections all views are read again.");
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
inline QString liveParameterHelp() {
    return ofLive("What the slider moves and the filmstrip shows a range of.");
}
inline QString parameterSliderHelp(const QString& step) {
    return ofLive("Arrow keys: %1; Page up and down: twenty times as much. Edits the geometry.")
        .arg(step);
}
inline QString filmstrip() {
    return ofLive("Filmstrip");
}
inline QString filmstripHelp() {
    return ofLive(
        "Shows the axial slice for a range of values about the present one, to pick the best "
        "from.");
}
inline QString filmstripStep() {
    return ofLive("Step");
}
inline QString oblique() {
    return ofLive("Oblique");
}
inline QString obliqueTurn() {
    return ofLive("Turned");
}
inline QString obliqueTurnHelp() {
    return ofLive("The oblique slice's lower edge, turned from the x axis about the z axis.");
}
inline QString obliqueTilt() {
    return ofLive("Tilted");
}
inline QString obliqueTiltHelp() {
    return ofLive("The oblique slice, tilted out of the axial plane: at 90° it stands upright.");
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
// What the slices are that are shown.
inline QString shownSlices(bool areFinal, bool onGpu, qint64 binning) {
    if (!areFinal) return onGpu ? oldFilter() : coarseSlices(binning);
    return binning == 1
               ? ofLive("As a reconstruction makes them")
               : ofLive("Finest that fits the memory: pixels averaged %1 × %1").arg(binning);
}
inline QString asBefore() {
    return ofLive("before");
}
inline QString waitsForGeometry() {
    return ofLive("The geometry has errors; the slices are those of before.");
}

}  // namespace gantry::texts
