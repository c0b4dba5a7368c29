#pragma once

#include <QCoreApplication>
#include <QString>

/// What windows say that search a scan, whatever they search for; to be read together.
namespace gantry::scan_search_texts {

inline QString ofSearch(const char* text) {
    return QCoreApplication::translate("ScanSearch", text);
}

// While it searches
inline QString opening() {
    return ofSearch("Opening the images");
}
inline QString starting() {
    return ofSearch("Starting");
}
inline QString progress(const QString& what, int percent) {
    return ofSearch("%1, %2 %").arg(what).arg(percent);
}
inline QString progressName() {
    return ofSearch("Progress of the search");
}
inline QString cancel() {
    return ofSearch("Cancel");
}

// How it ended
inline QString outdated() {
    return ofSearch(
        "The geometry has changed since: search again for a result that belongs to it.");
}
inline QString cancelled() {
    return ofSearch("The search was cancelled.");
}
inline QString unreadable() {
    return ofSearch(
        "The images cannot be read with this geometry: mend what is marked in the geometry, then "
        "search again.");
}

// The buttons
inline QString searchAgain() {
    return ofSearch("Search again");
}
inline QString close() {
    return ofSearch("Close");
}

}  // namespace gantry::scan_search_texts
