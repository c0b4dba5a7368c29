// From images to a volume in as few actions as promised, each of them a real one of mouse and keys.
#include <gtest/gtest.h>

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <cmath>
#include <fstream>

#include "tests/ui/desktop/desk.h"
#include "ui/widgets/message_bar.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::Desk;
using test::waitUntil;

/// Counts what an operator does.
class Operator {
  public:
    explicit Operator(Desk& desk) : m_desk(desk) {}

    void drop(const fs::path& path) {
        ++m_actions;
        m_desk.openScan(path);
        ASSERT_TRUE(waitUntil([&] { return m_desk.workspace().scan().inspection() != nullptr; }));
    }
    /// Types into a field of the form that asks about bare images.
    void enter(const char* field, const QString& text) {
        ++m_actions;
        auto& editor = *m_desk.part<QWidget>("questions").findChild<QWidget*>(field);
        auto* edit = editor.findChild<QLineEdit*>();
        ASSERT_TRUE(edit->isVisible()) << field;
        QTest::mouseDClick(edit, Qt::LeftButton);
        edit->selectAll();
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    }
    void press(const char* button) {
        ++m_actions;
        auto& pressed = m_desk.part<QPushButton>(button);
        ASSERT_TRUE(waitUntil([&] { return pressed.isEnabled() && pressed.isVisible(); }))
            << pressed.toolTip().toStdString();
        QTest::mouseClick(&pressed, Qt::LeftButton);
    }
    /// The volume that the newest job has made.
    [[nodiscard]] fs::path result() const {
        const auto& jobs = m_desk.workspace().jobs().jobs();
        const bool isDone =
            waitUntil([&] { return !jobs.empty() && !jobs.front().isActive(); }, 300);
        EXPECT_TRUE(isDone && jobs.front().status.state == JobState::done);
        return toPath(jobs.front().output);
    }
    [[nodiscard]] int actions() const { return m_actions; }

  private:
    Desk& m_desk;
    int m_actions = 0;
};

struct Agreement {
    double likeness = 0;   // correlation within the circle that every view sees
    double sharpness = 0;  // mean step between neighbours, of `a` as a share of that of `b`
};

Agreement compare(const Volume& a, const Volume& b) {
    const auto& voxels = a.grid.voxels;
    double n = 0, sumA = 0, sumB = 0, sumAA = 0, sumBB = 0, sumAB = 0, stepsA = 0, stepsB = 0;
    for (Index z = 0; z < voxels[2]; ++z)
        for (Index y = 1; y < voxels[1]; ++y)
            for (Index x = 1; x < voxels[0]; ++x) {
                const auto middle = static_cast<double>(voxels[0] - 1) / 2;
                if (std::hypot(double(x) - middle, double(y) - middle) > 0.85 * middle) continue;
                const Index at = (z * voxels[1] + y) * voxels[0] + x;
                const double va = a.voxels[at];
                const double vb = b.voxels[at];
                n += 1;
                sumA += va;
                sumB += vb;
                sumAA += va * va;
                sumBB += vb * vb;
                sumAB += va * vb;
                stepsA += std::abs(va - double(a.voxels[at - 1]));
                stepsB += std::abs(vb - double(b.voxels[at - 1]));
            }
    const double spread = std::sqrt((sumAA - sumA * sumA / n) * (sumBB - sumB * sumB / n));
    return {(sumAB - sumA * sumB / n) / spread, stepsA / stepsB};
}

TEST(BareScan, AParallelBeamScanTakesFourActions) {
    Desk desk;
    const fs::path folder = desk.folder() / "tooth";
    fs::copy(fs::path(GANTRY_SAMPLES) / "tooth", folder, fs::copy_options::recursive);
    const ScanFile known = readScanFile(folder / "scan.json");
    fs::remove(folder / "scan.json");
    Operator person(desk);
    person.drop(folder);
    test::screenshots(desk.window(), "bare-tooth");
    person.enter("detector.pitchMm[0]", "0.01");
    person.press("acceptGuesses");
    person.press("reconstruct");
    EXPECT_LE(person.actions(), 4);
    const Volume made = readVolume(person.result());
    test::screenshots(desk.window(), "bare-tooth-done");

    // The volume is as sharp as with the geometry that is known, and of the same tooth.
    JobSpec spec = test::jobOf(known, 100, desk.folder() / "known.mha");
    spec.volume = made.grid;
    const Agreement found = compare(made, test::reconstructed(spec));
    EXPECT_GT(found.likeness, 0.98);
    EXPECT_GT(found.sharpness, 0.98);
}

