#pragma once

#include <QLineEdit>

#include "ui/widgets/fields/pending_edit.h"

namespace gantry {

/// A line of text that is an edit: Enter, leaving the field, and every command that uses it apply
/// it, Esc restores. Its owner applies it at editingFinished() if isModified(), and then clears
/// that flag; a refused text keeps the flag. Tests: tests/ui/widgets/pending_edit_test.cpp
class TextField : public QLineEdit, public PendingEdit {
    Q_OBJECT

  public:
    explicit TextField(QWidget* parent = nullptr);

    [[nodiscard]] bool isPending() const override { return isModified(); }
    bool take() override;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void restore();

    QString m_applied;  // restored by Esc
};

}  // namespace gantry
