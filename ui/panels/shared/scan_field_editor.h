#pragma once

#include <QWidget>
#include <functional>

#include "ui/models/scan/geometry_form.h"

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace gantry {

/// One edit of a scan, to be done to the scan as it is then.
using ScanChange = std::function<void(ScanFile&)>;

/// The editor of one field: shows it, reports edits, and has its error, a note in other terms and
/// "guess" beside it. It changes nothing itself.
/// Tests: tests/ui/panels/geometry_panel_test.cpp
class ScanFieldEditor : public QWidget {
    Q_OBJECT

  public:
    explicit ScanFieldEditor(QWidget* parent);

    virtual void showScan(const ScanFile& scan) = 0;
    /// Another scan comes: text being typed was meant for the one before.
    virtual void forgetTyping() {}
    virtual void setProblem(const QString& sentence, bool isError);
    [[nodiscard]] virtual QString problem() const;
    virtual void setGuess(const QString& reason);
    /// The images determine the value: it is shown, but cannot be edited.
    virtual void setFixed(bool) {}
    /// The label in front of it.
    virtual void attachLabel(QLabel*) {}
    void setNote(const QString& text);
    /// Says that the value is more doubtful than a guess, in a line below it that a click opens to
    /// the reason; empty: it is not.
    void setDoubt(const QString& reason);
    /// A button at the end of the row, no higher than a field.
    void addAccessory(QToolButton* button);

  signals:
    void changed(const gantry::ScanChange& change, bool isFinal);
    void tried(const gantry::ScanChange& change);  ///< is being typed, may yet be given up

  protected:
    /// The widget that gets the keyboard; its place is the row's.
    void setEditor(QWidget* widget);
    void changeEvent(QEvent* event) override;

  private:
    void showDoubt();

    QHBoxLayout* m_row = nullptr;
    QLabel* m_guess = nullptr;
    QLabel* m_note = nullptr;
    QLabel* m_doubt = nullptr;
    QLabel* m_problem = nullptr;
    QString m_reasonOfDoubt;
    bool m_isReasonSeen = false;
};

/// The editor for the kind of field. It has the field's name as its object's name, and the tool
/// tip.
[[nodiscard]] ScanFieldEditor* makeEditor(const ScanField& field, QWidget* parent);

/// Height of a field without what stands below it; labels and fixed values are as high.
inline constexpr int kFieldHeight = 22;

}  // namespace gantry
