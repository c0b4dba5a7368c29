#pragma once

#include <QString>
#include <functional>

namespace gantry {

/// A sentence for the user, with a way on. Shown in the bar above the workspace, never as a dialog.
struct Message {
    enum class Kind { info, warning, error };
    Kind kind = Kind::info;
    QString text = {};
    QString actionText = {};  ///< of a button; empty: none
    std::function<void()> action = {};
};

}  // namespace gantry
