#include "ui/workspace/search/live_preview.h"

#include <gtest/gtest.h>

#include <QFile>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/file.h"
#include "core/scan/open_scan.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::waitUntil;

constexpr Index kMuch = 1'000'000'000;

class LivePreviewTest : public testing::Test {
  protected:
    LivePreviewTest() { watch(preview); }

    void watch(LivePreview& live) {
        QObject::connect(&live, &LivePreview::shown, &live, [this](const LiveShown& pictures) {
            if (pictures.isFinal) last = pictures;
        });
        QObject::connect(&live, &LivePreview::refused, &live,
                         [this](const QString& sentence) { refusal = sentence; });
        QObject::connect(&live, &LivePreview::failed, &live,
                         [this](const QString& sentence) { failure = sentence; });
    }
    [[nodiscard]] JobSpec smallJob() const {
        const fs::path scan = test::makeScan(folder / "scan");
        return test::jobOf(readScanFile(scan), 12, folder / "a.mha");
    }
    [[nodiscard]] static std::vector<Plane> planesOf(const JobSpec& spec) {
        const auto planes = orthogonalPlanes(spec.volume, {0, 0, 0});
        return {planes.begin(), planes.end()};
    }
    test::TemporaryFolder folder;
    LivePreview preview{GANTRY_PROGRAM};
    std::optional<LiveShown> last;
    QString refusal;
    QString failure;
};

TEST_F(LivePreviewTest, ShowsTheNewestRequestOfAProcess) {
    const JobSpec spec = smallJob();
    preview.open(spec, {kMuch, {}});
    Index newest = 0;
    for (int i = 0; i < 10; ++i) {
        JobSpec moved = spec;
        moved.scan.geometry.detector.offsetMm[0] = 0.3 * i;
        newest = preview.ask(moved, planesOf(spec));
    }
    ASSERT_TRUE(waitUntil([&] { return last && last->number == newest; })) << failure.toStdString();
    ASSERT_EQ(last->images.size(), 3U);
    EXPECT_EQ(last->images[0].columns, spec.volume.voxels[0]);
    EXPECT_EQ(last->images[0].rows, spec.volume.voxels[1]);
    const auto image = last->images[0].pixels;
    EXPECT_GT(*std::max_element(image.begin(), image.end()), 0);

    last.reset();
    JobSpec wrong = spec;
    wrong.scan.geometry.cone().arcDeg = 5;
    (void)preview.ask(wrong, planesOf(spec));
    ASSERT_TRUE(waitUntil([&] { return !refusal.isEmpty(); }));
    EXPECT_TRUE(refusal.contains("arc")) << refusal.toStdString();
    newest = preview.ask(spec, planesOf(spec));
    EXPECT_TRUE(waitUntil([&] { return last && last->number == newest; }));
    EXPECT_EQ(failure, "");
    preview.close();
    EXPECT_FALSE(preview.isOpen());
}

TEST_F(LivePreviewTest, ReadsTheViewsAgainWhereTheyAreCorrectedInAnotherWay) {
    JobSpec spec = smallJob();
    preview.open(spec, {kMuch, {}});
    const Index plain = preview.ask(spec, planesOf(spec));
    ASSERT_TRUE(waitUntil([&] { return last && last->number == plain; })) << failure.toStdString();
    const std::vector<float> before = {last->images[0].pixels.begin(),
                                       last->images[0].pixels.end()};
    spec.corrections.rings.method = RingMethod::smoothedMean;
    const Index corrected = preview.ask(spec, planesOf(spec));
    EXPECT_FALSE(preview.isReady());
    ASSERT_TRUE(waitUntil([&] { return last && last->number == corrected; }))
        << failure.toStdString();
    EXPECT_FALSE(std::ranges::equal(before, last->images[0].pixels));
}

// Phase retrieval depends on the size of a pixel, too.
TEST_F(LivePreviewTest, RetrievesThePhaseAgainForPixelsOfAnotherSize) {
    JobSpec spec = smallJob();
    spec.corrections.phase = {20, 50, 200};
    preview.open(spec, {kMuch, {}});
    const Index first = preview.ask(spec, planesOf(spec));
    ASSERT_TRUE(waitUntil([&] { return last && last->number == first; })) << failure.toStdString();
    spec.scan.geometry.detector.offsetMm[0] += 0.5;
    (void)preview.ask(spec, planesOf(spec));
    EXPECT_TRUE(preview.isReady());
    spec.scan.geometry.detector.pitchMm = {0.9 * spec.scan.geometry.detector.pitchMm[0],
                                           0.9 * spec.scan.geometry.detector.pitchMm[1]};
    const Index second = preview.ask(spec, planesOf(spec));
    EXPECT_FALSE(preview.isReady());
    EXPECT_TRUE(waitUntil([&] { return last && last->number == second; })) << failure.toStdString();
}

TEST_F(LivePreviewTest, EndsWithASentence) {
    const JobSpec spec = smallJob();
    preview.open(spec, {1000, {}});
    ASSERT_TRUE(waitUntil([&] { return !failure.isEmpty(); }));
    EXPECT_TRUE(failure.contains("may take 1.00 kB")) << failure.toStdString();
    EXPECT_FALSE(preview.isOpen());

    LivePreview missing((folder / "no program").c_str());
    watch(missing);
    failure.clear();
    missing.open(spec, {kMuch, {}});
    ASSERT_TRUE(waitUntil([&] { return !failure.isEmpty(); }));
    EXPECT_TRUE(failure.contains("no program could not be started")) << failure.toStdString();
}

TEST_F(LivePreviewTest, APreviewWhoseProcessIsKilledSaysSoAndIsOpenedAgain) {
    const JobSpec spec = smallJob();
    const fs::path program = folder / "killed.sh";
    writeFileAtomically(program, "#!/bin/sh\nread line\nkill -SEGV $$\n");
    fs::permissions(program, fs::perms::owner_all);
    LivePreview killed(QString::fromStdString(program.string()));
    watch(killed);
    killed.open(spec, {kMuch, {}});
    ASSERT_TRUE(waitUntil([&] { return !failure.isEmpty(); }));
    EXPECT_TRUE(failure.contains("ended unexpectedly")) << failure.toStdString();
    EXPECT_FALSE(killed.isOpen());

    failure.clear();
    preview.open(spec, {kMuch, {}});
    (void)preview.ask(spec, planesOf(spec));
    EXPECT_TRUE(waitUntil([&] { return last.has_value(); })) << failure.toStdString();
}

TEST_F(LivePreviewTest, LeavesNoFileBehind) {
    QString file;
    {
        const JobSpec spec = smallJob();
        LivePreview other{GANTRY_PROGRAM};
        watch(other);
        other.open(spec, {kMuch, {}});
        file = other.pictureFile();
        (void)other.ask(spec, planesOf(spec));
        ASSERT_TRUE(waitUntil([&] { return last.has_value(); }));
        EXPECT_TRUE(QFile::exists(file));
    }
    EXPECT_FALSE(QFile::exists(file));
}

}  // namespace
}  // namespace gantry
