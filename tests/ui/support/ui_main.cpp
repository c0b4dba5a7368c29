// The main function of the desktop's tests: a virtual display of their own, settings in a temporary
// folder, one QApplication.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/temporary_folder.h"
#include "ui/scene/graphics.h"
#include "ui/widgets/style/theme.h"

namespace {

// Starts Xvfb by that number and puts it into DISPLAY. Its size is that of GANTRY_TEST_SCREEN,
// "1280x800", where that is set. @returns its process, -1 on failure
pid_t startDisplay(const std::string& display) {
    const char* wanted = std::getenv("GANTRY_TEST_SCREEN");
    const std::string screen = std::string(wanted ? wanted : "1920x1200") + "x24";
    int pipeEnds[2];
    if (pipe(pipeEnds) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        close(pipeEnds[0]);
        const std::string descriptor = std::to_string(pipeEnds[1]);
        execlp("Xvfb", "Xvfb", display.c_str(), "-displayfd", descriptor.c_str(), "-screen", "0",
               screen.c_str(), "-nolisten", "tcp", "-noreset", "+extension", "GLX", "-terminate",
               nullptr);
        _exit(127);
    }
    close(pipeEnds[1]);
    std::string number;
    for (char c = 0; read(pipeEnds[0], &c, 1) == 1 && c != '\n';)
        number += c;
    close(pipeEnds[0]);
    if (number.empty()) {
        waitpid(child, nullptr, 0);
        return -1;
    }
    setenv("DISPLAY", display.c_str(), 1);
    return child;
}

// By a number of its own: of one that another has just left, the socket may be taken away as late
// as this one has made it.
pid_t startDisplay() {
    constexpr int kNumbers = 50'000;
    constexpr int kTries = 5;
    pid_t display = -1;
    for (int i = 0; i < kTries && display < 0; ++i)
        display = startDisplay(":" + std::to_string(100 + (getpid() + i) % kNumbers));
    return display;
}

// Each test begins as the program does at its first start: what a test builds gets the style sheet
// when it is shown, as what the program's window holds, and no settings are there, but for those
// that several runs share.
class FreshAtStart : public testing::EmptyTestEventListener {
  public:
    explicit FreshAtStart(bool keepsSettings) : m_keepsSettings(keepsSettings) {}

  private:
    void OnTestStart(const testing::TestInfo&) override {
        if (!qApp->styleSheet().isEmpty()) qApp->setStyleSheet({});
        if (!m_keepsSettings) QSettings().clear();
    }

    bool m_keepsSettings;
};

int runWithApplication(int count, char** words) {
    const gantry::test::TemporaryFolder folder;
    // Several runs may share their settings: those of a desktop that is started again.
    const char* kept = std::getenv("GANTRY_TEST_SETTINGS");
    for (const char* name :
         {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"})
        setenv(name, kept ? kept : folder.path().c_str(), 1);
    setenv("QT_QPA_PLATFORM", "xcb", 1);
    unsetenv("WAYLAND_DISPLAY");
    // MPI's launcher refuses root, which tests may be run by.
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"})
        setenv(name, "1", 1);
    gantry::prepareGraphics();
    QApplication application(count, words);
    QCoreApplication::setOrganizationName("gantry-test");
    QCoreApplication::setApplicationName("gantry-test");
    gantry::applyTheme(application, gantry::ThemeKind::dark);
    testing::UnitTest::GetInstance()->listeners().Append(new FreshAtStart(kept != nullptr));
    return RUN_ALL_TESTS();
}

}  // namespace

int main(int count, char** words) {
    testing::InitGoogleTest(&count, words);
    if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
    // What a test starts in a process of its own is named, and is no share of all.
    if (GTEST_FLAG_GET(also_run_disabled_tests))
        for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"})
            unsetenv(name);
    const pid_t display = startDisplay();
    if (display < 0) {
        std::fputs("Xvfb could not be started; is the package xvfb installed?\n", stderr);
        return 1;
    }
    const int result = runWithApplication(count, words);
    kill(display, SIGTERM);
    waitpid(display, nullptr, 0);
    return result;
}
