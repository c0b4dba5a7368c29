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

/// A strip that shows one message at a time. It keeps the space of one line when there is none, so
/// that nothing beside it moves, and is higher for a longer sentence only. The newest message comes
/// first; "1 of 3" and a button lead to the rest. What the pointer or the focus is on stays as it
/// is. An information disappears after some seconds; warnings and errors stay until they are
/// closed, withdrawn, or an action succeeds after them.
/// Tests: tests/ui/widgets/message_bar_test.cpp
class MessageBar : public QWidget {
    Q_OBJECT

  public:
    explicit MessageBar(QWidget* parent = nullptr);

    /// Replaces the message on the same topic; an identical one is not shown twice. An information
    /// without a topic tells of a success and replaces everything that has no topic.
    void show(const Message& message);
    /// States that an action has succeeded that tells nothing: what has no topic is outdated.
    void succeed();
    /// States that the message on that topic no longer holds.
    void withdraw(const QString& topic);
    void clear();
    [[nodiscard]] QString text() const;  ///< of all messages, a line each, the newest first

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    struct Entry {
        Message message;
        bool isOutdated = false;  ///< it is kept only while the user is at it
    };

    void build();
    void add(const Message& message);
    void removeAt(qsizetype index);
    void showNext();
    void showCurrent();
    void letGo();
    void removeOutdated();
    void fitHeight();
    void act(const std::function<void()>& action);
    void restart();
    [[nodiscard]] bool isHeld() const;

    QList<Entry> m_messages;  ///< the newest first
    qsizetype m_current = 0;
    QTimer m_timer;
    QIcon m_icon;
    QLabel* m_text = nullptr;
    QPushButton* m_action = nullptr;
    QPushButton* m_second = nullptr;
    QLabel* m_count = nullptr;
    QToolButton* m_next = nullptr;
};

}  // namespace gantry
