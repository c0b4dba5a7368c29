#include "ui/desktop/desktop.h"

#include <QApplication>
#include <QSettings>
#include <QTimer>
#include <array>
#include <cstdlib>
#include <utility>

#include "core/base/error.h"
#include "core/base/version.h"
#include "ui/desktop/window/main_window.h"
#include "ui/desktop/window/preferences.h"
#include "ui/models/image/montage_sheet.h"
#include "ui/models/text.h"
#include "ui/scene/graphics.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

bool hasDisplay() {
    for (const char* name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
        if (const char* value = std::getenv(name); value && *value) return true;
    return false;
}

void requireDisplay() {
    if (hasDisplay()) return;
    throw InputError(
        "No display was found for the desktop: neither DISPLAY nor WAYLAND_DISPLAY is set. The "
        "command line works without one: see gantry --help.");
}

int runDesktop(Machine machine, const std::filesystem::path& program,
               const std::optional<std::filesystem::path>& open, const std::stop_token& stop) {
    requireDisplay();
    prepareGraphics();
    int count = 1;
    std::string name = program.string();
    std::array<char*, 2> words = {name.data(), nullptr};
    QApplication application(count, words.data());
    QCoreApplication::setOrganizationName("Gantry");
    QCoreApplication::setApplicationName("gantry");
    QCoreApplication::setApplicationVersion(QString::fromStdString(std::string(programVersion())));
    QGuiApplication::setDesktopFileName("gantry");
    applyTheme(application, Preferences::read().theme);
    QGuiApplication::setWindowIcon(icon("app"));

    Workspace workspace(std::move(machine), toText(program));
    MainWindow window(workspace);
    window.show();
    if (open) QTimer::singleShot(0, &workspace, [&] { workspace.open(toText(*open)); });
    const std::stop_callback onStop(stop, [&application] {
        QMetaObject::invokeMethod(&application, &QCoreApplication::quit, Qt::QueuedConnection);
    });
    return QApplication::exec();
}

std::string drawWithoutWindow(const MontageSheet& sheet) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    // Qt warns of a session's folder that is not there, which a sheet does not need.
    qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
    int count = 1;
    std::string name = "gantry";
    std::array<char*, 2> words = {name.data(), nullptr};
    const QGuiApplication application(count, words.data());
    return toPng(sheet);
}

}  // namespace gantry
