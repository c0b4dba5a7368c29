#include "ui/panels/geometry/alignment_window.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QThreadPool>

#include "tests/ui/panels/scan_search_fixture.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/workspace/displaced_scan.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/widgets/image/profile_plot.h"

namespace gantry::test {
namespace {

/// The panel over a scan whose centre of rotation is not where its file says.
class AlignmentWindowTest : public ScanSearchTest<AlignmentWindow> {
  protected:
    AlignmentWindowTest() : ScanSearchTest("findCentre", "alignmentState") {}

    void openScan() { ScanSearchTest::openScan(displacedScan()); }
    [[nodiscard]] QCheckBox& box(const char* row) {
        return *m_window->findChild<AlignmentRow*>(row)->findChild<QCheckBox*>();
    }
    [[nodiscard]] QString text(const char* row, const char* label) {
        return m_window->findChild<AlignmentRow*>(row)->findChild<QLabel*>(label)->text();
    }
    [[nodiscard]] double offsetMm() const { return m_scan.geometry().detector.offsetMm[0]; }
};

TEST_F(AlignmentWindowTest, TheCentreIsFoundAndUsedAndTakenBack) {
    openScan();
    openWindow();
    EXPECT_TRUE(isSearching()) << "it begins by itself";
    EXPECT_FALSE(m_window->isModal());
    EXPECT_FALSE(button("useAlignment").isEnabled());
    EXPECT_FALSE(box("centre").isEnabled());
    waitForResult();
    ASSERT_TRUE(box("centre").isChecked()) << text("centre", "reason").toStdString();
    const QString value = text("centre", "value");
    EXPECT_TRUE(value.contains(" px ± ") && value.startsWith('+')) << value.toStdString();
    EXPECT_NEAR(value.section(' ', 0, 0).toDouble(), kDisplacedPx, 0.2);
    EXPECT_TRUE(text("centre", "reason").contains("instead of 47.50"));
    const double pitch = m_scan.geometry().detector.pitchMm[0];
    EXPECT_TRUE(box("roll").isEnabled());
    EXPECT_FALSE(box("roll").isChecked()) << "it is none, within its uncertainty";
    EXPECT_TRUE(text("roll", "reason").contains("nothing to change"));
    Heard<ScanDocument> heard(m_scan);
    click("useAlignment");
    ASSERT_TRUE(waitUntil([this] { return !m_window; })) << "it closes";
    EXPECT_NEAR(offsetMm(), -kDisplacedMm, 0.2 * pitch);
    EXPECT_EQ(m_scan.geometry().detector.rollDeg, 0);
    EXPECT_EQ(m_scan.undoStack().undoText(), "Correct centre of rotation");
    EXPECT_TRUE(heard.has(Message::Kind::info, "centre of rotation +2."));
    EXPECT_EQ(m_scan.undoStack().count(), 1);
    m_scan.undoStack().undo();
    EXPECT_EQ(offsetMm(), 0);
}

TEST_F(AlignmentWindowTest, AnotherFinderSearchesAgain) {
    openScan();
    openWindow();
    waitForResult();
    auto* finder = m_window->findChild<QComboBox*>("centreFrom");
    finder->setFocus();
    QTest::keyClick(finder, Qt::Key_End);
    EXPECT_TRUE(isSearching());
    waitForResult();
    EXPECT_TRUE(text("centre", "reason").contains("slices at several heights are sharpest"))
        << text("centre", "reason").toStdString();
    EXPECT_NEAR(text("centre", "value").section(' ', 0, 0).toDouble(), kDisplacedPx, 0.5);
    QTest::keyClick(finder, Qt::Key_Up);
    EXPECT_TRUE(isSearching());
    waitForResult();
    EXPECT_TRUE(text("centre", "reason").contains("parallel beam"));
}

TEST_F(AlignmentWindowTest, NothingMovesWhenTheSearchEnds) {
    openScan();
    openWindow();
    const auto places = [this] {
        std::vector<QRect> found = {button("useAlignment").geometry(), m_window->rect()};
        for (const char* row : {"centre", "roll", "tilt"})
            found.push_back(m_window->findChild<AlignmentRow*>(row)->geometry());
        return found;
    };
    const auto before = places();
    ASSERT_TRUE(isSearching());
    waitForResult();
    pass(50);
    EXPECT_EQ(before, places());
    screenshots(*m_window, "alignment-window");
    auto* curve = m_window->findChild<ProfilePlot*>("centreCurve");
    // The pointer may be there already, which is no move.
    QTest::mouseMove(curve, curve->rect().topLeft());
    pass(20);
    QTest::mouseMove(curve, curve->rect().center());
    ASSERT_TRUE(waitUntil([&] { return !curve->readOut().isEmpty(); }));
    EXPECT_TRUE(curve->readOut().section('\n', 0, 0).endsWith(" px"));
    expectNothingIsCutOff();
}

TEST_F(AlignmentWindowTest, ASearchIsCancelledAndBegunAgain) {
    openScan();
    openWindow();
    ASSERT_TRUE(isSearching());
    EXPECT_EQ(m_window->focusWidget(), &button("cancelSearch"));
    QTest::keyClick(&button("cancelSearch"), Qt::Key_Space);
    EXPECT_FALSE(isSearching());
    EXPECT_EQ(state(), "The search was cancelled.");
    EXPECT_FALSE(button("useAlignment").isEnabled());
    EXPECT_EQ(m_window->focusWidget(), &button("searchAgain"));
    click("searchAgain");
    EXPECT_TRUE(isSearching());
    waitForResult();
    EXPECT_TRUE(button("useAlignment").isEnabled());
    EXPECT_EQ(m_window->focusWidget(), &button("useAlignment"));
}

TEST_F(AlignmentWindowTest, EscapeCancelsAndCloses) {
    openScan();
    openWindow();
    screenshots(*m_window, "alignment-window-searching");
    QTest::keyClick(m_window, Qt::Key_Escape);
    ASSERT_TRUE(waitUntil([this] { return !m_window; }));
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60'000));
    openWindow();
    EXPECT_TRUE(isSearching());
    EXPECT_EQ(m_panel.findChildren<AlignmentWindow*>().size(), 1);
    QTest::mouseClick(&opener(), Qt::LeftButton);
    EXPECT_EQ(m_panel.findChildren<AlignmentWindow*>().size(), 1) << "there is one";
}

TEST_F(AlignmentWindowTest, TheWindowMayEndWhileItSearches) {
    openScan();
    for (int i = 0; i < 4; ++i) {
        openWindow();
        pass(30 * i);
        delete m_window.data();
    }
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60'000));
    pass(20);
}

TEST_F(AlignmentWindowTest, AResultHoldsForItsGeometryOnly) {
    openScan();
    search();
    ASSERT_TRUE(button("useAlignment").isEnabled());
    setDistance(1250);
    EXPECT_FALSE(button("useAlignment").isEnabled());
    EXPECT_TRUE(state().startsWith("The geometry has changed since")) << state().toStdString();
    screenshots(*m_window, "alignment-window-outdated");
    m_scan.undoStack().undo();
    EXPECT_TRUE(button("useAlignment").isEnabled()) << "it is the geometry that was searched";
    m_scan.undoStack().redo();
    click("searchAgain");
    waitForResult();
    click("useAlignment");
    EXPECT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1250);
    EXPECT_LT(offsetMm(), -10);
    EXPECT_EQ(m_scan.undoStack().count(), 2);
}

TEST_F(AlignmentWindowTest, AnEditEndsTheSearch) {
    openScan();
    openWindow();
    setDistance(1250);
    EXPECT_FALSE(isSearching());
    EXPECT_TRUE(state().startsWith("The geometry has changed since"));
    EXPECT_FALSE(button("useAlignment").isEnabled());
    EXPECT_TRUE(button("searchAgain").isEnabled());
}

TEST_F(AlignmentWindowTest, WhatIsBeingTypedIsSearchedWith) {
    openScan();
    auto* sdd = m_panel.findChild<ScanFieldEditor*>("trajectory.sourceToDetectorMm");
    m_panel.focusField("trajectory.sourceToDetectorMm");
    auto* edit = sdd->findChild<QLineEdit*>();
    edit->selectAll();
    QTest::keyClicks(edit, "1300");
    openWindow();
    EXPECT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1300);
    waitForResult();
    EXPECT_TRUE(box("centre").isChecked()) << state().toStdString();
}

