#include "ui/workspace/search/alignment_search.h"

#include <gtest/gtest.h>

#include <QThread>
#include <QThreadPool>
#include <optional>

#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/displaced_scan.h"

namespace gantry::test {
namespace {

class AlignmentSearchTest : public testing::Test {
  protected:
    AlignmentSearchTest() {
        makeScan(m_folder / "scan", displacedScan());
        m_scan = std::make_shared<const OpenScan>(
            openScan(readScanFile(m_folder / "scan" / "scan.json")));
    }
    void listenTo(AlignmentSearch& search) {
        QObject::connect(&search, &AlignmentSearch::progressed, &search,
                         [this, &search](const QString& what, double fraction) {
                             EXPECT_FALSE(what.isEmpty());
                             EXPECT_GE(fraction, 0);
                             EXPECT_LE(fraction, 1);
                             EXPECT_TRUE(QThread::currentThread() == search.thread());
                             ++m_told;
                         });
        QObject::connect(&search, &AlignmentSearch::finished, &search,
                         [this](const Alignment& found) {
                             m_found = found;
                             ++m_ends;
                         });
        QObject::connect(&search, &AlignmentSearch::failed, &search,
                         [this](const QString& sentence) {
                             m_sentence = sentence;
                             ++m_ends;
                         });
    }

    TemporaryFolder m_folder;
    std::shared_ptr<const OpenScan> m_scan;
    std::optional<Alignment> m_found;
    QString m_sentence;
    int m_told = 0;
    int m_ends = 0;
};

TEST_F(AlignmentSearchTest, FindsTheCentreAndTellsHowFarItIs) {
    AlignmentSearch search;
    listenTo(search);
    search.start(m_scan);
    EXPECT_TRUE(search.isBusy());
    EXPECT_EQ(m_ends, 0);
    ASSERT_TRUE(waitUntil([&] { return m_ends > 0; }, 120));
    EXPECT_FALSE(search.isBusy());
    ASSERT_TRUE(m_found) << m_sentence.toStdString();
    ASSERT_TRUE(m_found->centre.isFound) << m_found->centre.reason;
    EXPECT_NEAR(m_found->centre.value, kDisplacedPx, 0.2);
    EXPECT_GT(m_told, 0);
    const int told = m_told;
    pass(250);
    EXPECT_EQ(m_told, told) << "nothing is told after the end";
}

TEST_F(AlignmentSearchTest, NothingIsToldOfACancelledSearch) {
    AlignmentSearch search;
    listenTo(search);
    search.start(m_scan);
    ASSERT_TRUE(waitUntil([&] { return m_told > 0 || m_ends > 0; }));
    search.cancel();
    EXPECT_FALSE(search.isBusy());
    const int told = m_told;
    const int ends = m_ends;
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60'000));
    pass(250);
    EXPECT_EQ(m_told, told);
    EXPECT_EQ(m_ends, ends);
    search.start(m_scan);
    ASSERT_TRUE(waitUntil([&] { return m_ends > ends; }, 120));
    EXPECT_TRUE(m_found);
}

TEST_F(AlignmentSearchTest, ANewSearchTakesThePlaceOfTheOneUnderWay) {
    AlignmentSearch search;
    listenTo(search);
    search.start(m_scan);
    search.start(m_scan);
    ASSERT_TRUE(waitUntil([&] { return m_ends > 0; }, 120));
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60'000));
    pass(50);
    EXPECT_EQ(m_ends, 1);
}

TEST_F(AlignmentSearchTest, EndsAtAnyMoment) {
    for (int i = 0; i < 8; ++i) {
        AlignmentSearch search;
        QObject::connect(&search, &AlignmentSearch::finished,
                         [](const Alignment&) { ADD_FAILURE() << "has ended"; });
        search.start(m_scan);
        pass(10 * i);
    }
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60'000));
    pass(20);
}

TEST_F(AlignmentSearchTest, WhatGoesWrongIsASentence) {
    AlignmentSearch search;
    listenTo(search);
    for (const auto& file : m_scan->files)
        std::filesystem::resize_file(file, 60);
    search.start(m_scan);
    ASSERT_TRUE(waitUntil([&] { return m_ends > 0; }));
    EXPECT_FALSE(m_found);
    EXPECT_TRUE(m_sentence.contains(".tif")) << m_sentence.toStdString();
}

}  // namespace
}  // namespace gantry::test
