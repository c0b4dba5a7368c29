#include "ui/workspace/scan/scan_document.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <fstream>

#include "tests/ui/workspace/scan_document_fixture.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using State = ScanDocument::State;

class ScanDocumentTest : public test::ScanDocumentFixture {};

TEST_F(ScanDocumentTest, IsEmptyToBeginWith) {
    EXPECT_EQ(m_document.state(), State::empty);
    EXPECT_FALSE(m_document.hasScan());
    EXPECT_TRUE(m_document.title().isEmpty());
    setDistance(100);
    m_document.resetToFile();
    m_document.acceptGuesses();
    m_document.close();
    EXPECT_EQ(m_document.undoStack().count(), 0);
    EXPECT_EQ(m_document.state(), State::empty);
}

TEST_F(ScanDocumentTest, OpensAScanWithItsImagesAndStatistics) {
    QSignalSpy opened(&m_document, &ScanDocument::opened);
    openScan("Nuß 'a' \"b\"");
    EXPECT_EQ(m_document.state(), State::open);
    EXPECT_EQ(m_document.title(), "walnut");
    EXPECT_EQ(m_document.geometry(), test::smallScan().geometry);
    EXPECT_TRUE(m_document.problems().empty());
    EXPECT_TRUE(m_document.guesses().empty());
    EXPECT_EQ(m_document.openScan()->source->info().views, 18);
    EXPECT_EQ(opened.count(), 1);
    ASSERT_TRUE(test::waitUntil([this] { return m_document.inspection() != nullptr; }));
    EXPECT_EQ(m_document.inspection()->series.size(), 3U);
    EXPECT_EQ(m_heard.count(), 0U);
}

TEST_F(ScanDocumentTest, ShowsPixelsBeforeItHasStatistics) {
    bool hadImages = false;
    QObject::connect(&m_document, &ScanDocument::openScanChanged, &m_document, [&] {
        if (!m_document.openScan()) return;
        hadImages = true;
        EXPECT_FALSE(m_document.inspection());
    });
    openScan();
    EXPECT_TRUE(hadImages);
}

TEST_F(ScanDocumentTest, WhatIsNoScanLeavesTheOpenOne) {
    openScan();
    setDistance(1300);
    writeFileAtomically(m_folder / "bad.json", "{\"gantryScan\": 7}");
    for (const fs::path& path : {m_folder / "missing", m_folder / "bad.json"}) {
        open(toText(path));
        EXPECT_TRUE(m_heard.hasError(toText(path)));
        EXPECT_EQ(m_document.state(), State::open);
        EXPECT_EQ(distance(), 1300);
        EXPECT_EQ(m_document.undoStack().count(), 1);
    }
}

TEST_F(ScanDocumentTest, TheOpenScanStaysWhileAnotherIsLookedFor) {
    openScan();
    m_document.open(toText(m_folder / "missing"));
    EXPECT_EQ(m_document.state(), State::opening);
    EXPECT_TRUE(m_document.hasScan());
    EXPECT_TRUE(m_document.openScan());
}

TEST_F(ScanDocumentTest, TheLastOneOpenedIsShown) {
    const QString first = toText(test::makeScan(m_folder / "a", test::smallScan("first")));
    const QString second = toText(test::makeScan(m_folder / "b", test::smallScan("second")));
    QSignalSpy opened(&m_document, &ScanDocument::opened);
    m_document.open(first);
    m_document.open(second);
    m_document.open(first);
    open(second);
    EXPECT_EQ(m_document.title(), "second");
    EXPECT_EQ(opened.count(), 1);
    EXPECT_TRUE(isReadWithItsGeometry());
}

TEST_F(ScanDocumentTest, ClosingDropsEverything) {
    openScan();
    setDistance(1300);
    m_document.open(toText(m_folder / "scan"));
    m_document.close();
    EXPECT_EQ(m_document.state(), State::empty);
    EXPECT_FALSE(m_document.openScan());
    EXPECT_FALSE(m_document.inspection());
    EXPECT_EQ(m_document.undoStack().count(), 0);
    test::pass(100);
    EXPECT_EQ(m_document.state(), State::empty);
}

