#pragma once

#include <QCoreApplication>
#include <QString>

/// What the window that calibrates with balls says, to be read together. The numbers' names, and
/// why one was not found, come from core/calibrate.
namespace gantry::calibration_texts {

inline QString ofCalibration(const char* text) {
    return QCoreApplication::translate("Calibration", text);
}

inline QString title() {
    return ofCalibration("Calibrate with balls");
}

// What is known
inline QString known() {
    return ofCalibration("Known of the phantom");
}
inline QString places() {
    return ofCalibration("where the balls are");
}
inline QString distance() {
    return ofCalibration("the distance of two balls");
}
inline QString rings() {
    return ofCalibration("the distance of the outer rings");
}
inline QString diameter() {
    return ofCalibration("the balls' diameter");
}
inline QString nothing() {
    return ofCalibration("nothing");
}
inline QString chooseFile() {
    return ofCalibration("Choose a file…");
}
inline QString chooseFileHelp() {
    return ofCalibration(
        "A text with the columns xMm,yMm,zMm and a line for each ball, or a .json of spheres.");
}
inline QString noFile() {
    return ofCalibration("none chosen yet");
}
inline QString placesFilter() {
    return ofCalibration("Places of balls (*.csv *.txt *.json)");
}
inline QString fromBall() {
    return ofCalibration("from ball");
}
inline QString toBall() {
    return ofCalibration("to ball");
}
inline QString ballHelp() {
    return ofCalibration(
        "Balls are counted from 1, upwards, and at one height round the axis. After a search each "
        "has its number in the picture.");
}
inline QString length() {
    return ofCalibration("Length");
}
inline QString nothingHelp() {
    return ofCalibration("The source–object distance stays as it is: views alone tell no scale.");
}
inline QString poses() {
    return ofCalibration("A pose for each view");
}
inline QString posesHelp() {
    return ofCalibration(
        "For a gantry that sags or wobbles: source and detector are fitted in each view. Needs at "
        "least five balls in a view.");
}

// The search
inline QString search() {
    return ofCalibration("Find balls");
}
inline QString ready() {
    return ofCalibration("Say what is known of the phantom, then find its balls in the views.");
}
inline QString needsFile() {
    return ofCalibration("Choose the file that says where the balls are.");
}
inline QString foundText(const QString& balls, const QString& residual) {
    return ofCalibration("Balls: %1. Residual: %2.").arg(balls, residual);
}

// The pictures
inline QString noView() {
    return ofCalibration("The view is being read.");
}
inline QString view() {
    return ofCalibration("View");
}
inline QString viewOf(int view, int views) {
    return ofCalibration("view %1 of 0–%2").arg(view).arg(views - 1);
}
inline QString legend() {
    return ofCalibration("ring: a ball that is used · cross: not used");
}
inline QString residualOfViews() {
    return ofCalibration("residual of a view's balls");
}
inline QString pixelUnit() {
    return ofCalibration("px");
}
inline QString noResiduals() {
    return ofCalibration("How far each view's balls lie from where the result has them.");
}
inline QString plotName() {
    return ofCalibration("Residual of every view");
}
inline QString tableName() {
    return ofCalibration("The geometry's numbers as found, with their uncertainties");
}

// The buttons
inline QString use() {
    return ofCalibration("Use these");
}
inline QString useHelp() {
    return ofCalibration("Makes what was found the scan's geometry; can be undone.");
}
inline QString savePlaces() {
    return ofCalibration("Save places…");
}
inline QString savePlacesHelp() {
    return ofCalibration("Writes where the balls are, as what is known of them the next time.");
}
inline QString savePlacesNeedScale() {
    return ofCalibration("Places in mm need a scale: one known length, or known places.");
}
inline QString savePlacesTitle() {
    return ofCalibration("Save the balls' places");
}
inline QString placesFormat() {
    return ofCalibration("Places of balls");
}

// The edit, as the undo menu names it, and what is said of it
inline QString edit() {
    return ofCalibration("Calibrate with balls");
}
inline QString used(const QString& residual) {
    return ofCalibration("The geometry is as the balls have it: %1.").arg(residual);
}

}  // namespace gantry::calibration_texts
