#include "ui/panels/live/live_film.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/ui/panels/live_fixture.h"
#include "tests/ui/support/ui_test.h"
#include "ui/panels/live/live_views.h"
#include "ui/widgets/image/image_view.h"

namespace gantry {
namespace {

using test::waitUntil;

class LiveFilmTest : public test::LivePanelFixture {
  protected:
    static constexpr int kSide = 96;

    void showFilm() { part<QPushButton>("filmstripButton")->click(); }
    // The picture of the value that the scan has.
    [[nodiscard]] QImage middlePicture() const {
        return part<QListWidget>("filmstrip")
            ->item(Filmstrip::kReach)
            ->icon()
            .pixmap(kSide)
            .toImage();
    }
    // Waits until all pictures are there.
    void waitForPictures() {
        const auto* strip = panel.findChild<Filmstrip*>();
        ASSERT_TRUE(waitUntil([&] { return strip->missing() == -1; }));
    }
};

// Correlation of a picture with the part of a slice that its view shows, which fills the picture
// up to two edges, in the shape that it has on the screen.
double likeness(const QImage& picture, const ImageView& view) {
    const GreyImage& image = view.image();
    const QRectF seen = view.visiblePixels();
    const double side = std::max(seen.width(), seen.height() * image.pixelAspect);
    double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) {
            const double right = ((x + 0.5) / picture.width() - 0.5) * side;
            const double up = (0.5 - (y + 0.5) / picture.height()) * side / image.pixelAspect;
            const QPointF pixel = seen.center() + QPointF(right, up);
            if (!seen.contains(pixel)) continue;
            const double value =
                std::clamp(valueAt(image, pixel), view.window().black, view.window().white);
            const double grey = qGray(picture.pixel(x, y));
            n += 1, a += value, b += grey, aa += value * value, bb += grey * grey,
                ab += value * grey;
        }
    return (ab - a * b / n) / std::sqrt((aa - a * a / n) * (bb - b * b / n));
}

TEST_F(LiveFilmTest, AFilmstripShowsARangeToPickFrom) {
    openScan(2);
    start();
    showFilm();
    auto* step = part<QComboBox>("filmstripStep");
    step->setCurrentIndex(step->findText("1 px"));
    emit step->activated(step->currentIndex());
    const auto* strip = panel.findChild<Filmstrip*>();
    waitForPictures();
    auto* pictures = part<QListWidget>("filmstrip");
    ASSERT_EQ(pictures->count(), 9);
    EXPECT_EQ(pictures->item(4)->text(), "77.5 px");
    EXPECT_NE(pictures->item(6)->icon().pixmap(96).toImage(),
              pictures->item(4)->icon().pixmap(96).toImage());
    const auto boldOnes = [&] {
        QStringList texts;
        for (int i = 0; i < pictures->count(); ++i)
            if (pictures->item(i)->font().bold()) texts.append(pictures->item(i)->text());
        return texts;
    };
    EXPECT_EQ(boldOnes(), QStringList("79.5 px")) << "the true centre is the sharpest";
    EXPECT_EQ(pictures->item(6)->toolTip(), "The sharpest of these pictures");
    EXPECT_TRUE(pictures->item(4)->toolTip().contains("% as sharp"));
    test::screenshots(panel, "live-filmstrip");

    ASSERT_EQ(pictures->item(6)->text(), "79.5 px");
    QTest::mouseClick(pictures->viewport(), Qt::LeftButton, {},
                      pictures->visualItemRect(pictures->item(6)).center());
    EXPECT_NEAR(workspace.scan().geometry().detector.offsetMm[0], 0, 1e-9);
    EXPECT_EQ(part<QLabel>("parameterValue")->text(), "79.5 px");
    EXPECT_EQ(strip->missing(), -1) << "the pictures stay";
    workspace.scan().editJob([](JobSpec& job) { job.scan.geometry.detector.rollDeg = 1; }, "roll");
    EXPECT_EQ(strip->missing(), 0) << "they are of another geometry";
    EXPECT_TRUE(waitUntil([&] { return strip->missing() == -1; }));
    workspace.scan().undoStack().undo();
    workspace.scan().undoStack().undo();
    EXPECT_NEAR(workspace.scan().geometry().detector.offsetMm[0], 5, 1e-9);
}

TEST_F(LiveFilmTest, ShowsTheDetailThatTheAxialSliceShowsOnceThatRests) {
    openScan();
    chooseVolume({{160, 80, 40}, {1.2, 2.4, 3}, {0, 0, 0}});
    start();
    showFilm();
    waitForPictures();
    EXPECT_GT(likeness(middlePicture(), *view(0)), 0.9);

    const QSignalSpy rested(panel.findChild<LiveViews*>(), &LiveViews::seenPartChanged);
    for (int i = 0; i < 4; ++i)
        test::wheel(*view(0), QPointF(view(0)->width() * 0.2, view(0)->height() * 0.3), 1,
                    Qt::ControlModifier);
    EXPECT_LT(likeness(middlePicture(), *view(0)), 0.7) << "those of all of the slice";
    ASSERT_TRUE(waitUntil([&] { return rested.count() > 0; }));
    waitForPictures();
    EXPECT_EQ(rested.count(), 1) << "not after each step of the wheel";
    EXPECT_GT(likeness(middlePicture(), *view(0)), 0.9);
    test::screenshots(panel, "live-film-detail");

    const QImage before = middlePicture();
    test::wheel(*view(0), QPointF(view(0)->width() * 0.6, view(0)->height() * 0.8), -1,
                Qt::ControlModifier);
    ASSERT_TRUE(waitUntil([&] { return rested.count() > 1; }));
    waitForPictures();
    EXPECT_GT(likeness(middlePicture(), *view(0)), 0.9);
    EXPECT_NE(middlePicture(), before);
    // Another height: the same detail of that slice.
    const GreyImage axial = view(0)->image();
    ImageView& coronal = *view(1);
    QTest::mouseClick(
        &coronal, Qt::LeftButton, {},
        coronal.viewAt({80, static_cast<double>(coronal.image().rows) * 0.7}).toPoint());
    waitForChange(axial);
    waitForPictures();
    EXPECT_GT(likeness(middlePicture(), *view(0)), 0.9);
}

}  // namespace
}  // namespace gantry
