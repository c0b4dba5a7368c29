#include <gtest/gtest.h>

#include <QSignalSpy>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "tests/support/expect_error.h"
#include "tests/ui/workspace/scan_document_fixture.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using State = ScanDocument::State;

class ScanEditsTest : public test::ScanDocumentFixture {};

TEST_F(ScanEditsTest, EditsAreUndone) {
    openScan();
    QSignalSpy changed(&m_document, &ScanDocument::requestChanged);
    const VolumeGrid before = m_document.request().job.volume;
    setDistance(1500);
    EXPECT_EQ(changed.count(), 1);
    EXPECT_NE(m_document.request().job.volume, before) << "the volume follows the field of view";
    EXPECT_EQ(m_document.undoStack().undoText(), "Change SDD");
    EXPECT_TRUE(isReadWithItsGeometry());
    m_document.undoStack().undo();
    EXPECT_EQ(distance(), 1200);
    EXPECT_EQ(m_document.request().job.volume, before);
    EXPECT_TRUE(isReadWithItsGeometry());
    m_document.undoStack().redo();
    EXPECT_EQ(distance(), 1500);
}

TEST_F(ScanEditsTest, AnEditAndItsUndoTellWhatTheyChange) {
    openScan();
    QStringList told;
    const auto tell = [&](auto signal, const char* name) {
        QObject::connect(&m_document, signal, &m_document, [&told, name] { told << name; });
    };
    tell(&ScanDocument::scanChanged, "scan");
    tell(&ScanDocument::volumeChanged, "volume");
    tell(&ScanDocument::filterChanged, "filter");
    tell(&ScanDocument::correctionsChanged, "corrections");
    tell(&ScanDocument::engineChanged, "engine");
    tell(&ScanDocument::outputChanged, "output");
    tell(&ScanDocument::requestChanged, "request");
    const auto expect = [&](const char* parts, const std::function<void(JobSpec&)>& change) {
        const QStringList wanted = QString(parts).split(' ') << "request";
        m_document.editJob(change, "Edit");
        EXPECT_EQ(std::exchange(told, {}), wanted) << told.join(' ').toStdString();
        m_document.undoStack().undo();
        EXPECT_EQ(std::exchange(told, {}), wanted) << parts << ", undone";
    };
    expect("scan volume", [](JobSpec& job) { job.scan.geometry.cone().sourceToDetectorMm = 1500; });
    expect("scan volume", [](JobSpec& job) { job.scan.geometry.detector.pitchMm[0] = -1; });
    expect("scan", [](JobSpec& job) { job.scan.name = "another"; });
    expect("filter", [](JobSpec& job) { job.filter.cutoff = 0.5; });
    expect("corrections", [](JobSpec& job) { job.corrections.zingers.ratio = 2; });
    expect("engine", [](JobSpec& job) { job.engine = Engine::cpu; });
    expect("engine", [](JobSpec& job) { job.batchViews = 8; });
    expect("output", [this](JobSpec& job) { job.output.path = m_folder / "other.mha"; });
    Request request = m_document.request();
    request.volumeIsFitted = false;
    m_document.edit(request, "Keep the volume");
    told.clear();
    expect("volume", [](JobSpec& job) { job.volume.voxels[0] -= 1; });
    expect("scan volume", [](JobSpec& job) { job.volume.voxels[0] = 0; });
}

TEST_F(ScanEditsTest, WhatChangesNothingIsNoEdit) {
    openScan();
    QSignalSpy changed(&m_document, &ScanDocument::requestChanged);
    setDistance(1200);
    EXPECT_EQ(m_document.undoStack().count(), 0);
    EXPECT_EQ(changed.count(), 0);
}

TEST_F(ScanEditsTest, AVolumeOfItsOwnStays) {
    openScan();
    Request request = m_document.request();
    request.volumeIsFitted = false;
    request.job.volume.voxels = {8, 8, 8};
    m_document.edit(request, "Change volume");
    setDistance(1500);
    EXPECT_EQ(m_document.request().job.volume, request.job.volume);
}

