#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>

/// What the window that finds the centre of rotation says, to be read together. The reasons of what
/// was found come from core/align.
namespace gantry::alignment_texts {

inline QString ofAlignment(const char* text) {
    return QCoreApplication::translate("Alignment", text);
}

// The button that opens it
inline QString findCentre() {
    return ofAlignment("Align…");
}
inline QString findCentreHelp() {
    return ofAlignment(
        "Finds the centre of rotation, and the detector's roll and tilt, from the views of the "
        "scan. Takes some seconds; nothing changes before you use what was found.");
}
inline QString title() {
    return ofAlignment("Find the centre of rotation");
}

// What the centre is sought by
inline QString centreFrom() {
    return ofAlignment("Centre from");
}
inline QString centreFromHelp() {
    return ofAlignment(
        "Automatic takes the first that can tell. Choosing another one searches again: two that "
        "agree confirm each other.");
}
inline QString automatic() {
    return ofAlignment("Automatic");
}
inline QString rays() {
    return ofAlignment("Rays measured from both ends");
}
inline QString pairs() {
    return ofAlignment("Views half a turn apart (parallel beam)");
}
inline QString slices() {
    return ofAlignment("Sharpness of slices");
}

// How it ended
inline QString foundAll() {
    return ofAlignment("Centre of rotation, roll and tilt were found.");
}
inline QString foundSome() {
    return ofAlignment("Not all was found: below is why, and what can be used.");
}
inline QString foundNothing() {
    return ofAlignment("The views do not tell how the detector stands: below is why.");
}

// The three numbers
inline QString centre() {
    return ofAlignment("Centre of rotation");
}
inline QString roll() {
    return ofAlignment("Roll");
}
inline QString tilt() {
    return ofAlignment("Tilt");
}
inline QString centreHelp() {
    return ofAlignment(
        "How many pixels farther along u the rotation axis is seen than the geometry says.");
}
inline QString rollHelp() {
    return ofAlignment("The change of the detector's rotation in its own plane.");
}
inline QString tiltHelp() {
    return ofAlignment("The change of the detector's rotation about its u axis.");
}
inline QString noValue() {
    return ofAlignment("–");
}
inline QString nothingToChange() {
    return ofAlignment("No more than its uncertainty: nothing to change.");
}
inline QString cannotTell() {
    return ofAlignment("cannot tell");
}
inline QString centreValue(const QString& value) {
    return ofAlignment("%1 px").arg(value);
}
inline QString degrees(const QString& value) {
    return ofAlignment("%1°").arg(value);
}
inline QString withUncertainty(const QString& value, const QString& uncertainty) {
    return ofAlignment("%1 ± %2").arg(value, uncertainty);
}
inline QString columns(const QString& found, const QString& declared) {
    return ofAlignment("Column %1 instead of %2.").arg(found, declared);
}
inline QString from(const QString& reason) {
    return ofAlignment("From %1.").arg(reason);
}

// The curve
inline QString misfit() {
    return ofAlignment("misfit of the views (least at the centre)");
}
inline QString changeOfCentre() {
    return ofAlignment("change");
}
inline QString pixelUnit() {
    return ofAlignment("px");
}
inline QString noCurve() {
    return ofAlignment("How well the views fit each other at every centre that is tried.");
}
inline QString curveName() {
    return ofAlignment("Misfit of the views at every centre that was tried");
}

// The button that takes them
inline QString use() {
    return ofAlignment("Use");
}
inline QString useHelp() {
    return ofAlignment("Changes the geometry by what is checked; can be undone.");
}

// The edit, as the undo menu names it, and what is said of it: "centre of rotation, roll".
inline QString edit(const QStringList& names) {
    return ofAlignment("Correct %1").arg(names.join(", ").toLower());
}
inline QString corrected(const QStringList& changes) {
    return ofAlignment("Corrected by what the views say: %1.").arg(changes.join(", ").toLower());
}

}  // namespace gantry::alignment_texts
