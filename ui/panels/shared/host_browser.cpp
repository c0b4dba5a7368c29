#include "ui/panels/shared/host_browser.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "core/remote/shell/host_shell.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
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

// The name on one line: a line break becomes an arrow.
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
    m_path = named(new QLineEdit, "browsedPlace");
    auto* up = named(new QToolButton, "browseUp", tr("The folder above"));
    up->setIcon(icon("chevron-up"));
    auto* top = spaced(new QHBoxLayout, kSpacing / 2);
    top->addWidget(m_path, 1);
    top->addWidget(up);
    m_list = named(new QListWidget, "browsedList");
    m_status = named(wrapped(new QLabel), "browsedState");
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    for (QAbstractButton* button : m_buttons->buttons())
        button->setIcon({});
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Choose"));
    auto* column = spaced(new QVBoxLayout(this), kSpacing, 2 * kSpacing);
    if (m_hosts.size() > 1) column->addWidget(makeHostList());
    column->addLayout(top);
    column->addWidget(m_list, 1);
    column->addWidget(m_status);
    column->addWidget(m_buttons);
    connect(m_path, &QLineEdit::returnPressed, this, &HostBrowser::openTyped);
    connect(up, &QToolButton::clicked, this, &HostBrowser::openParent);
    connect(m_list, &QListWidget::itemActivated, this, &HostBrowser::openSelected);
    connect(m_list, &QListWidget::currentRowChanged, this, &HostBrowser::updateChooseButton);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &HostBrowser::chooseScan);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    // Enter in the path's field opens that folder; it must not press a button.
    for (QAbstractButton* button : m_buttons->buttons())
        static_cast<QPushButton*>(button)->setAutoDefault(false);
    openFolder(start.isEmpty() ? "~" : parentOf(start.toStdString()));
}

QWidget* HostBrowser::makeHostList() {
    auto* box = named(new QComboBox, "browsedHost", tr("The host whose folders are shown"));
    box->setAccessibleName(tr("The host whose folders are shown"));
    for (const Host& host : m_hosts)
        box->addItem(QString::fromStdString(host.name));
    connect(box, &QComboBox::activated, this, &HostBrowser::selectHost);
    return box;
}

void HostBrowser::selectHost(int host) {
    m_host = m_hosts.at(static_cast<std::size_t>(host));
    setWindowTitle(foldersOf(QString::fromStdString(m_host.name)));
    m_folder = {};
    m_list->clear();
    m_path->clear();
    updateChooseButton();
    openFolder("~");
}

// Enter opens the typed path or the selected entry. QDialog would also press the default button and
// so choose a scan.
void HostBrowser::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter)
        QDialog::keyPressEvent(event);
}

void HostBrowser::openFolder(const std::string& place) {
    showSentence(*m_status, tr("Asking %1…").arg(QString::fromStdString(m_host.name)),
                 SentenceKind::muted);
    m_reading.start(
        [host = m_host, place](const std::stop_token& stop) {
            return readHostFolder(HostShell(host), place, stop);
        },
        [this](const HostFolder& folder) { show(folder); },
        [this](const QString& sentence) { showProblem(sentence); });
}

// Uses the field's text only if the user has changed it: the field may show a path inexactly, for
// example one with line breaks.
void HostBrowser::openTyped() {
    if (m_path->isModified()) return openFolder(m_path->text().trimmed().toStdString());
    if (!m_folder.path.empty()) openFolder(m_folder.path);
}

void HostBrowser::openParent() {
    if (!m_folder.path.empty()) return openFolder(parentOf(m_folder.path));
    openFolder(parentOf(m_path->text().trimmed().toStdString()));
}

void HostBrowser::show(const HostFolder& folder) {
    m_folder = folder;
    m_path->setText(shownName(folder.path));
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
    showSentence(*m_status, remark, folder.isCut ? SentenceKind::warning : SentenceKind::muted);
    updateChooseButton();
}

void HostBrowser::showProblem(const QString& sentence) {
    showSentence(*m_status, sentence, SentenceKind::error);
    updateChooseButton();
}

// Allows to choose without a selected entry, which means the scan.json of the folder itself.
void HostBrowser::updateChooseButton() {
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

void HostBrowser::openSelected() {
    const int row = m_list->currentRow();
    if (row < 0) return;
    if (isFolder(row)) return openFolder(pathOf(row));
    chooseScan();
}

void HostBrowser::chooseScan() {
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
