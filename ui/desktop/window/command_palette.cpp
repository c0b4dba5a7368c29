#include "ui/desktop/window/command_palette.h"

#include <QAction>
#include <QCheckBox>
#include <QCoreApplication>
#include <QDockWidget>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QString nameOf(const QAction& action) {
    QString name = action.text();
    return name.remove('&');
}

// Words of one line lead to names with any other of that line.
QList<QStringList> synonyms() {
    QList<QStringList> lines;
    for (const QString& line : CommandPalette::tr("stl ply mesh surface isosurface\n"
                                                  "ruler length measure distance calliper\n"
                                                  "measure angle profile region\n"
                                                  "screenshot snapshot png image picture slice\n"
                                                  "movie video rotate turntable\n"
                                                  "export store write save\n"
                                                  "load import open\n"
                                                  "crop roi region clip\n"
                                                  "mip slab\n"
                                                  "cor axis centre\n"
                                                  "contrast brightness grey window level\n"
                                                  "cluster slurm ssh remote server host\n"
                                                  "gpu cuda graphics engine\n"
                                                  "stop abort kill cancel\n"
                                                  "colour theme style dark\n"
                                                  "shortcuts keys keyboard\n"
                                                  "difference diff compare\n"
                                                  "montage parameter sweep trying values\n"
                                                  "quality accuracy verify\n"
                                                  "options settings preferences\n"
                                                  "picture alone maximise fullscreen screen")
                                   .split('\n'))
        lines << line.split(' ', Qt::SkipEmptyParts);
    return lines;
}

// Whether a word, or one that means the same, is in the name. Shorter beginnings of other words
// would find too much.
bool hasWord(const QString& name, const QString& word) {
    if (name.contains(word, Qt::CaseInsensitive)) return true;
    constexpr qsizetype kMinLetters = 3;
    if (word.size() < kMinLetters) return false;
    static const QList<QStringList> lines = synonyms();
    return std::ranges::any_of(lines, [&](const QStringList& line) {
        const auto isMeant = [&](const QString& each) {
            return each.startsWith(word, Qt::CaseInsensitive);
        };
        const auto isNamed = [&](const QString& each) {
            return name.contains(each, Qt::CaseInsensitive);
        };
        return std::ranges::any_of(line, isMeant) && std::ranges::any_of(line, isNamed);
    });
}

// Whether every typed word is in the name.
bool matches(const QString& name, const QString& text) {
    const QStringList words = text.split(' ', Qt::SkipEmptyParts);
    return std::ranges::all_of(words, [&](const QString& word) { return hasWord(name, word); });
}

}  // namespace

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup), m_actions(actions) {
    setObjectName("commandPalette");
    setAttribute(Qt::WA_DeleteOnClose);
    for (QAction* action : actions)
        if (!action->parent()) action->setParent(this);
    resize(480, 360);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kSpacing, kSpacing, kSpacing, kSpacing);
    m_edit = new QLineEdit;
    m_edit->setPlaceholderText(tr("Search actions and fields"));
    m_edit->addAction(icon("search"), QLineEdit::LeadingPosition);
    m_list = new QListWidget;
    m_list->setWordWrap(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    layout->addWidget(m_edit);
    layout->addWidget(m_list);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_edit, &QLineEdit::returnPressed, this, &CommandPalette::choose);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::choose);
    filter({});
    m_edit->setFocus();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step != 0) {
            m_list->setCurrentRow(
                qBound(0, m_list->currentRow() + step, qMax(0, m_list->count() - 1)));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void CommandPalette::filter(const QString& text) {
    m_list->clear();
    for (QAction* action : m_actions) {
        const QString name = nameOf(*action);
        if (!matches(name, text)) continue;
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        auto* item = new QListWidgetItem(
            action->icon(), keys.isEmpty() ? name : tr("%1   (%2)").arg(name, keys), m_list);
        item->setData(Qt::UserRole, QVariant::fromValue<QObject*>(action));
        if (!action->isEnabled()) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    }
    m_list->setCurrentRow(0);
    if (m_list->count() > 0) return;
    auto* none = new QListWidgetItem(
        tr("No action or field is called “%1”. Try another word, or look in the manual (F1).")
            .arg(text.simplified()),
        m_list);
    none->setFlags(Qt::NoItemFlags);
}

void CommandPalette::choose() {
    const QListWidgetItem* item = m_list->currentItem();
    if (!item || !(item->flags() & Qt::ItemIsEnabled)) return;
    auto* action = qobject_cast<QAction*>(item->data(Qt::UserRole).value<QObject*>());
    close();
    if (action) action->trigger();
}

namespace {

QAction* actionFor(const QDockWidget& dock, QString label, QWidget& field) {
    label.remove('&');
    auto* action = new QAction(
        QCoreApplication::translate("FieldAction", "%1: %2").arg(dock.windowTitle(), label));
    action->setEnabled(field.isEnabledTo(dock.widget()));
    QObject::connect(action, &QAction::triggered, &field, [&field] { focusField(field); });
    return action;
}

}  // namespace

QList<QAction*> fieldActions(const QMainWindow& window) {
    QList<QAction*> actions;
    const auto docks = window.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly);
    for (const QDockWidget* dock : docks) {
        const QWidget& form = *dock->widget();
        for (const QLabel* label : form.findChildren<QLabel*>()) {
            QWidget* field = label->buddy();
            if (!field || !field->isVisibleTo(&form)) continue;
            const QString name = label->accessibleName();
            actions << actionFor(*dock, name.isEmpty() ? label->text() : name, *field);
        }
        for (QCheckBox* box : form.findChildren<QCheckBox*>())
            if (!box->text().isEmpty() && box->isVisibleTo(&form))
                actions << actionFor(*dock, box->text(), *box);
    }
    return actions;
}

}  // namespace gantry
