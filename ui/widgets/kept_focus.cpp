#include "ui/widgets/kept_focus.h"

#include <algorithm>
#include <utility>

namespace gantry {

namespace {

bool canHaveFocus(const QWidget* widget) {
    while (widget->focusProxy())
        widget = widget->focusProxy();
    return widget->isVisible() && widget->isEnabled();
}

}  // namespace

KeptFocus::KeptFocus(QWidget& part, std::vector<QWidget*> heirs)
    : m_part(part), m_heirs(std::move(heirs)) {
    QWidget* const now = part.window()->focusWidget();
    if (now && (now == &part || part.isAncestorOf(now))) m_before = now;
}

KeptFocus::~KeptFocus() {
    if (!m_before || !m_part.isVisible()) return;
    if (m_before != &m_part && canHaveFocus(m_before)) return;
    const auto heir = std::ranges::find_if(m_heirs, canHaveFocus);
    (heir != m_heirs.end() ? *heir : &m_part)->setFocus();
}

}  // namespace gantry
