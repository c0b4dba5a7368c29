#pragma once

#include <QLabel>

namespace gantry {

/// A line of text that is shortened by "…" if there is too little room; the whole text is its tool
/// tip unless it has one of its own. It requests no width: it takes what others leave.
/// Tests: tests/ui/widgets/elided_label_test.cpp
class ElidedLabel : public QLabel {
    Q_OBJECT

  public:
    explicit ElidedLabel(Qt::TextElideMode mode, QWidget* parent = nullptr);
    void setWholeText(const QString& text);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void elide();

    Qt::TextElideMode m_mode;
    QString m_whole;
};

}  // namespace gantry
