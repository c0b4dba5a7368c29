#include "ui/workspace/search/scan_search.h"

#include <gtest/gtest.h>

#include <QThread>
#include <QThreadPool>
#include <QTimer>
#include <optional>

#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/displaced_scan.h"

namespace gantry::test {
namespace {

class ScanSearchTest : public testing::Test {
  protected:
    ScanSearchTest() {
        makeScan(m_folder / "scan", displacedScan());
        m_scan = std::make_shared<const OpenScan>(
            openScan(readScanFile(m_folder / "scan" / "scan.json")));
    }
    void listenTo(ScanSearch& search) {
        QObject::connect(&search, &ScanSearch::progressed, &search,
                         [this, &search](const QString& what, double fraction) {
                             EXPECT_FALSE(what.isEmpty());
                             EXPECT_GE(fraction, 0);
                             EXPECT_LE(fraction, 1);
                             EXPECT_TRUE(QThread::currentThread() == search.thread());
                             ++m_told;
                         });
    }
    void start(ScanSearch& search) {
        search.start(
            [scan = m_scan](const SearchControl& control) {
                return searchAlignment(*scan, CentreFinder::automatic, control);
            },
            [this](const Alignment& found) {
                m_found = found;
                ++m_ends;
            },
            [this](const QString& sentence) {
                m_sentence = sentence;
                ++m_ends;
            });
    }

    static bool isTimed(const ScanSearch& search) {
        return search.findChild<QTimer*>()->isActive();
    }

    TemporaryFolder m_folder;
    std::shared_ptr<const OpenScan> m_scan;
    std::optional<Alignment> m_found;
    QString m_sentence;
    int m_told = 0;
    int m_ends = 0;
};

TEST_F(ScanSearchTest, FindsTheCentreAndTellsHowFarItIs) {
    ScanSearch search;
    listenTo(search);
    start(search);
    EXPECT_TRUE(search.isBusy());
    EXPECT_TRUE(isTimed(search));
    EXPECT_EQ(m_ends, 0);
    ASSERT_TRUE(waitUntil([&] { return m_ends > 0; }, 120));
    EXPECT_FALSE(search.isBusy());
    EXPECT_FALSE(isTimed(search));
    ASSERT_TRUE(m_found) << m_sentence.toStdString();
    ASSERT_TRUE(m_found->centre.isFound) << m_found->centre.reason;
    EXPECT_NEAR(m_found->centre.value, kDisplacedPx, 0.2);
    EXPECT_GT(m_told, 0);
    const int told = m_told;
    pass(250);
    EXPECT_EQ(m_told, told) << "nothing is told after the end";
}

TEST_F(ScanSearchTest, NothingIsToldOfACancelledSearch) {
    ScanSearch search;
    listenTo(search);
    start(search);
    ASSERT_TRUE(waitUntil([&] { return m_told > 0 || m_ends > 0; }));
    search.cancel();
    EXPECT_FALSE(search.isBusy());
    EXPECT_FALSE(isTimed(search));
    const int told = m_told;
    const int ends = m_ends;
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60'000));
    pass(250);
    EXPECT_EQ(m_told, told);
    EXPECT_EQ(m_ends, ends);
    start(search);
    ASSERT_TRUE(waitUntil([&] { return m_ends > ends; }, 120));
    EXPECT_TRUE(m_found);
}

TEST_F(ScanSearchTest, ANewSearchTakesThePlaceOfTheOneUnderWay) {
    ScanSearch search;
    listenTo(search);
    start(search);
    start(search);
    ASSERT_TRUE(waitUntil([&] { return m_ends > 0; }, 120));
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60'000));
    pass(50);
    EXPECT_EQ(m_ends, 1);
}

TEST_F(ScanSearchTest, EndsAtAnyMoment) {
    for (int i = 0; i < 8; ++i) {
        ScanSearch search;
        start(search);
        pass(10 * i);
    }
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(60'000));
    pass(20);
    EXPECT_EQ(m_ends, 0);
}

TEST_F(ScanSearchTest, WhatGoesWrongIsASentence) {
    ScanSearch search;
    listenTo(search);
    for (const auto& file : m_scan->files)
        std::filesystem::resize_file(file, 60);
    start(search);
    ASSERT_TRUE(waitUntil([&] { return m_ends > 0; }));
    EXPECT_FALSE(m_found);
    EXPECT_TRUE(m_sentence.contains(".tif")) << m_sentence.toStdString();
    EXPECT_FALSE(isTimed(search));
}

}  // namespace
}  // namespace gantry::test
