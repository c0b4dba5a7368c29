#pragma once

#include <QCoreApplication>
#include <QString>

/// What the geometry panel says: in one place, to be read together. Its fields are in
/// ui/models/scan/geometry_form_fields.cpp, the values above them in
/// ui/models/scan/derived_values.cpp.
namespace gantry::texts {

inline QString ofGeometry(const char* text) {
    return QCoreApplication::translate("Geometry", text);
}

inline QString noGeometry() {
    return ofGeometry("Open a scan to see and set its geometry.");
}

// The buttons
inline QString presets() {
    return ofGeometry("Presets");
}
inline QString presetsHelp() {
    return ofGeometry("Fills the form for a kind of scanner, as a starting point.");
}
inline QString presetsTitle() {
    return ofGeometry("Starting points: check every distance");
}
inline QString exchange() {
    return ofGeometry("Import/export");
}
inline QString exchangeHelp() {
    return ofGeometry(
        "Reads the geometry from a file of RTK, ASTRA, LEAP or TIGRE, or writes one of RTK or "
        "ASTRA.");
}
inline QString importGeometry() {
    return ofGeometry("Import geometry…");
}
inline QString exportGeometry() {
    return ofGeometry("Export geometry…");
}
inline QString resetToFile() {
    return ofGeometry("Reset to file");
}
inline QString resetToFileHelp() {
    return ofGeometry(
        "Reset to file: takes back all edits of the scan since it was opened or saved; can be "
        "undone. Settings of the reconstruction stay.");
}

// Files
inline QString importGeometryTitle() {
    return ofGeometry("Import geometry");
}
inline QString importGeometryFilter() {
    return ofGeometry(
        "Geometry files (*.xml *.txt *.vec *.cfg *.mat *.csv *.json);;RTK geometry (*.xml);;ASTRA "
        "vectors (*.txt *.vec);;LEAP parameters (*.txt *.cfg);;TIGRE geometry (*.mat);;Calibrated "
        "poses (*.csv);;All files "
        "(*)");
}
inline QString exportGeometryTitle() {
    return ofGeometry("Export geometry");
}
inline QString rtkGeometry() {
    return ofGeometry("RTK geometry");
}
inline QString astraVectors() {
    return ofGeometry("ASTRA vectors");
}

inline QString poseTable() {
    return ofGeometry("Table of poses");
}

// Calibrated poses
inline QString calibratedPoses() {
    return ofGeometry("Calibrated poses");
}
inline QString ofPoses(const char* label) {
    QString text = ofGeometry(label);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}
inline QString poseParameterHelp() {
    return ofGeometry("What is drawn below, over the views: its difference from the mean circle");
}
inline QString differenceFromMean(const QString& mean, const QString& unit) {
    return ofGeometry("difference from %1 %2").arg(mean, unit);
}
inline QString view() {
    return ofGeometry("view");
}
inline QString viewStandsOut(int view) {
    return ofGeometry("view %1").arg(view);
}
inline QString useMeanCircle() {
    return ofGeometry("Use the mean circle");
}
inline QString useMeanCircleHelp() {
    return ofGeometry(
        "Takes the circle that lies nearest to the poses for the scan's geometry, and drops the "
        "poses; can be undone.");
}
inline QString editPose(int view) {
    return ofGeometry("Edit the pose of view %1").arg(view);
}

// The drawing of the scanner
inline QString schematicHelp() {
    return ofGeometry(
        "Drag the blue point to change the detector offset, or the green points to change the "
        "region of interest; hold Ctrl for fine steps. Drag anywhere else to rotate the picture.");
}
inline QString camerasHelp() {
    return ofGeometry("Choose where the scanner is seen from");
}
inline QString overview() {
    return ofGeometry("Overview");
}
inline QString overviewHelp() {
    return ofGeometry("Shows the whole scanner.");
}
inline QString alongAxis() {
    return ofGeometry("Along the axis");
}
inline QString alongAxisHelp() {
    return ofGeometry("Looks down along the rotation axis.");
}
inline QString fromSource() {
    return ofGeometry("From the source");
}
inline QString fromSourceHelp() {
    return ofGeometry("Looks from the source towards the detector.");
}

// Edits, as the undo menu names them, and what is said of them
inline QString editPreset(const QString& name) {
    return ofGeometry("Preset: %1").arg(name);
}
inline QString presetSet(const QString& name) {
    return ofGeometry("Preset %1 set: check every distance.").arg(name);
}
inline QString editRegion() {
    return ofGeometry("Change region of interest");
}
inline QString editDetector() {
    return ofGeometry("Move detector");
}

}  // namespace gantry::texts
