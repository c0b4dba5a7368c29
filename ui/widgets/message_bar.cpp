#include "ui/widgets/message_bar.h"

#include <QAccessible>
#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

constexpr qsizetype kMaxMessages = 20;
constexpr int kInfoMs = 8000;
constexpr int kIcon = 20;
constexpr int kWidest = 880;
constexpr int kMargin = 2 * kSpacing;

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

bool isSame(const Message& a, const Message& b) {
    if (!a.topic.isEmpty() || !b.topic.isEmpty()) return a.topic == b.topic;
    return a.kind == b.kind && a.text == b.text && a.actionText == b.actionText;
}

}  // namespace

MessageBar::MessageBar(QWidget* over) : QWidget(over), m_over(over), m_timer(this) {
    setObjectName("message");
    build();
    m_timer.setSingleShot(true);
    m_timer.setInterval(kInfoMs);
    connect(&m_timer, &QTimer::timeout, this, [this] { removeAt(m_current); });
    over->installEventFilter(this);
    // Queued, because a form scrolls to the field with the focus after the focus has changed.
    connect(qApp, &QApplication::focusChanged, this, &MessageBar::giveWayToFocus,
            Qt::QueuedConnection);
    hide();
}

void MessageBar::build() {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(kIcon + 3 * kSpacing, kSpacing, kSpacing, kSpacing);
    line->setSpacing(kSpacing);
    m_text = new QLabel;
    m_text->setObjectName("text");
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    line->addWidget(m_text, 1);
    // The lower edge stays in place whatever the height of the next message.
    const auto add = [&](auto* widget, const char* name) {
        widget->setObjectName(name);
        line->addWidget(widget, 0, Qt::AlignBottom);
        return widget;
    };
    m_second = add(new QPushButton, "second");
    m_action = add(new QPushButton, "action");
    m_count = add(new QLabel, "count");
    m_count->setProperty("muted", true);
    m_next = add(new QToolButton, "next");
    m_next->setIcon(icon("next"));
    m_next->setToolTip(tr("Show the next message"));
    m_next->setAccessibleName(m_next->toolTip());
    auto* close = add(new QToolButton, "close");
    close->setIcon(icon("close"));
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(close->toolTip());
    m_count->setFixedHeight(close->sizeHint().height());
    connect(m_action, &QPushButton::clicked, this, [this] { act(m_messages[m_current].action); });
    connect(m_second, &QPushButton::clicked, this,
            [this] { act(m_messages[m_current].secondAction); });
    connect(m_next, &QToolButton::clicked, this, &MessageBar::showNext);
    connect(close, &QToolButton::clicked, this, [this] { removeAt(m_current); });
}

// Text under the pointer must not change.
bool MessageBar::isHeld() const {
    const QWidget* focus = QApplication::focusWidget();
    return isVisible() && (underMouse() || (focus && isAncestorOf(focus)));
}

