#pragma once

#include <QCoreApplication>
#include <QString>

/// What the oblique slice says.
namespace gantry::texts {

inline QString ofOblique(const char* text) {
    return QCoreApplication::translate("Oblique", text);
}

inline QString oblique() {
    return ofOblique("Oblique");
}
inline QString obliqueSlice() {
    return ofOblique("Oblique slice");
}
inline QString obliqueHelp() {
    return ofOblique(
        "Oblique slice: one at any angle through the cross-hair, in the place of the sagittal one "
        "(O). Drag the handles of its line in the two other slices.");
}
inline QString turned() {
    return ofOblique("Turned");
}
inline QString turnedHelp() {
    return ofOblique(
        "About the rotation axis, counter-clockwise seen from above. 0° is sagittal, 90° coronal.");
}
inline QString tilted() {
    return ofOblique("Tilted");
}
inline QString tiltedHelp() {
    return ofOblique(
        "About the slice's horizontal line, its upper part towards you. ±90° is axial.");
}
inline QString resetOblique() {
    return ofOblique("Reset");
}
inline QString resetObliqueHelp() {
    return ofOblique("Back to the sagittal slice; Ctrl+Z takes it back");
}

}  // namespace gantry::texts
