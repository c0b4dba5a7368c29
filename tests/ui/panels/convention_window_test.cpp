#include "ui/panels/geometry/convention_window.h"

#include <gtest/gtest.h>

#include <QRadioButton>
#include <QScrollArea>
#include <QThreadPool>

#include "core/geometry/vec3.h"
#include "tests/ui/panels/scan_search_fixture.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/workspace/spheres_scan.h"

namespace gantry::test {
namespace {

/// The panel over a scan of spheres that are seen off the detector's middle.
class ConventionWindowTest : public ScanSearchTest<ConventionWindow> {
  protected:
    ConventionWindowTest() : ScanSearchTest("checkConventions", "conventionState") {}

    static SimulationSpec spheresOffset() {
        SimulationSpec spec = spheresScan();
        spec.geometry.detector.offsetMm = {8, -18};
        spec.kind = ProjectionKind::attenuation;
        return spec;
    }
    /// Opened, then changed, which the images are opened with again.
    void openScan(const std::function<void(ScanFile&)>& change = {}) {
        ScanSearchTest::openScan(spheresOffset());
        if (change) m_scan.editJob([&](JobSpec& job) { change(job.scan); }, "Change");
        ASSERT_TRUE(waitUntil([this] { return opener().isEnabled(); }));
    }
    [[nodiscard]] QList<QRadioButton*> interpretations() {
        return m_window->findChildren<QRadioButton*>("reading");
    }
    [[nodiscard]] QRadioButton* interpretation(const QString& text) {
        for (QRadioButton* one : interpretations())
            if (one->text() == text) return one;
        return nullptr;
    }
};

TEST_F(ConventionWindowTest, AReverseRotationIsFoundAndUsedAndTakenBack) {
    openScan([](ScanFile& scan) { scan.geometry.cone().arcDeg = -360; });
    openWindow();
    EXPECT_TRUE(isSearching()) << "it begins by itself";
    EXPECT_FALSE(m_window->isModal());
    EXPECT_FALSE(button("useReading").isEnabled());
    const QRect use = button("useReading").geometry();
    const QRect window = m_window->rect();
    waitForResult();
    EXPECT_EQ(button("useReading").geometry(), use) << "nothing moves when it ends";
    EXPECT_EQ(m_window->rect(), window);
    EXPECT_TRUE(state().startsWith("The scan fits with: rotation reversed (sure). "))
        << state().toStdString();
    ASSERT_FALSE(interpretations().isEmpty());
    EXPECT_EQ(interpretations().front()->text(), "Rotation reversed");
    EXPECT_TRUE(interpretations().front()->isChecked());
    pass(50);
    screenshots(*m_window, "convention-window");
    expectNothingIsCutOff();
    for (auto* slice : m_window->findChildren<QLabel*>("slice"))
        EXPECT_LE(slice->mapTo(m_window, QPoint(slice->width(), 0)).x(), m_window->width());
    Heard<ScanDocument> heard(m_scan);
    click("useReading");
    ASSERT_TRUE(waitUntil([this] { return !m_window; })) << "it closes";
    EXPECT_EQ(m_scan.geometry().cone().arcDeg, 360);
    EXPECT_EQ(m_scan.undoStack().undoText(), "Change conventions");
    EXPECT_TRUE(heard.has(Message::Kind::info, "rotation reversed"));
    m_scan.undoStack().undo();
    EXPECT_EQ(m_scan.geometry().cone().arcDeg, -360);
}

constexpr const char* kRight =
    "Directions, flips, signs and the order of the views are right as they are (sure).";

TEST_F(ConventionWindowTest, ARightScanHasNothingToUseButWhatNoViewTells) {
    openScan();
    search();
    EXPECT_TRUE(state().startsWith(kRight)) << state().toStdString();
    EXPECT_TRUE(interpretations().front()->isChecked());
    EXPECT_FALSE(button("useReading").isEnabled()) << "there is nothing to change";
    QRadioButton* const opposite = interpretation("Start on the opposite side (180°)");
    ASSERT_TRUE(opposite);
    EXPECT_TRUE(opposite->accessibleDescription().contains("rotated by 180° about the axis"));
    EXPECT_TRUE(opposite->accessibleDescription().endsWith("?"));
    m_window->findChild<QScrollArea*>("readings")->ensureWidgetVisible(opposite);
    pass(20);
    QTest::mouseClick(opposite, Qt::LeftButton, {}, QPoint(10, opposite->height() / 2));
    EXPECT_TRUE(opposite->isChecked());
    click("useReading");
    ASSERT_TRUE(waitUntil([this] { return !m_window; }));
    EXPECT_EQ(m_scan.geometry().cone().startDeg, 180);
}

// What was judged is named, and the axis is not among it.
TEST_F(ConventionWindowTest, AShiftedAxisIsToldBesideRightConventions) {
    SimulationSpec spec = spheresOffset();
    spec.geometry.detector.offsetMm[0] = 2.8 * spec.geometry.detector.pitchMm[0];
    ScanSearchTest::openScan(spec);
    m_scan.editJob([](JobSpec& job) { job.scan.geometry.detector.offsetMm[0] = 0; }, "Change");
    ASSERT_TRUE(waitUntil([this] { return opener().isEnabled(); }));
    search();
    screenshots(*m_window, "convention-window-shifted");
    EXPECT_TRUE(state().contains("the order of the views are right as they are"))
        << state().toStdString();
    EXPECT_TRUE(state().contains("the centre of rotation about 2.")) << state().toStdString();
    EXPECT_TRUE(state().contains("px from where it is declared: Align")) << state().toStdString();
    expectNothingIsCutOff();
}

// The images are opened again, the other way up.
TEST_F(ConventionWindowTest, ImagesUpsideDownAreReadTheRightWayUp) {
    openScan([](ScanFile& scan) { scan.projections.firstRowIsTop = false; });
    search();
    EXPECT_TRUE(state().startsWith("The scan fits with: images upside down (sure). "))
        << state().toStdString();
    click("useReading");
    EXPECT_TRUE(m_scan.request().job.scan.projections.firstRowIsTop);
    ASSERT_TRUE(waitUntil([this] {
        return !m_window && m_scan.openScan() &&
               m_scan.openScan()->description.projections.firstRowIsTop;
    }));
    search();
    EXPECT_TRUE(state().startsWith(kRight)) << state().toStdString();
}

TEST_F(ConventionWindowTest, AnArcInRadiansIsFoundThoughItCannotBeUsed) {
    openScan([](ScanFile& scan) { scan.geometry.cone().arcDeg = 2 * kPi; });
    ASSERT_TRUE(m_scan.hasErrors());
    search();
    EXPECT_TRUE(
        state().startsWith("The scan fits with: angles in radians instead of degrees (sure). "))
        << state().toStdString();
    screenshots(*m_window, "convention-window-radians");
    click("useReading");
    EXPECT_NEAR(m_scan.geometry().cone().arcDeg, 360, 1e-9);
    EXPECT_TRUE(waitUntil([this] { return !m_scan.hasErrors(); }));
}

TEST_F(ConventionWindowTest, ASearchIsCancelledAndBegunAgain) {
    openScan();
    openWindow();
    ASSERT_TRUE(isSearching());
    EXPECT_EQ(m_window->focusWidget(), &button("cancelSearch"));
    screenshots(*m_window, "convention-window-searching");
    if (!isSearching()) click("searchAgain");
    QTest::keyClick(&button("cancelSearch"), Qt::Key_Space);
    EXPECT_FALSE(isSearching());
    EXPECT_EQ(state(), "The search was cancelled.");
    EXPECT_TRUE(interpretations().isEmpty());
    click("searchAgain");
    waitForResult();
    EXPECT_FALSE(interpretations().isEmpty());
    QTest::keyClick(m_window, Qt::Key_Escape);
    ASSERT_TRUE(waitUntil([this] { return !m_window; }));
}

// The choice is the operator's, and nothing is chosen for them.
TEST_F(ConventionWindowTest, ViewsThatShowNothingCannotTell) {
    SimulationSpec spec = spheresOffset();
    spec.phantom.placement.centerMm.z = 900;  // mm, above what any view sees
    // Views of one value are no images: noise makes them some.
    spec.kind = ProjectionKind::counts;
    spec.photons = 1e5;
    ScanSearchTest::openScan(spec);
    search();
    EXPECT_TRUE(state().startsWith("Cannot tell: ")) << state().toStdString();
    EXPECT_FALSE(button("useReading").isEnabled());
    EXPECT_GT(interpretations().size(), 2);
    for (const QRadioButton* one : interpretations())
        EXPECT_FALSE(one->isChecked()) << one->text().toStdString();
    screenshots(*m_window, "convention-window-cannot-tell");
    expectNothingIsCutOff();
}

TEST_F(ConventionWindowTest, AViewThatCannotBeReadIsASentence) {
    openScan();
    for (const auto& file : m_scan.openScan()->files)
        std::filesystem::resize_file(file, 60);
    search();
    EXPECT_TRUE(state().contains(".tif")) << state().toStdString();
    EXPECT_FALSE(button("useReading").isEnabled());
    EXPECT_TRUE(interpretations().isEmpty());
    screenshots(*m_window, "convention-window-failed");
}

TEST_F(ConventionWindowTest, TheWindowMayEndWhileItSearches) {
    openScan();
    for (int i = 0; i < 3; ++i) {
        openWindow();
        pass(30 * i);
        delete m_window.data();
    }
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60'000));
    openWindow();
    m_scan.close();
    ASSERT_TRUE(waitUntil([this] { return !m_window; })) << "it ends with its scan";
}

using PicturesOfConventions = ConventionWindowTest;

TEST_F(PicturesOfConventions, LookAsBefore) {
    openScan([](ScanFile& scan) { scan.geometry.cone().arcDeg = -360; });
    search();
    comparePictures(*m_window, "conventions", {.isLightToo = false, .masked = {}});
}

}  // namespace
}  // namespace gantry::test
