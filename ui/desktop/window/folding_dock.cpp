#include "ui/desktop/window/folding_dock.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyleOptionToolButton>
#include <QStylePainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

// A vertical title, read from bottom to top and cut to the height that there is.
class EdgeTitle : public QToolButton {
  public:
    using QToolButton::QToolButton;

    [[nodiscard]] QSize sizeHint() const override {
        return {fontMetrics().height() + kSpacing,
                fontMetrics().horizontalAdvance(text()) + 2 * kSpacing};
    }
    [[nodiscard]] QSize minimumSizeHint() const override { return {sizeHint().width(), 0}; }

  protected:
    void paintEvent(QPaintEvent*) override {
        QStylePainter painter(this);
        QStyleOptionToolButton option;
        initStyleOption(&option);
        option.text.clear();
        painter.drawComplexControl(QStyle::CC_ToolButton, option);
        painter.setPen(themeOf(*this).muted);
        painter.translate(0, height());
        painter.rotate(-90);
        painter.drawText(QRect(kSpacing, 0, height() - 2 * kSpacing, width()),
                         Qt::AlignRight | Qt::AlignVCenter, text());
    }
};

}  // namespace

FoldingDock::FoldingDock(const QString& name, const QString& title, QWidget* panel, QWidget* parent)
    : QDockWidget(title, parent), m_panel(panel) {
    setObjectName(name);
    // The body stays when the panel is hidden: a dock without content could not be wider than its
    // line.
    auto* body = new QWidget(this);
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panel);
    m_edge = named(new EdgeTitle(body), "edge", tr("Open %1").arg(title));
    m_edge->setProperty("titleButton", true);
    m_edge->setText(title);
    m_edge->setAccessibleName(m_edge->toolTip());
    m_edge->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    layout->addWidget(m_edge);
    connect(m_edge, &QToolButton::clicked, this, [this] { fold(false); });
    setWidget(body);
    setTitleBarWidget(makeLine(title));
    connect(this, &QDockWidget::topLevelChanged, this, &FoldingDock::showFold);
    showFold();
}

QWidget* FoldingDock::makeLine(const QString& title) {
    auto* line = new QWidget(this);
    auto* row = spaced(new QHBoxLayout(line), kSpacing / 2, {kSpacing / 2, 2, kSpacing / 2, 2});
    constexpr int kIcon = 14;
    const auto button = [&](const char* buttonName, const char* iconName, const QString& toolTip) {
        auto* made = named(new QToolButton(line), buttonName);
        made->setProperty("titleButton", true);
        made->setIconSize({kIcon, kIcon});
        if (*iconName) made->setIcon(icon(iconName, &Theme::muted));
        made->setToolTip(toolTip);
        made->setAccessibleName(toolTip);
        return made;
    };
    m_fold = button("fold", "", {});
    m_fold->setFocusPolicy(Qt::TabFocus);
    auto* text = new QLabel(title, line);
    text->setProperty("muted", true);
    auto* afloat =
        button("float", "dock", tr("Take %1 out of the window, or put it back").arg(title));
    auto* closing =
        button("close", "close", tr("Hide %1; the View menu brings it back").arg(title));
    for (QToolButton* each : {afloat, closing})
        each->setFocusPolicy(Qt::NoFocus);
    m_line = new QWidget(line);
    auto* rest = spaced(new QHBoxLayout(m_line), kSpacing / 2);
    rest->addWidget(text, 1);
    rest->addWidget(afloat);
    rest->addWidget(closing);
    row->addWidget(m_fold, 0, Qt::AlignLeft);
    row->addWidget(m_line, 1);
    connect(m_fold, &QToolButton::clicked, this, [this] { fold(!m_isFolded); });
    connect(afloat, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    connect(closing, &QToolButton::clicked, this, &QWidget::close);
    return line;
}

void FoldingDock::fold(bool isFolded) {
    setFolded(isFolded);
    emit foldedByHand(isFolded);
}

void FoldingDock::setAtEdge(bool isAtEdge) {
    if (isAtEdge == m_isAtEdge) return;
    m_isAtEdge = isAtEdge;
    showFold();
}

void FoldingDock::setFolded(bool isFolded) {
    if (isFolded == m_isFolded) return;
    m_isFolded = isFolded;
    showFold();
    emit foldedChanged(isFolded);
}

int FoldingDock::edgeWidth() const {
    return m_edge->sizeHint().width() + kSpacing;
}

int FoldingDock::edgeHeight() const {
    return lineHeight() + m_edge->sizeHint().height();
}

int FoldingDock::lineHeight() const {
    return titleBarWidget()->sizeHint().height();
}

// A floating window cannot be folded.
void FoldingDock::showFold() {
    const bool isStrip = m_isFolded && m_isAtEdge && !isFloating();
    m_fold->setVisible(!isFloating());
    m_line->setVisible(!isStrip);
    m_edge->setVisible(isStrip);
    setMaximumWidth(isStrip ? edgeWidth() : QWIDGETSIZE_MAX);
    m_panel->setVisible(!m_isFolded || isFloating());
    m_fold->setIcon(icon(m_isFolded ? "chevron-right" : "chevron-down", &Theme::muted));
    const QString what =
        m_isFolded ? tr("Open %1").arg(windowTitle()) : tr("Fold %1").arg(windowTitle());
    m_fold->setToolTip(what);
    m_fold->setAccessibleName(what);
}

}  // namespace gantry
