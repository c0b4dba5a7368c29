#pragma once

#include <QString>
#include <functional>

namespace gantry {

/// A sentence for the user, with a suggested action. Shown in the window's lowest line, never as a
/// dialog.
struct Message {
    enum class Kind { info, warning, error };
    Kind kind = Kind::info;
    QString text = {};
    QString actionText = {};  ///< of a button; empty: none
    std::function<void()> action = {};
    QString secondText = {};  ///< of another button; empty: none
    std::function<void()> secondAction = {};
    /// The subject, for example jobTopic(): the message replaces the one on the same topic, and is
    /// withdrawn by it. Empty: nothing that changes.
    QString topic = {};
};

/// The topic of messages about the job of a folder.
[[nodiscard]] inline QString jobTopic(const QString& folder) {
    return "job:" + folder;
}

}  // namespace gantry