TEST_F(ScanEditsTest, EditsOfOneKeyAreOneStep) {
    openScan();
    for (const double mm : {1201, 1202, 1203})
        setDistance(mm, "sdd");
    EXPECT_EQ(m_document.undoStack().count(), 1);
    setDistance(1300, "other");
    setDistance(1301, "sdd");
    setDistance(1302);
    setDistance(1303);
    EXPECT_EQ(m_document.undoStack().count(), 5);
    for (int i = 0; i < 4; ++i)
        m_document.undoStack().undo();
    EXPECT_EQ(distance(), 1203);
    m_document.undoStack().undo();
    EXPECT_EQ(distance(), 1200);
}

TEST_F(ScanEditsTest, DraggedBackThereIsNothingToUndo) {
    openScan();
    setDistance(1201, "sdd");
    setDistance(1200, "sdd");
    EXPECT_EQ(m_document.undoStack().count(), 0);
    EXPECT_EQ(distance(), 1200);
}

TEST_F(ScanEditsTest, ErrorsAreThereAtOnceAndImagesAreNot) {
    openScan();
    setDistance(400);
    EXPECT_TRUE(m_document.hasErrors());
    EXPECT_TRUE(hasProblem("trajectory.sourceToDetectorMm"));
    EXPECT_TRUE(test::waitUntil([this] { return !m_document.openScan(); }));
    m_document.undoStack().undo();
    EXPECT_FALSE(m_document.hasErrors());
    EXPECT_TRUE(isReadWithItsGeometry());
    EXPECT_EQ(m_heard.count(), 0U) << "what stands beside a field is not said as well";
}

TEST_F(ScanEditsTest, AnArcTooShortIsAProblemOfTheArc) {
    openScan();
    Request request = m_document.request();
    request.job.scan.geometry.cone().arcDeg = 90;
    m_document.edit(request, "Change arc");
    EXPECT_TRUE(hasProblem("trajectory.arcDeg"));
}

TEST_F(ScanEditsTest, ViewsLeftOutThatAnOffsetDetectorNeedsAreAProblem) {
    openScan();
    Request request = m_document.request();
    ScanFile& scan = request.job.scan;
    scan.geometry.detector.offsetMm[0] = 0.3 * static_cast<double>(scan.geometry.detector.columns) *
                                         scan.geometry.detector.pitchMm[0];
    m_document.edit(request, "Change offset");
    EXPECT_FALSE(hasProblem("trajectory.arcDeg"));
    for (Index view = 1; view < scan.geometry.views() / 4; ++view)
        scan.projections.skipViews.push_back(view);
    m_document.edit(request, "Leave out views");
    EXPECT_TRUE(hasProblem("trajectory.arcDeg"));
}

TEST_F(ScanEditsTest, ViewsThatTheFilesDoNotHaveAreAProblemOfTheViews) {
    openScan();
    Request request = m_document.request();
    request.job.scan.geometry.cone().views = 20;
    m_document.edit(request, "Change views");
    EXPECT_TRUE(test::waitUntil([this] { return hasProblem("trajectory.views"); }));
    EXPECT_FALSE(m_document.openScan());
    EXPECT_EQ(m_heard.count(), 0U);
    m_document.undoStack().undo();
    EXPECT_TRUE(isReadWithItsGeometry());
    EXPECT_TRUE(m_document.problems().empty());
}

TEST_F(ScanEditsTest, SurvivesValuesThatAreNone) {
    openScan();
    Request request = m_document.request();
    ScanGeometry& geometry = request.job.scan.geometry;
    geometry.cone().sourceToIsocenterMm = std::numeric_limits<double>::quiet_NaN();
    geometry.detector.columns = 0;
    geometry.cone().views = 0;
    m_document.edit(request, "Nonsense");
    EXPECT_TRUE(m_document.hasErrors());
    EXPECT_ERROR(m_document.saveScan(toText(m_folder / "saved.json")), InputError,
                 "cannot be saved");
    m_document.resetToFile();
    EXPECT_FALSE(m_document.hasErrors());
    EXPECT_TRUE(isReadWithItsGeometry());
}

