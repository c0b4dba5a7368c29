#include "ui/widgets/message_bar.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "ui/widgets/theme.h"

namespace gantry {
namespace {

constexpr int kMostRows = 3;
constexpr int kInfoMs = 8000;

struct Look {
    const char* icon;
    QColor Theme::*colour;
};

Look lookOf(Message::Kind kind) {
    switch (kind) {
        case Message::Kind::warning:
            return {"warning", &Theme::warning};
        case Message::Kind::error:
            return {"error", &Theme::error};
        case Message::Kind::info:
            break;
    }
    return {"info", &Theme::accent};
}

// A label that shows an icon and follows the theme.
class IconLabel : public QWidget {
  public:
    explicit IconLabel(QIcon shown) : m_icon(std::move(shown)) { setFixedSize(20, 20); }

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        m_icon.paint(&painter, rect());
    }

  private:
    QIcon m_icon;
};

}  // namespace

/// One message.
class MessageBar::Row : public QWidget {
  public:
    Row(const Message& message, MessageBar* bar)
        : QWidget(bar), m_message(message), m_bar(bar), m_timer(this) {
        setObjectName("message");
        setAccessibleName(message.text);
        const Look look = lookOf(message.kind);
        auto* line = new QHBoxLayout(this);
        line->setContentsMargins(2 * kSpacing, 6, kSpacing, 6);
        line->setSpacing(kSpacing);
        line->addWidget(new IconLabel(icon(look.icon, look.colour)));
        auto* text = new QLabel(message.text);
        text->setObjectName("text");
        text->setWordWrap(true);
        text->setTextFormat(Qt::PlainText);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        line->addWidget(text, 1);
        if (!message.actionText.isEmpty()) {
            auto* button = new QPushButton(message.actionText);
            button->setObjectName("action");
            line->addWidget(button);
            QObject::connect(button, &QPushButton::clicked, this, [this] { act(); });
        }
        auto* close = new QToolButton;
        close->setObjectName("close");
        close->setIcon(icon("close"));
        close->setToolTip(MessageBar::tr("Close this message"));
        close->setAccessibleName(close->toolTip());
        line->addWidget(close);
        QObject::connect(close, &QToolButton::clicked, this, [this] { m_bar->remove(this); });
        m_timer.setSingleShot(true);
        m_timer.setInterval(kInfoMs);
        QObject::connect(&m_timer, &QTimer::timeout, this, [this] { m_bar->remove(this); });
        restart();
    }

    [[nodiscard]] const Message& message() const { return m_message; }
    void setAction(const std::function<void()>& action) { m_message.action = action; }
    void restart() {
        if (m_message.kind == Message::Kind::info) m_timer.start();
    }

  protected:
    void enterEvent(QEnterEvent*) override { m_timer.stop(); }
    void leaveEvent(QEvent*) override { restart(); }
    void paintEvent(QPaintEvent*) override {
        const Theme theme = themeOf(*this);
        const QColor colour = theme.*lookOf(m_message.kind).colour;
        QColor tint = colour;
        tint.setAlphaF(0.14F);
        QPainter painter(this);
        painter.fillRect(rect(), theme.panel);
        painter.fillRect(rect(), tint);
        painter.fillRect(QRect(0, 0, 4, height()), colour);
        painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
    }

  private:
    // The message has done its work; its action may well show another one.
    void act() {
        const auto action = m_message.action;
        m_bar->remove(this);
        if (action) action();
    }

    Message m_message;
    MessageBar* m_bar;
    QTimer m_timer;
};

MessageBar::MessageBar(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this)) {
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    setAccessibleName(tr("Messages"));
    hide();
}

void MessageBar::show(const Message& message) {
    const auto same = std::find_if(m_rows.begin(), m_rows.end(), [&](const Row* row) {
        return row->message().text == message.text && row->message().kind == message.kind &&
               row->message().actionText == message.actionText;
    });
    if (same != m_rows.end()) {
        (*same)->setAction(message.action);
        (*same)->restart();
        return;
    }
    add(message);
}

void MessageBar::add(const Message& message) {
    if (m_rows.size() == kMostRows) {
        // The oldest information goes before the oldest warning.
        const auto info = std::find_if(m_rows.rbegin(), m_rows.rend(), [](const Row* row) {
            return row->message().kind == Message::Kind::info;
        });
        remove(info == m_rows.rend() ? m_rows.last() : *info);
    }
    auto* row = new Row(message, this);
    m_rows.prepend(row);
    m_column->insertWidget(0, row);
    row->show();
    setVisible(true);
    QAccessibleEvent alert(row, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageBar::remove(Row* row) {
    if (!m_rows.removeOne(row)) return;
    m_column->removeWidget(row);
    row->hide();
    row->deleteLater();
    setVisible(!m_rows.isEmpty());
}

void MessageBar::clear() {
    while (!m_rows.isEmpty())
        remove(m_rows.first());
}

QString MessageBar::text() const {
    QStringList texts;
    for (const Row* row : m_rows)
        texts.append(row->message().text);
    return texts.join('\n');
}

}  // namespace gantry
