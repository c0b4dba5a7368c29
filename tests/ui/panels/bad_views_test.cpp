#include <fmt/format.h>
#include <gtest/gtest.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <filesystem>

#include "core/io/tiff/tiff_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/panels/projections/projections_panel.h"
#include "ui/panels/scan/scan_notes.h"
#include "ui/panels/scan/scan_panel.h"
#include "ui/widgets/image/image_view.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {
namespace {

namespace fs = std::filesystem;

// Scan and projections side by side, on a scan of 18 views of 24 × 16 pixels, some of them bad.
class BadViewsTest : public testing::Test {
  protected:
    BadViewsTest() : m_file(makeScan(m_folder / "scan")) {
        auto* row = new QHBoxLayout(&m_desk);
        m_panel.setFixedWidth(360);
        row->addWidget(&m_panel);
        row->addWidget(&m_projections, 1);
    }
    ~BadViewsTest() override {
        m_panel.setParent(nullptr);
        m_projections.setParent(nullptr);
    }
    fs::path image(Index view) const {
        return m_folder / "scan" / "proj" / fmt::format("proj_{:04}.tif", view);
    }
    void damage(Index view) const { fs::resize_file(image(view), 60); }
    void open(const fs::path& path) {
        show(m_desk, {1280, 800});
        m_scan.open(toText(path));
        ASSERT_TRUE(waitUntil([this] { return m_scan.openScan() && m_scan.inspection(); }));
    }
    QStringList problems() {
        QStringList texts;
        for (const QLabel* note :
             m_panel.findChild<ScanNotes*>("problems")->findChildren<QLabel*>("note"))
            texts << note->text();
        return texts;
    }
    QPushButton& leaveOut() { return *m_panel.findChild<QPushButton*>("leaveOutViews"); }
    ImageView& view(const char* name) { return *m_projections.findChild<ImageView*>(name); }
    void goTo(Index number) {
        auto& field = *m_projections.findChild<QSpinBox*>("viewNumber");
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, QString::number(number));
        QTest::keyClick(&field, Qt::Key_Return);
    }
    bool isShown(const char* name) {
        return waitUntil([&] { return !view(name).image().isEmpty(); }, 20);
    }
    std::vector<Index> skipped() const { return m_scan.request().job.scan.projections.skipViews; }

    TemporaryFolder m_folder;
    fs::path m_file;
    test::FakeMachine m_machine;
    Workspace m_workspace{m_machine.machine(), m_machine.program()};
    ScanDocument& m_scan = m_workspace.scan();
    QWidget m_desk;
    ScanPanel m_panel{m_workspace};
    ProjectionsPanel m_projections{m_workspace};
};

TEST_F(BadViewsTest, ADamagedViewIsLeftOutByItsButton) {
    damage(7);
    open(m_file);
    ASSERT_EQ(problems().size(), 1);
    EXPECT_TRUE(
        problems()[0].contains("proj_0007.tif is damaged (its directory cannot be read). "
                               "Leave this view out?"))
        << problems()[0].toStdString();
    EXPECT_EQ(leaveOut().text(), "Leave this view out");
    EXPECT_TRUE(m_scan.hasErrors());
    goTo(7);
    EXPECT_TRUE(waitUntil([&] { return view("rawView").image().isEmpty(); }));
    for (const char* name : {"rawView", "correctedView", "filteredView"})
        EXPECT_TRUE(view(name).accessibleDescription().contains("proj_0007.tif is damaged"));
    screenshots(m_desk, "bad-view");

    QTest::mouseClick(&leaveOut(), Qt::LeftButton);
    EXPECT_EQ(skipped(), (std::vector<Index>{7}));
    EXPECT_TRUE(problems().isEmpty());
    EXPECT_FALSE(leaveOut().isVisible());
    EXPECT_FALSE(m_scan.hasErrors());
    ASSERT_TRUE(waitUntil([&] {
        auto* line = m_panel.findChild<QLabel*>("leftOut");
        return line && line->text().startsWith("view 7: proj_0007.tif is damaged");
    }));
    EXPECT_TRUE(
        waitUntil([&] { return view("rawView").accessibleDescription().contains("is left out"); }));
    EXPECT_EQ(m_panel.findChild<QLabel*>("views")->text(), "18 of 24 × 16 px");
    EXPECT_TRUE(m_panel.findChild<QLabel*>("weights")->text().startsWith("Full circle"));
    screenshots(m_desk, "bad-view-left-out");

    m_scan.undoStack().undo();
    EXPECT_TRUE(leaveOut().isVisible());
    EXPECT_TRUE(m_scan.hasErrors());
    m_scan.undoStack().redo();
    EXPECT_FALSE(m_scan.hasErrors());
    m_scan.saveScan(toText(m_file));
    EXPECT_EQ(readScanFile(m_file).projections.skipViews, (std::vector<Index>{7}));
}

