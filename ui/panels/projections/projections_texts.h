#pragma once

#include <QCoreApplication>
#include <QString>
#include <string>

#include "core/base/types.h"

/// What the projections panel says: in one place, to be read together.
namespace gantry::texts {

inline QString ofProjections(const char* text) {
    return QCoreApplication::translate("Projections", text);
}

// In place of pictures
inline QString noProjections() {
    return ofProjections("Open a scan (Ctrl+O), or drop one here, to see its projections.");
}
inline QString projectionsNotYet(const QString& problem) {
    return ofProjections("The projections cannot be shown yet.") + '\n' + problem;
}
inline QString openingImages() {
    return ofProjections("Opening the images…");
}
inline QString fixGeometry(const QString& problem) {
    return ofProjections("Fix the geometry to see this.") + '\n' + problem;
}
/// sentence: why the view is left out, or cannot be used
inline QString leftOut(const std::string& sentence, bool isWanted) {
    return QString::fromStdString(sentence) + '\n' +
           (isWanted ? ofProjections("This view is left out of the reconstruction.")
                     : ofProjections("Leave it out in the scan panel, or replace the file."));
}

// The steps
inline QString all() {
    return ofProjections("All");
}
inline QString allHelp() {
    return ofProjections("Raw, corrected and filtered side by side");
}
inline QString raw() {
    return ofProjections("Raw");
}
inline QString rawHelp() {
    return ofProjections("Pixel values as stored in the files");
}
inline QString corrected() {
    return ofProjections("Corrected");
}
inline QString correctedHelp() {
    return ofProjections(
        "Line integrals: after dark and flat field, bad pixels and the logarithm, without zingers "
        "and with the phase retrieved if so chosen. Rings are taken out in the sinogram.");
}
inline QString filtered() {
    return ofProjections("Filtered");
}
inline QString filteredHelp() {
    return ofProjections(
        "What is back-projected: weighted, and filtered by the ramp with the "
        "window chosen below");
}
inline QString sinogram() {
    return ofProjections("Sinogram");
}
inline QString sinogramHelp() {
    return ofProjections(
        "The selected detector row in every view, without rings where they are removed");
}
inline QString beforeFiltering() {
    return ofProjections("before filtering");
}
inline QString afterFiltering() {
    return ofProjections("after filtering");
}
inline QString sinogramStepHelp() {
    return ofProjections("Shows the sinogram before or after filtering");
}
inline QString sinogramCorner(qint64 row, qint64 rows) {
    return ofProjections("row v %1 of %2").arg(row).arg(rows);
}

// Below the images
inline QString rowProfile() {
    return ofProjections("Row profile");
}
inline QString detectorRow() {
    return ofProjections("Detector row");
}
inline QString detectorRowHelp() {
    return ofProjections(
        "Detector row of the profile and the sinogram; the lowest is 0. Its line "
        "can be dragged in the images.");
}
inline QString lineIntegral() {
    return ofProjections("line integral");
}
inline QString filteredCurve() {
    return ofProjections("filtered");
}
inline QString columnU() {
    return ofProjections("column u");
}
inline QString greyWindowOfImage() {
    return ofProjections("Grey window");
}
inline QString imageHistogram() {
    return ofProjections("Histogram");
}
inline QString imageHistogramHelp() {
    return ofProjections(
        "What is shown as black and as white: drag the lines, or drag with the "
        "right button in an image. Double click: automatic.");
}

// The views in turn
inline QString view() {
    return ofProjections("View");
}
inline QString viewHelp() {
    return ofProjections("The view shown; the wheel over an image does the same.");
}
inline QString viewNumber() {
    return ofProjections("View number");
}
inline QString speed(int viewsPerSecond) {
    return ofProjections("%1 views/s").arg(viewsPerSecond);
}
inline QString speedHelp() {
    return ofProjections("Playback speed; slower where reading a view takes longer.");
}
inline QString play() {
    return ofProjections("Play");
}
inline QString playHelp() {
    return ofProjections("Play the views in turn (Space over an image)");
}
inline QString stopPlaying() {
    return ofProjections("Stop playing");
}
inline QString stopPlayingHelp() {
    return ofProjections("Stop playing (Space over an image)");
}

// Stepping through the views
/// As wide as the text beside the view's number becomes.
inline QString widestAngle(Index views) {
    return ofProjections("of 0–%1, −000.0°").arg(views - 1);
}

}  // namespace gantry::texts
