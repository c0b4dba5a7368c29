#include "ui/workspace/volume/volume_document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <QSemaphore>
#include <QSignalSpy>
#include <QThreadPool>
#include <QTimer>
#include <limits>

#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/models/text.h"

namespace gantry {
namespace {

class VolumeDocumentTest : public testing::Test {
  protected:
    QString makeVolume(const std::string& name, float value, VolumeGrid grid = test::smallGrid()) {
        test::writeVolume(m_folder / name, grid, [&](Index x, Index, Index) {
            return value + static_cast<float>(x) / 10;
        });
        return toText(m_folder / name);
    }
    bool isDone() {
        return test::waitUntil([this] { return !m_document.isOpening(); });
    }

    test::TemporaryFolder m_folder;
    VolumeDocument m_document;
    test::Heard<VolumeDocument> m_heard{m_document};
};

TEST_F(VolumeDocumentTest, OpensAndCloses) {
    QSignalSpy changed(&m_document, &VolumeDocument::volumeChanged);
    QSignalSpy opening(&m_document, &VolumeDocument::openingChanged);
    m_document.open(makeVolume("Nuß \"a\" b.mha", 1));
    EXPECT_TRUE(m_document.isOpening());
    const auto* progress = m_document.findChild<QTimer*>(QString(), Qt::FindDirectChildrenOnly);
    EXPECT_TRUE(progress->isActive());
    ASSERT_TRUE(isDone());
    EXPECT_FALSE(progress->isActive());
    ASSERT_TRUE(m_document.volume());
    EXPECT_EQ(m_document.volume()->grid, test::smallGrid());
    EXPECT_EQ(m_document.window(), m_document.volume()->window);
    EXPECT_EQ(changed.count(), 1);
    EXPECT_GE(opening.count(), 2);
    m_document.close();
    EXPECT_FALSE(m_document.volume());
    EXPECT_EQ(changed.count(), 2);
    EXPECT_EQ(m_heard.count(), 0U);
}

TEST_F(VolumeDocumentTest, KeepsTheVolumeWhenTheNextIsNone) {
    m_document.open(makeVolume("good.mha", 1));
    ASSERT_TRUE(isDone());
    const auto before = m_document.volume();
    const QString shortened = makeVolume("short.mha", 2);
    std::filesystem::resize_file(toPath(shortened), 500);
    for (const QString& path : {shortened, toText(m_folder / "missing.mha")}) {
        m_document.open(path);
        ASSERT_TRUE(isDone());
        EXPECT_TRUE(m_heard.hasError(path));
        EXPECT_EQ(m_document.volume(), before);
    }
}

TEST_F(VolumeDocumentTest, KeepsTheVolumeWhenReadingTheNextIsCancelled) {
    m_document.open(makeVolume("good.mha", 1));
    ASSERT_TRUE(isDone());
    const auto before = m_document.volume();
    m_document.open(makeVolume(fmt::format("{:x>64}", ".mha"), 2));
    EXPECT_TRUE(m_document.openingText().startsWith("Reading xxx"));
    EXPECT_TRUE(m_document.openingText().endsWith("xxx.mha, 0 %"));
    EXPECT_LT(m_document.openingText().size(), 60);
    m_document.cancelOpening();
    EXPECT_FALSE(m_document.isOpening());
    EXPECT_TRUE(m_document.openingText().isEmpty());
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(10'000));
    test::pass(20);
    EXPECT_EQ(m_document.volume(), before);
    EXPECT_EQ(m_heard.count(), 0U);
}

TEST_F(VolumeDocumentTest, SaysNothingWhileTheReadingDoesNotGetOn) {
    QThreadPool& pool = *QThreadPool::globalInstance();
    const int threads = pool.maxThreadCount();
    QSemaphore held;
    for (int i = 0; i < threads; ++i)
        pool.start([&held] { held.acquire(); });
    QSignalSpy opening(&m_document, &VolumeDocument::openingChanged);
    m_document.open(makeVolume("a.mha", 1));
    test::pass(350);  // some turns of the progress
    EXPECT_EQ(opening.count(), 1);
    EXPECT_EQ(m_document.openingText(), "Reading a.mha, 0 %");
    held.release(threads);
    EXPECT_TRUE(isDone());
    EXPECT_TRUE(m_document.volume());
    EXPECT_TRUE(pool.waitForDone(10'000));
}

TEST_F(VolumeDocumentTest, TheLastOneOpenedIsShown) {
    const QString first = makeVolume("first.mha", 1, test::smallGrid(64, 64, 64));
    const QString second = makeVolume("second.mha", 2);
    m_document.open(first);
    m_document.open(second);
    m_document.open(first);
    m_document.open(second);
    ASSERT_TRUE(isDone());
    EXPECT_EQ(m_document.volume()->path, second);
    EXPECT_EQ(m_heard.count(), 0U);
}

TEST_F(VolumeDocumentTest, HasOneWindowForAllViews) {
    m_document.open(makeVolume("a.mha", 1));
    ASSERT_TRUE(isDone());
    QSignalSpy changed(&m_document, &VolumeDocument::windowChanged);
    m_document.setWindow({0.25, 0.75});
    m_document.setWindow({0.25, 0.75});
    m_document.setWindow({0, std::numeric_limits<double>::quiet_NaN()});
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(m_document.window(), (GreyWindow{0.25, 0.75}));
}

TEST_F(VolumeDocumentTest, ReplacingTheFileDoesNotDisturb) {
    const QString path = makeVolume("a.mha", 1, test::smallGrid(64, 64, 64));
    for (int i = 0; i < 5; ++i) {
        m_document.open(path);
        (void)makeVolume("a.mha", 2, test::smallGrid(8, 8, 8));
        ASSERT_TRUE(isDone());
        EXPECT_TRUE(m_document.volume() || m_heard.count() > 0);
        (void)makeVolume("a.mha", 1, test::smallGrid(64, 64, 64));
    }
}

TEST_F(VolumeDocumentTest, EndsAtAnyMoment) {
    const QString path = makeVolume("a.mha", 1, test::smallGrid(64, 64, 64));
    for (int i = 0; i < 100; ++i) {
        VolumeDocument document;
        document.open(path);
        if (i % 4 == 0) document.open(path);
        if (i % 5 == 0) document.close();
        test::pass(i % 7);
    }
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(10'000));
}

}  // namespace
}  // namespace gantry
