#include "ui/panels/hosts/hosts_window.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "core/base/file.h"
#include "ui/models/text.h"
#include "ui/panels/hosts/host_check_list.h"
#include "ui/panels/hosts/host_form.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/jobs/host_plan.h"

namespace gantry {

namespace {

QString notSaved(const QString& why) {
    return HostsWindow::tr("Not saved: %1").arg(why);
}

QPushButton* button(const char* name, const QString& text, const QString& help) {
    auto* made = named(new QPushButton(text), name, help);
    made->setAutoDefault(false);
    return made;
}

}  // namespace

HostsWindow::HostsWindow(HostPlan& plan, QWidget* parent) : QDialog(parent), m_plan(plan) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("hostsWindow");
    setWindowTitle(tr("Hosts"));
    constexpr QSize kSize(880, 640);
    resize(kSize);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->button(QDialogButtonBox::Close)->setIcon({});
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* row = spaced(new QHBoxLayout, 2 * kSpacing);
    row->addWidget(makeList());
    row->addWidget(makePage(), 1);
    auto* column = spaced(new QVBoxLayout(this), kSpacing, 2 * kSpacing);
    column->addLayout(row, 1);
    column->addWidget(buttons);
    connect(&plan, &HostPlan::knownChanged, this, &HostsWindow::showKnown);
    m_toSelect = plan.chosen();
    showKnown();
    plan.reload();
}

QWidget* HostsWindow::makeList() {
    auto* part = new QWidget;
    constexpr int kWidth = 26 * kSpacing;
    part->setFixedWidth(kWidth);
    auto* column = spaced(new QVBoxLayout(part), kSpacing);
    m_list = named(new QListWidget, "hosts");
    column->addWidget(m_list, 1);
    QPushButton* add = button("addHost", tr("Add"), tr("A new host, to be filled in."));
    QPushButton* open =
        button("openHost", tr("From file…"), tr("Takes a host's file, as a site hands it out."));
    m_remove =
        button("removeHost", tr("Remove"), tr("Forgets the host. What is on it stays there."));
    auto* row = spaced(new QHBoxLayout, kSpacing);
    row->addWidget(add);
    row->addWidget(open);
    column->addLayout(row);
    column->addWidget(m_remove);
    connect(m_list, &QListWidget::currentRowChanged, this, &HostsWindow::showSelected);
    connect(add, &QPushButton::clicked, this, &HostsWindow::addNew);
    connect(open, &QPushButton::clicked, this, &HostsWindow::chooseFile);
    connect(m_remove, &QPushButton::clicked, this, &HostsWindow::removeSelected);
    return part;
}

QWidget* HostsWindow::makePage() {
    auto* page = new QWidget;
    auto* column = spaced(new QVBoxLayout(page), 2 * kSpacing, {0, 0, kSpacing, 0});
    m_state = named(wrapped(new QLabel), "hostState");
    m_form = new HostForm;
    m_check = new HostCheckList;
    column->addWidget(m_check);
    column->addWidget(m_form);
    column->addStretch(1);
    m_page = new QScrollArea;
    m_page->setWidgetResizable(true);
    m_page->setFrameShape(QFrame::NoFrame);
    m_page->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_page->setWidget(page);
    auto* part = new QWidget;
    auto* all = spaced(new QVBoxLayout(part), kSpacing);
    all->addWidget(m_page, 1);
    auto* bottom = spaced(new QHBoxLayout, kSpacing);
    bottom->addWidget(m_state, 1);
    m_save = button("saveHost", tr("Save this host"),
                    tr("Keeps the new host. Later edits are kept at once."));
    m_save->setProperty("primary", true);
    bottom->addWidget(m_save);
    all->addLayout(bottom);
    connect(m_save, &QPushButton::clicked, this, &HostsWindow::saveNew);
    connect(m_form, &HostForm::edited, this, &HostsWindow::keep);
    connect(m_check, &HostCheckList::answered, this,
            [this] { m_page->verticalScrollBar()->setValue(0); });
    return part;
}

void HostsWindow::showKnown() {
    const QListWidgetItem* current = m_list->currentItem();
    QString name = m_toSelect.isEmpty() && current ? current->text() : m_toSelect;
    {
        const QSignalBlocker silent(m_list);
        m_list->clear();
        for (const KnownHost& each : m_plan.known())
            m_list->addItem(each.name);
        if (m_new) {
            m_list->addItem(QString::fromStdString(m_new->name));
            name = QString::fromStdString(m_new->name);
        }
    }
    m_toSelect.clear();
    select(name);
}

void HostsWindow::select(const QString& name) {
    const QList<QListWidgetItem*> found = m_list->findItems(name, Qt::MatchExactly);
    {
        const QSignalBlocker silent(m_list);
        m_list->setCurrentRow(found.isEmpty() ? (m_list->count() > 0 ? 0 : -1)
                                              : m_list->row(found.last()));
    }
    showSelected();
}

