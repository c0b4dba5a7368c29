#include "ui/widgets/message_bar.h"

#include <QAccessible>
#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <QToolButton>
#include <algorithm>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

constexpr qsizetype kMaxMessages = 20;
constexpr int kInfoMs = 8000;
constexpr int kIcon = 20;

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

MessageBar::MessageBar(QWidget* parent) : QWidget(parent), m_timer(this) {
    setObjectName("message");
    build();
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setRetainSizeWhenHidden(true);
    setSizePolicy(policy);
    fitHeight();
    m_timer.setSingleShot(true);
    m_timer.setInterval(kInfoMs);
    connect(&m_timer, &QTimer::timeout, this, [this] { removeAt(m_current); });
    connect(qApp, &QApplication::focusChanged, this, &MessageBar::letGo, Qt::QueuedConnection);
    hide();
}

void MessageBar::build() {
    auto* line = spaced(new QHBoxLayout(this), kSpacing, {kIcon + 3 * kSpacing, 0, kSpacing, 0});
    m_text = named(copyable(new QLabel), "text");
    line->addWidget(m_text, 1);
    const auto add = [&](auto* widget, const char* name) {
        widget->setObjectName(name);
        line->addWidget(widget, 0, Qt::AlignVCenter);
        return widget;
    };
    m_second = add(new QPushButton, "second");
    m_action = add(new QPushButton, "action");
    // The buttons are no higher than a line of text needs.
    for (QPushButton* each : {m_second, m_action})
        each->setStyleSheet(QStringLiteral("padding: 1px 10px; min-height: 0px;"));
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
    constexpr int kSmallIcon = 14;
    for (QToolButton* each : {m_next, close}) {
        each->setProperty("titleButton", true);
        each->setIconSize({kSmallIcon, kSmallIcon});
    }
    connect(m_action, &QPushButton::clicked, this,
            [this] { act(m_messages[m_current].message.action); });
    connect(m_second, &QPushButton::clicked, this,
            [this] { act(m_messages[m_current].message.secondAction); });
    connect(m_next, &QToolButton::clicked, this, &MessageBar::showNext);
    connect(close, &QToolButton::clicked, this, [this] { removeAt(m_current); });
}

// Text under the pointer must not change.
bool MessageBar::isHeld() const {
    const QWidget* focus = QApplication::focusWidget();
    return isVisible() && (underMouse() || (focus && isAncestorOf(focus)));
}

void MessageBar::show(const Message& message) {
    if (message.kind == Message::Kind::info && message.topic.isEmpty()) succeed();
    const auto same = std::ranges::find_if(m_messages, [&](const Entry& other) {
        return !other.isOutdated && isSame(other.message, message);
    });
    if (same == m_messages.end()) {
        add(message);
    } else if (isHeld() && same - m_messages.begin() == m_current &&
               same->message.text != message.text) {
        same->isOutdated = true;
        add(message);
    } else {
        same->message = message;
        if (!isHeld()) m_current = same - m_messages.begin();
    }
    removeOutdated();
    showCurrent();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageBar::add(const Message& message) {
    m_current = isHeld() ? m_current + 1 : 0;
    m_messages.prepend({message});
    if (m_messages.size() <= kMaxMessages) return;
    // The oldest information is dropped before the oldest warning.
    const auto info = std::find_if(m_messages.rbegin(), m_messages.rend(), [](const Entry& other) {
        return other.message.kind == Message::Kind::info;
    });
    const qsizetype last = m_messages.size() - 1;
    const qsizetype gone = info == m_messages.rend() ? last : last - (info - m_messages.rbegin());
    m_messages.removeAt(gone);
    if (gone < m_current) --m_current;
    m_current = std::min(m_current, m_messages.size() - 1);
}

void MessageBar::succeed() {
    for (Entry& each : m_messages)
        if (each.message.topic.isEmpty()) each.isOutdated = true;
    letGo();
}

void MessageBar::withdraw(const QString& topic) {
    for (Entry& each : m_messages)
        if (!topic.isEmpty() && each.message.topic == topic) each.isOutdated = true;
    letGo();
}

// Shows what is left of the messages where the user is no longer at an outdated one.
void MessageBar::letGo() {
    const qsizetype before = m_messages.size();
    removeOutdated();
    if (m_messages.size() != before) showCurrent();
}

void MessageBar::removeOutdated() {
    for (qsizetype i = m_messages.size() - 1; i >= 0; --i) {
        if (!m_messages[i].isOutdated || (i == m_current && isHeld())) continue;
        m_messages.removeAt(i);
        if (i == m_current) m_current = 0;
        if (i < m_current) --m_current;
    }
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
        fitHeight();
        return;
    }
    const Message& message = m_messages[m_current].message;
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
    setVisible(true);
    fitHeight();
    update();
    restart();
}

// One line without a message and for a short one.
void MessageBar::fitHeight() {
    int line = 0;
    for (QWidget* each : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        each->ensurePolished();
        if (each != m_text) line = std::max(line, each->sizeHint().height());
    }
    const QMargins margins = layout()->contentsMargins();
    line += margins.top() + margins.bottom();
    layout()->invalidate();
    int wanted = m_messages.isEmpty() ? line : layout()->heightForWidth(width());
    if (wanted > line) wanted += kSpacing;  // lines of text keep off the edges
    if (const int fit = std::max(line, wanted); fit != minimumHeight()) setFixedHeight(fit);
}

// The message is closed first, because its action may show another one.
void MessageBar::act(const std::function<void()>& action) {
    const std::function<void()> kept = action;
    removeAt(m_current);
    if (kept) kept();
}

void MessageBar::restart() {
    const bool isInfo =
        !m_messages.isEmpty() && m_messages[m_current].message.kind == Message::Kind::info;
    if (isInfo && !underMouse()) m_timer.start();
}

void MessageBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) fitHeight();
}

void MessageBar::enterEvent(QEnterEvent*) {
    m_timer.stop();
}

void MessageBar::leaveEvent(QEvent*) {
    letGo();
    restart();
}

void MessageBar::paintEvent(QPaintEvent*) {
    if (m_messages.isEmpty()) return;
    constexpr double kRound = 6;
    constexpr int kEdge = 4;
    const Theme theme = themeOf(*this);
    const QColor colour = theme.*lookOf(m_messages[m_current].message.kind).colour;
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
    for (const Entry& each : m_messages)
        if (!each.isOutdated) texts.append(each.message.text);
    return texts.join('\n');
}

}  // namespace gantry
