// What is written into the schematic is written where nothing is drawn, in views of all sizes.
#include <gtest/gtest.h>

#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "tests/ui/scene/scene_fixtures.h"
#include "tests/ui/support/ui_test.h"
#include "ui/scene/schematic/schematic_scale.h"
#include "ui/scene/schematic/schematic_shape.h"
#include "ui/scene/schematic/schematic_view.h"

namespace gantry {
namespace {

using Camera = SchematicView::Camera;

const QSize kSizes[] = {{240, 160}, {240, 320}, {320, 160}, {300, 240}, {324, 190},
                        {400, 320}, {560, 160}, {640, 480}, {324, 128}};

// A schematic with a button in its corner, as in the panel.
class WordsOfSchematic : public testing::Test {
  protected:
    void open(const ScanGeometry& geometry, Index at = 0) {
        scan = geometry;
        grid = fitGrid(scan);
        viewNumber = at;
        view.setScan(scan, grid, true);
        view.setView(at);
        button.resize(40, 28);
        test::show(view, {400, 320});
        ASSERT_TRUE(test::waitUntil([&] { return view.lastDrawingMs() > 0; }));
    }
    QImage picture(QSize size) {
        view.resize(size);
        button.move(size.width() - button.width() - 4, 4);
        test::pass(0);
        return view.grab().toImage();
    }
    [[nodiscard]] QString text() const {
        QStringList lines;
        for (const PlacedWords& each : view.words())
            lines << each.text;
        return lines.join('\n');
    }
    void expectApart() const;
    void expectOffLines() const;
    void expectOffColours(const QImage& picture) const;
    void check(QSize size) {
        SCOPED_TRACE(std::to_string(size.width()) + " x " + std::to_string(size.height()));
        const QImage image = picture(size);
        expectApart();
        expectOffLines();
        expectOffColours(image);
    }

