#include "ui/panels/scan/scan_panel.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cstdint>
#include <fstream>

#include "core/io/scan_file/scan_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/panels/scan/scan_notes.h"
#include "ui/panels/scan/scan_summary.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {
namespace {

namespace fs = std::filesystem;

class ScanPanelTest : public testing::Test {
  protected:
    void open(const fs::path& path) {
        show(m_panel, {340, 900});
        m_scan.open(toText(path));
        ASSERT_TRUE(waitUntil([this] { return m_scan.hasScan() && m_scan.inspection(); }));
    }
    [[nodiscard]] fs::path makeBare() {
        const fs::path file = makeScan(m_folder / "scan");
        fs::remove(file);
        fs::remove(m_folder / "scan" / "phantom.json");
        return m_folder / "scan";
    }
    [[nodiscard]] QString line(const QString& name) {
        auto* label = m_panel.findChild<QLabel*>(name);
        return label ? label->text() : "no such line";
    }
    [[nodiscard]] QList<QLabel*> notes(const char* list) {
        return m_panel.findChild<ScanNotes*>(list)->findChildren<QLabel*>("note");
    }
    [[nodiscard]] bool isTold(const char* words) {
        return std::ranges::any_of(notes("problems"), [words](const QLabel* note) {
            return note->text().contains(words);
        });
    }
    [[nodiscard]] QLineEdit& edit(const QString& name) {
        return *m_panel.findChild<ScanFieldEditor*>(name)->findChild<QLineEdit*>();
    }

    [[nodiscard]] static bool isGuess(const ScanFieldEditor& editor) {
        const QList<QLabel*> marks = editor.findChildren<QLabel*>("guess");
        return std::any_of(marks.begin(), marks.end(),
                           [](const QLabel* mark) { return mark->isVisible(); });
    }