void MessageBar::show(const Message& message) {
    const auto same = std::find_if(m_messages.begin(), m_messages.end(),
                                   [&](const Message& other) { return isSame(other, message); });
    if (same == m_messages.end()) {
        add(message);
    } else {
        *same = message;
        if (!isHeld()) m_current = same - m_messages.begin();
    }
    showCurrent();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageBar::add(const Message& message) {
    m_current = isHeld() ? m_current + 1 : 0;
    m_messages.prepend(message);
    if (m_messages.size() <= kMaxMessages) return;
    // The oldest information is dropped before the oldest warning.
    const auto info =
        std::find_if(m_messages.rbegin(), m_messages.rend(),
                     [](const Message& other) { return other.kind == Message::Kind::info; });
    const qsizetype last = m_messages.size() - 1;
    const qsizetype gone = info == m_messages.rend() ? last : last - (info - m_messages.rbegin());
    m_messages.removeAt(gone);
    if (gone < m_current) --m_current;
    m_current = std::min(m_current, m_messages.size() - 1);
}

void MessageBar::withdraw(const QString& topic) {
    for (qsizetype i = m_messages.size() - 1; i >= 0; --i)
        if (!topic.isEmpty() && m_messages[i].topic == topic) removeAt(i);
}

void MessageBar::removeAt(qsizetype index) {
    if (index >= m_messages.size()) return;
    m_messages.removeAt(index);
    if (index < m_current) --m_current;
    if (m_current >= m_messages.size()) m_current = 0;
    showCurrent();
}

void MessageBar::showNext() {
    m_current = (m_current + 1) % m_messages.size();
    showCurrent();
}

void MessageBar::clear() {
    m_messages.clear();
    m_current = 0;
    showCurrent();
}

void MessageBar::showCurrent() {
    m_timer.stop();
    if (m_messages.isEmpty()) {
        hide();
        return;
    }
    const Message& message = m_messages[m_current];
    const Look look = lookOf(message.kind);
    m_icon = icon(look.icon, look.colour);
    m_text->setText(message.text);
    setAccessibleName(message.text);
    const auto label = [](QPushButton* button, const QString& text) {
        button->setText(text);
        button->setVisible(!text.isEmpty());
    };
    label(m_action, message.actionText);
    label(m_second, message.secondText);
    const bool hasMore = m_messages.size() > 1;
    m_count->setText(tr("%1 of %2").arg(m_current + 1).arg(m_messages.size()));
    m_count->setVisible(hasMore);
    m_next->setVisible(hasMore);
    if (!isVisible()) m_isAtTop = false;
    place();
    const QPoint pointer = m_over->mapFromGlobal(QCursor::pos());
    if (!isVisible() && geometry().contains(pointer)) {
        m_isAtTop = true;
        place();
    }
    setVisible(true);
    raise();
    giveWayToFocus();
    update();
    restart();
}

void MessageBar::giveWayToFocus() {
    const QWidget* const focus = QApplication::focusWidget();
    if (!focus || !isVisible() || isHeld() || !m_over->isAncestorOf(focus)) return;
    const QRect field(focus->mapTo(m_over, QPoint()), focus->size());
    for (int edge = 0; edge < 2 && geometry().intersects(field); ++edge) {
        m_isAtTop = !m_isAtTop;
        place();
    }
}

void MessageBar::place() {
    const int width = std::max(0, std::min(m_over->width() - 2 * kMargin, kWidest));
    layout()->activate();
    const int height = std::max(layout()->heightForWidth(width), layout()->minimumSize().height());
    const int y = m_isAtTop ? kMargin : m_over->height() - height - kMargin;
    setGeometry((m_over->width() - width) / 2, y, width, height);
}

// The message is closed first, because its action may show another one.
void MessageBar::act(const std::function<void()>& action) {
    const std::function<void()> kept = action;
    removeAt(m_current);
    if (kept) kept();
}

void MessageBar::restart() {
    const bool isInfo = !m_messages.isEmpty() && m_messages[m_current].kind == Message::Kind::info;
    if (isInfo && !underMouse()) m_timer.start();
}

bool MessageBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_over && event->type() == QEvent::Resize) place();
    // Later siblings must not cover it.
    if (watched == m_over && event->type() == QEvent::ChildAdded) raise();
    return QWidget::eventFilter(watched, event);
}

void MessageBar::enterEvent(QEnterEvent*) {
    m_timer.stop();
}

void MessageBar::leaveEvent(QEvent*) {
    restart();
}

void MessageBar::paintEvent(QPaintEvent*) {
    if (m_messages.isEmpty()) return;
    constexpr double kRound = 6;
    constexpr int kEdge = 4;
    const Theme theme = themeOf(*this);
    const QColor colour = theme.*lookOf(m_messages[m_current].kind).colour;
    QColor tint = colour;
    tint.setAlphaF(0.14F);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colour);
    painter.setBrush(theme.panel);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(box, kRound, kRound);
    painter.setBrush(tint);
    painter.drawRoundedRect(box, kRound, kRound);
    painter.fillRect(QRect(0, static_cast<int>(kRound), kEdge, height() - 2 * int(kRound)), colour);
    m_icon.paint(&painter, QRect(3 * kSpacing / 2, (height() - kIcon) / 2, kIcon, kIcon));
}

QString MessageBar::text() const {
    QStringList texts;
    for (const Message& message : m_messages)
        texts.append(message.text);
    return texts.join('\n');
}

}  // namespace gantry