TEST_F(ScanEditsTest, ManyQuickEditsEndWithTheLast) {
    openScan();
    for (int i = 1; i <= 200; ++i)
        setDistance(1200 + i, "sdd");
    EXPECT_TRUE(isReadWithItsGeometry());
    EXPECT_EQ(m_document.openScan()->description.geometry.cone().sourceToDetectorMm, 1400);
}

TEST_F(ScanEditsTest, AnotherKindReadsTheFilesAnew) {
    openScan();
    const auto before = m_document.openScan();
    Request request = m_document.request();
    request.job.scan.projections.kind = ProjectionKind::attenuation;
    m_document.edit(request, "Change kind");
    ASSERT_TRUE(test::waitUntil(
        [&] { return m_document.openScan() && m_document.openScan()->source != before->source; }));
    request.job.scan.projections.files = "nothing/*.tif";
    m_document.edit(request, "Change files");
    EXPECT_TRUE(test::waitUntil([this] { return hasProblem("projections.files"); }));
    m_document.undoStack().undo();
    EXPECT_TRUE(isReadWithItsGeometry());
    EXPECT_TRUE(m_document.problems().empty());
}

TEST_F(ScanEditsTest, GuessesAreMarkedUntilTheyAreEditedOrAccepted) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    fs::remove(scan);
    open(toText(scan.parent_path()));
    EXPECT_EQ(m_document.state(), State::incomplete);
    EXPECT_TRUE(m_document.hasScan());
    ASSERT_TRUE(test::waitUntil([this] { return m_document.openScan() != nullptr; }))
        << "bare images can be looked at";
    const auto isGuess = [this](const std::string& field) {
        for (const auto& guess : m_document.guesses())
            if (guess.field.starts_with(field)) return true;
        return false;
    };
    ASSERT_TRUE(isGuess("detector.pitchMm"));
    ASSERT_TRUE(isGuess("trajectory.sourceToDetectorMm"));
    setDistance(distance() + 100);
    EXPECT_FALSE(isGuess("trajectory.sourceToDetectorMm"));
    EXPECT_TRUE(isGuess("detector.pitchMm"));
    m_document.undoStack().undo();
    EXPECT_TRUE(isGuess("trajectory.sourceToDetectorMm"));
    m_document.acceptGuesses();
    EXPECT_EQ(m_document.state(), State::open);
    EXPECT_TRUE(m_document.guesses().empty());
    m_document.undoStack().redo();
    EXPECT_TRUE(m_document.guesses().empty());
}

TEST_F(ScanEditsTest, TakesAnRtkGeometry) {
    ScanGeometry geometry = test::smallScan().geometry;
    geometry.cone().sourceToDetectorMm = 1100;
    writeGeometryFile(m_folder / "Geometrie ä.xml", GeometryFormat::rtk, {geometry, {}});
    const QString xml = toText(m_folder / "Geometrie ä.xml");
    open(xml);
    EXPECT_TRUE(m_heard.hasError("projections"));
    EXPECT_EQ(m_document.state(), State::empty);
    openScan();
    m_document.open(xml);
    ASSERT_TRUE(test::waitUntil([this] { return m_document.undoStack().count() == 1; }));
    EXPECT_NEAR(distance(), 1100, 1e-9);
    EXPECT_EQ(m_document.undoStack().undoText(), "Import RTK geometry");
    EXPECT_EQ(m_document.geometry().detector.columns, 24);
    ASSERT_TRUE(m_heard.last().action);
    m_heard.last().action();
    EXPECT_EQ(distance(), 1200);
}

