#include "ui/panels/reconstruction/reconstruction_engine.h"

#include <gtest/gtest.h>

#include <QStandardItemModel>
#include <atomic>

#include "tests/ui/panels/reconstruction_fixture.h"
#include "ui/widgets/number_field.h"

namespace gantry {
namespace {

class ReconstructionEngineTest : public test::ReconstructionPanelTest {};

TEST_F(ReconstructionEngineTest, EngineFieldsAskForWhatThereIs) {
    open();
    const auto& engine = the<QComboBox>("engine");
    const auto* items = qobject_cast<const QStandardItemModel*>(engine.model());
    EXPECT_FALSE(items->item(2)->isEnabled());
    EXPECT_EQ(items->item(2)->toolTip(), "this test has none");
    choose("engine", "CPU");
    EXPECT_EQ(job().engine, Engine::cpu);
    choose("precision", "Reference, 64-bit");
    EXPECT_EQ(job().cpuKernel, CpuKernel::reference);
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
    m_backends.gpu = test::fakeGpus(1, 10'000'000'000, m_fake);
    m_backends.whyNoGpu.clear();
    makePanel();
    open();
    EXPECT_EQ(sentence("devices"), "Fake 100");
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
    EXPECT_EQ(job().gpuKernel, "");
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
    EXPECT_EQ(job().gpuKernel, "");
    EXPECT_FALSE(the<QWidget>("gpuKernel").isEnabled());
    EXPECT_EQ(sentence("devices"), "");
    ASSERT_TRUE(test::waitUntil([&] { return sentence("forecastEngine").isEmpty(); }));
    EXPECT_TRUE(button().isEnabled()) << m_panel->reasonAgainst().toStdString();
    scan().undoStack().undo();
    EXPECT_EQ(job().gpuKernel, "mirror-texture");
}

TEST_F(ReconstructionEngineTest, WhileAJobRunsNoKernelIsTried) {
    m_backends.gpu = test::fakeGpus(1, 10'000'000'000, m_fake);
    std::atomic<int> trials = 0;
    m_backends.gpu.chooseKernel = [&trials, choose = m_backends.gpu.chooseKernel](
                                      int device, const DeviceJob& job, bool fast) {
        ++trials;
        return choose(device, job, fast);
    };
    m_backends.whyNoGpu.clear();
    makePanel();
    open();
    ASSERT_TRUE(waitForForecast());
    JobSpec slow = job();
    slow.volume = fitGrid(scan().geometry(), 256);
    slow.engine = Engine::cpu;
    slow.cpuKernel = CpuKernel::reference;
    slow.threads = 1;
    slow.output.path = m_folder / "slow.mha";
    const QString folder = m_workspace->jobs().start(slow);
    ASSERT_FALSE(folder.isEmpty());
    const int before = trials;
    const QString disk = sentence("forecastDisk");
    Request larger = scan().request();
    larger.volumeIsFitted = false;
    larger.job.volume = fitGrid(scan().geometry(), 200);
    scan().edit(larger, "Ask for more voxels");
    ASSERT_TRUE(test::waitUntil([&] { return sentence("forecastDisk") != disk; }));
    // What is known of this machine is still shown.
    EXPECT_TRUE(bar().isVisible());
    EXPECT_EQ(sentence("forecastEngine"), "Fake 100 (tile, exact), which also filters");
    EXPECT_EQ(trials, before);
    // Of another kernel nothing is.
    choose("precision", "Fast, on the GPU");
    EXPECT_TRUE(test::waitUntil(
        [&] { return sentence("forecastTotal").contains("measured when no job runs"); }));
    EXPECT_EQ(sentence("forecastEngine"), "");
    EXPECT_EQ(trials, before);
    m_workspace->jobs().cancel(folder);
    EXPECT_TRUE(waitForForecast());
    EXPECT_GT(trials, before);
    EXPECT_EQ(sentence("forecastEngine"), "Fake 100 (mirror-texture, fast), which also filters");
}

TEST_F(ReconstructionEngineTest, AFullGpuIsLeftForTheCpuByOneClick) {
    m_backends.gpu = test::fakeGpus(1, 1000, m_fake);
    m_backends.whyNoGpu.clear();
    makePanel();
    open();
    choose("engine", "GPU");
    ASSERT_TRUE(test::waitUntil([&] { return !sentence("forecastRefusal").isEmpty(); }));
    EXPECT_TRUE(sentence("forecastRefusal").contains("GPU 0 (Fake 100)"));
    EXPECT_EQ(the<QPushButton>("remedy0").text(), "Use the CPU");
    QTest::mouseClick(&the<QPushButton>("remedy0"), Qt::LeftButton);
    EXPECT_EQ(job().engine, Engine::cpu);
    ASSERT_TRUE(test::waitUntil([&] { return button().isEnabled(); }));
}

}  // namespace
}  // namespace gantry
