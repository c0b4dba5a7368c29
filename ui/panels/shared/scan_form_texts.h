#pragma once

#include <QCoreApplication>
#include <QString>

/// What the form of a scan's fields says: in one place, to be read together. The fields themselves
/// are in ui/models/scan/geometry_form_fields.cpp.
namespace gantry::texts {

inline QString ofScan(const char* text) {
    return QCoreApplication::translate("Scan", text);
}

inline QString guess() {
    return ofScan("guess");
}
inline QString notSure() {
    return ofScan("Not sure.");
}
inline QString showReason() {
    return ofScan("Why?");
}
inline QString hideReason() {
    return ofScan("Close");
}
inline QString changeField(const QString& what) {
    return ofScan("Change %1").arg(what);
}
inline QString keepPitchesEqual() {
    return ofScan("Keep the pitch the same along u and v");
}
inline QString giveNumber() {
    return ofScan("Give a number");
}
inline QString chooseFiles() {
    return ofScan("Choose a folder or file");
}
inline QString folderOfImages() {
    return ofScan("Folder of images…");
}
inline QString imageFile() {
    return ofScan("Image file…");
}
inline QString chooseImagesTitle() {
    return ofScan("Choose images");
}
inline QString imagesFilter() {
    return ofScan("Images (*.tif *.tiff *.mha *.mhd *.raw *.h5 *.hdf5 *.hdf *.nx *.nxs)");
}
inline QString allFilesFilter() {
    return ofScan("All files (*)");
}
inline QString noFiles() {
    return ofScan("None");
}
inline QString loadAngles() {
    return ofScan("Load a list…");
}
inline QString loadAnglesHelp() {
    return ofScan("Takes the angles of the views from a text file, one a line, in degrees.");
}
inline QString evenSteps() {
    return ofScan("Use even steps");
}
inline QString evenStepsHelp() {
    return ofScan("Forgets the list: the views are spread evenly over the same start and arc.");
}

inline QString loadAnglesTitle() {
    return ofScan("Load angles");
}
inline QString anglesFilter() {
    return ofScan("Text files (*.txt *.csv *.ang)") + ";;" + allFilesFilter();
}

}  // namespace gantry::texts