TEST_F(AlignmentWindowTest, AViewThatCannotBeReadIsASentence) {
    openScan();
    for (const auto& file : m_scan.openScan()->files)
        std::filesystem::resize_file(file, 60);
    search();
    EXPECT_TRUE(state().contains(".tif")) << state().toStdString();
    EXPECT_FALSE(button("useAlignment").isEnabled());
    EXPECT_EQ(text("centre", "value"), "–");
    screenshots(*m_window, "alignment-window-failed");
}

TEST_F(AlignmentWindowTest, ItClosesWithItsScan) {
    EXPECT_FALSE(opener().isEnabled());
    openScan();
    EXPECT_TRUE(opener().isEnabled());
    search();
    m_scan.close();
    ASSERT_TRUE(waitUntil([this] { return !m_window; }));
    EXPECT_FALSE(opener().isEnabled());
}

TEST_F(AlignmentWindowTest, AnotherScanIsAnotherGeometry) {
    openScan();
    search();
    m_scan.open(toText(makeScan(m_folder / "next")));
    ASSERT_TRUE(
        waitUntil([&] { return m_scan.requestInFile().job.scan.folder == m_folder / "next"; }));
    ASSERT_TRUE(m_window);
    EXPECT_FALSE(button("useAlignment").isEnabled());
    EXPECT_TRUE(state().startsWith("The geometry has changed since"));
}

