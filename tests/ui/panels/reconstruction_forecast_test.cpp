#include "ui/panels/reconstruction/reconstruction_forecast.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/ui/panels/reconstruction_fixture.h"

namespace gantry {
namespace {

class ReconstructionForecastTest : public test::ReconstructionPanelTest {
  protected:
    // Waits until a measurement of the job is under way.
    [[nodiscard]] bool isBeingMeasured(int number) {
        return test::waitUntil([&] { return m_machine.asked("job") == number; });
    }
    void askForVoxels(Index across) {
        Request request = scan().request();
        request.volumeIsFitted = false;
        request.job.volume = fitGrid(scan().geometry(), across);
        scan().edit(request, "Change the voxels");
    }
};

TEST_F(ReconstructionForecastTest, AnotherProcessMeasures) {
    m_machine.setDelays(500);
    open();
    ASSERT_TRUE(isBeingMeasured(1));
    EXPECT_NE(m_machine.lastProcess(), getpid());
    // What needs no measurement is shown meanwhile.
    EXPECT_TRUE(sentence("forecastTotal").contains("Measuring"));
    EXPECT_TRUE(sentence("forecastMemory").contains(" of "));
    EXPECT_FALSE(bar().isVisible());
    ASSERT_TRUE(waitForForecast());
    EXPECT_EQ(m_machine.answered("job"), 1);
}

TEST_F(ReconstructionForecastTest, WhatIsKnownIsNotMeasuredAgain) {
    open();
    ASSERT_TRUE(waitForForecast());
    const QString disk = sentence("forecastDisk");
    askForVoxels(64);
    ASSERT_TRUE(test::waitUntil([&] { return sentence("forecastDisk") != disk; }));
    EXPECT_TRUE(bar().isVisible());
    EXPECT_EQ(m_machine.asked("job"), 1);
    // Another scan may lie on another disk.
    scan().open(toText(test::makeScan(m_folder / "next", test::smallScan("next"))));
    ASSERT_TRUE(isBeingMeasured(2));
    EXPECT_TRUE(waitForForecast());
}

TEST_F(ReconstructionForecastTest, AnEditEndsTheMeasurementAndAsksAgain) {
    m_machine.setDelays(30'000);
    open();
    ASSERT_TRUE(isBeingMeasured(1));
    const pid_t first = m_machine.lastProcess();
    m_machine.setDelays(0);
    askForVoxels(64);
    ASSERT_TRUE(waitForForecast());
    EXPECT_EQ(m_machine.asked("job"), 2);
    EXPECT_EQ(m_machine.answered("job"), 1);
    EXPECT_NE(::kill(first, 0), 0);
}

TEST_F(ReconstructionForecastTest, AJobThatBeginsEndsTheMeasurement) {
    m_machine.setDelays(30'000);
    open();
    ASSERT_TRUE(isBeingMeasured(1));
    QTest::mouseClick(&button(), Qt::LeftButton);
    EXPECT_TRUE(test::waitUntil([&] { return !m_machine.isLastAlive(); }));
    EXPECT_EQ(m_machine.answered("job"), 0);
    m_machine.setDelays(0);
    EXPECT_TRUE(waitForForecast());
}

TEST_F(ReconstructionForecastTest, ARefusedJobIsMendedWithoutMeasuring) {
    m_machine.setDelays(30'000);
    open();
    ASSERT_TRUE(isBeingMeasured(1));
    scan().editJob([](JobSpec& job) { job.memoryBytes = 1'000'000; }, "Allow too little");
    ASSERT_TRUE(test::waitUntil([&] { return !sentence("forecastRefusal").isEmpty(); }, 10));
    EXPECT_EQ(the<QPushButton>("remedy0").text(), "Allow more memory");
    EXPECT_TRUE(test::waitUntil([&] { return !m_machine.isLastAlive(); }));
    EXPECT_EQ(m_machine.asked("job"), 1);
}

TEST_F(ReconstructionForecastTest, SpaceFreedOnTheDiskIsSeenWithoutAnEdit) {
    m_machine.setFreeDisk(1000);
    ASSERT_TRUE(test::waitUntil([&] { return !m_workspace->isLookingForGpus(); }));
    open();
    ASSERT_TRUE(test::waitUntil([&] { return !sentence("forecastRefusal").isEmpty(); }));
    EXPECT_TRUE(sentence("forecastRefusal").contains("1.00 kB are free"));
    EXPECT_FALSE(button().isEnabled());
    const auto* remedy = &the<QPushButton>("remedy0");
    // A little is freed: the buttons stay where they are, so that a click on one arrives.
    m_machine.setFreeDisk(2000);
    ASSERT_TRUE(
        test::waitUntil([&] { return sentence("forecastRefusal").contains("2.00 kB are free"); }));
    EXPECT_EQ(&the<QPushButton>("remedy0"), remedy);
    m_machine.setFreeDisk(0);
    EXPECT_TRUE(test::waitUntil([&] { return button().isEnabled(); }));
    EXPECT_EQ(sentence("forecastRefusal"), "");
    EXPECT_TRUE(waitForForecast());
    EXPECT_EQ(scan().undoStack().count(), 0);
}

TEST_F(ReconstructionForecastTest, TheDiskIsLookedAtWhenTheWindowIsUsedAgain) {
    open();
    ASSERT_TRUE(waitForForecast());
    const std::filesystem::path folder = m_folder / "later";
    type("outputFolder", toText(folder));
    ASSERT_TRUE(test::waitUntil([&] { return !sentence("forecastRefusal").isEmpty(); }));
    QWidget fileManager;
    test::show(fileManager, {200, 200});
    std::filesystem::create_directories(folder);
    writeFileAtomically(folder / "walnut.mha", "a volume");
    m_panel->activateWindow();
    EXPECT_TRUE(test::waitUntil([&] { return button().isEnabled(); }));
    EXPECT_TRUE(test::waitUntil(
        [&] { return sentence("outputSentence").contains("will be walnut-2.mha"); }));
}

TEST_F(ReconstructionForecastTest, WhatAMeasurementShowsToBeImpossibleIsMended) {
    m_machine.setGpus(1);
    m_machine.setNoFilter("cuFFT is not installed");
    makePanel();
    open();
    ASSERT_TRUE(waitForForecast());
    EXPECT_TRUE(sentence("forecastEngine").endsWith("; the CPU filters"));
    scan().editJob([](JobSpec& job) { job.filterOn = FilterOn::gpu; }, "Filter on the GPU");
    ASSERT_TRUE(test::waitUntil([&] { return !sentence("forecastRefusal").isEmpty(); }));
    EXPECT_TRUE(sentence("forecastRefusal").contains("cuFFT is not installed"));
    EXPECT_EQ(the<QPushButton>("remedy0").text(), "Filter on the CPU");
    QTest::mouseClick(&the<QPushButton>("remedy0"), Qt::LeftButton);
    EXPECT_TRUE(waitForForecast());
}

// The first job may ask for it, too.
TEST_F(ReconstructionForecastTest, WhatTheFirstMeasurementShowsToBeImpossibleIsMended) {
    m_machine.setGpus(1);
    m_machine.setDelays(1000);
    m_machine.setNoFilter("cuFFT is not installed");
    makePanel();
    open();
    scan().editJob([](JobSpec& job) { job.filterOn = FilterOn::gpu; }, "Filter on the GPU");
    ASSERT_TRUE(test::waitUntil([&] { return !sentence("forecastRefusal").isEmpty(); }));
    EXPECT_TRUE(sentence("forecastRefusal").contains("cuFFT is not installed"));
    EXPECT_EQ(the<QPushButton>("remedy0").text(), "Filter on the CPU");
    EXPECT_EQ(m_machine.answered("job"), 1);
}

TEST_F(ReconstructionForecastTest, WhyAMeasurementFailsIsSaidUntilTheNextEdit) {
    m_machine.setFailure("the scan's disk is gone.");
    open();
    ASSERT_TRUE(test::waitUntil([&] { return !sentence("forecastRefusal").isEmpty(); }));
    EXPECT_EQ(sentence("forecastRefusal"), "The scan's disk is gone.");
    EXPECT_FALSE(button().isEnabled());
    test::pass(1000);
    EXPECT_EQ(m_machine.asked("job"), 1);
    m_machine.setFailure("");
    askForVoxels(64);
    EXPECT_TRUE(waitForForecast());
    EXPECT_TRUE(button().isEnabled()) << m_panel->reasonAgainst().toStdString();
}

}  // namespace
}  // namespace gantry
