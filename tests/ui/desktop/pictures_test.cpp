// Pictures of the whole window and of those that it opens; those of its panels are beside the
// panels' tests.
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QSettings>

#include "tests/ui/desktop/desk.h"
#include "tests/ui/desktop/other_screen.h"
#include "tests/ui/support/compared_pictures.h"
#include "ui/desktop/window/command_palette.h"
#include "ui/scene/schematic/schematic_view.h"
#include "ui/widgets/image/image_view.h"

namespace gantry {
namespace {

using test::comparePictures;
using test::waitUntil;

class PicturesOfDesktop : public testing::Test {
  protected:
    PicturesOfDesktop() { QSettings().clear(); }

    void openScan() {
        m_desk.openScan(m_desk.makeScan(60, 96, "walnut"));
        auto& filtered = m_desk.part<ImageView>("filteredView");
        ASSERT_TRUE(waitUntil([&] { return !filtered.image().isEmpty(); }));
        const auto& forecast = m_desk.part<QWidget>("forecastBar");
        ASSERT_TRUE(waitUntil([&] { return forecast.isVisible(); }));
        auto& schematic = m_desk.part<SchematicView>("schematic");
        ASSERT_TRUE(waitUntil([&] { return schematic.lastDrawingMs() > 0; }));
    }

    test::Desk m_desk{QSize(1280, 800)};
    // What is measured, and where the test's folder is.
    const QStringList m_changing = {"scanPlace", "forecastArea", "outputPlace", "statusLine"};
};

TEST_F(PicturesOfDesktop, LookAsBefore) {
    comparePictures(m_desk.window(), "start", {.isLightToo = false, .masked = m_changing});
    openScan();
    comparePictures(m_desk.window(), "window", {.masked = m_changing});
    QTest::keyClick(&m_desk.window(), Qt::Key_K, Qt::ControlModifier);
    auto& palette = m_desk.part<CommandPalette>("commandPalette");
    QTest::keyClicks(palette.findChild<QLineEdit*>(), "ro");
    comparePictures(palette, "command-palette", {.isLightToo = false, .masked = {}});
}

TEST_F(PicturesOfDesktop, DISABLED_OnAFineScreen) {
    openScan();
    ASSERT_EQ(m_desk.window().devicePixelRatioF(), 2);
    comparePictures(m_desk.window(), "window-fine", {.isLightToo = false, .masked = m_changing});
}

// The screen is larger than the window: the pointer waits beside it.
TEST(PicturesOnAFineScreen, LookAsBefore) {
    test::runOnScreen("2800x1800", "2", "PicturesOfDesktop.DISABLED_OnAFineScreen");
}

}  // namespace
}  // namespace gantry
