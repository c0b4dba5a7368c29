// Jobs on a cluster, in the real window with real mouse and keys. test_remote_window.py starts a
// private sshd and Slurm and runs these by name: elsewhere they are disabled.
#include <gtest/gtest.h>
#include <signal.h>

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QToolBar>
#include <cstdlib>
#include <set>
#include <string>

#include "core/base/file.h"
#include "core/job/event_tail.h"
#include "core/job/job_status.h"
#include "core/remote/host/host.h"
#include "tests/ui/desktop/desk.h"
#include "tests/ui/workspace/held_job.h"
#include "ui/models/job/job_table.h"
#include "ui/panels/timeline/timeline_view.h"
#include "ui/widgets/fields/number_field.h"

namespace gantry {
namespace {

using test::Desk;
using test::waitUntil;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

// How the way to the host is: see slow_proxy.py.
void setLine(const std::string& state) {
    writeFileAtomically(variable("GANTRY_TEST_LINE"), state);
}

// What is over the window: its own children are not searched by Desk::part().
template <class T>
T& part(QWidget& window, const char* name) {
    T* found = window.findChild<T*>(name);
    if (!found) throw std::runtime_error(std::string("there is no ") + name);
    return *found;
}

void click(QWidget& button) {
    QTest::mouseClick(&button, Qt::LeftButton);
}

void choose(QComboBox& box, const QString& text) {
    box.setFocus();
    const int index = box.findText(text);
    ASSERT_GE(index, 0) << text.toStdString();
    const int steps = index - box.currentIndex();
    for (int i = 0; i < std::abs(steps) && box.currentIndex() != index; ++i)
        QTest::keyClick(&box, steps > 0 ? Qt::Key_Down : Qt::Key_Up);
    ASSERT_EQ(box.currentIndex(), index);
}

void type(QWidget& window, const char* name, const QString& text) {
    auto* line = window.findChild<QLineEdit*>(name);
    if (!line) line = part<QWidget>(window, name).findChild<QLineEdit*>();
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, text);
    QTest::keyClick(line, Qt::Key_Return);
}

void typeLines(QWidget& window, const char* name, const QString& lines) {
    auto& text = part<QPlainTextEdit>(window, name);
    text.setFocus();
    for (const QString& line : lines.split(QChar(10))) {
        QTest::keyClicks(&text, line);
        QTest::keyClick(&text, Qt::Key_Return);
    }
}

class RemoteWindowTest : public testing::Test {
  protected:
    void SetUp() override {
        if (variable("GANTRY_TEST_LINE").empty()) GTEST_SKIP() << "no private cluster";
    }

