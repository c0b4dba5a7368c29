// From a scanner's folder to slices that the views agree with, in two actions: the folder is
// dragged into the window, and one key is pressed.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QTabWidget>
#include <string>

#include "tests/ui/desktop/desk.h"
#include "ui/panels/live/live_panel.h"
#include "ui/panels/scan/scan_panel.h"
#include "ui/workspace/search/open_questions.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::Desk;
using test::waitUntil;

struct ScannerFolder {
    std::string maker;
    std::string name;      ///< as the desktop calls the maker
    std::string rotation;  ///< as the images were made
};

class ScannerFolderTest : public testing::TestWithParam<ScannerFolder> {
  protected:
    static fs::path make(const fs::path& folder, const std::string& maker) {
        QProcess python;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("GANTRY", GANTRY_PROGRAM);
        python.setProcessEnvironment(environment);
        const fs::path made = folder / "Part 7 (2)";
        python.start(GANTRY_PYTHON, {"-B", GANTRY_SCANNER_FOLDERS, QString::fromStdString(maker),
                                     QString::fromStdString(made.string())});
        EXPECT_TRUE(python.waitForFinished(120'000));
        EXPECT_EQ(python.exitCode(), 0) << python.readAllStandardError().toStdString();
        return made;
    }
    bool waitForSlices() {
        return waitUntil([&] { return m_desk.window().findChild<LivePanel*>()->slices().areFinal; },
                         60);
    }
    // The filter of the scanner's program, by its button where the scan is described.
    void takeMakersFilter() {
        auto& button =
            *m_desk.window().findChild<ScanPanel*>()->findChild<QPushButton*>("makersPreset");
        // Nothing has to be scrolled for it.
        ASSERT_TRUE(button.isEnabled());
        ASSERT_EQ(button.visibleRegion().boundingRect(), button.rect());
        QTest::mouseClick(&button, Qt::LeftButton);
        const FilterSpec& filter = m_desk.workspace().scan().request().job.filter;
        EXPECT_EQ(filter.window, FilterWindow::hamming);
        EXPECT_EQ(filter.cutoff, 0.8);
        EXPECT_FALSE(button.isEnabled());
        ASSERT_TRUE(waitForSlices());
        test::screenshots(m_desk.window(), "scanner-SkyScan-filter");
    }
    Desk m_desk;
};

INSTANTIATE_TEST_SUITE_P(Makers, ScannerFolderTest,
                         testing::Values(ScannerFolder{"Nikon", "Nikon X-Tek", "counter-clockwise"},
                                         ScannerFolder{"SkyScan", "Bruker SkyScan",
                                                       "counter-clockwise"},
                                         ScannerFolder{"Xradia", "ZEISS Xradia", "clockwise"}),
                         [](const auto& made) { return made.param.maker; });

TEST_P(ScannerFolderTest, IsSeenInSlicesInTwoActions) {
    const fs::path folder = make(m_desk.folder(), GetParam().maker);
    m_desk.drop(folder);
    // The key may come as soon as there is a scan; the images are still being opened.
    auto& scan = m_desk.workspace().scan();
    ASSERT_TRUE(waitUntil([&] { return scan.description() != nullptr; }));
    QTest::keyClick(&m_desk.window(), Qt::Key_L, Qt::ControlModifier);
    EXPECT_EQ(m_desk.part<QTabWidget>("tabs").currentWidget(),
              m_desk.window().findChild<LivePanel*>());
    ASSERT_TRUE(waitForSlices()) << m_desk.part<QLabel>("liveComplaint").text().toStdString();
    // The views are asked once their images can be read, which a busy machine does later.
    ASSERT_TRUE(waitUntil(
        [&] {
            return m_desk.part<QLabel>("how.rotation").text() != "as usual" &&
                   !m_desk.workspace().openQuestions().isSearching();
        },
        60));
    test::pass(50);
    ASSERT_TRUE(waitForSlices());
    EXPECT_TRUE(
        m_desk.part<QLabel>("readFrom").text().contains(QString::fromStdString(GetParam().name)));
    EXPECT_EQ(m_desk.part<QLabel>("how.rotation").text(), "found on the views (sure)");
    // The answer is how the images were made, and not settled by what is usual alone.
    EXPECT_EQ(m_desk.part<QComboBox>("question.rotation").currentText().toStdString(),
              GetParam().rotation);
    const QString picture = QString::fromStdString("scanner-" + GetParam().maker);
    test::screenshots(m_desk.window(), picture);
    m_desk.window().resize(1280, 800);
    test::pass(50);
    test::screenshots(m_desk.window(), picture + "-small");
    if (GetParam().maker == "SkyScan") takeMakersFilter();
}

}  // namespace
}  // namespace gantry
