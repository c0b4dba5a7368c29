#pragma once

#include <QCoreApplication>
#include <QString>

namespace gantry {

/// Translates a text of the models, which are not QObjects, into the user's language.
[[nodiscard]] inline QString tr(const char* text) {
    return QCoreApplication::translate("gantry", text);
}

}  // namespace gantry