TEST_F(AlignmentWindowTest, AGeometryWithErrorsIsNotSearched) {
    openScan();
    search();
    setDistance(400);
    ASSERT_TRUE(waitUntil([this] { return !m_scan.openScan(); }));
    EXPECT_FALSE(opener().isEnabled());
    click("searchAgain");
    EXPECT_FALSE(isSearching());
    EXPECT_TRUE(state().startsWith("The images cannot be read")) << state().toStdString();
}

TEST(FindingText, HasTheDigitsThatAreKnown) {
    const auto text = [](double value, double uncertainty, AlignmentUnit unit) {
        Finding finding;
        finding.isFound = true;
        finding.value = value;
        finding.uncertainty = uncertainty;
        return findingText(finding, unit).toStdString();
    };
    EXPECT_EQ(text(3.4021, 0.021, AlignmentUnit::pixels), "+3.40 px ± 0.02 px");
    EXPECT_EQ(text(-12.34, 0.3, AlignmentUnit::pixels), "-12.3 px ± 0.3 px");
    EXPECT_EQ(text(0.5876, 0.003, AlignmentUnit::degrees), "+0.588° ± 0.003°");
    EXPECT_EQ(text(-0.00001, 0.002, AlignmentUnit::degrees), "+0.000° ± 0.002°");
    EXPECT_EQ(text(1, 1e-9, AlignmentUnit::pixels), "+1.000 px ± 0.001 px");
    EXPECT_EQ(text(1, 0, AlignmentUnit::pixels), "+1.00 px ± 0.01 px");
    EXPECT_EQ(findingText({}, AlignmentUnit::pixels), "cannot tell");
}

using PicturesOfAlignment = AlignmentWindowTest;

TEST_F(PicturesOfAlignment, LookAsBefore) {
    openScan();
    search();
    comparePictures(*m_window, "alignment", {.isLightToo = false, .masked = {}});
}

}  // namespace
}  // namespace gantry::test
