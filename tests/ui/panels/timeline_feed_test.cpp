#include "ui/panels/timeline/timeline_feed.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTimer>
#include <fstream>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/panels/timeline_spans.h"
#include "tests/ui/support/ui_test.h"
#include "ui/models/text.h"

namespace gantry {
namespace {

class TimelineFeedTest : public testing::Test {
  protected:
    TimelineFeedTest() { m_feed.setWatched(true); }
    bool waitForSpans(Index count) {
        return test::waitUntil(
            [&] { return m_feed.snapshot() && m_feed.snapshot()->store.spanCount() == count; });
    }
    void follow() { m_feed.follow(toText(m_folder.path())); }

    test::TemporaryFolder m_folder;
    std::vector<TimelineSpan> m_spans = test::pipelineSpans(10);
    TimelineFeed m_feed;
};

TEST_F(TimelineFeedTest, ReadsALogWhileItGrows) {
    follow();
    ASSERT_TRUE(test::waitUntil([&] { return m_feed.snapshot() != nullptr; }));
    EXPECT_TRUE(m_feed.snapshot()->store.empty());
    test::writeSpans(m_folder.path(), m_spans);
    const auto count = static_cast<Index>(m_spans.size());
    ASSERT_TRUE(waitForSpans(count));
    const auto before = m_feed.snapshot();
    EXPECT_FALSE(before->isOver);
    test::writeSpans(m_folder.path(), m_spans);
    test::writeState(m_folder.path(), JobState::done);
    ASSERT_TRUE(waitForSpans(2 * count));
    ASSERT_TRUE(test::waitUntil([&] { return m_feed.snapshot()->isOver; }));
    EXPECT_EQ(m_feed.snapshot()->generation, before->generation);
    EXPECT_EQ(before->store.spanCount(), count) << "what was handed out does not change";
    EXPECT_EQ(m_feed.snapshot()->uses.size(), 4U);
}

TEST_F(TimelineFeedTest, ALogBegunAnewForgetsTheOld) {
    test::writeSpans(m_folder.path(), m_spans);
    follow();
    ASSERT_TRUE(waitForSpans(static_cast<Index>(m_spans.size())));
    const int generation = m_feed.snapshot()->generation;
    std::filesystem::remove(m_folder / "events.jsonl");
    test::writeSpans(m_folder.path(), {m_spans[0]});
    ASSERT_TRUE(waitForSpans(1));
    EXPECT_NE(m_feed.snapshot()->generation, generation);
}

TEST_F(TimelineFeedTest, AFolderThatVanishesIsSaidAndWhatWasReadStays) {
    std::filesystem::create_directory(m_folder / "job");
    test::writeSpans(m_folder / "job", m_spans);
    m_feed.follow(toText(m_folder / "job"));
    ASSERT_TRUE(waitForSpans(static_cast<Index>(m_spans.size())));
    std::filesystem::remove_all(m_folder / "job");
    ASSERT_TRUE(test::waitUntil([&] { return !m_feed.snapshot()->problem.isEmpty(); }));
    EXPECT_TRUE(m_feed.snapshot()->problem.contains("gone"));
    EXPECT_EQ(m_feed.snapshot()->store.spanCount(), static_cast<Index>(m_spans.size()));
    std::filesystem::create_directory(m_folder / "job");
    ASSERT_TRUE(test::waitUntil([&] { return m_feed.snapshot()->problem.isEmpty(); }));
}

TEST_F(TimelineFeedTest, AFolderThatIsStillBeingMadeIsWaitedFor) {
    m_feed.follow(toText(m_folder / "job"));
    ASSERT_TRUE(test::waitUntil([&] { return m_feed.snapshot() != nullptr; }));
    EXPECT_TRUE(m_feed.snapshot()->problem.isEmpty());
    std::filesystem::create_directory(m_folder / "job");
    test::writeSpans(m_folder / "job", m_spans);
    EXPECT_TRUE(waitForSpans(static_cast<Index>(m_spans.size())));
}

TEST_F(TimelineFeedTest, DamagedAndForeignLinesAreCountedAndTheRestRead) {
    test::writeSpans(m_folder.path(), {m_spans[0]});
    {
        std::ofstream file(m_folder / "events.jsonl", std::ios::app);
        file << "{\"event\":\"span\",\"rank\":0,\"lane\":\"load\",\"stage\":\"polish\"}\n"
             << std::string(300, '\0') << "\n"
             << "{\"event\":\"hologram\"}\n{\"event\":\"span\",\"rank\":0,\"la";
    }
    follow();
    ASSERT_TRUE(waitForSpans(1));
    EXPECT_EQ(m_feed.snapshot()->unreadLines, 3);
}

TEST_F(TimelineFeedTest, AnotherJobReplacesTheOneBeingRead) {
    std::filesystem::create_directory(m_folder / "a");
    std::filesystem::create_directory(m_folder / "b");
    test::writeSpans(m_folder / "a", m_spans);
    test::writeSpans(m_folder / "b", {m_spans[0], m_spans[1]});
    m_feed.follow(toText(m_folder / "a"));
    m_feed.follow(toText(m_folder / "b"));
    EXPECT_EQ(m_feed.snapshot(), nullptr);
    ASSERT_TRUE(waitForSpans(2));
    m_feed.follow({});
    EXPECT_EQ(m_feed.snapshot(), nullptr);
}

TEST_F(TimelineFeedTest, ReadsNothingWhileNobodyLooks) {
    m_feed.setWatched(false);
    test::writeSpans(m_folder.path(), m_spans);
    follow();
    test::pass(300);
    EXPECT_EQ(m_feed.snapshot(), nullptr);
    m_feed.setWatched(true);
    EXPECT_TRUE(waitForSpans(static_cast<Index>(m_spans.size())));
}

TEST_F(TimelineFeedTest, NoTimerRunsOnOnceItIsHidden) {
    follow();
    test::writeSpans(m_folder.path(), m_spans);
    const auto count = static_cast<Index>(m_spans.size());
    ASSERT_TRUE(waitForSpans(count));
    const auto isTimed = [&] { return m_feed.findChild<QTimer*>()->isActive(); };
    ASSERT_TRUE(test::waitUntil(isTimed));
    m_feed.setWatched(false);
    EXPECT_FALSE(isTimed());
    test::writeSpans(m_folder.path(), m_spans);
    test::pass(300);
    EXPECT_FALSE(isTimed());
    EXPECT_EQ(m_feed.snapshot()->store.spanCount(), count);
    m_feed.setWatched(true);
    EXPECT_TRUE(waitForSpans(2 * count));
}

}  // namespace
}  // namespace gantry
