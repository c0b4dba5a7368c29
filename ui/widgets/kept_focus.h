#pragma once

#include <QPointer>
#include <QWidget>
#include <vector>

namespace gantry {

/// Keeps the keyboard in a part of the window while it shows, hides, enables or disables its
/// widgets. Qt gives the focus of one that goes to the next in the whole window, which may be in
/// another panel, or a field whose value the next key would change.
/// At the end of the object's life, the focus of a widget that has gone is that of the first heir
/// that can have it, or waits with the part itself until a later object finds an heir.
/// Tests: tests/ui/widgets/kept_focus_test.cpp
class KeptFocus {
  public:
    /// heirs: in the part; they outlive this object
    KeptFocus(QWidget& part, std::vector<QWidget*> heirs);
    KeptFocus(const KeptFocus&) = delete;
    KeptFocus& operator=(const KeptFocus&) = delete;
    ~KeptFocus();

  private:
    QWidget& m_part;
    std::vector<QWidget*> m_heirs;
    QPointer<QWidget> m_before;  ///< null: the focus is elsewhere
};

}  // namespace gantry
