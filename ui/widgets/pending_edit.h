#pragma once

class QKeyEvent;
class QLineEdit;
class QWidget;

namespace gantry {

/// A field that may hold an edit which was typed and is not applied yet. A command that reads or
/// leaves what is edited takes such edits first, by takePendingEdits(): keys of menus and some
/// clicks do not move the focus, which would apply them. GUI thread only.
/// Tests: tests/ui/widgets/pending_edit_test.cpp, tests/ui/desktop/pending_edits_test.cpp
class PendingEdit {
  public:
    PendingEdit() = default;
    PendingEdit(const PendingEdit&) = delete;
    PendingEdit& operator=(const PendingEdit&) = delete;
    virtual ~PendingEdit() = default;

    /// Whether there is one; also one that was refused, as long as its text is there.
    [[nodiscard]] virtual bool isPending() const = 0;
    /// Applies it, or says beside the field why that cannot be. @returns whether it was applied
    virtual bool take() = 0;
};

/// Applies what is being typed in the forms of a window: its docks, floating ones too, and the
/// field that has the focus. anyOfIt: the window or a part of it.
/// @returns false where a text cannot be applied: that field is brought into view and has the focus
bool takePendingEdits(QWidget& anyOfIt);

/// Brings a field into view, whichever dock or scrolled form it is in, and gives it the focus.
void focusField(QWidget& field);

/// For a field's ShortcutOverride: a key that is a command of the window takes the edit before the
/// command is looked for, which may be possible only then. Undo and redo are the window's; what
/// cannot be applied is undone as text. @returns whether the event is dealt with
bool takeBeforeCommand(PendingEdit& field, QLineEdit& edit, QKeyEvent& event);

}  // namespace gantry
