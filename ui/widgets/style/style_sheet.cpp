#include "ui/widgets/style/style_sheet.h"

#include <initializer_list>
#include <utility>

namespace gantry {
namespace {

QColor mixed(const QColor& a, const QColor& b, double shareOfB) {
    const auto mix = [&](int x, int y) { return qRound(x + (y - x) * shareOfB); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

// Words beginning with @ are replaced by colours.
const char* const kFrame = R"(
QToolTip { background: @background; color: @text; border: 1px solid @line; padding: 4px 6px; }
QMainWindow::separator { background: @background; width: 4px; height: 4px; }
QMainWindow::separator:hover { background: @accent; }
QDockWidget { titlebar-close-icon: url(:/icons/close.svg); titlebar-normal-icon: url(:/icons/dock.svg); }
QDockWidget::title { background: @panel; color: @muted; padding: 6px 8px; text-align: left; }
QDockWidget::close-button, QDockWidget::float-button { border: none; padding: 1px; icon-size: 14px; }
QDockWidget::close-button:hover, QDockWidget::float-button:hover { background: @hover; border-radius: 3px; }
QMenuBar { background: @panel; padding: 2px; }
QMenuBar::item { padding: 4px 10px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: @hover; }
QMenu { background: @panel; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 8px; border-radius: 4px; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @disabled; }
QMenu::icon { padding-left: 6px; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QStatusBar { background: @panel; color: @muted; }
QStatusBar::item { border: none; }
QToolBar { background: @panel; border: none; spacing: 4px; padding: 2px; }
QSplitter::handle { background: @panel; }
QSplitter::handle:hover { background: @accent; }
QTabWidget::pane { border: none; border-top: 1px solid @line; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: @muted; padding: 7px 14px; border: none;
               border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:focus { color: @accent; }
QTabBar::tab:disabled { color: @disabled; }
QScrollArea { border: 1px solid transparent; }
QScrollArea:focus { border-color: @accent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: @scroll; border-radius: 3px; }
QScrollBar::handle:vertical { min-height: 28px; margin: 2px; }
QScrollBar::handle:horizontal { min-width: 28px; margin: 2px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)";

const char* const kButtons = R"(
QPushButton { background: @button; color: @text; border: 1px solid @line; border-radius: 4px;
              padding: 5px 12px; min-height: 16px; }
QPushButton:hover { background: @hover; }
QPushButton:pressed { background: @pressed; }
QPushButton:checked { background: @selection; border-color: @accent; }
QPushButton:focus { border-color: @accent; }
QPushButton:checked:focus { border-color: @text; }
QPushButton:disabled { background: @panel; color: @disabled; }
QPushButton:flat { background: transparent; border-color: transparent; }
QPushButton:flat:hover { background: @hover; }
QPushButton:flat:focus { border-color: @accent; }
QPushButton[primary="true"] { background: @accent; color: @onAccent; border-color: @accent;
                              font-weight: 600; }
QPushButton[primary="true"]:hover { background: @accentHover; border-color: @accentHover; }
QPushButton[primary="true"]:pressed { background: @accentPressed; }
QPushButton[primary="true"]:focus { border: 2px solid @text; padding: 4px 11px; }
QPushButton[primary="true"]:disabled { background: @button; color: @disabled; border-color: @line; }
QToolButton { background: transparent; color: @text; border: 1px solid transparent; border-radius: 4px;
              padding: 4px; }
QToolButton:hover { background: @hover; }
QToolButton:pressed { background: @pressed; }
QToolButton:checked { background: @selection; border-color: @accent; }
QToolButton:focus { border-color: @accent; }
QToolButton:checked:focus { border-color: @text; }
QToolButton:disabled { color: @disabled; }
QToolButton[titleButton="true"] { padding: 1px; border-radius: 3px; }
QToolButton[inRow="true"] { padding: 1px 3px; }
QToolButton[popupMode="1"] { padding-right: 18px; }
QToolButton::menu-button { border: none; width: 14px; }
QToolButton::menu-indicator, QToolButton::menu-arrow { image: url(:/icons/chevron-down.svg);
              width: 12px; height: 12px; }
QToolButton[popupMode="2"] { padding-right: 18px; }
QToolButton::menu-indicator { subcontrol-position: right center; right: 3px; }
QPushButton::menu-indicator { image: url(:/icons/chevron-down.svg); width: 12px; height: 12px;
              subcontrol-position: right center; right: 5px; }
QCheckBox, QRadioButton { spacing: 6px; }
QCheckBox:focus, QRadioButton:focus { color: @accent; }
)";

const char* const kFields = R"(
QLabel[heading="true"] { color: @text; font-weight: 600; padding-top: 3px; }
QLabel[muted="true"] { color: @muted; }
QLabel[kind="warning"] { color: @warning; }
QLabel[kind="error"] { color: @error; }
QLabel[kind="good"] { color: @good; }
QLabel:disabled { color: @disabled; }
QLineEdit, QComboBox, QAbstractSpinBox { background: @background; color: @text; border: 1px solid @line;
              border-radius: 4px; padding: 1px 6px; min-height: 18px;
              selection-background-color: @accent; selection-color: @onAccent; }
QAbstractSpinBox { max-height: 18px; }
QLineEdit:hover, QComboBox:hover, QAbstractSpinBox:hover { border-color: @muted; }
QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus { border-color: @accent; }
QLineEdit[problem="warning"] { border-color: @warning; }
QLineEdit[problem="error"] { border-color: @error; }
QLineEdit[problem="warning"]:focus { border: 2px solid @warning; padding: 2px 5px; }
QLineEdit[problem="error"]:focus { border: 2px solid @error; padding: 2px 5px; }
QLineEdit:read-only { background: @panel; }
QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled { background: @panel; color: @disabled; }
QComboBox { padding-right: 20px; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(:/icons/chevron-down.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @panel; border: 1px solid @line; padding: 2px; outline: none;
              selection-background-color: @selection; selection-color: @text; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; width: 16px; }
QAbstractSpinBox::up-arrow { image: url(:/icons/chevron-up.svg); width: 10px; height: 10px; }
QAbstractSpinBox::down-arrow { image: url(:/icons/chevron-down.svg); width: 10px; height: 10px; }
QTextEdit, QPlainTextEdit, QTextBrowser { background: @background; color: @text;
              border: 1px solid @line; border-radius: 4px;
              selection-background-color: @accent; selection-color: @onAccent; }
QTextEdit:focus, QPlainTextEdit:focus { border-color: @accent; }
QProgressBar { background: @track; border: none; border-radius: 3px; min-height: 6px;
              text-align: center; color: @text; }
QProgressBar::chunk { background: @chunk; border-radius: 3px; }
QSlider { min-height: 20px; }
QSlider::groove:horizontal { background: @track; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 2px; }
QSlider::sub-page:horizontal:disabled { background: @line; }
QSlider::handle:horizontal { background: @text; width: 12px; height: 12px; margin: -4px 0;
              border-radius: 6px; }
QSlider::handle:horizontal:hover { background: @accent; }
QSlider::handle:horizontal:focus { background: @accent; border: 1px solid @text; width: 10px;
              height: 10px; }
QSlider::handle:horizontal:disabled { background: @disabled; }
QGroupBox { border: none; margin-top: 20px; padding: 0; font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; left: 0; padding: 0; }
)";

const char* const kTables = R"(
QTableView, QTreeView, QListView { background: @background; alternate-background-color: @panel;
              color: @text; border: 1px solid transparent; gridline-color: @line; outline: none;
              selection-background-color: @selection; selection-color: @text; }
QTableView:focus, QTreeView:focus, QListView:focus { border-color: @accent; }
QTableView::item, QTreeView::item, QListView::item { padding: 3px 6px; border: none; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected {
              background: @selection; color: @text; }
QHeaderView { background: @panel; border: none; }
QHeaderView::section { background: @panel; color: @muted; border: none; font-weight: normal;
              border-bottom: 1px solid @line; padding: 5px 6px; }
QTableCornerButton::section { background: @panel; border: none; }
)";

}  // namespace

QColor disabledColour(const Theme& theme) {
    constexpr double kTowardsPanel = 0.62;
    return mixed(theme.text, theme.panel, kTowardsPanel);
}

QString styleSheetOf(const Theme& theme) {
    const QColor hover = mixed(theme.panel, theme.text, 0.14);
    // The longer words first: "@accent" is the beginning of "@accentHover".
    const std::initializer_list<std::pair<const char*, QColor>> colours = {
        {"@accentHover", mixed(theme.accent, theme.text, 0.2)},
        {"@accentPressed", mixed(theme.accent, theme.background, 0.25)},
        {"@accent", theme.accent},
        {"@onAccent", theme.onAccent},
        {"@background", theme.background},
        {"@panel", theme.panel},
        {"@text", theme.text},
        {"@muted", theme.muted},
        {"@line", theme.line},
        {"@warning", theme.warning},
        {"@error", theme.error},
        {"@good", theme.good},
        {"@disabled", disabledColour(theme)},
        {"@button", mixed(theme.panel, theme.text, 0.08)},
        {"@hover", hover},
        {"@pressed", mixed(theme.panel, theme.text, 0.22)},
        {"@selection", mixed(theme.panel, theme.accent, 0.28)},
        {"@scroll", mixed(theme.panel, theme.text, 0.28)},
        {"@chunk", mixed(theme.accent, theme.panel, 0.5)},  // the text upon it stays legible
        {"@track", mixed(theme.panel, theme.text, 0.16)},
    };
    QString sheet = QString(kFrame) + kButtons + kFields + kTables;
    for (const auto& [word, colour] : colours)
        sheet.replace(QLatin1String(word), colour.name());
    return sheet;
}

}  // namespace gantry
