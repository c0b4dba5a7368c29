#include "ui/panels/reconstruction/reconstruction_engine.h"

#include <gtest/gtest.h>

#include <QStandardItemModel>

#include "tests/ui/panels/reconstruction_fixture.h"
#include "ui/widgets/fields/number_field.h"

namespace gantry {
namespace {

class ReconstructionEngineTest : public test::ReconstructionPanelTest {};

TEST_F(ReconstructionEngineTest, EngineFieldsAskForWhatThereIs) {
    open();
    const auto& engine = the<QComboBox>("engine");
    const auto* items = qobject_cast<const QStandardItemModel*>(engine.model());
    EXPECT_FALSE(items->item(2)->isEnabled());
    EXPECT_TRUE(test::waitUntil([&] { return items->item(2)->toolTip() == "this test has none"; }));
    choose("engine", "CPU");
    EXPECT_EQ(job().engine, Engine::cpu);
    choose("precision", "Reference, 64-bit");
    EXPECT_EQ(job().cpuKernel, kReferenceKernel);
    EXPECT_FALSE(the<NumberField>("memory").isEnabled());
    tick("memoryLimit");
    EXPECT_GT(job().memoryBytes, 0);
    type("memory", "0.3");
    EXPECT_EQ(job().memoryBytes, 300'000'000);
    tick("memoryLimit");
    EXPECT_EQ(job().memoryBytes, 0);
}

TEST_F(ReconstructionEngineTest, WithoutAGpuWhatOnlyGpusDoIsGrey) {
    open();
    ASSERT_TRUE(test::waitUntil([&] { return !m_workspace->isLookingForGpus(); }));
    for (const char* name : {"gpuKernel", "filterOn", "deviceMemoryLimit"}) {
        EXPECT_FALSE(the<QWidget>(name).isEnabled()) << name;
        EXPECT_EQ(the<QWidget>(name).toolTip(), "this test has none") << name;
    }
    const auto* items =
        qobject_cast<const QStandardItemModel*>(the<QComboBox>("precision").model());
    EXPECT_FALSE(items->item(1)->isEnabled());
    EXPECT_EQ(items->item(1)->toolTip(), "this test has none");
}

TEST_F(ReconstructionEngineTest, AGpuIsNamedPredictedAndAskedFor) {
    m_machine.setGpus(1);
    makePanel();
    open();
    ASSERT_TRUE(test::waitUntil([&] { return sentence("devices") == "Fake 100"; }));
    ASSERT_TRUE(waitForForecast());
    EXPECT_EQ(sentence("forecastEngine"), "Fake 100 (tile, exact), which also filters");
    EXPECT_TRUE(sentence("forecastDeviceMemory").contains("GPU memory"));
    EXPECT_TRUE(bar().accessibleDescription().contains("upload"));
    test::screenshots(*m_panel, "reconstruction-gpu");

    choose("precision", "Fast, on the GPU");
    EXPECT_TRUE(job().fast);
    EXPECT_TRUE(the<QWidget>("precision").toolTip().contains("1 part in 10 000"));
    choose("gpuKernel", "mirror-texture (fast)");
    EXPECT_EQ(job().gpuKernel, "mirror-texture");
    // An exact job takes no kernel that is not.
    choose("precision", "Exact, 32-bit");
    EXPECT_FALSE(job().fast);
    EXPECT_EQ(job().gpuKernel, kAnyKernel);
    choose("gpuKernel", "mirror-texture (fast)");
    EXPECT_TRUE(job().fast);
    choose("filterOn", "CPU");
    EXPECT_EQ(job().filterOn, FilterOn::cpu);
    EXPECT_TRUE(test::waitUntil(
        [&] { return sentence("forecastEngine").contains("mirror-texture, fast); the CPU"); }));
    tick("deviceMemoryLimit");
    EXPECT_EQ(job().deviceMemoryBytes, 5'000'000'000);
    type("deviceMemory", "2");
    EXPECT_EQ(job().deviceMemoryBytes, 2'000'000'000);

    // The CPU has none of that.
    choose("engine", "CPU");
    EXPECT_EQ(job().filterOn, FilterOn::automatic);
    EXPECT_EQ(job().gpuKernel, kAnyKernel);
    EXPECT_FALSE(the<QWidget>("gpuKernel").isEnabled());
    EXPECT_EQ(sentence("devices"), "");
    ASSERT_TRUE(test::waitUntil([&] { return sentence("forecastEngine").isEmpty(); }));
    EXPECT_TRUE(button().isEnabled()) << m_panel->reasonAgainst().toStdString();
    scan().undoStack().undo();
    EXPECT_EQ(job().gpuKernel, "mirror-texture");
}

TEST_F(ReconstructionEngineTest, TheFilteredRowsOfARolledDetectorAreChosen) {
    open();
    EXPECT_FALSE(the<QWidget>("filterRows").isVisible());
    Request rolled = scan().request();
    rolled.job.scan.geometry.detector.rollDeg = 2;
    scan().edit(rolled, "Roll the detector");
    EXPECT_TRUE(the<QWidget>("filterRows").isVisible());
    choose("filterRows", "Upright rows");
    EXPECT_EQ(job().rows, FilterRows::upright);
    choose("filterRows", "The detector's rows");
    EXPECT_EQ(job().rows, FilterRows::own);
    test::screenshots(*m_panel, "reconstruction-rolled");
    choose("filterRows", "Automatic");
    EXPECT_EQ(job().rows, std::nullopt);
    scan().undoStack().undo();
    EXPECT_EQ(the<QComboBox>("filterRows").currentText(), "The detector's rows");
}

TEST_F(ReconstructionEngineTest, WhileAJobRunsNoKernelIsTried) {
    m_machine.setGpus(1);
    makePanel();
    open();
    ASSERT_TRUE(waitForForecast());
    JobSpec slow = job();
    slow.volume = fitGrid(scan().geometry(), 256);
    slow.engine = Engine::cpu;
    slow.cpuKernel = kReferenceKernel;
    slow.threads = 1;
    slow.output.path = m_folder / "slow.mha";
    const QString folder = m_workspace->jobs().start(slow);
    ASSERT_FALSE(folder.isEmpty());
    const int before = m_machine.asked("job");
    const QString disk = sentence("forecastDisk");
    Request larger = scan().request();
    larger.volumeIsFitted = false;
    larger.job.volume = fitGrid(scan().geometry(), larger.job.volume.voxels[0] + 1);
    scan().edit(larger, "Ask for more voxels");
    ASSERT_TRUE(test::waitUntil([&] { return sentence("forecastDisk") != disk; }));
    // What is known of this machine is still shown.
    EXPECT_TRUE(bar().isVisible());
    EXPECT_EQ(sentence("forecastEngine"), "Fake 100 (tile, exact), which also filters");
    EXPECT_EQ(m_machine.asked("job"), before);
    // Nothing is known of another kernel.
    choose("precision", "Fast, on the GPU");
    EXPECT_TRUE(test::waitUntil(
        [&] { return sentence("forecastTotal").contains("measured when no job runs"); }));
    EXPECT_EQ(sentence("forecastEngine"), "");
    EXPECT_EQ(m_machine.asked("job"), before);
    m_workspace->jobs().cancel(folder);
    EXPECT_TRUE(waitForForecast());
    EXPECT_EQ(m_machine.answered("job"), before + 1);
    EXPECT_EQ(sentence("forecastEngine"), "Fake 100 (mirror-texture, fast), which also filters");
}

TEST_F(ReconstructionEngineTest, AFullGpuIsLeftForTheCpuByOneClick) {
    m_machine.setGpus(1, 1000);
    makePanel();
    open();
    ASSERT_TRUE(test::waitUntil([&] { return !m_workspace->isLookingForGpus(); }));
    choose("engine", "GPU");
    ASSERT_TRUE(test::waitUntil([&] { return !sentence("forecastRefusal").isEmpty(); }));
    EXPECT_TRUE(sentence("forecastRefusal").contains("GPU 0 (Fake 100)"));
    EXPECT_EQ(the<QPushButton>("remedy0").text(), "Use the CPU");
    QTest::mouseClick(&the<QPushButton>("remedy0"), Qt::LeftButton);
    EXPECT_EQ(job().engine, Engine::cpu);
    ASSERT_TRUE(test::waitUntil([&] { return button().isEnabled(); }));
}

TEST_F(ReconstructionEngineTest, GpusThatAreFoundLateAreOffered) {
    m_machine.setGpus(2);
    m_machine.setDelays(0, 60'000);
    makePanel();
    open();
    const auto* items = qobject_cast<const QStandardItemModel*>(the<QComboBox>("engine").model());
    // The panel is there before they are.
    EXPECT_TRUE(m_workspace->isLookingForGpus());
    EXPECT_FALSE(items->item(2)->isEnabled());
    EXPECT_TRUE(items->item(2)->toolTip().contains("still being looked for"));
    EXPECT_TRUE(button().isEnabled()) << m_panel->reasonAgainst().toStdString();
    m_machine.setDelays(0);
    ASSERT_TRUE(test::waitUntil([&] { return items->item(2)->isEnabled(); }));
    EXPECT_EQ(items->item(2)->toolTip(), QString::fromUtf8("2 × Fake 100"));
    EXPECT_EQ(sentence("devices"), QString::fromUtf8("2 × Fake 100"));
    EXPECT_TRUE(the<QWidget>("gpuKernel").isEnabled());
    ASSERT_TRUE(waitForForecast());
    EXPECT_TRUE(sentence("forecastEngine").startsWith(QString::fromUtf8("2 × Fake 100")));
}

TEST_F(ReconstructionEngineTest, AJobForGpusIsNotRefusedBeforeTheyAreLookedFor) {
    m_machine.setGpus(1);
    m_machine.setDelays(0, 60'000);
    makePanel();
    open();
    scan().editJob([](JobSpec& job) { job.engine = Engine::gpu; }, "Use GPUs");
    EXPECT_TRUE(test::waitUntil(
        [&] { return sentence("forecastTotal").contains("Looking for the GPUs"); }));
    EXPECT_EQ(sentence("forecastRefusal"), "");
    m_machine.setDelays(0);
    ASSERT_TRUE(waitForForecast());
    EXPECT_TRUE(sentence("forecastEngine").startsWith("Fake 100"));
}

}  // namespace
}  // namespace gantry