    ScanGeometry scan;
    VolumeGrid grid;
    Index viewNumber = 0;
    SchematicView view;
    QToolButton button{&view};
};

void WordsOfSchematic::expectApart() const {
    const auto& words = view.words();
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string what = words[i].text.toStdString();
        EXPECT_TRUE(QRectF(view.rect()).contains(words[i].area)) << what;
        EXPECT_FALSE(QRectF(button.geometry()).intersects(words[i].area)) << what;
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_FALSE(words[j].area.intersects(words[i].area))
                << what << " and " << words[j].text.toStdString();
    }
}

// Found by walking along every line that comes near a word.
void WordsOfSchematic::expectOffLines() const {
    constexpr int kSteps = 100;
    const SchematicScale scale = schematicScale(scan);
    const SchematicShape shape =
        schematicShape(drawn(scan, scale), drawn(grid, scale), viewNumber, themeOf(view));
    const auto isBeforeCamera = [&](const Vec3& at) {
        return view.camera().depthMm(at) >= view.camera().minDepthMm();
    };
    const auto pointOf = [&](const Vec3& at) { return view.widgetPoint(at.x, at.y, at.z); };
    const auto isNearWords = [&](const Vec3& from, const Vec3& to) {
        if (!isBeforeCamera(from) || !isBeforeCamera(to)) return true;
        const QRectF box = QRectF(pointOf(from), pointOf(to)).normalized().adjusted(-1, -1, 1, 1);
        return std::ranges::any_of(
            view.words(), [&](const PlacedWords& each) { return box.intersects(each.area); });
    };
    for (const ColouredMesh* mesh : {&shape.fine, &shape.strong})
        for (std::size_t i = 0; i + 1 < mesh->points.size(); i += 2) {
            if (!isNearWords(mesh->points[i], mesh->points[i + 1])) continue;
            for (int step = 0; step <= kSteps; ++step) {
                const Vec3 along = mesh->points[i + 1] - mesh->points[i];
                const Vec3 at = mesh->points[i] + (static_cast<double>(step) / kSteps) * along;
                if (!isBeforeCamera(at)) continue;
                const QPointF point = pointOf(at);
                for (const PlacedWords& each : view.words())
                    ASSERT_FALSE(each.area.contains(point)) << each.text.toStdString();
            }
        }
}

// Grey words on the background: all parts but thin lines have a colour.
void WordsOfSchematic::expectOffColours(const QImage& picture) const {
    constexpr int kGrey = 24;
    const QRgb muted = themeOf(view).muted.rgb();
    for (const PlacedWords& each : view.words()) {
        if (each.colour.rgb() != muted) continue;
        const QRect area = each.area.toAlignedRect() & picture.rect();
        for (int y = area.top(); y <= area.bottom(); ++y)
            for (int x = area.left(); x <= area.right(); ++x) {
                const QColor colour = picture.pixelColor(x, y);
                const auto [min, max] = std::minmax({colour.red(), colour.green(), colour.blue()});
                ASSERT_LT(max - min, kGrey) << each.text.toStdString() << " at " << x << ", " << y
                                            << ": " << colour.name().toStdString();
            }
    }
}

TEST_F(WordsOfSchematic, CoverNothingInViewsOfAllSizesFromEveryCamera) {
    open(test::benchScan(), 25);
    view.setName("walnut, second run, 120 kV");
    for (const Camera camera : {Camera::overview, Camera::alongAxis, Camera::fromSource}) {
        view.setCamera(camera);
        for (const QSize size : kSizes) {
            check(size);
            if (camera != Camera::fromSource && size.height() >= 160) {
                EXPECT_TRUE(text().contains("SOD 600 mm"))
                    << size.width() << " x " << size.height();
                EXPECT_TRUE(text().contains("SDD 1200 mm"));
            }
            if (size == QSize(240, 160) || size == QSize(324, 128))
                test::screenshots(view, QString("schematic-words-%1-%2")
                                            .arg(size.width())
                                            .arg(static_cast<int>(camera)));
        }
    }
}

TEST_F(WordsOfSchematic, CoverNothingOfWhateverScanner) {
    ScanGeometry flat = test::benchScan();
    flat.detector.rows = 2;
    ScanGeometry far = test::benchScan();
    far.cone().sourceToIsocenterMm = 2.53e6;
    far.cone().sourceToDetectorMm = 2.5304e6;
    ScanGeometry aside = test::benchScan();
    aside.detector.offsetMm = {183.5, -61};
    aside.cone().arcDeg = -200;
    for (const ScanGeometry& each : {flat, far, aside}) {
        open(each, 77);
        for (const QSize size : kSizes)
            check(size);
    }
}

TEST_F(WordsOfSchematic, StayWhereTheyAreWhileTheGantryTurns) {
    open(test::benchScan());
    (void)picture({324, 190});
    const auto grey = [&] {
        std::vector<QRectF> areas;
        for (const PlacedWords& each : view.words())
            if (each.text.startsWith("SOD")) areas.push_back(each.area);
        return areas;
    };
    const auto before = grey();
    ASSERT_FALSE(before.empty());
    for (const Index at : {31, 90, 200, 301}) {
        viewNumber = at;
        view.setView(at);
        check({324, 190});
        EXPECT_EQ(grey(), before) << at;
    }
}

TEST_F(WordsOfSchematic, GiveWayToWhatIsZoomedAndTurnedOntoThem) {
    open(test::benchScan(), 140);
    (void)picture({300, 240});
    for (const int turns : {1, 2, 4, 8}) {
        test::drag(view, {20, 100}, {60, 90});
        test::wheel(view, {150, 120}, turns);
        check({300, 240});
    }
}

TEST_F(WordsOfSchematic, AreWrappedWhereALineIsTooLong) {
    open(test::benchScan());
    (void)picture({640, 480});
    EXPECT_TRUE(text().contains("SOD 600 mm · SDD 1200 mm")) << text().toStdString();
    EXPECT_TRUE(text().contains("Volume 201.6 × 201.6 × 153.6 mm"));
    view.setCamera(Camera::alongAxis);
    (void)picture({400, 320});
    EXPECT_TRUE(text().contains("SOD 600 mm\nSDD 1200 mm")) << text().toStdString();
}

}  // namespace
}  // namespace gantry