TEST_F(ScanDocumentTest, MissingImagesAreSaid) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    fs::remove_all(scan.parent_path() / "proj");
    open(toText(scan));
    EXPECT_EQ(m_document.state(), State::open);
    EXPECT_TRUE(test::waitUntil([this] { return m_heard.hasError("proj"); }));
    EXPECT_TRUE(hasProblem("projections.files"));
    EXPECT_FALSE(m_document.openScan());
    EXPECT_TRUE(test::waitUntil([this] { return m_document.inspection() != nullptr; }));
}

TEST_F(ScanDocumentTest, ATruncatedImageIsABadViewAndTheOthersOpen) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    const fs::path image = scan.parent_path() / "proj" / "proj_0005.tif";
    fs::resize_file(image, fs::file_size(image) / 2);
    open(toText(scan));
    EXPECT_TRUE(test::waitUntil(
        [this] { return m_document.inspection() && hasProblem("projections.skipViews"); }));
    ASSERT_EQ(m_document.badViews().size(), 1U);
    EXPECT_EQ(m_document.badViews()[0].file.filename(), "proj_0005.tif");
    EXPECT_TRUE(m_document.openScan());
}

// Its header is good, its compressed pixels are noise.
TEST_F(ScanDocumentTest, AViewFoundBadByItsPixelsIsAnnounced) {
    SimulationSpec spec = test::smallScan();
    spec.deflate = true;
    const fs::path scan = test::makeScan(m_folder / "scan", spec);
    std::fstream image(scan.parent_path() / "proj" / "proj_0005.tif",
                       std::ios::in | std::ios::out | std::ios::binary);
    image.seekp(20);
    image << std::string(200, '\xee');
    image.close();
    std::size_t announced = 0;
    QObject::connect(&m_document, &ScanDocument::requestChanged, &m_document,
                     [&] { announced = m_document.badViews().size(); });
    open(toText(scan));
    ASSERT_TRUE(test::waitUntil([this] { return m_document.inspection() != nullptr; }));
    EXPECT_TRUE(m_document.openScan());
    EXPECT_TRUE(hasProblem("projections.skipViews"));
    EXPECT_EQ(m_document.badViews().size(), 1U);
    EXPECT_EQ(announced, 1U);
}

TEST_F(ScanDocumentTest, NoViewsAndOnePixelAreSurvived) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    ScanFile file = readScanFile(scan);
    file.geometry.cone().views = 0;
    writeFileAtomically(scan, toJson(file));
    open(toText(scan));
    EXPECT_TRUE(hasProblem("trajectory.views"));
    SimulationSpec pixel = test::smallScan("pixel");
    pixel.geometry.detector.columns = pixel.geometry.detector.rows = 1;
    open(toText(test::makeScan(m_folder / "pixel", pixel)));
    EXPECT_TRUE(
        test::waitUntil([this] { return m_document.openScan() || m_document.hasErrors(); }));
    EXPECT_EQ(m_document.title(), "pixel");
}

TEST_F(ScanDocumentTest, EndsAtAnyMoment) {
    const QString scan = toText(test::makeScan(m_folder / "scan"));
    for (int i = 0; i < 60; ++i) {
        ScanDocument document;
        document.open(i % 3 == 0 ? toText(m_folder / "scan" / "proj") : scan);
        if (i % 5 == 0) document.open(scan);
        test::pass(i % 16);
        if (document.hasScan()) {
            Request request = document.request();
            request.job.scan.geometry.cone().sourceToDetectorMm += 1;
            document.edit(request, "Change SDD");
        }
        if (i % 4 == 0) document.close();
    }
    EXPECT_TRUE(QThreadPool::globalInstance()->waitForDone(10'000));
}

}  // namespace
}  // namespace gantry
