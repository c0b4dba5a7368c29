// The dialogs and other windows of the main window.
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QTabWidget>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/version.h"
#include "ui/desktop/help/help_window.h"
#include "ui/desktop/window/main_window.h"
#include "ui/desktop/window/preferences.h"
#include "ui/models/file_endings.h"
#include "ui/models/text.h"
#include "ui/panels/geometry/geometry_panel.h"
#include "ui/panels/hosts/hosts_window.h"
#include "ui/panels/live/live_panel.h"
#include "ui/panels/montage/montage_window.h"
#include "ui/panels/shared/host_browser.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/new_widget.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

QString lastFolder(const Workspace& workspace) {
    const QStringList recent = workspace.recentFiles();
    return recent.isEmpty() ? QString() : QFileInfo(recent.first()).absolutePath();
}

QString folderOfVolume(Workspace& workspace) {
    const auto volume = workspace.volume().volume();
    return volume ? QFileInfo(volume->path).absolutePath() : lastFolder(workspace);
}

}  // namespace

void MainWindow::chooseFile() {
    choosePath(*this,
               {QStringLiteral("openDialog"), tr("Open a scan or a volume"),
                tr("Scans and volumes (%1);;All files (*)").arg(endingsToOpen()),
                QFileDialog::ExistingFile, lastFolder(m_workspace)},
               [this](const QString& path) { m_workspace.open(path); });
}

// For files that are as often volumes: opened as any file they are shown as that.
void MainWindow::chooseProjections() {
    choosePath(*this,
               {QStringLiteral("openProjectionsDialog"), tr("Open a file of projections"),
                tr("Stacks of images (%1);;All files (*)").arg(endingsOfProjections()),
                QFileDialog::ExistingFile, folderOfVolume(m_workspace)},
               [this](const QString& path) { m_workspace.openAsProjections(path); });
}

void MainWindow::chooseFolder() {
    choosePath(*this,
               {QStringLiteral("openFolderDialog"),
                tr("Open a folder of projections, or of a job"),
                {},
                QFileDialog::Directory,
                lastFolder(m_workspace)},
               [this](const QString& path) { m_workspace.open(path); });
}

void MainWindow::chooseComparison() {
    choosePath(*this,
               {QStringLiteral("compareDialog"), tr("Compare with another volume"),
                tr("Volumes (%1);;All files (*)").arg(endingsOfVolumes()),
                QFileDialog::ExistingFile, folderOfVolume(m_workspace)},
               [this](const QString& path) { compareWith(path); });
}

void MainWindow::chooseComparisonFolder() {
    choosePath(*this,
               {QStringLiteral("compareFolderDialog"),
                tr("Compare with a volume in a folder: OME-Zarr, or slices"),
                {},
                QFileDialog::Directory,
                folderOfVolume(m_workspace)},
               [this](const QString& path) { compareWith(path); });
}

void MainWindow::compareWith(const QString& path) {
    m_workspace.comparison().open(path);
    if (m_workspace.comparison().isActive()) showTab(Tab::slices);
}

void MainWindow::chooseScanToSave() {
    // A guessed scan of images gets the name by which it will be found again.
    const QString start = toText(m_workspace.scan().request().job.scan.path);
    SaveDialog dialog(this, tr("Save the scan"), start, {{tr("Scans"), {"json"}}});
    dialog.setObjectName("saveDialog");
    dialog.setOwn(start);
    if (dialog.exec() != QDialog::Accepted) return;
    try {
        m_workspace.scan().saveScan(dialog.selectedFiles().value(0));
    } catch (const std::exception& error) {
        m_messages->show({Message::Kind::error, QString::fromStdString(messageOf(error)), {}, {}});
    }
}

void MainWindow::chooseGeometryToImport() {
    m_geometry->askForImport();
}

void MainWindow::chooseGeometryToExport() {
    m_geometry->askForExport();
}

void MainWindow::startLive() {
    if (!takeEdits()) return;
    showTab(Tab::live);
    m_live->start();
}

