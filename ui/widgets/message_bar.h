#pragma once

#include <QWidget>

#include "ui/models/message.h"

namespace gantry {

/// Shows the newest messages above the workspace, each with its button and a cross; an information
/// leaves by itself, warnings and errors stay until they are read. At most three are shown.
/// Tests: tests/ui/widgets/message_bar_test.cpp
class MessageBar : public QWidget {
    Q_OBJECT

  public:
    explicit MessageBar(QWidget* parent = nullptr);
    void show(const Message& message);
    void clear();
    [[nodiscard]] QString text() const;  ///< of all that are shown, a line each

  private:
    void add(const Message& message);
};

}  // namespace gantry
