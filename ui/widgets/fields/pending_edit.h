#pragma once

class QKeyEvent;
class QLineEdit;
class QWidget;

namespace gantry {

/// A field that may contain an edit which was typed but not applied yet. A command that reads or
/// leaves the edited object applies such edits first, by takePendingEdits(): menu keys and some
/// clicks do not move the focus, which would apply them. GUI thread only. Tests:
/// tests/ui/widgets/pending_edit_test.cpp, tests/ui/desktop/pending_edits_test.cpp
class PendingEdit {
  public:
    PendingEdit() = default;
    PendingEdit(const PendingEdit&) = delete;
    PendingEdit& operator=(const PendingEdit&) = delete;
    virtual ~PendingEdit() = default;

    /// Whether there is one; also one that was refused, as long as its text is there.
    [[nodiscard]] virtual bool isPending() const = 0;
    /// Applies it, or shows beside the field why it cannot. @returns whether it was applied
    virtual bool take() = 0;
};

/// Applies pending edits in the forms of a window: its docks, floating ones too, and the field that
/// has the focus. anyOfIt: the window or a part of it.
/// @returns false if a text cannot be applied: that field is then scrolled into view and has the
/// focus
bool takePendingEdits(QWidget& anyOfIt);

/// Scrolls a field into view, whichever dock or form it is in, and gives it the focus.
void focusField(QWidget& field);

/// For a field's ShortcutOverride: a key that is a command of the window applies the edit before
/// the command is looked up, which may be enabled only then. Undo and redo are the window's; an
/// edit that cannot be applied is undone as text.
/// @returns whether the event has been handled
bool takeBeforeCommand(PendingEdit& field, QLineEdit& edit, QKeyEvent& event);

}  // namespace gantry
