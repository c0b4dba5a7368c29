// A scanner's folder is opened, and what its file leaves open is asked of the views.
#include "ui/workspace/search/open_questions.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTest>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "tests/ui/workspace/spheres_scan.h"
#include "ui/models/text.h"
#include "ui/panels/scan/scan_panel.h"
#include "ui/panels/shared/filter_editor.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {
namespace {

namespace fs = std::filesystem;

class OpenQuestionsTest : public testing::Test {
  protected:
    // Images whose columns run from left to right, where Nikon's run back as a rule: what turns
    // counter-clockwise turns clockwise for who takes them as usual.
    static void SetUpTestSuite() {
        s_folder = new TemporaryFolder;
        const fs::path made = makeScan(*s_folder / "scan", spheresScan());
        fs::remove(made);
        fs::remove(made.parent_path() / "phantom.json");
        writeFileAtomically(
            made.parent_path() / "part.xtekct",
            "[XTekCT]\nName=proj\nInputFolderName=proj\nInputSeparator=_\nSrcToObject=600\n"
            "SrcToDetector=1200\nDetectorPixelsX=65\nDetectorPixelSizeX=4.2\nDetectorPixelsY=57\n"
            "DetectorPixelSizeY=4.2\nProjections=72\nAngularStep=5\nInitialAngle=180\n"
            "WhiteLevel=60000\n");
    }
    static void TearDownTestSuite() { delete s_folder; }

    void open() {
        show(m_panel, {380, 1000});
        m_scan.open(toText(*s_folder / "scan"));
        ASSERT_TRUE(waitUntil([this] { return m_scan.openScan() != nullptr; }));
    }
    [[nodiscard]] QComboBox& box(const char* question) {
        return *m_panel.findChild<QComboBox*>(QString("question.") + question);
    }
    [[nodiscard]] QString how(const char* question) {
        return m_panel.findChild<QLabel*>(QString("how.") + question)->text();
    }
    [[nodiscard]] bool isClockwise() const { return m_scan.geometry().cone().arcDeg < 0; }

    static inline TemporaryFolder* s_folder = nullptr;
    test::FakeMachine m_machine;
    Workspace m_workspace{m_machine.machine(), m_machine.program()};
    ScanDocument& m_scan = m_workspace.scan();
    Heard<Workspace> m_heard{m_workspace};
    ScanPanel m_panel{m_workspace};
};

TEST_F(OpenQuestionsTest, AreSettledOnTheViewsAndAnsweredByTheUser) {
    open();
    EXPECT_EQ(m_panel.findChild<QLabel*>("readFrom")->text(),
              "Read from Nikon X-Tek: part.xtekct; check what is marked 'guess'.");
    EXPECT_EQ(box("rotation").currentText(), "counter-clockwise");
    ASSERT_TRUE(waitUntil([this] { return how("rotation").startsWith("found"); }))
        << m_workspace.openQuestions().problem().toStdString();
    EXPECT_EQ(how("rotation"), "found on the views (sure)");
    EXPECT_EQ(box("rotation").currentText(), "clockwise");
    EXPECT_TRUE(isClockwise());
    EXPECT_TRUE(how("mirrored").contains("a mirror image is as sharp"));
    screenshots(m_panel, "scan-open-questions");

    // It can be undone, from the message as from the menu.
    ASSERT_TRUE(m_heard.last().text.contains("Rotation: clockwise, found on the views (sure)"))
        << m_heard.last().text.toStdString();
    EXPECT_TRUE(m_heard.last().text.contains("Still open: first row, mirrored"));
    m_heard.last().action();
    EXPECT_FALSE(isClockwise());
    EXPECT_EQ(box("rotation").currentText(), "counter-clockwise");
    EXPECT_EQ(how("rotation"), "as usual");
    m_scan.undoStack().redo();
    EXPECT_TRUE(isClockwise());

    // The user's answer comes by the keyboard; what else was edited stays.
    m_scan.editJob([](JobSpec& job) { job.scan.geometry.cone().sourceToIsocenterMm = 590; },
                   "Change SOD");
    box("mirrored").setFocus();
    QTest::keyClick(&box("mirrored"), Qt::Key_Down);
    ASSERT_TRUE(waitUntil([this] { return how("mirrored") == "as told"; }));
    EXPECT_FALSE(m_scan.request().job.scan.projections.isMirrored);
    EXPECT_EQ(m_scan.geometry().cone().sourceToIsocenterMm, 590);
    EXPECT_EQ(how("rotation"), "found on the views (sure)");

    // Asked again, the views tell the rotation that goes with it.
    QTest::mouseClick(m_panel.findChild<QPushButton*>("askViews"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([this] { return !isClockwise(); }));
    EXPECT_EQ(how("mirrored"), "as told");
    m_scan.undoStack().undo();
    EXPECT_TRUE(isClockwise());
}

TEST_F(OpenQuestionsTest, TheSearchCanBeCancelled) {
    open();
    OpenQuestions& questions = m_workspace.openQuestions();
    ASSERT_TRUE(questions.isSearching());
    QTest::mouseClick(m_panel.findChild<QPushButton*>("cancelQuestions"), Qt::LeftButton);
    EXPECT_FALSE(questions.isSearching());
    EXPECT_FALSE(questions.problem().isEmpty());
    EXPECT_TRUE(m_panel.findChild<QPushButton*>("askViews")->isVisible());
    pass(300);
    EXPECT_EQ(how("rotation"), "as usual");
    EXPECT_EQ(m_scan.undoStack().count(), 0);
}

// NRecon's log has its filter; the button is there for such scans alone.
TEST_F(OpenQuestionsTest, TheFilterIsTakenFromTheScannersProgram) {
    FilterEditor editor(m_scan);
    show(editor, {320, 240});
    auto& button = *editor.findChild<QPushButton*>("makersPreset");
    open();
    EXPECT_FALSE(button.isVisible());
    const TemporaryFolder folder;
    fs::copy(*s_folder / "scan" / "proj", folder / "scan");
    writeFileAtomically(
        folder / "scan" / "proj_rec.log",
        "[System]\nCamera Pixel Size (um)=4200\n[Acquisition]\nFilename Prefix=proj_\n"
        "Number of Files=72\nNumber of Rows=57\nNumber of Columns=65\nCamera binning=1x1\n"
        "Image Pixel Size (um)=2100\nObject to Source (mm)=600\nRotation Step (deg)=5\n"
        "Reference Intensity=60000\n[Reconstruction]\n"
        "Filter type description=Hamming (Alpha=0.54)\n"
        "Filter cutoff relative to Nyquist frequency=80\nRing Artifact Correction=9\n");
    m_scan.open(toText(folder / "scan"));
    ASSERT_TRUE(waitUntil([&] { return button.isVisible(); }));
    EXPECT_TRUE(button.toolTip().contains("ring removal 9: not taken"));
    QTest::mouseClick(&button, Qt::LeftButton);
    EXPECT_EQ(m_scan.request().job.filter.window, FilterWindow::hamming);
    EXPECT_EQ(m_scan.request().job.filter.cutoff, 0.8);
    m_scan.undoStack().undo();
    EXPECT_EQ(m_scan.request().job.filter.window, FilterWindow::ramLak);
}

}  // namespace
}  // namespace gantry::test