    TemporaryFolder m_folder;
    test::FakeMachine m_machine;
    Workspace m_workspace{m_machine.machine(), m_machine.program()};
    ScanDocument& m_scan = m_workspace.scan();
    ScanPanel m_panel{m_workspace};
};

TEST_F(ScanPanelTest, TellsWhatIsOpen) {
    open(makeScan(m_folder / "scan"));
    EXPECT_EQ(line("scanName"), "walnut");
    EXPECT_EQ(line("views"), "18 of 24 × 16 px");
    EXPECT_TRUE(line("format").startsWith("TIFF, 16-bit"));
    EXPECT_TRUE(line("values").startsWith("counts "));
    EXPECT_TRUE(line("values").contains(", mean "));
    EXPECT_TRUE(line("dark").startsWith("2 images, mean 100"));
    EXPECT_TRUE(line("weights").startsWith("Full circle: every ray"));
    EXPECT_TRUE(m_panel.findChild<QWidget*>("questions")->isHidden());
    EXPECT_TRUE(m_panel.findChild<QWidget*>("busy")->isHidden());
    // The head is wider than this detector.
    ASSERT_EQ(notes("problems").size(), 2);
    EXPECT_TRUE(notes("problems")[0]->text().contains("reaches the left and right edges"));
    EXPECT_TRUE(notes("problems")[1]->text().contains("goes on above and below"));
    screenshots(m_panel, "scan-panel");
}

TEST_F(ScanPanelTest, FramesFromAfterTheScanAreShown) {
    const fs::path file = makeScan(m_folder / "scan");
    fs::copy(m_folder / "scan" / "flat", m_folder / "scan" / "flat2");
    fs::copy(m_folder / "scan" / "dark", m_folder / "scan" / "dark2");
    ScanFile scan = readScanFile(file);
    scan.projections.flatAfter = "flat2";
    scan.projections.darkAfter = "dark2";
    std::ofstream(file) << toJson(scan);
    open(file);
    EXPECT_TRUE(line("dark").contains("\nafter the scan: 2 images, mean 100"))
        << line("dark").toStdString();
    EXPECT_TRUE(line("flat").contains("\nafter the scan: 2 images, mean "))
        << line("flat").toStdString();
}

TEST_F(ScanPanelTest, EveryDoubtOfThePicturesIsShownOfBareImagesToo) {
    const fs::path views = makeBare() / "proj";
    fs::copy_file(views / "proj_0003.tif", views / "proj_0001.tif",
                  fs::copy_options::overwrite_existing);
    open(m_folder / "scan");
    EXPECT_TRUE(isTold("reaches the left and right edges"));
    EXPECT_TRUE(isTold("is a copy of view"));
}

TEST_F(ScanPanelTest, ADoubtAboutTheAxisIsShownOfTheGeometryThatItIsAbout) {
    SimulationSpec spec = smallScan();
    spec.geometry.detector.columns = 48;
    const fs::path file = makeScan(m_folder / "scan", spec);
    ScanFile scan = readScanFile(file);
    scan.geometry.detector.offsetMm[0] = 3 * 16;
    std::ofstream(file) << toJson(scan);
    open(file);
    EXPECT_TRUE(isTold("the views are symmetrical about column 23.5"));
    Request request = m_scan.request();
    request.job.scan.geometry.detector.offsetMm[0] = 0;
    m_scan.edit(request, "Change");
    EXPECT_FALSE(isTold("are symmetrical"));
}

TEST_F(ScanPanelTest, AProblemLeadsToItsField) {
    open(makeScan(m_folder / "scan"));
    Request request = m_scan.request();
    request.job.scan.geometry.cone().sourceToDetectorMm = 400;
    request.job.scan.geometry.detector.rollDeg = 70;
    m_scan.edit(request, "Change");
    ASSERT_EQ(notes("problems").size(), 4);
    EXPECT_TRUE(notes("problems")[0]->text().contains("nearer than the object"));
    screenshots(m_panel, "scan-panel-problems");
    QSignalSpy wanted(&m_panel, &ScanPanel::fieldWanted);
    QTest::mouseClick(notes("problems")[0], Qt::LeftButton, {}, {12, 8});
    ASSERT_EQ(wanted.count(), 1);
    EXPECT_EQ(wanted[0][0].toString(), "trajectory.sourceToDetectorMm");
    m_scan.undoStack().undo();
    EXPECT_EQ(notes("problems").size(), 2);
}

TEST_F(ScanPanelTest, ASuspectViewIsShownWhenItIsChosen) {
    const fs::path file = makeScan(m_folder / "scan");
    // One view was taken without beam.
    const fs::path projections = m_folder / "scan" / "proj";
    std::vector<fs::path> views;
    for (const auto& entry : fs::directory_iterator(projections))
        views.push_back(entry.path());
    std::sort(views.begin(), views.end());
    ASSERT_EQ(views.size(), 18U);
    fs::copy_file(fs::directory_iterator(m_folder / "scan" / "dark")->path(), views[5],
                  fs::copy_options::overwrite_existing);
    open(file);
    ASSERT_FALSE(notes("suspects").isEmpty());
    EXPECT_TRUE(notes("suspects")[0]->text().contains("View 5:"))
        << notes("suspects")[0]->text().toStdString();
    screenshots(m_panel, "scan-panel-suspects");
    QTest::mouseClick(notes("suspects")[0], Qt::LeftButton, {}, {12, 8});
    EXPECT_EQ(m_workspace.selection().view(), 5);
}

TEST_F(ScanPanelTest, WhatStandsInAFileIsNoGuess) {
    {
        std::ofstream file(m_folder / "stack.mha", std::ios::binary);
        file << "ObjectType = Image\nNDims = 3\nBinaryData = True\nDimSize = 16 12 9\n"
                "ElementSpacing = 0.7 0.7 1\nOffset = -5.25 -3.85 0\nElementType = MET_USHORT\n"
                "ElementDataFile = LOCAL\n";
        for (int i = 0; i < 16 * 12 * 9; ++i) {
            const auto pixel = static_cast<std::uint16_t>(1000 + i % 700);
            file.write(reinterpret_cast<const char*>(&pixel), sizeof(pixel));
        }
    }
    open(m_folder / "stack.mha");
    EXPECT_TRUE(isGuess(*m_panel.findChild<ScanFieldEditor*>("trajectory.direction")));
    auto* pitch = m_panel.findChild<ScanFieldEditor*>("detector.pitchMm[0]");
    EXPECT_TRUE(pitch->isVisible());
    EXPECT_FALSE(isGuess(*pitch));
}

TEST_F(ScanPanelTest, BareImagesAreAskedAboutOnce) {
    open(makeBare());
    EXPECT_EQ(m_scan.state(), ScanDocument::State::incomplete);
    auto* questions = m_panel.findChild<QWidget*>("questions");
    EXPECT_TRUE(questions->isVisible());
    auto* sdd = m_panel.findChild<ScanFieldEditor*>("trajectory.sourceToDetectorMm");
    EXPECT_TRUE(isGuess(*sdd));
    EXPECT_FALSE(m_panel.findChild<ScanFieldEditor*>("detector.rollDeg")->isVisible());
    EXPECT_TRUE(isGuess(*m_panel.findChild<ScanFieldEditor*>("trajectory.direction")));
    EXPECT_TRUE(isGuess(*m_panel.findChild<ScanFieldEditor*>("detector.axisColumn")));
    screenshots(m_panel, "scan-panel-questions");

    QLineEdit& distance = edit("trajectory.sourceToDetectorMm");
    distance.setFocus();
    distance.selectAll();
    QTest::keyClicks(&distance, "1250");
    QTest::keyClick(&distance, Qt::Key_Return);
    EXPECT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1250);
    EXPECT_FALSE(isGuess(*sdd)) << "what was typed is no guess";
    EXPECT_TRUE(sdd->isVisible());

