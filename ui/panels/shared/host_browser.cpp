#include "ui/panels/shared/host_browser.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMetaObject>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "core/base/error.h"
#include "core/remote/host_shell.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QString foldersOf(const QString& host) {
    return HostBrowser::tr("Folders of %1").arg(host);
}

std::string parentOf(const std::string& place) {
    const std::size_t slash = place.find_last_of('/');
    return slash == std::string::npos || slash == 0 ? "/" : place.substr(0, slash);
}

// On one line.
QString shownName(const std::string& name) {
    return QString::fromStdString(name).replace(QChar('\n'), QChar(0x21B5));
}

}  // namespace

HostBrowser::HostBrowser(std::vector<Host> hosts, const QString& start, QWidget* parent)
    : QDialog(parent), m_hosts(std::move(hosts)), m_host(m_hosts.at(0)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("hostBrowser");
    setWindowTitle(foldersOf(QString::fromStdString(m_host.name)));
    constexpr QSize kSize(520, 480);
    resize(kSize);
    m_place = new QLineEdit;
    m_place->setObjectName("browsedPlace");
    auto* up = new QToolButton;
    up->setObjectName("browseUp");
    up->setIcon(icon("chevron-up"));
    up->setToolTip(tr("The folder above"));
    auto* top = new QHBoxLayout;
    top->setSpacing(kSpacing / 2);
    top->addWidget(m_place, 1);
    top->addWidget(up);
    m_list = new QListWidget;
    m_list->setObjectName("browsedList");
    m_state = new QLabel;
    m_state->setObjectName("browsedState");
    m_state->setWordWrap(true);
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    for (QAbstractButton* button : m_buttons->buttons())
        button->setIcon({});
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Choose"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kSpacing, 2 * kSpacing, 2 * kSpacing, 2 * kSpacing);
    column->setSpacing(kSpacing);
    if (m_hosts.size() > 1) column->addWidget(makeHosts());
    column->addLayout(top);
    column->addWidget(m_list, 1);
    column->addWidget(m_state);
    column->addWidget(m_buttons);
    connect(m_place, &QLineEdit::returnPressed, this, &HostBrowser::goTyped);
    connect(up, &QToolButton::clicked, this, &HostBrowser::goUp);
    connect(m_list, &QListWidget::itemActivated, this, &HostBrowser::enter);
    connect(m_list, &QListWidget::currentRowChanged, this, &HostBrowser::showChoice);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &HostBrowser::take);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    // Enter in the line goes to that folder.
    for (QAbstractButton* button : m_buttons->buttons())
        static_cast<QPushButton*>(button)->setAutoDefault(false);
    go(start.isEmpty() ? "~" : parentOf(start.toStdString()));
}

QWidget* HostBrowser::makeHosts() {
    auto* box = new QComboBox;
    box->setObjectName("browsedHost");
    box->setAccessibleName(tr("The host whose folders are shown"));
    box->setToolTip(tr("The host whose folders are shown"));
    for (const Host& host : m_hosts)
        box->addItem(QString::fromStdString(host.name));
    connect(box, &QComboBox::activated, this, &HostBrowser::goTo);
    return box;
}

void HostBrowser::goTo(int host) {
    m_host = m_hosts.at(static_cast<std::size_t>(host));
    setWindowTitle(foldersOf(QString::fromStdString(m_host.name)));
    m_folder = {};
    m_list->clear();
    m_place->clear();
    showChoice();
    go("~");
}

// Enter opens what is typed or chosen; it must not take the scan as well, as a dialog's does.
void HostBrowser::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter)
        QDialog::keyPressEvent(event);
}

void HostBrowser::go(const std::string& place) {
    showSentence(*m_state, tr("Asking %1…").arg(QString::fromStdString(m_host.name)),
                 SentenceKind::muted);
    m_asking.cancel("folder");
    m_asking.add("folder", [this, host = m_host, place](const std::stop_token& stop) {
        try {
            const HostFolder folder = readHostFolder(HostShell(host), place, stop);
            QMetaObject::invokeMethod(this, [this, folder] { show(folder); });
        } catch (const Cancelled&) {
        } catch (const std::exception& error) {
            const QString sentence = QString::fromStdString(messageOf(error));
            QMetaObject::invokeMethod(this, [this, sentence] { showProblem(sentence); });
        }
    });
}

// A name that the line cannot show as it is must not be taken from there.
void HostBrowser::goTyped() {
    if (m_place->isModified()) return go(m_place->text().trimmed().toStdString());
    if (!m_folder.path.empty()) go(m_folder.path);
}

void HostBrowser::goUp() {
    if (!m_folder.path.empty()) return go(parentOf(m_folder.path));
    go(parentOf(m_place->text().trimmed().toStdString()));
}

void HostBrowser::show(const HostFolder& folder) {
    m_folder = folder;
    m_place->setText(shownName(folder.path));
    m_list->clear();
    for (const std::string& name : folder.folders)
        new QListWidgetItem(icon("folder"), shownName(name), m_list);
    for (const std::string& name : folder.scans)
        new QListWidgetItem(icon("scan"), shownName(name), m_list);
    QString remark = m_list->count() > 0 ? tr("Choose a scan's file, or the folder that has a "
                                              "scan.json. A double click opens a folder.")
                                         : tr("There are no folders and no scans here.");
    if (folder.isCut)
        remark = tr("This folder has more than the %1 entries shown. Type the place of the one "
                    "that you want above.")
                     .arg(m_list->count());
    showSentence(*m_state, remark, folder.isCut ? SentenceKind::warning : SentenceKind::muted);
    showChoice();
}

void HostBrowser::showProblem(const QString& sentence) {
    showSentence(*m_state, sentence, SentenceKind::error);
    showChoice();
}

// A folder's own scan.json is meant where no other file is chosen.
void HostBrowser::showChoice() {
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(!m_folder.path.empty());
}

bool HostBrowser::isFolder(int row) const {
    return row < static_cast<int>(m_folder.folders.size());
}

std::string HostBrowser::pathOf(int row) const {
    const auto index = static_cast<std::size_t>(row);
    const std::size_t folders = m_folder.folders.size();
    const std::string& name =
        index < folders ? m_folder.folders[index] : m_folder.scans[index - folders];
    return (m_folder.path == "/" ? std::string() : m_folder.path) + '/' + name;
}

void HostBrowser::enter() {
    const int row = m_list->currentRow();
    if (row < 0) return;
    if (isFolder(row)) return go(pathOf(row));
    take();
}

void HostBrowser::take() {
    const int row = m_list->currentRow();
    std::string scan = row < 0 ? m_folder.path : pathOf(row);
    if (row < 0 || isFolder(row)) scan += scan.ends_with('/') ? "scan.json" : "/scan.json";
    const QString chosenScan = QString::fromStdString(scan);
    if (chosenScan.toStdString() != scan)
        return showProblem(tr("The name of %1 is not in UTF-8, so it cannot be taken from here. "
                              "Rename it on the host, or make a link to it.")
                               .arg(chosenScan));
    emit chosen(chosenScan, m_host);
    close();
}

}  // namespace gantry