TEST(BareScan, AScanWithCompleteMetadataTakesTwoActions) {
    Desk desk;
    Operator person(desk);
    person.drop(desk.makeScan(37, 52));
    person.press("reconstruct");
    EXPECT_EQ(person.actions(), 2);
    EXPECT_TRUE(fs::exists(person.result()));
}

TEST(BareScan, IsSavedWhereItIsFoundAgainAndAskedAboutNoMore) {
    Desk desk;
    const fs::path scan = desk.makeScan(20, 40, "größer/scan");
    fs::remove(scan / "scan.json");
    Operator person(desk);
    person.drop(scan);
    person.press("acceptGuesses");
    QTimer::singleShot(300, [&] {
        auto& dialog = desk.part<QFileDialog>("saveDialog");
        EXPECT_EQ(dialog.directory().absolutePath(), toText(scan));
        EXPECT_EQ(dialog.selectedFiles().value(0), toText(scan / "scan.json"));
        QTest::keyClick(dialog.findChild<QLineEdit*>("fileNameEdit"), Qt::Key_Return);
    });
    QTest::keyClick(&desk.window(), Qt::Key_S, Qt::ControlModifier);
    ASSERT_TRUE(fs::exists(scan / "scan.json"));
    EXPECT_EQ(readScanFile(scan / "scan.json").projections.files, "proj/proj_*.tif");
    person.drop(scan);
    EXPECT_EQ(desk.workspace().scan().state(), ScanDocument::State::open);
    EXPECT_FALSE(desk.part<QWidget>("questions").isVisible());
}

TEST(BareScan, AFilterIsNoEditOfTheScanAndComesBack) {
    Desk desk;
    const fs::path scan = desk.makeScan();
    desk.openScan(scan);
    auto& windows = desk.part<QComboBox>("filter.window");
    windows.setFocus();
    QTest::keyClick(&windows, Qt::Key_End);
    EXPECT_EQ(desk.workspace().scan().request().job.filter.window, FilterWindow::hann);
    EXPECT_FALSE(desk.window().isWindowModified());
    EXPECT_FALSE(test::actionOf(desk.window(), "Reset to file")->isEnabled());
    EXPECT_TRUE(desk.workspace().scan().undoStack().canUndo());
    EXPECT_TRUE(desk.window().close()) << "nothing is asked";
    desk.reopen();
    desk.openScan(scan);
    EXPECT_EQ(desk.workspace().scan().request().job.filter.window, FilterWindow::hann);
    EXPECT_EQ(desk.part<QComboBox>("filter.window").currentText(), "Hann");
}

TEST(BareScan, ResetToFileTakesTheTitlesMarkAwayAndIsGreyThen) {
    Desk desk;
    desk.openScan(desk.makeScan());
    QAction* reset = test::actionOf(desk.window(), "Reset to file");
    Request request = desk.workspace().scan().request();
    request.job.scan.geometry.cone().sourceToDetectorMm += 1;
    desk.workspace().scan().edit(request, "Change source–detector distance");
    EXPECT_TRUE(desk.window().isWindowModified());
    EXPECT_TRUE(reset->isEnabled());
    reset->trigger();
    EXPECT_FALSE(desk.window().isWindowModified());
    EXPECT_FALSE(reset->isEnabled());
}

TEST(BareScan, WhatCannotBeReadIsRefusedBeforeEditsAreAskedAbout) {
    Desk desk;
    desk.openScan(desk.makeScan());
    Request request = desk.workspace().scan().request();
    request.job.scan.geometry.cone().sourceToDetectorMm += 1;
    desk.workspace().scan().edit(request, "Change source–detector distance");
    const fs::path letter = desk.folder() / "letter.tif";
    std::ofstream(letter) << "Dear reader";
    desk.drop(letter);
    auto& messages = desk.part<MessageBar>("messages");
    // A question would stop here, and be the window's child.
    EXPECT_TRUE(waitUntil([&] { return messages.text().contains("letter.tif"); }));
    EXPECT_EQ(desk.window().findChild<QMessageBox*>("saveQuestion"), nullptr);
    EXPECT_FALSE(desk.workspace().scan().isSaved());
    desk.workspace().scan().undoStack().undo();
}

}  // namespace
}  // namespace gantry