    QTest::mouseClick(m_panel.findChild<QPushButton*>("acceptGuesses"), Qt::LeftButton);
    EXPECT_EQ(m_scan.state(), ScanDocument::State::open);
    EXPECT_FALSE(questions->isVisible());
    EXPECT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1250);
}

TEST_F(ScanPanelTest, WithoutAScanThereIsASentence) {
    show(m_panel, {340, 400});
    EXPECT_FALSE(m_panel.findChild<QLabel*>("scanName")->isVisible());
    screenshots(m_panel, "scan-panel-empty");
}

TEST_F(ScanPanelTest, AFolderThatIsNoneLeavesTheOpenScan) {
    open(makeScan(m_folder / "scan"));
    m_scan.open("/nowhere/scan.json");
    ASSERT_TRUE(waitUntil([this] { return m_scan.state() == ScanDocument::State::open; }));
    EXPECT_EQ(line("scanName"), "walnut");
    EXPECT_TRUE(m_panel.findChild<QWidget*>("busy")->isHidden());
}

TEST(ScanSummary, LargeNumbersAreGrouped) {
    EXPECT_EQ(amountText(61200.4), QString("61\u202f200"));
    EXPECT_EQ(amountText(-1234567), QString("\u22121\u202f234\u202f567"));
    EXPECT_EQ(amountText(0.02134), "0.02134");
    EXPECT_EQ(amountText(112), "112");
}

using PicturesOfScan = ScanPanelTest;

TEST_F(PicturesOfScan, LookAsBefore) {
    open(makeScan(m_folder / "scan"));
    m_panel.resize(340, 300);
    comparePictures(m_panel, "scan", {.masked = {"scanPlace"}});
}

TEST_F(PicturesOfScan, AskAboutBareImagesAsBefore) {
    open(makeBare());
    comparePictures(m_panel, "scan-questions", {.isLightToo = false, .masked = {"scanPlace"}});
}

}  // namespace
}  // namespace gantry::test
