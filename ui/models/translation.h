#pragma once

#include <QCoreApplication>
#include <QString>

namespace gantry {

/// A text of the models, which are no QObjects, in the user's language.
[[nodiscard]] inline QString tr(const char* text) {
    return QCoreApplication::translate("gantry", text);
}

}  // namespace gantry
