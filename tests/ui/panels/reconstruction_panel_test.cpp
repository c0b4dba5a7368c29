#include "ui/panels/reconstruction/reconstruction_panel.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>

#include "core/base/file.h"
#include "core/job/forecast_file.h"
#include "tests/ui/panels/reconstruction_fixture.h"
#include "tests/ui/support/compared_pictures.h"
#include "ui/widgets/fields/number_field.h"

namespace gantry {
namespace {

using test::ReconstructionPanelTest;

TEST_F(ReconstructionPanelTest, WithoutAScanItSaysWhatIsNeeded) {
    EXPECT_FALSE(button().isEnabled());
    EXPECT_EQ(m_panel->reasonAgainst(), "Open a scan first.");
    EXPECT_EQ(sentence("reasonAgainst"), "Open a scan first.");
    test::screenshots(*m_panel, "reconstruction-empty");
}

TEST_F(ReconstructionPanelTest, AnOpenScanIsPredictedAndReconstructedByOneClick) {
    open();
    ASSERT_TRUE(button().isEnabled()) << m_panel->reasonAgainst().toStdString();
    ASSERT_TRUE(waitForForecast());
    EXPECT_TRUE(sentence("forecastTotal").contains("bound by"));
    EXPECT_TRUE(sentence("forecastMemory").contains(" of "));
    EXPECT_TRUE(sentence("forecastDisk").contains("free disk"));
    EXPECT_TRUE(bar().accessibleDescription().contains("back-project"));
    const QSignalSpy started(m_panel.get(), &ReconstructionPanel::started);
    QTest::mouseClick(&button(), Qt::LeftButton);
    ASSERT_EQ(started.count(), 1);
    const QString folder = started[0][0].toString();
    EXPECT_EQ(m_workspace->selection().jobFolder(), folder);
    ASSERT_TRUE(test::waitUntil(
        [&] { return m_workspace->jobs().find(folder)->status.state == JobState::done; }));
    EXPECT_TRUE(pathExists(job().output.path));
    EXPECT_TRUE(readForecast(toPath(folder)));
    // What is there now stays, unless it is said that it may be replaced.
    ASSERT_TRUE(test::waitUntil(
        [&] { return sentence("outputSentence").contains("will be walnut-2.mha"); }));
    EXPECT_TRUE(button().isEnabled());
    QTest::mouseClick(&button(), Qt::LeftButton);
    ASSERT_EQ(started.count(), 2);
    EXPECT_TRUE(started[1][0].toString().endsWith("walnut-2.mha.job"));
    QTest::mouseClick(&the<QPushButton>("replaceOutput"), Qt::LeftButton);
    EXPECT_TRUE(
        test::waitUntil([&] { return sentence("outputSentence").contains("will be replaced"); }));
    const QString second = started[1][0].toString();
    ASSERT_TRUE(test::waitUntil(
        [&] { return m_workspace->jobs().find(second)->status.state == JobState::done; }));
}

TEST_F(ReconstructionPanelTest, ReplacingIsSaidAnewForEveryJob) {
    open();
    const std::filesystem::path output = job().output.path;
    writeFileAtomically(output, "a volume");
    type("outputName", "other");
    type("outputName", "walnut");
    ASSERT_TRUE(test::waitUntil([&] { return the<QPushButton>("replaceOutput").isVisible(); }));
    QTest::mouseClick(&the<QPushButton>("replaceOutput"), Qt::LeftButton);
    ASSERT_TRUE(
        test::waitUntil([&] { return sentence("outputSentence").contains("will be replaced"); }));
    const QSignalSpy started(m_panel.get(), &ReconstructionPanel::started);
    QTest::mouseClick(&button(), Qt::LeftButton);
    ASSERT_EQ(started.count(), 1);
    EXPECT_TRUE(started[0][0].toString().endsWith("walnut.mha.job"));
    // The next one does not replace it, and need not wait for it.
    ASSERT_TRUE(test::waitUntil([&] {
        return sentence("outputSentence").contains("will be walnut-2.mha") && button().isEnabled();
    }));
    QTest::mouseClick(&button(), Qt::LeftButton);
    ASSERT_EQ(started.count(), 2);
    EXPECT_TRUE(started[1][0].toString().endsWith("walnut-2.mha.job"));
    EXPECT_TRUE(test::waitUntil([&] { return m_workspace->jobs().activeCount() == 0; }));
}

TEST_F(ReconstructionPanelTest, TheKeyboardStaysAtTheButtonThatStartsAJob) {
    open();
    QStringList others;
    const QObject listener;
    QObject::connect(qApp, &QApplication::focusChanged, &listener, [&](QWidget*, QWidget* now) {
        if (now && now != &button() && now != m_panel.get()) others << now->objectName();
    });
    QTest::mouseClick(&button(), Qt::LeftButton);
    ASSERT_TRUE(test::waitUntil([&] { return m_workspace->jobs().activeCount() == 1; }));
    ASSERT_TRUE(test::waitUntil(
        [&] { return m_workspace->jobs().activeCount() == 0 && button().isEnabled(); }));
    EXPECT_TRUE(others.isEmpty()) << others.join(' ').toStdString();
    EXPECT_TRUE(button().hasFocus());
}

TEST_F(ReconstructionPanelTest, ALongNamePushesNothingOutOfThePanel) {
    open();
    const QString name = "0123456789_walnut_" + QString(180, 'x') + "_9876543210";
    const int before = m_panel->minimumSizeHint().width();
    m_panel->resize(before, 800);
    test::pass(20);
    ASSERT_EQ(m_panel->width(), before);
    writeFileAtomically(toPath(toText(m_folder / "scan") + '/' + name + ".mha"), "a volume");
    type("outputName", name);
    auto& replace = the<QPushButton>("replaceOutput");
    ASSERT_TRUE(test::waitUntil([&] { return replace.isVisible(); }) && waitForForecast());
    for (const char* start : {"Replace 01234", "Keep it, use 01234"}) {
        EXPECT_TRUE(replace.text().startsWith(start)) << replace.text().toStdString();
        EXPECT_TRUE(replace.text().contains(QChar(0x2026)));
        EXPECT_TRUE(replace.text().endsWith(".mha")) << replace.text().toStdString();
        EXPECT_TRUE(replace.toolTip().contains(name));
        EXPECT_TRUE(the<QLabel>("outputSentence").toolTip().contains(name));
        test::pass(20);
        the<QScrollArea>("reconstructionFields").ensureWidgetVisible(&replace);
        EXPECT_EQ(m_panel->minimumSizeHint().width(), before);
        const QWidget& view = *the<QScrollArea>("reconstructionFields").viewport();
        for (const QWidget* field : m_panel->findChildren<QWidget*>())
            if (field->isVisible() && view.isAncestorOf(field)) {
                EXPECT_LE(field->mapTo(&view, QPoint(field->width(), 0)).x(), view.width())
                    << field->objectName().toStdString();
            }
        test::screenshots(*m_panel, "reconstruction-long-name");
        QTest::mouseClick(&replace, Qt::LeftButton);
        ASSERT_TRUE(test::waitUntil([&] { return !replace.text().startsWith(start); }));
    }
}

TEST_F(ReconstructionPanelTest, ScrollingPastFieldsChangesNothing) {
    open();
    m_panel->resize(320, 1500);
    for (const char* name : {"filter.window", "cutoffSlider", "engine", "precision", "gpuKernel",
                             "filterOn", "threads", "format", "output.type"}) {
        auto& field = the<QWidget>(name);
        field.setFocus();
        test::wheel(field, field.rect().center(), -1);
        test::wheel(field, field.rect().center(), 2);
        EXPECT_EQ(scan().undoStack().count(), 0) << name;
    }
}

TEST_F(ReconstructionPanelTest, ARangeWithoutWidthIsNotStored) {
    open();
    choose("output.type", "16-bit");
    tick("fixedRange");
    ASSERT_TRUE(button().isEnabled());
    type("rangeHigh", "-1");
    EXPECT_FALSE(button().isEnabled());
    EXPECT_TRUE(m_panel->reasonAgainst().contains("Fixed range: the upper limit"));
    type("rangeHigh", "0.05");
    EXPECT_TRUE(button().isEnabled()) << m_panel->reasonAgainst().toStdString();
}

TEST_F(ReconstructionPanelTest, WhatIsTypedDoesNotGoToAnotherScan) {
    open();
    type("outputName", "mine", false);
    type("pitchX", "5", false);
    const QSignalSpy opened(&scan(), &ScanDocument::opened);
    scan().open(toText(test::makeScan(m_folder / "next", test::smallScan("next"))));
    ASSERT_TRUE(test::waitUntil([&] { return opened.count() == 1; }));
    the<QComboBox>("engine").setFocus();
    EXPECT_EQ(scan().undoStack().count(), 0);
    EXPECT_EQ(the<QLineEdit>("outputName").text(), "next");
}

TEST_F(ReconstructionPanelTest, WhatIsTypedIsAskedFor) {
    open();
    EXPECT_TRUE(the<QCheckBox>("fitVolume").isChecked());
    type("pitchX", "5");
    EXPECT_EQ(job().volume.pitchMm, (std::array<double, 3>{5, 5, 5}));
    EXPECT_FALSE(the<QCheckBox>("fitVolume").isChecked());
    EXPECT_TRUE(sentence("volumeExtent").contains("× "));
    type("centreZ", "-2.5");
    EXPECT_EQ(job().volume.centerMm[2], -2.5);
    type("centreZ", "3");
    scan().undoStack().undo();
    EXPECT_EQ(job().volume.centerMm[2], -2.5);
    scan().undoStack().undo();
    scan().undoStack().undo();
    EXPECT_TRUE(the<QCheckBox>("fitVolume").isChecked());
    EXPECT_EQ(the<NumberField>("centreZ").value(), 0);
    // What is still being typed counts, too.
    type("pitchX", "6", false);
    m_panel->reconstruct();
    EXPECT_EQ(job().volume.pitchMm[0], 6);
    EXPECT_TRUE(test::waitUntil([&] { return m_workspace->jobs().activeCount() == 0; }));
}

TEST_F(ReconstructionPanelTest, ViewsAreCorrectedAsChosen) {
    EXPECT_FALSE(the<QComboBox>("prep.rings").isEnabled());
    open();
    EXPECT_FALSE(job().corrections.any());
    EXPECT_FALSE(the<QWidget>("prep.ringWidthPx").isVisible());
    choose("prep.flux", "Air beside the object");
    EXPECT_EQ(job().corrections.flux.method, FluxMethod::air);
    choose("prep.rings", "Sorting");
    EXPECT_EQ(job().corrections.rings.method, RingMethod::sorting);
    EXPECT_TRUE(the<QWidget>("prep.ringWidthPx").isVisible());
    EXPECT_FALSE(the<QWidget>("prep.ringLevels").isVisible());
    type("prep.ringWidthPx", "14");  // a median needs an odd one
    EXPECT_EQ(job().corrections.rings.widthPx, 15);
    tick("prep.zingerRatio.on");
    type("prep.zingerRatio", "1.5");
    EXPECT_EQ(job().corrections.zingers.ratio, 1.5);
    tick("prep.phaseEnergyKeV.on");
    type("prep.phaseEnergyKeV", "25");
    EXPECT_EQ(job().corrections.phase.energyKeV, 25);
    EXPECT_TRUE(validate(job().corrections).empty());
    // Switched off and on again, a correction has its numbers again.
    tick("prep.zingerRatio.on");
    EXPECT_FALSE(job().corrections.hasZingers());
    tick("prep.zingerRatio.on");
    EXPECT_EQ(job().corrections.zingers.ratio, 1.5);
    scan().undoStack().undo();
    EXPECT_FALSE(the<QCheckBox>("prep.zingerRatio.on").isChecked());
}

TEST_F(ReconstructionPanelTest, LargerPixelsMakeFewerVoxels) {
    open();
    ASSERT_TRUE(waitForForecast());
    const VolumeGrid all = job().volume;
    const QString disk = sentence("forecastDisk");
    type("prep.bin", "2");
    EXPECT_EQ(job().corrections.pixels.bin, 2);
    EXPECT_NEAR(job().volume.pitchMm[0], 2 * all.pitchMm[0], 1e-9);
    EXPECT_LE(job().volume.voxels[0], all.voxels[0] / 2 + 1);
    EXPECT_TRUE(test::waitUntil([&] { return sentence("forecastDisk") != disk; }));
    EXPECT_TRUE(button().isEnabled());
    scan().undoStack().undo();
    EXPECT_EQ(job().volume, all);
}

TEST_F(ReconstructionPanelTest, LargerPixelsNeedADetectorThatHasThem) {
    SimulationSpec spec = test::smallScan();
    spec.geometry.detector.rows = 12;
    open(spec);
    type("prep.bin", "13");
    EXPECT_FALSE(button().isEnabled());
    EXPECT_TRUE(m_panel->reasonAgainst().contains("24 × 12 pixels"))
        << m_panel->reasonAgainst().toStdString();
    type("prep.bin", "1");
    EXPECT_TRUE(test::waitUntil([&] { return button().isEnabled(); }));
}

TEST_F(ReconstructionPanelTest, ACubeHasOneFieldForAllAxes) {
    open();
    auto& link = the<QCheckBox>("voxelsLink");
    if (link.isChecked()) tick("voxelsLink");
    EXPECT_TRUE(the<NumberField>("voxelsZ").isVisible());
    type("voxelsZ", "20");
    EXPECT_EQ(job().volume.voxels[2], 20);
    tick("voxelsLink");
    EXPECT_FALSE(the<NumberField>("voxelsZ").isVisible());
    EXPECT_EQ(job().volume.voxels[2], job().volume.voxels[0]);
    type("voxelsX", "32");
    EXPECT_EQ(job().volume.voxels, (std::array<Index, 3>{32, 32, 32}));
}

TEST_F(ReconstructionPanelTest, QuickSizesAreCubesThatHoldTheBox) {
    open();
    const VolumeGrid before = job().volume;
    ASSERT_NE(before.voxels[0], before.voxels[2]);
    QTest::mouseClick(&the<QPushButton>("size256"), Qt::LeftButton);
    EXPECT_EQ(job().volume.voxels, (std::array<Index, 3>{256, 256, 256}));
    EXPECT_NEAR(
        256 * job().volume.pitchMm[2],
        static_cast<double>(std::max(before.voxels[0], before.voxels[2])) * before.pitchMm[0],
        1e-9);
    EXPECT_FALSE(the<QCheckBox>("regionOnly").isChecked());
    // What is above and below the field of view is no reason to warn.
    EXPECT_EQ(sentence("volumeProblems"), "");
    // A preset has the whole field of view after a region, too.
    tick("regionOnly");
    QTest::mouseClick(&the<QPushButton>("size1024"), Qt::LeftButton);
    EXPECT_FALSE(the<QCheckBox>("regionOnly").isChecked());
    EXPECT_EQ(sentence("volumeProblems"), "");
    QTest::mouseClick(&the<QPushButton>("size512"), Qt::LeftButton);
    EXPECT_EQ(sentence("volumeProblems"), "");
    EXPECT_EQ(job().volume.voxels, (std::array<Index, 3>{512, 512, 512}));
    tick("fitVolume");
    EXPECT_EQ(job().volume, before);
}

TEST_F(ReconstructionPanelTest, TheForecastsLegendHasAllStagesAfterAPresetToo) {
    open();
    m_panel->resize(300, 520);
    const QStringList stages = {"load", "prepare", "filter", "back-project", "store"};
    for (const char* preset : {"size256", "size1024", "size512"}) {
        ASSERT_TRUE(waitForForecast());
        const QString before = bar().accessibleDescription();
        QTest::mouseClick(&the<QPushButton>(preset), Qt::LeftButton);
        ASSERT_TRUE(test::waitUntil([&] { return bar().accessibleDescription() != before; }));
        ASSERT_TRUE(waitForForecast());
        test::pass(50);
        for (const QString& stage : stages)
            EXPECT_TRUE(bar().accessibleDescription().contains(stage)) << stage.toStdString();
        // All of it is painted, or can be scrolled to, in one column as in two.
        for (const int width : {300, 320, 360}) {
            m_panel->resize(width, 900);
            test::pass(20);
            EXPECT_GE(bar().height(), bar().heightForWidth(bar().width())) << preset << width;
            const auto& area = the<QScrollArea>("forecastArea");
            EXPECT_FALSE(area.verticalScrollBar()->isVisible()) << preset << width;
            m_panel->resize(width, 520);
            test::pass(20);
            EXPECT_GE(bar().height(), bar().heightForWidth(bar().width())) << preset << width;
        }
        EXPECT_TRUE(m_panel->rect().contains(
            QRect(button().mapTo(m_panel.get(), QPoint()), button().size())));
    }
    test::screenshots(*m_panel, "reconstruction-low");
}

TEST_F(ReconstructionPanelTest, TheOutputIsSeenWithoutOpeningAnything) {
    open();
    m_panel->resize(320, 500);
    auto& place = the<QLabel>("outputPlace");
    EXPECT_TRUE(place.isVisible());
    EXPECT_TRUE(
        m_panel->rect().contains(QRect(place.mapTo(m_panel.get(), QPoint()), place.size())));
    EXPECT_TRUE(place.text().endsWith("walnut.mha, 32-bit float")) << place.text().toStdString();
    choose("output.type", "16-bit");
    type("outputName", "other");
    EXPECT_TRUE(test::waitUntil([&] { return place.text().endsWith("other.mha, 16-bit"); }))
        << place.text().toStdString();
    EXPECT_EQ(place.toolTip(), "Output: " + toText(m_folder / "scan/other.mha") + ", 16-bit");
}

TEST_F(ReconstructionPanelTest, ARegionIsAPartAtTheSamePitch) {
    open();
    const VolumeGrid before = job().volume;
    EXPECT_FALSE(the<QWidget>("regionX").isVisible());
    tick("regionOnly");
    EXPECT_TRUE(the<QWidget>("regionX").isVisible());
    EXPECT_LT(job().volume.voxels[0], before.voxels[0]);
    EXPECT_EQ(job().volume.pitchMm, before.pitchMm);
    type("regionX", "80");
    EXPECT_EQ(job().volume.voxels[0], 10);
    tick("regionOnly");
    EXPECT_EQ(job().volume.voxels, before.voxels);
    // One that is dragged elsewhere is shown here.
    Request request = scan().request();
    request.volumeIsFitted = false;
    request.job.volume.voxels[1] = 4;
    scan().edit(request, "Drag");
    EXPECT_TRUE(the<QCheckBox>("regionOnly").isChecked());
}

TEST_F(ReconstructionPanelTest, TheOutputIsNamedAndPlaced) {
    open();
    type("outputName", "Nuß \"1\"");
    EXPECT_EQ(job().output.path.filename(), "Nuß \"1\".mha");
    choose("format", "Folder of TIFF slices");
    EXPECT_EQ(job().output.path, m_folder / "scan" / "Nuß \"1\"" / "");
    type("outputName", "walnut.tif");
    EXPECT_EQ(job().output.path, m_folder / "scan" / "walnut.tif");
    EXPECT_EQ(the<QComboBox>("format").currentText(), "BigTIFF (.tif)");
    type("outputName", "a/b", false);
    EXPECT_TRUE(sentence("outputSentence").contains("/"));
    EXPECT_FALSE(button().isEnabled());
    type("outputName", "b");
    EXPECT_TRUE(button().isEnabled());
    type("outputFolder", toText(m_folder.path()));
    EXPECT_EQ(job().output.path, m_folder / "b.tif");
    choose("output.type", "16-bit");
    tick("fixedRange");
    EXPECT_EQ(job().output.range, (std::array{0.0, 0.1}));
    type("rangeHigh", "0.05");
    EXPECT_EQ(job().output.range, (std::array{0.0, 0.05}));
    choose("output.type", "32-bit float");
    EXPECT_FALSE(job().output.range);
}

TEST_F(ReconstructionPanelTest, ARequestThatCannotFitIsRefusedAndMended) {
    open();
    Request request = scan().request();
    request.job.memoryBytes = 1'000'000;
    scan().edit(request, "Allow too little");
    ASSERT_TRUE(test::waitUntil([&] { return !sentence("forecastRefusal").isEmpty(); }));
    EXPECT_FALSE(button().isEnabled());
    EXPECT_TRUE(
        m_panel->reasonAgainst().contains("The memory does not suffice: one slice at a time"));
    test::screenshots(*m_panel, "reconstruction-refused");
    QTest::mouseClick(&the<QPushButton>("remedy0"), Qt::LeftButton);
    EXPECT_EQ(job().memoryBytes, 0);
    ASSERT_TRUE(test::waitUntil([&] { return button().isEnabled(); }));
    EXPECT_TRUE(sentence("forecastRefusal").isEmpty());
}

TEST_F(ReconstructionPanelTest, AScanWithErrorsIsNotReconstructed) {
    open();
    Request request = scan().request();
    request.job.scan.geometry.cone().sourceToDetectorMm = 500;
    scan().edit(request, "Change SDD");
    EXPECT_FALSE(button().isEnabled());
    EXPECT_TRUE(m_panel->reasonAgainst().contains("Fix this first"));
    // Ctrl+R says it, too.
    test::Heard heard(*m_workspace);
    m_panel->reconstruct();
    EXPECT_TRUE(heard.has(Message::Kind::warning, "Fix this first"));
    EXPECT_TRUE(m_workspace->jobs().jobs().empty());
    scan().undoStack().undo();
    EXPECT_TRUE(button().isEnabled());
}

TEST_F(ReconstructionPanelTest, GuessesAreConfirmedFirst) {
    const std::filesystem::path file = test::makeScan(m_folder / "scan");
    std::filesystem::remove(file);
    std::filesystem::remove(m_folder / "scan" / "phantom.json");
    scan().open(toText(m_folder / "scan"));
    ASSERT_TRUE(test::waitUntil([&] { return scan().openScan() != nullptr; }));
    ASSERT_EQ(scan().state(), ScanDocument::State::incomplete);
    EXPECT_FALSE(button().isEnabled());
    EXPECT_TRUE(m_panel->reasonAgainst().contains("guesses"));
    scan().acceptGuesses();
    EXPECT_TRUE(button().isEnabled()) << m_panel->reasonAgainst().toStdString();
}

using PicturesOfReconstruction = ReconstructionPanelTest;

// How many threads there are and what is predicted depends on the machine.
TEST_F(PicturesOfReconstruction, LookAsBefore) {
    SimulationSpec spec = test::smallScan("battery cell");
    spec.geometry.detector.columns = 96;
    spec.geometry.detector.rows = 64;
    spec.geometry.detector.pitchMm = {4, 4};
    open(spec);
    scan().editJob([](JobSpec& job) { job.output.path = "/tmp/battery cell.mha"; }, "test");
    tick("regionOnly");
    choose("output.type", "16-bit");
    tick("fixedRange");
    m_panel->resize(320, 1180);
    ASSERT_TRUE(waitForForecast());
    the<QWidget>("forecastArea").setFixedHeight(160);  // as many lines as it may have
    test::pass(20);
    test::comparePictures(*m_panel, "reconstruction",
                          {.masked = {"forecastArea", "threads", "memory"}});
}

}  // namespace
}  // namespace gantry
