#include "ui/scene/volume/picture_saver.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "tests/support/temporary_folder.h"
#include "tests/ui/scene/scene_fixtures.h"
#include "tests/ui/support/ui_test.h"
#include "ui/models/text.h"
#include "ui/scene/volume/volume_rendering.h"

namespace gantry {
namespace {

class PictureSaverTest : public testing::Test {
  protected:
    PictureSaverTest() {
        test::show(view, {240, 200});
        view.setVolume(head->grid, head, head->voxels);
        view.setWindow(head->window);
        EXPECT_TRUE(test::waitUntil([&] { return view.isFinished(); }));
        QObject::connect(&saver, &PictureSaver::progressed, &saver,
                         [this](int done, int) { progress = done; });
        QObject::connect(&saver, &PictureSaver::finished, &saver,
                         [this](int, const QString& said) { sentence = said; });
    }
    void save(PictureOrder order) {
        saver.save(view.pictureSource().value(), std::move(order));
        EXPECT_TRUE(saver.isBusy());
        ASSERT_TRUE(test::waitUntil([&] { return !saver.isBusy(); }));
    }
    [[nodiscard]] QString path(const char* name) const { return toText(folder / name); }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(folder.path()),
                          std::filesystem::directory_iterator()));
    }

    test::TemporaryFolder folder;
    std::shared_ptr<test::Head> head = std::make_shared<test::Head>(32);
    VolumeRendering view;
    PictureSaver saver;
    int progress = -1;
    QString sentence = "none yet";
};

TEST_F(PictureSaverTest, APictureIsAsManyTimesLargerAndMayHaveTheBar) {
    save({{path("tête à 4×.png")}, 4, false});
    save({{path("with bar.png")}, 1, true});
    save({{path("without.png")}, 1, false});
    EXPECT_EQ(sentence, QString());
    const QImage large(path("tête à 4×.png"));
    EXPECT_EQ(large.size(), 4 * view.size() * view.devicePixelRatioF());
    const QImage bare(path("without.png"));
    const QImage withBar(path("with bar.png"));
    EXPECT_GT(test::colourCount(bare), 50);
    EXPECT_GT(test::difference(withBar, bare), 0.002);
    EXPECT_LT(test::difference(withBar, bare), 0.1);
    // The same picture, finer: edges differ, not places.
    const QImage smaller =
        large.scaled(bare.size(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    double sum = 0;
    for (int y = 0; y < bare.height(); ++y)
        for (int x = 0; x < bare.width(); ++x)
            sum += std::abs(qRed(bare.pixel(x, y)) - qRed(smaller.pixel(x, y)));
    EXPECT_LT(sum / (bare.width() * bare.height()), 6);
    EXPECT_EQ(files(), 3U);  // and nothing temporary
}

TEST_F(PictureSaverTest, ATurntableGoesOnceRound) {
    std::vector<QString> paths;
    for (const char* name : {"1.png", "2.png", "3.png", "4.png"})
        paths.push_back(path(name));
    save({paths, 1, false});
    EXPECT_EQ(progress, 4);
    const QImage first(paths[0]);
    for (std::size_t i = 1; i < 4; ++i)
        EXPECT_GT(test::difference(QImage(paths[i]), first), 0.05) << i;
    // A quarter further is what the camera shows there.
    PictureSource source = view.pictureSource().value();
    source.request.camera.azimuthDeg += 90;
    saver.save(source, {{path("quarter.png")}, 1, false});
    ASSERT_TRUE(test::waitUntil([&] { return !saver.isBusy(); }));
    EXPECT_EQ(QImage(path("quarter.png")), QImage(paths[1]));
}

TEST_F(PictureSaverTest, IsCancelledAndMaySaveAgain) {
    std::vector<QString> paths;
    for (int i = 0; i < 200; ++i)
        paths.push_back(toText(folder / (std::to_string(i) + ".png")));
    saver.save(view.pictureSource().value(), {paths, 1, true});
    ASSERT_TRUE(test::waitUntil([&] { return progress >= 2; }));
    saver.cancel();
    EXPECT_FALSE(saver.isBusy());
    EXPECT_LT(files(), 150U);
    save({{path("again.png")}, 1, true});
    EXPECT_FALSE(QImage(path("again.png")).isNull());
}

TEST_F(PictureSaverTest, AFolderThatIsGoneIsNamed) {
    save({{path("gone/picture.png")}, 1, true});
    EXPECT_TRUE(sentence.contains("gone/picture.png")) << sentence.toStdString();
}

}  // namespace
}  // namespace gantry