TEST_F(BadViewsTest, EveryOtherViewIsShownAtItsNumber) {
    open(m_file);
    ASSERT_TRUE(isShown("filteredView"));
    const auto pixels = [&] {
        const GreyImage& shown = view("rawView").image();
        return std::vector<float>(shown.pixels.begin(), shown.pixels.end());
    };
    const std::vector<float> first = pixels();
    goTo(8);
    ASSERT_TRUE(waitUntil([&] { return !pixels().empty() && pixels() != first; }));
    const std::vector<float> ninth = pixels();
    damage(0);
    damage(7);
    m_scan.close();
    open(m_file);
    goTo(8);
    EXPECT_TRUE(waitUntil([&] { return pixels() == ninth; }));
    EXPECT_TRUE(isShown("filteredView"));
    EXPECT_EQ(m_projections.findChild<QLabel*>("viewAngle")->text(),
              QStringLiteral("of 0–17, 160.0°"));
    QTest::mouseClick(m_projections.findChild<QToolButton*>("modeSinogram"), Qt::LeftButton);
    ASSERT_TRUE(isShown("sinogramView"));
    const GreyImage& sinogram = view("sinogramView").image();
    EXPECT_EQ(sinogram.rows, 18);
    EXPECT_TRUE(std::isnan(sinogram.at(12, 7)));
    EXPECT_FALSE(std::isnan(sinogram.at(12, 8)));
}

TEST_F(BadViewsTest, SeveralAreLeftOutAtOnce) {
    damage(0);
    fs::remove(image(5));
    TiffPage page;
    page.columns = page.rows = 64;
    fs::remove(image(17));
    TiffWriter writer(image(17), TiffWriter::Mode::classic);
    writer.write(page, std::vector<std::byte>(64 * 64 * 2));
    writer.close();
    open(m_file);
    ASSERT_EQ(problems().size(), 3);
    EXPECT_TRUE(problems()[0].contains("proj_0000.tif is damaged"));
    EXPECT_TRUE(problems()[1].contains("proj_0005.tif is missing."));
    EXPECT_TRUE(
        problems()[2].contains("proj_0017.tif is 64 × 64; the others are 24 × 16. All must "
                               "be the same size."));
    EXPECT_EQ(leaveOut().text(), "Leave these 3 views out");
    screenshots(m_desk, "bad-views");
    // A problem leads to its view.
    const auto notes = m_panel.findChild<ScanNotes*>("problems")->findChildren<QLabel*>("note");
    QTest::mouseClick(notes[1], Qt::LeftButton, {}, {12, 8});
    EXPECT_EQ(m_workspace.selection().view(), 5);
    QTest::mouseClick(&leaveOut(), Qt::LeftButton);
    EXPECT_EQ(skipped(), (std::vector<Index>{0, 5, 17}));
    EXPECT_FALSE(m_scan.hasErrors());
}

TEST_F(BadViewsTest, WhichEndLacksIsAsked) {
    fs::remove(image(17));
    show(m_desk, {1280, 800});
    m_scan.open(toText(m_file));
    auto& first = *m_panel.findChild<QPushButton*>("firstViewLacks");
    ASSERT_TRUE(waitUntil([&] { return first.isVisible(); }));
    EXPECT_FALSE(leaveOut().isVisible());
    ASSERT_FALSE(problems().isEmpty());
    EXPECT_TRUE(problems()[0].contains("holds 17 images"));
    screenshots(m_desk, "bad-view-at-an-end");
    QTest::mouseClick(m_panel.findChild<QPushButton*>("lastViewLacks"), Qt::LeftButton);
    EXPECT_EQ(skipped(), (std::vector<Index>{17}));
    ASSERT_TRUE(waitUntil([&] { return m_scan.openScan() != nullptr; }));
    EXPECT_FALSE(m_scan.hasErrors());
    EXPECT_FALSE(first.isVisible());
    goTo(17);
    EXPECT_TRUE(
        waitUntil([&] { return view("rawView").accessibleDescription().contains("is left out"); }));
}

TEST_F(BadViewsTest, BareImagesWithABadOneAreAScanToo) {
    damage(3);
    fs::remove(image(9));
    fs::remove(m_file);
    fs::remove(m_folder / "scan" / "phantom.json");
    open(m_folder / "scan");
    EXPECT_EQ(m_scan.state(), ScanDocument::State::incomplete);
    EXPECT_EQ(m_scan.geometry().views(), 18);
    EXPECT_EQ(m_scan.badViews().size(), 2U);
    QTest::mouseClick(&leaveOut(), Qt::LeftButton);
    EXPECT_EQ(skipped(), (std::vector<Index>{3, 9}));
}

}  // namespace
}  // namespace gantry::test
