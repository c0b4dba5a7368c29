#include "ui/panels/shared/host_browser.h"

#include <QDialogButtonBox>
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
#include "ui/panels/shared/host_texts.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/theme.h"

namespace gantry {

namespace {

constexpr int kIsFolder = Qt::UserRole;

QString parentOf(const QString& place) {
    const qsizetype slash = place.lastIndexOf('/');
    return slash <= 0 ? QStringLiteral("/") : place.left(slash);
}

}  // namespace

HostBrowser::HostBrowser(Host host, const QString& start, QWidget* parent)
    : QDialog(parent), m_host(std::move(host)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("hostBrowser");
    setWindowTitle(host_texts::foldersOf(QString::fromStdString(m_host.name)));
    constexpr QSize kSize(520, 480);
    resize(kSize);
    m_place = new QLineEdit;
    m_place->setObjectName("browsedPlace");
    auto* up = new QToolButton;
    up->setObjectName("browseUp");
    up->setIcon(icon("chevron-up"));
    up->setToolTip(host_texts::folderAbove());
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
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kSpacing, 2 * kSpacing, 2 * kSpacing, 2 * kSpacing);
    column->setSpacing(kSpacing);
    column->addLayout(top);
    column->addWidget(m_list, 1);
    column->addWidget(m_state);
    column->addWidget(m_buttons);
    connect(m_place, &QLineEdit::returnPressed, this, [this] { go(m_place->text()); });
    connect(up, &QToolButton::clicked, this,
            [this] { go(parentOf(QString::fromStdString(m_folder.path))); });
    connect(m_list, &QListWidget::itemActivated, this, &HostBrowser::enter);
    connect(m_list, &QListWidget::currentRowChanged, this, &HostBrowser::showChoice);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &HostBrowser::take);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    // Enter in the line goes to that folder.
    for (QAbstractButton* button : m_buttons->buttons())
        static_cast<QPushButton*>(button)->setAutoDefault(false);
    go(start.isEmpty() ? QStringLiteral("~") : parentOf(start));
}

HostBrowser::~HostBrowser() = default;

void HostBrowser::go(const QString& place) {
    showSentence(*m_state, host_texts::asking(QString::fromStdString(m_host.name)),
                 SentenceKind::muted);
    m_asking.cancel("folder");
    m_asking.add("folder", [this, host = m_host, place](const std::stop_token& stop) {
        try {
            const HostFolder folder =
                readHostFolder(HostShell(host), place.trimmed().toStdString(), stop);
            QMetaObject::invokeMethod(this, [this, folder] { show(folder); });
        } catch (const Cancelled&) {
        } catch (const std::exception& error) {
            const QString sentence = QString::fromStdString(messageOf(error));
            QMetaObject::invokeMethod(this, [this, sentence] { showProblem(sentence); });
        }
    });
}

void HostBrowser::show(const HostFolder& folder) {
    m_folder = folder;
    m_place->setText(QString::fromStdString(folder.path));
    m_list->clear();
    const auto add = [this](const std::string& name, bool isFolder) {
        auto* item = new QListWidgetItem(icon(isFolder ? "folder" : "scan"),
                                         QString::fromStdString(name), m_list);
        item->setData(kIsFolder, isFolder);
    };
    for (const std::string& name : folder.folders)
        add(name, true);
    for (const std::string& name : folder.scans)
        add(name, false);
    showSentence(*m_state, m_list->count() > 0 ? QString() : host_texts::isEmpty(),
                 SentenceKind::muted);
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

void HostBrowser::enter() {
    const QListWidgetItem* item = m_list->currentItem();
    if (!item) return;
    if (!item->data(kIsFolder).toBool()) return take();
    const QString path = QString::fromStdString(m_folder.path);
    go((path == "/" ? QString() : path) + '/' + item->text());
}

void HostBrowser::take() {
    const QListWidgetItem* item = m_list->currentItem();
    const QString path = QString::fromStdString(m_folder.path);
    QString scan = path + "/scan.json";
    if (item && item->data(kIsFolder).toBool()) scan = path + '/' + item->text() + "/scan.json";
    if (item && !item->data(kIsFolder).toBool()) scan = path + '/' + item->text();
    emit chosen(scan);
    close();
}

}  // namespace gantry
