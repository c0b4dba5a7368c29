#pragma once

#include <QAction>
#include <QApplication>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QTest>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "ui/desktop/bench/stall_watch.h"
#include "ui/desktop/window/main_window.h"
#include "ui/models/text.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {

/// A user notices a longer stall as one. Work of a window that is done in its own thread, such as a
/// file that is read or a picture that is made, takes longer; `gantry bench desktop` measures the
/// milliseconds, which depend on how busy the machine is. Instrumented code is some times slower.
#ifdef GANTRY_SANITIZED
inline constexpr double kLongestStallMs = 1000;
#else
inline constexpr double kLongestStallMs = 200;
#endif
/// A window that waits for a host that does not answer stalls for seconds.
inline constexpr double kHangMs = 1000;

/// The command of a menu bar's menu by its text without the '&'; null where there is none.
inline QAction* actionOf(MainWindow& window, const QString& text) {
    for (QAction* top : window.menuBar()->actions())
        for (QAction* action : top->menu()->actions())
            if (QString(action->text()).remove('&') == text) return action;
    return nullptr;
}

/// The whole desktop in a real window, with a folder for its scans and volumes.
class Desk {
  public:
    explicit Desk(QSize size = {1600, 1000}) { open(size); }

    /// Closes the window, as its cross does, and opens a new one: another start of the program.
    void reopen(QSize size = {1600, 1000}) {
        m_window.reset();
        m_workspace.reset();
        open(size);
    }

    [[nodiscard]] MainWindow& window() { return *m_window; }
    [[nodiscard]] Workspace& workspace() { return *m_workspace; }
    [[nodiscard]] StallWatch& watch() { return m_watch; }
    [[nodiscard]] std::filesystem::path folder() const { return m_folder.path(); }

    /// A part of the window by its object name.
    template <class T>
    T& part(const char* name) {
        T* found = m_window->findChild<T*>(name);
        if (!found) throw std::runtime_error(std::string("the window has no ") + name);
        return *found;
    }

    /// A Shepp-Logan scan on disk, in a folder whose name is no plain word.
    std::filesystem::path makeScan(Index views = 40, Index pixels = 64,
                                   const std::string& name = "Zahn \"3\" größer/scan") {
        const std::filesystem::path scan = m_folder / name;
        std::filesystem::create_directories(scan.parent_path());
        (void)simulated(smallScan(views, pixels, pixels, 410), scan);
        return scan;
    }

    /// Drops a file on the window, as from a file manager.
    void drop(const std::filesystem::path& path) {
        QMimeData data;
        const QByteArray bytes = QByteArray::fromStdString(path.string());
        data.setUrls({QUrl::fromEncoded("file://" + bytes.toPercentEncoding("/"))});
        const QPoint at = m_window->rect().center();
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_window.get(), &enter);
        ASSERT_TRUE(enter.isAccepted());
        QDropEvent dropped(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(m_window.get(), &dropped);
    }

    /// Opens a scan by a drop and waits until its images can be read.
    void openScan(const std::filesystem::path& path) {
        drop(path);
        ASSERT_TRUE(waitUntil([this] { return m_workspace->scan().openScan() != nullptr; }));
    }

  private:
    void open(QSize size) {
        m_workspace = std::make_unique<Workspace>(m_machine.machine(), m_machine.program());
        m_window = std::make_unique<MainWindow>(*m_workspace);
        show(*m_window, size);
        m_watch.start();
    }

    TemporaryFolder m_folder;
    FakeMachine m_machine;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<MainWindow> m_window;
    StallWatch m_watch;
};

}  // namespace gantry::test