void MainWindow::calibrate() {
    m_geometry->calibrate();
}

void MainWindow::findCentre() {
    m_geometry->findCentre();
}

void MainWindow::checkConventions() {
    m_geometry->checkConventions();
}

// Where slices are looked at, or the middle of the volume.
Vec3 MainWindow::seenPlaceMm() {
    const bool hasVolume = m_workspace.volume().volume() != nullptr;
    const std::optional<Vec3> live = m_live->crossMm();
    if (live && (!hasVolume || m_tabs->currentWidget() == m_live)) return *live;
    if (hasVolume) return m_workspace.selection().crossHairMm();
    const auto& [x, y, z] = m_workspace.scan().request().job.volume.centerMm;
    return {x, y, z};
}

void MainWindow::compareValues(const std::string& parameter) {
    if (!m_montage) {
        m_montage = new MontageWindow(m_workspace, this);
        m_montage->setProperty("helpPage", "desktop-live.md");
    }
    m_montage->showFor(seenPlaceMm(), parameter);
}

void MainWindow::showHelp() {
    for (const QWidget* widget = QApplication::focusWidget(); widget;
         widget = widget->parentWidget()) {
        const QString page = widget->property("helpPage").toString();
        if (!page.isEmpty()) return showHelpPage(page);
    }
    showHelpPage("desktop.md");
}

void MainWindow::showHelpPage(const QString& page) {
    if (!m_help) m_help = new HelpWindow(this);
    m_help->showPage(page);
    m_help->show();
    m_help->raise();
    m_help->activateWindow();
}

void MainWindow::showPreferences() {
    auto* dialog = new PreferencesDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &PreferencesDialog::changed, this, [](const Preferences& preferences) {
        applyTheme(*static_cast<QApplication*>(QCoreApplication::instance()), preferences.theme);
    });
    dialog->open();
}

void MainWindow::askForEntry(const QString& path, const QStringList& entries) {
    auto* dialog = named(new QInputDialog(this), "entryDialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Which scan?"));
    dialog->setLabelText(tr("%1 holds %2 scans. Which one is to be opened?")
                             .arg(QFileInfo(path).fileName())
                             .arg(entries.size()));
    dialog->setComboBoxItems(entries);
    dialog->setOption(QInputDialog::UseListViewForComboBoxItems);
    dialog->setOkButtonText(tr("Open"));
    connect(dialog, &QInputDialog::textValueSelected, this,
            [this, path](const QString& entry) { m_workspace.openEntry(path, entry); });
    dialog->open();
}

void MainWindow::showHosts() {
    auto* window = new HostsWindow(m_workspace.hosts(), this);
    window->setProperty("helpPage", "remote-jobs.md");
    window->open();
}

// Without a host there is nothing to browse.
void MainWindow::chooseScanOnHost() {
    std::vector<Host> hosts;
    for (const KnownHost& known : m_workspace.hosts().known())
        if (known.host) hosts.push_back(*known.host);
    if (hosts.empty()) return showHosts();
    auto* browser = new HostBrowser(hosts, {}, this);
    browser->setProperty("helpPage", "remote-jobs.md");
    connect(browser, &HostBrowser::chosen, this,
            [this](const QString& scan, const Host& host) { m_workspace.openOnHost(host, scan); });
    browser->open();
}

void MainWindow::toggleTheme() {
    Preferences preferences = Preferences::read();
    preferences.theme = preferences.theme == ThemeKind::dark ? ThemeKind::light : ThemeKind::dark;
    preferences.write();
    applyTheme(*static_cast<QApplication*>(QCoreApplication::instance()), preferences.theme);
}

void MainWindow::showAbout() {
    QMessageBox::about(
        this, tr("About Gantry"),
        tr("<h3>Gantry %1</h3><p>CT reconstruction workstation: cone-beam scans to volumes by "
           "FDK.</p><p>Licensed under the Apache License 2.0. The window is made with Qt %2 "
           "and VTK.</p>")
            .arg(QString::fromStdString(std::string(programVersion())), qVersion()));
}

}  // namespace gantry
