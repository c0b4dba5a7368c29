#pragma once

#include <QStyledItemDelegate>

namespace gantry {

/// Paints a job's state as a sign and a word, and its progress as a bar with a number.
/// Tests: tests/ui/panels/jobs_panel_test.cpp
class JobsDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    /// What the state has beside its word: its sign, and air.
    static constexpr int kStateMargins = 40;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    /// Typed text stays while the job progresses.
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;

  private:
    void paintState(QPainter& painter, const QStyleOptionViewItem& option,
                    const QModelIndex& index) const;
    void paintProgress(QPainter& painter, const QStyleOptionViewItem& option,
                       const QModelIndex& index) const;
};

}  // namespace gantry