TEST_F(ScanEditsTest, TheUndoOfAnImportUndoesNothingElse) {
    openScan();
    ScanGeometry geometry = test::smallScan().geometry;
    geometry.cone().sourceToDetectorMm = 1100;
    writeGeometryFile(m_folder / "a.xml", GeometryFormat::rtk, {geometry, {}});
    m_document.open(toText(m_folder / "a.xml"));
    ASSERT_TRUE(test::waitUntil([this] { return m_heard.count() == 1; }));
    const Message imported = m_heard.last();
    m_document.undoStack().undo();
    setDistance(1300);
    imported.action();
    EXPECT_EQ(distance(), 1300);
    EXPECT_TRUE(m_heard.has(Message::Kind::info, "is undone already"));
    m_document.undoStack().undo();
    m_document.open(toText(m_folder / "a.xml"));
    ASSERT_TRUE(test::waitUntil([this] { return m_heard.count() == 3; }));
    const Message again = m_heard.last();
    m_document.saveScan(toText(m_folder / "saved.json"));
    again.action();
    EXPECT_EQ(distance(), 1200) << "saved or not";
    m_document.close();
    again.action();
    EXPECT_TRUE(m_heard.last().text.contains("no longer open"));
}

TEST_F(ScanEditsTest, TheUndoOfAnImportNamesLaterEditsAndTakesThemAlongWhenAsked) {
    openScan();
    Request request = m_document.request();
    request.job.scan.geometry.cone().sourceToIsocenterMm = 500;
    m_document.editAndTell(request, "Preset: Odd", "Preset Odd set.");
    const Message preset = m_heard.last();
    EXPECT_EQ(preset.text, "Preset Odd set.");
    setDistance(1300);
    setDistance(1400);
    preset.action();
    EXPECT_EQ(distance(), 1400) << "nothing is undone unasked";
    const Message why = m_heard.last();
    EXPECT_TRUE(why.text.contains("“Preset: Odd”"));
    EXPECT_TRUE(why.text.contains("“Change SDD”"));
    why.action();
    EXPECT_EQ(distance(), 1200);
    EXPECT_EQ(m_document.geometry().cone().sourceToIsocenterMm, 600);
}

TEST_F(ScanEditsTest, StatisticsAreThoseOfTheImagesThatAreMeant) {
    openScan();
    ASSERT_TRUE(test::waitUntil([this] { return m_document.inspection() != nullptr; }));
    QSignalSpy changed(&m_document, &ScanDocument::inspectionChanged);
    setDistance(1300);
    m_document.saveScan(toText(m_folder / "saved.json"));
    EXPECT_TRUE(m_document.inspection());
    EXPECT_EQ(changed.count(), 0);
    Request request = m_document.request();
    request.job.scan.projections.files = "other/*.tif";
    m_document.edit(request, "Change files");
    EXPECT_FALSE(m_document.inspection());
    EXPECT_EQ(changed.count(), 1);
    m_document.undoStack().undo();
    EXPECT_TRUE(m_document.inspection());
    EXPECT_EQ(changed.count(), 2);
    request = m_document.request();
    m_document.close();
    m_document.openRequest(request.job);
    EXPECT_TRUE(test::waitUntil([this] { return m_document.inspection() != nullptr; }));
}

TEST_F(ScanEditsTest, ExportsWhatItImports) {
    openScan();
    setDistance(1100);
    const QString vectors = toText(m_folder / "vectors.txt");
    m_document.exportGeometry(vectors);
    ASSERT_TRUE(test::waitUntil([&] { return m_heard.has(Message::Kind::info, vectors); }));
    m_document.undoStack().undo();
    m_document.importGeometry(vectors);
    ASSERT_TRUE(test::waitUntil([this] { return std::abs(distance() - 1100) < 1e-6; }));
    m_document.importGeometry(toText(m_folder / "missing.txt"));
    EXPECT_TRUE(test::waitUntil([this] { return m_heard.hasError("missing.txt"); }));
    m_document.exportGeometry(toText(m_folder / "no-such-folder" / "a.xml"));
    EXPECT_TRUE(test::waitUntil([this] { return m_heard.hasError("no-such-folder"); }));
}