    // Fills in the form of a host as an operator does.
    static void fillHost(Desk& desk) {
        test::actionOf(desk.window(), "Hosts…")->trigger();
        auto& window = desk.part<QWidget>("hostsWindow");
        click(part<QPushButton>(window, "addHost"));
        type(window, "host.name", "cluster");
        type(window, "host.address", "cluster");
        choose(part<QComboBox>(window, "host.scheduler"), "Slurm");
        type(window, "host.scratch", "no folder");
        EXPECT_NE(part<QLabel>(window, "hostState").text().indexOf("must begin with /"), -1);
        type(window, "host.scratch", QString::fromStdString(variable("GANTRY_TEST_SCRATCH")));
        type(window, "host.start.program", GANTRY_PROGRAM);
        type(window, "host.batch.timeMinutes", "30");
        type(window, "host.batch.maxNodes", "2");
        type(window, "host.batch.ranksPerNode", "2");
        type(window, "host.batch.launcher", "srun --mpi=pmix");
        typeLines(window, "host.environment",
                  "OMPI_MCA_btl=tcp,self\nOMPI_MCA_btl_tcp_if_include=lo\n"
                  "OMPI_ALLOW_RUN_AS_ROOT=1\nOMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
        click(part<QPushButton>(window, "saveHost"));
        ASSERT_TRUE(waitUntil([&] { return desk.workspace().hosts().find("cluster") != nullptr; }));
        EXPECT_EQ(findHost("cluster").ranksPerNode, 2);
    }
    static void checkHost(Desk& desk) {
        auto& window = desk.part<QWidget>("hostsWindow");
        click(part<QPushButton>(window, "checkHost"));
        auto& state = part<QLabel>(window, "checkState");
        ASSERT_TRUE(waitUntil([&] { return state.text().startsWith("Everything"); }))
            << state.text().toStdString();
        EXPECT_GE(window.findChildren<QLabel*>("finding").size(), 7);
        test::screenshots(window, "hosts");
        window.close();
        test::pass(50);
    }
    // A file of that host, without the form.
    static void knowHost(Desk& desk) {
        addHost(parseHost(variable("GANTRY_TEST_HOST"), "cluster.json"));
        desk.workspace().hosts().reload();
        ASSERT_TRUE(waitUntil([&] { return desk.workspace().hosts().find("cluster") != nullptr; }));
    }
    // Opens a scan of the host: its folders are browsed, and its images are not looked at here.
    static void openThere(Desk& desk) {
        const std::filesystem::path scan = desk.makeScan();
        test::actionOf(desk.window(), "Open a scan on a host…")->trigger();
        auto& browser = desk.part<QWidget>("hostBrowser");
        auto& place = part<QLineEdit>(browser, "browsedPlace");
        auto& list = part<QListWidget>(browser, "browsedList");
        ASSERT_TRUE(waitUntil([&] { return place.text().startsWith("/"); }));
        type(browser, "browsedPlace", toText(desk.folder()));
        for (const char* name : {"Zahn \"3\" größer", "scan", "scan.json"}) {
            ASSERT_TRUE(waitUntil([&] {
                return !list.findItems(name, Qt::MatchExactly).isEmpty();
            })) << name;
            test::screenshots(browser, "browser");
            const QRect at = list.visualItemRect(list.findItems(name, Qt::MatchExactly).front());
            QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, at.center());
            QTest::mouseDClick(list.viewport(), Qt::LeftButton, {}, at.center());
        }
        ScanDocument& document = desk.workspace().scan();
        ASSERT_TRUE(waitUntil([&] { return document.there().has_value(); }));
        EXPECT_EQ(document.there()->place, (scan / "scan.json").string());
        EXPECT_EQ(document.openScan(), nullptr);
        EXPECT_EQ(desk.part<QComboBox>("runOn").currentText(), "Cluster cluster");
        EXPECT_TRUE(waitUntil([&] { return desk.part<QPushButton>("reconstruct").isEnabled(); }));
        test::screenshots(desk.window(), "remote-there");
        document.editJob([&](JobSpec& job) { job.output.path = desk.folder() / "v.mha"; }, "test");
    }
    // Asks for a volume of the open scan that takes some seconds.
    static void ask(Desk& desk, Index voxels) {
        Request request = desk.workspace().scan().request();
        request.volumeIsFitted = false;
        request.job.volume = fitGrid(request.job.scan.geometry, voxels);
        request.job.cpuKernel = kReferenceKernel;
        desk.workspace().scan().edit(request, "test");
        choose(desk.part<QComboBox>("runOn"), "Cluster cluster");
        test::screenshots(desk.window(), "remote-asked");
        ASSERT_EQ(desk.workspace().hosts().chosen(), "cluster");
        choose(desk.part<QComboBox>("hostNodes"), "2");
        auto& button = desk.part<QPushButton>("reconstruct");
        ASSERT_TRUE(waitUntil([&] { return button.isEnabled(); }))
            << button.toolTip().toStdString();
        EXPECT_EQ(desk.workspace().hosts().order()->resources.ranks(), 4);
    }
    static QString reconstruct(Desk& desk) {
        auto& button = desk.part<QPushButton>("reconstruct");
        EXPECT_TRUE(waitUntil([&] { return button.isEnabled(); }));
        click(button);
        return desk.workspace().jobs().jobs().front().folder;
    }
    static JobEntry entry(Desk& desk, const QString& folder) {
        const JobEntry* job = desk.workspace().jobs().find(folder);
        return job ? *job : JobEntry();
    }
    static ::testing::AssertionResult comesTo(Desk& desk, const QString& folder,
                                              const QString& state) {
        if (waitUntil([&] { return stateText(entry(desk, folder)) == state; }, 90))
            return ::testing::AssertionSuccess();
        return ::testing::AssertionFailure() << stateText(entry(desk, folder)).toStdString() << ": "
                                             << entry(desk, folder).status.message;
    }
    // Against the same request done by this machine.
    static double errorOf(const QString& folder) {
        const auto run = [](const QStringList& words) {
            QProcess process;
            process.start(GANTRY_PROGRAM, words);
            process.waitForFinished(120'000);
            EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
            return process.readAllStandardOutput();
        };
        JobSpec spec = readJobRequest(toPath(folder));
        const QString volume = toText(spec.output.path);
        spec.output.path += ".here.mha";
        const std::filesystem::path own = jobFolderFor(spec.output.path);
        (void)JobDirectory::create(own, spec);
        run({"worker", toText(own)});
        const QByteArray answer = run({"compare", volume, toText(spec.output.path), "--json"});
        const QByteArray key = "\"relativeRmse\":";
        const qsizetype at = answer.indexOf(key);
        EXPECT_GE(at, 0);
        return answer.mid(at + key.size()).split(',').first().trimmed().toDouble();
    }
};

TEST_F(RemoteWindowTest, DISABLED_AJobGoesToAClusterAndItsVolumeIsOpened) {
    QSettings().clear();
    constexpr Index kVoxels = 140;
    Desk desk;
    fillHost(desk);
    checkHost(desk);
    desk.openScan(desk.makeScan());
    ask(desk, kVoxels);
    click(desk.part<QPushButton>("showScript"));
    auto& script = desk.part<QWidget>("scriptWindow");
    test::screenshots(script, "script");
    EXPECT_TRUE(part<QPlainTextEdit>(script, "scriptText").toPlainText().contains("--nodes=2\n"));
    script.close();
    const QString folder = reconstruct(desk);
    ASSERT_TRUE(comesTo(desk, folder, "Running"));
    // The timeline fills while the job is at work, with lanes of every rank.
    std::set<int> ranks;
    EventTail tail(toPath(folder) / "events.jsonl");
    ASSERT_TRUE(waitUntil([&] {
        for (const TimelineSpan& span : tail.read().spans)
            ranks.insert(span.rank);
        return ranks.size() == 4 || !entry(desk, folder).isActive();
    }));
    EXPECT_TRUE(entry(desk, folder).isActive());
    EXPECT_EQ(ranks, (std::set<int>{0, 1, 2, 3}));
    test::screenshots(desk.window(), "remote-running");
    ASSERT_TRUE(comesTo(desk, folder, "Done"));
    const QString output = entry(desk, folder).output;
    ASSERT_TRUE(waitUntil([&] {
        const auto volume = desk.workspace().volume().volume();
        return volume && volume->path == output;
    }));
    test::screenshots(desk.window(), "remote-done");
    EXPECT_LT(errorOf(folder), 1e-6);
}

TEST_F(RemoteWindowTest, DISABLED_ACancelledJobResumesThereFromItsSlabs) {
    QSettings().clear();
    Desk desk({1280, 800});
    knowHost(desk);
    openThere(desk);
    ask(desk, 160);
    choose(desk.part<QComboBox>("hostBring"), "The preview alone");
    const QString folder = reconstruct(desk);
    ASSERT_TRUE(comesTo(desk, folder, "Running"));
    auto* bar = desk.window().findChild<QToolBar*>("jobActions");
    const auto press = [&](const char* action) {
        click(*bar->widgetForAction(desk.window().findChild<QAction*>(action)));
    };
    {
        // It must not end before its cancel comes.
        const std::optional<RemoteJob> job = readRemoteJob(toPath(folder));
        std::optional<test::HeldJob> held;
        // A scheduler's job runs before its processes do.
        ASSERT_TRUE(waitUntil([&] {
            held.reset();
            return held.emplace(job->place).isAny();
        }));
        press("cancelJob");
        EXPECT_TRUE(waitUntil([&] { return held->isAskedToEnd(); }));
    }
    ASSERT_TRUE(comesTo(desk, folder, "Cancelled"));
    press("resumeJob");
    ASSERT_TRUE(comesTo(desk, folder, "Done there"));
    EXPECT_FALSE(std::filesystem::exists(toPath(entry(desk, folder).output)));
    press("fetchJob");
    ASSERT_TRUE(comesTo(desk, folder, "Done"));
    EXPECT_TRUE(std::filesystem::exists(toPath(entry(desk, folder).output)));
}

// A silent host: everything that asks it is tried, and the window answers all the same.
TEST_F(RemoteWindowTest, DISABLED_AHostThatHangsDoesNotStallTheWindow) {
    QSettings().clear();
    Desk desk;
    knowHost(desk);
    desk.openScan(desk.makeScan());
    ask(desk, 160);
    const QString folder = reconstruct(desk);
    ASSERT_TRUE(comesTo(desk, folder, "Running"));
    setLine("silent");
    test::pass(500);
    desk.window().showHosts();
    auto& window = desk.part<QWidget>("hostsWindow");
    auto& check = part<QPushButton>(window, "checkHost");
    test::pass(500);
    desk.watch().start();
    click(check);
    test::pass(3000);
    click(check);  // cancels
    EXPECT_TRUE(part<QLabel>(window, "checkState").text().contains("cancelled"));
    test::pass(200);
    EXPECT_LT(desk.watch().longestMs(), test::kHangMs);
    desk.watch().start();
    window.close();
    desk.workspace().jobs().cancel(folder);
    test::pass(5000);
    EXPECT_LT(desk.watch().longestMs(), test::kHangMs);
    EXPECT_TRUE(entry(desk, folder).isActive());
    setLine("");
    EXPECT_TRUE(waitUntil([&] { return !entry(desk, folder).isActive(); }, 90));
    desk.watch().start();
}

// The desktop is killed while its job runs; the next start has it, done and fetched.
TEST_F(RemoteWindowTest, DISABLED_AJobIsStartedAndTheDesktopIsKilled) {
    QSettings().clear();
    Desk desk;
    knowHost(desk);
    desk.openScan(desk.makeScan());
    ask(desk, 160);
    desk.workspace().scan().editJob(
        [](JobSpec& job) { job.output.path = variable("GANTRY_TEST_OUTPUT"); }, "test");
    const QString folder = reconstruct(desk);
    ASSERT_TRUE(comesTo(desk, folder, "Running"));
    // The list of jobs is written in the background.
    ASSERT_TRUE(waitUntil([&] { return PathList::read(PathList::kJobFolders).contains(folder); }));
    ::raise(SIGKILL);
}

TEST_F(RemoteWindowTest, DISABLED_TheNextStartFindsTheJobAgain) {
    Desk desk;
    const QString folder = toText(jobFolderFor(variable("GANTRY_TEST_OUTPUT")));
    ASSERT_TRUE(waitUntil([&] { return !entry(desk, folder).folder.isEmpty(); }));
    ASSERT_TRUE(comesTo(desk, folder, "Done"));
    EXPECT_TRUE(std::filesystem::exists(variable("GANTRY_TEST_OUTPUT")));
}

}  // namespace
}  // namespace gantry
