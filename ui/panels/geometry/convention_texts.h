#pragma once

#include <QCoreApplication>
#include <QString>

/// What the window that tries other conventions says, to be read together. Names of readings, what
/// was found and the questions about the volume come from core/doctor.
namespace gantry::convention_texts {

inline QString ofConventions(const char* text) {
    return QCoreApplication::translate("Conventions", text);
}

// The button that opens it
inline QString check() {
    return ofConventions("Check conventions…");
}
inline QString checkHelp() {
    return ofConventions(
        "Tries the rotation reversed, images flipped, other signs "
        "and units, and shows slices of each side by side. Takes some seconds; nothing changes "
        "before you use one.");
}
inline QString title() {
    return ofConventions("Check the scan's conventions");
}

// Before there are any
inline QString nothingYet() {
    return ofConventions("Slices of the scan with each reading that is tried, the best first.");
}

// Of a reading
inline QString scores(const QString& sharpness, const QString& negative) {
    return ofConventions("Sharpness %1, negative values %2.").arg(sharpness, negative);
}
inline QString disagreement(const QString& rays, const QString& planes) {
    return ofConventions(" Views differ by %1 in rays and %2 in planes.").arg(rays, planes);
}
inline QString percent(const QString& number) {
    return ofConventions("%1 %").arg(number);
}
inline QString noNumber() {
    return ofConventions("–");
}
inline QString slicesOf(const QString& reading) {
    return ofConventions("Slices with this reading: %1").arg(reading);
}
inline QString slicesHelp() {
    return ofConventions(
        "Three slices across the axis, from the lower to the upper one, and one along it.");
}
inline QString noViewTells() {
    return ofConventions("No view can tell these from it. Look at the volume:");
}
inline QString volumeIs(const QString& how, const QString& question) {
    return ofConventions("The volume is then %1. %2").arg(how, question);
}
inline QString more(int count) {
    return count == 1 ? ofConventions("One more reading was tried.")
                      : ofConventions("%1 more readings were tried.").arg(count);
}
inline QString whyUnusable(const QString& reason) {
    return ofConventions("As it is declared the scan cannot be reconstructed: %1").arg(reason);
}

// The button that takes one
inline QString use() {
    return ofConventions("Use");
}
inline QString useHelp() {
    return ofConventions(
        "Changes the scan's description to the reading that is chosen; can be "
        "undone.");
}

// The edit, as the undo menu names it, and what is said of it.
inline QString edit() {
    return ofConventions("Change conventions");
}
inline QString changed(const QString& reading) {
    return ofConventions("The scan is now read with: %1.").arg(reading);
}

}  // namespace gantry::convention_texts
