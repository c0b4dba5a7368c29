#pragma once

#include <QCoreApplication>
#include <QString>

#include "ui/models/text.h"

/// What the panel of verification says.
namespace gantry::texts {

inline QString ofVerify(const char* text) {
    return QCoreApplication::translate("Verify", text);
}

inline QString noScanToVerify() {
    return ofVerify(
        "Open a scan (Ctrl+O) to verify its geometry and settings, or measure a test piece that "
        "was scanned.");
}
inline QString measureRealPiece() {
    return ofVerify("Measure a test piece…");
}
inline QString aboutVerify() {
    return ofVerify(
        "Test pieces are simulated in this scan's geometry, reconstructed with its settings, and "
        "compared with the truth: sharpness, lengths, likely faults.");
}
inline QString aboutRealPiece() {
    return ofVerify(
        "A volume of a cylinder tells how sharp it is and how much noise it has; one of spheres "
        "whose true centres are known, whether its lengths are right.");
}
inline QString startVerify() {
    return ofVerify("Verify");
}
inline QString cancelVerify() {
    return ofVerify("Cancel");
}
inline QString testPiece() {
    return ofVerify("Test piece");
}
inline QString allPieces() {
    return ofVerify("All three");
}
inline QString pieceTitle(const QString& piece) {
    if (piece == "shepp-logan") return ofVerify("Shepp-Logan head");
    if (piece == "cylinder") return ofVerify("Cylinder");
    if (piece == "spheres") return ofVerify("Spheres");
    return ofVerify("Own shapes");
}
inline QString ownShapes() {
    return ofVerify("Own shapes…");
}
inline QString ownShapesOf(const QString& file) {
    return ofVerify("Own shapes: %1").arg(file);
}
inline QString shapesFilter() {
    return ofVerify("Lists of shapes (*.json)");
}
inline QString realPiece() {
    return ofVerify("A volume of a real test piece");
}
inline QString chooseVolume() {
    return ofVerify("Volume…");
}
inline QString volumeFile() {
    return ofVerify("A file…");
}
inline QString volumeFolder() {
    return ofVerify("A folder (OME-Zarr, or TIFF slices)…");
}
inline QString volumesFilter() {
    return ofVerify("Volumes (*.mha *.mhd *.raw *.tif *.tiff);;All files (*)");
}
inline QString noVolumeChosen() {
    return ofVerify("Choose the volume that shows it.");
}
inline QString itShows() {
    return ofVerify("It shows");
}
inline QString realPieceTitle(const QString& piece) {
    return piece == "cylinder" ? ofVerify("an upright cylinder") : ofVerify("spheres");
}
inline QString chooseCentres() {
    return ofVerify("True centres…");
}
inline QString chooseCentresHelp() {
    return ofVerify(
        "A list of shapes with the calibrated centres and radii of the spheres. However the piece "
        "stands in the volume, it is found.");
}
inline QString noCentresChosen() {
    return ofVerify("Choose the list of its spheres.");
}
inline QString isOfOpenScan() {
    return ofVerify("made from the open scan");
}
inline QString isOfOpenScanHelp() {
    return ofVerify(
        "The volume was reconstructed from the open scan with the geometry that is set now: then "
        "the likely cause of errors is told, too.");
}
inline QString wrongOnPurpose() {
    return ofVerify("Wrong on purpose");
}
inline QString wrongOnPurposeHelp() {
    return ofVerify(
        "The pieces are simulated in this scan's geometry and reconstructed with one that is wrong "
        "by so much: what such an error would do to a part, and whether it is found.");
}
inline QString nothingWrong() {
    return ofVerify("nothing");
}
inline QString wrongBy(const QString& title, const QString& amount) {
    return ofVerify("Wrong on purpose: the %1, by %2.").arg(title, amount);
}
inline QString shownPiece() {
    return ofVerify("Shown");
}
inline QString saveReport() {
    return ofVerify("Save report…");
}
inline QString saveReportHelp() {
    return ofVerify("One page with figures, limits and pictures, as HTML or PDF.");
}
inline QString reportPages() {
    return ofVerify("Web page");
}
inline QString reportPdfs() {
    return ofVerify("PDF, one page");
}
inline QString reportSaved(const QString& path) {
    return ofVerify("The report was saved as %1.").arg(path);
}
inline QString truth() {
    return ofVerify("Truth");
}
inline QString result() {
    return ofVerify("Reconstruction");
}
inline QString realVolume() {
    return ofVerify("Volume");
}
inline QString difference() {
    return ofVerify("Difference");
}
inline QString attenuation(double perMm) {
    return ofVerify("%1 /mm").arg(numberText(perMm));
}
inline QString table() {
    return ofVerify("Table");
}
inline QString figuresTable() {
    return ofVerify("Figures and limits");
}
inline QString spheresTable() {
    return ofVerify("Sphere by sphere");
}
inline QString spheresTableHelp() {
    return ofVerify(
        "How far each sphere's centre was measured from where it truly is; its form error PF and "
        "size error PS.");
}
inline QString curve() {
    return ofVerify("Curve");
}
inline QString profileCurve(const QString& axis) {
    return ofVerify("Values along %1").arg(axis);
}
inline QString mtfCurve() {
    return ofVerify("MTF of the cylinder");
}
/// "50 %: 0.346 lp/mm"
inline QString mtfMark(int percent, const QString& frequency) {
    return ofVerify("%1 %: %2").arg(percent).arg(frequency);
}
inline QString cdfCurve() {
    return ofVerify("Contrast discrimination");
}
inline QString cdfName() {
    return ofVerify("Deviation of tiles' means");
}
inline QString tileWidth() {
    return ofVerify("side of a tile");
}
inline QString measuredMtf() {
    return ofVerify("Measured");
}
inline QString expectedMtf() {
    return ofVerify("Expected");
}
inline QString frequency() {
    return ofVerify("frequency");
}
inline QString ofEarlierSettings() {
    return ofVerify("Geometry, settings or test piece have changed since: verify again.");
}

}  // namespace gantry::texts
