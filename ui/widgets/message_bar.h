#pragma once

#include <QIcon>
#include <QList>
#include <QTimer>
#include <QWidget>

#include "ui/models/message.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace gantry {

/// Shows one message at a time over the lower edge of a widget, so that nothing below it moves;
/// over the upper edge if the pointer is in the way when it appears, or the keyboard focus at any
/// time. The newest comes first, unless the pointer or the focus is on the one that is shown; "1 of
/// 3" and a button lead to the rest. An information disappears after some seconds, warnings and
/// errors stay until they are closed or withdrawn. Tests: tests/ui/widgets/message_bar_test.cpp
class MessageBar : public QWidget {
    Q_OBJECT

  public:
    explicit MessageBar(QWidget* over);

    /// Replaces the message on the same topic; an identical one is not shown twice.
    void show(const Message& message);
    /// States that the message on that topic no longer holds.
    void withdraw(const QString& topic);
    void clear();
    [[nodiscard]] QString text() const;  ///< of all messages, a line each, the newest first

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void build();
    void add(const Message& message);
    void removeAt(qsizetype index);
    void showNext();
    void showCurrent();
    void giveWayToFocus();
    void place();
    void act(const std::function<void()>& action);
    void restart();
    [[nodiscard]] bool isHeld() const;

    QWidget* m_over;
    QList<Message> m_messages;  ///< the newest first
    qsizetype m_current = 0;
    bool m_isAtTop = false;
    QTimer m_timer;
    QIcon m_icon;
    QLabel* m_text = nullptr;
    QPushButton* m_action = nullptr;
    QPushButton* m_second = nullptr;
    QLabel* m_count = nullptr;
    QToolButton* m_next = nullptr;
};

}  // namespace gantry