void HostsWindow::showSelected() {
    const int row = m_list->currentRow();
    const auto count = static_cast<int>(m_plan.known().size());
    m_page->setVisible(row >= 0);
    m_remove->setEnabled(row >= 0);
    m_save->setVisible(row >= count);
    if (row < 0) {
        m_check->setHost({});
        showSentence(*m_state,
                     tr("No host is known yet. Open the file that your site hands out, or add one "
                        "and fill in how it is reached."),
                     SentenceKind::muted);
        return;
    }
    showSentence(*m_state, {});
    if (row >= count) {
        m_form->setVisible(true);
        if (!m_form->isNew()) m_form->showHost(*m_new, true);
        m_check->setHost({});
        return;
    }
    m_new.reset();
    const KnownHost& known = m_plan.known()[row];
    m_form->setVisible(known.host.has_value());
    m_check->setHost(known.host);
    if (!known.host) return showSentence(*m_state, known.problem, SentenceKind::error);
    const Host& shown = m_form->host();
    // What is being typed is newer than what was read.
    if (shown.name != known.host->name || m_form->isNew()) m_form->showHost(*known.host, false);
}

void HostsWindow::addNew() {
    m_new.emplace();
    m_new->name = tr("new-host").toStdString();
    m_new->scratch = "~/gantry";
    showKnown();
    if (auto* name = m_form->findChild<QWidget*>("host.name")) {
        name->setFocus();
        QMetaObject::invokeMethod(name, "selectAll");
    }
}

void HostsWindow::chooseFile() {
    choosePath(*this,
               {QStringLiteral("hostDialog"), tr("Open a host's file"),
                tr("Hosts (*.json);;All files (*)")},
               [this](const QString& path) { openFile(path); });
}

HostsWindow::~HostsWindow() {
    // The field that has the focus gives up its edit while there is still somebody to keep it.
    hide();
}

void HostsWindow::openFile(const QString& path) {
    try {
        constexpr Index kMaxBytes = 1'000'000;
        const Host host = parseHost(readTextFile(toPath(path), kMaxBytes), toPath(path));
        addHost(host);
        m_new.reset();
        m_toSelect = QString::fromStdString(host.name);
        m_plan.reload();
    } catch (const Error& error) {
        showSentence(*m_state, QString::fromStdString(error.message()), SentenceKind::error);
    }
}

void HostsWindow::removeSelected() {
    const QListWidgetItem* item = m_list->currentItem();
    if (!item) return;
    if (m_new) {
        m_new.reset();
        showKnown();
        return;
    }
    auto* box = named(
        new QMessageBox(QMessageBox::Question, tr("Hosts"),
                        tr("Remove the host %1?").arg(item->text()), QMessageBox::Cancel, this),
        "removeQuestion");
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        tr("Its file is deleted here. Nothing on the host changes, but jobs that it runs cannot be "
           "watched or fetched until it is added again."));
    QPushButton* yes =
        named(box->addButton(tr("Remove"), QMessageBox::DestructiveRole), "removeYes");
    connect(yes, &QPushButton::clicked, this, [this, name = item->text()] {
        try {
            gantry::removeHost(name.toStdString());
        } catch (const Error& error) {
            showSentence(*m_state, QString::fromStdString(error.message()), SentenceKind::error);
        }
        m_plan.reload();
    });
    box->open();
}

// At once, where it is right: nothing that was typed gets lost.
void HostsWindow::keep() {
    const Host& host = m_form->host();
    try {
        if (m_new) {
            m_new = host;
            m_list->item(m_list->count() - 1)->setText(QString::fromStdString(host.name));
            (void)checkedHost(host);
            m_form->setProblem({}, {});
            showSentence(*m_state, {});
            return;
        }
        keepHost(host);
        m_form->setProblem({}, {});
        m_check->setHost(host);
        showSentence(*m_state, tr("Saved."), SentenceKind::muted);
        m_plan.reload();
    } catch (const Error& error) {
        const QString sentence = QString::fromStdString(error.message());
        m_form->setProblem(QString::fromStdString(error.details().field), sentence);
        showSentence(*m_state, notSaved(sentence), SentenceKind::error);
    }
}

void HostsWindow::saveNew() {
    if (!m_new || !takePendingEdits(*this)) return;
    try {
        addHost(*m_new);
        m_toSelect = QString::fromStdString(m_new->name);
        m_new.reset();
        m_plan.reload();
    } catch (const Error& error) {
        const QString sentence = QString::fromStdString(error.message());
        m_form->setProblem(QString::fromStdString(error.details().field), sentence);
        showSentence(*m_state, notSaved(sentence), SentenceKind::error);
    }
}

}  // namespace gantry
