#pragma once

#include <QCoreApplication>
#include <QString>

#include "core/filter/filter_spec.h"

/// What the editor of the filter says: in one place, to be read together.
namespace gantry::texts {

inline QString ofFilter(const char* text) {
    return QCoreApplication::translate("Filter", text);
}

inline QString filter() {
    return ofFilter("Filter");
}
inline QString filterWindow() {
    return ofFilter("Window");
}
inline QString filterWindowHelp() {
    return ofFilter(
        "How strongly high frequencies are damped: less noise, less sharpness. "
        "The reconstruction uses the same filter.");
}
inline QString cutoff() {
    return ofFilter("Cut-off");
}
inline QString cutoffUnit() {
    return ofFilter("of Nyquist");
}
inline QString cutoffHelp() {
    return ofFilter(
        "Frequencies above this share of the detector's highest one (Nyquist) are "
        "removed: lower is smoother.");
}
inline QString changeFilter() {
    return ofFilter("Change filter");
}
inline QString changeCutoff() {
    return ofFilter("Change cut-off");
}

// The filter windows; their names are those of the request, windowText().
inline QString windowEffect(FilterWindow window) {
    switch (window) {
        case FilterWindow::ramLak:
            return ofFilter("The plain ramp: sharpest, most noise.");
        case FilterWindow::sheppLogan:
            return ofFilter("A little softer than the ramp.");
        case FilterWindow::cosine:
            return ofFilter("Less noise, edges slightly softened.");
        case FilterWindow::hamming:
            return ofFilter("Much less noise, softer edges.");
        case FilterWindow::hann:
            return ofFilter("Least noise, softest edges.");
    }
    return {};
}

}  // namespace gantry::texts