TEST_F(ScanEditsTest, SavesWhatItOpensAgain) {
    openScan();
    setDistance(1300);
    EXPECT_FALSE(m_document.isSaved());
    fs::create_directory(m_folder / "else where");
    const fs::path saved = m_folder / "else where" / "Nuß.json";
    m_document.saveScan(toText(saved));
    EXPECT_TRUE(m_document.isSaved());
    EXPECT_EQ(m_document.requestInFile().job.scan.path, saved);
    EXPECT_FALSE(readScanFile(saved).volume) << "a fitted volume is not written";
    EXPECT_TRUE(isReadWithItsGeometry());
    m_document.undoStack().undo();
    EXPECT_EQ(m_document.request().job.scan.path, saved) << "undo does not move it back";
    EXPECT_TRUE(isReadWithItsGeometry());
    open(toText(saved));
    EXPECT_EQ(distance(), 1300);
    EXPECT_TRUE(isReadWithItsGeometry());
}

TEST_F(ScanEditsTest, ResetLeavesNothingUnsavedAndTheSettingsAlone) {
    openScan();
    setDistance(1300);
    Request request = m_document.request();
    request.job.filter.window = FilterWindow::hann;
    m_document.edit(request, "Change filter");
    EXPECT_FALSE(m_document.isSaved());
    m_document.resetToFile();
    EXPECT_TRUE(m_document.isSaved());
    EXPECT_EQ(distance(), 1200);
    EXPECT_EQ(m_document.request().job.filter.window, FilterWindow::hann);
    m_document.undoStack().undo();
    EXPECT_EQ(distance(), 1300);
}

TEST_F(ScanEditsTest, ImagesThatWereSavedAreAskedAboutNoMore) {
    const fs::path scan = test::makeScan(m_folder / "scan");
    fs::remove(scan);
    open(toText(scan.parent_path() / "proj"));
    ASSERT_EQ(m_document.state(), State::incomplete);
    const fs::path file = m_document.request().job.scan.path;
    EXPECT_EQ(file, scan) << "where it is found again";
    m_document.saveScan(toText(file));
    EXPECT_EQ(m_document.state(), State::open);
    EXPECT_TRUE(m_document.guesses().empty());
    EXPECT_EQ(readScanFile(scan).projections.files, "proj/proj_*.tif");
    for (const fs::path& path : {scan.parent_path(), scan.parent_path() / "proj", scan}) {
        m_document.close();
        open(toText(path));
        EXPECT_EQ(m_document.state(), State::open) << path;
        EXPECT_TRUE(m_document.guesses().empty()) << path;
        EXPECT_EQ(m_document.request().job.scan.path, scan);
    }
    fs::rename(scan, scan.parent_path() / "walnut.json");
    m_document.close();
    open(toText(scan.parent_path()));
    EXPECT_EQ(m_document.state(), State::open) << "the folder's only scan, by whatever name";
}

TEST_F(ScanEditsTest, TakesTheRequestOfAJob) {
    openScan();
    JobSpec spec = m_document.request().job;
    spec.filter.window = FilterWindow::hann;
    spec.volume.voxels = {8, 8, 8};
    writeFileAtomically(spec.output.path, "a volume");
    m_document.close();
    m_document.openRequest(spec);
    EXPECT_EQ(m_document.state(), State::open);
    EXPECT_FALSE(m_document.request().volumeIsFitted);
    EXPECT_EQ(m_document.request().job.filter.window, FilterWindow::hann);
    EXPECT_NE(m_document.request().job.output.path, spec.output.path) << "nothing is overwritten";
    EXPECT_TRUE(isReadWithItsGeometry());
}

}  // namespace
}  // namespace gantry
