#pragma once

#include <QList>
#include <QWidget>

#include "ui/models/message.h"

class QVBoxLayout;

namespace gantry {

/// Shows the newest messages above the workspace, each with its button and a cross; an information
/// leaves by itself (not while the pointer is on it), warnings and errors stay until they are
/// closed. At most three are shown; a text that is there already is not shown twice.
/// Tests: tests/ui/widgets/message_bar_test.cpp
class MessageBar : public QWidget {
    Q_OBJECT

  public:
    explicit MessageBar(QWidget* parent = nullptr);
    void show(const Message& message);
    void clear();
    [[nodiscard]] QString text() const;  ///< of all that are shown, a line each

  private:
    class Row;
    void add(const Message& message);
    void remove(Row* row);

    QVBoxLayout* m_column = nullptr;
    QList<Row*> m_rows;  ///< the newest first
};

}  // namespace gantry
