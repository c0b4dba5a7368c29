#include "ui/desktop/window/maximised_view.h"

#include <QVBoxLayout>
#include <memory>

#include "ui/widgets/placeholder.h"

namespace gantry {

namespace {

void exchange(QWidget& from, QWidget& to) {
    QWidget* parent = from.parentWidget();
    to.setParent(parent);
    const std::unique_ptr<QLayoutItem> item(parent->layout()->replaceWidget(&from, &to));
    to.show();
}

}  // namespace

MaximisedView::MaximisedView(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
}

void MaximisedView::take(QWidget& view) {
    giveBack();
    auto* standIn = new Placeholder(
        tr("Shown in the middle of the window. A double click there brings it back."));
    standIn->setSizePolicy(view.sizePolicy());
    exchange(view, *standIn);
    m_view = &view;
    m_standIn = standIn;
    layout()->addWidget(&view);
    view.show();
    view.setFocus();
}

void MaximisedView::giveBack() {
    if (!m_view) return;
    layout()->removeWidget(m_view);
    if (m_standIn) {
        exchange(*m_standIn, *m_view);
        m_standIn->hide();
        m_standIn->deleteLater();
    }
    m_view = nullptr;
}

}  // namespace gantry
