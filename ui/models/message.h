#pragma once

#include <QString>
#include <functional>

namespace gantry {

/// A sentence for the user, with a way on. Shown in a bar over the workspace, never as a dialog.
struct Message {
    enum class Kind { info, warning, error };
    Kind kind = Kind::info;
    QString text = {};
    QString actionText = {};  ///< of a button; empty: none
    std::function<void()> action = {};
    QString secondText = {};  ///< of another button; empty: none
    std::function<void()> secondAction = {};
    /// What it is about, for example jobTopic(): it takes the place of the message on the same
    /// topic, and is withdrawn by it. Empty: of nothing that changes.
    QString topic = {};
};

/// Of messages on the job of a folder.
[[nodiscard]] inline QString jobTopic(const QString& folder) {
    return "job:" + folder;
}

}  // namespace gantry
