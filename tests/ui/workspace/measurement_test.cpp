#include "ui/workspace/background/measurement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <QPointer>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/file.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class MeasurementTest : public testing::Test {
  protected:
    void start(Measurement& measurement, const std::string& request = {}) {
        measurement.start(
            request, [this](const Measured& measured) { m_measured = measured; },
            [this](const QString& sentence) { m_sentence = sentence; });
    }
    // What a program says that does that in a shell.
    QString failureOf(const std::string& commands) {
        const fs::path program = m_folder / "program.sh";
        writeFileAtomically(program, "#!/bin/sh\n" + commands + "\n");
        fs::permissions(program, fs::perms::owner_all);
        Measurement measurement(QString::fromStdString(program.string()));
        m_sentence.clear();
        start(measurement, "a request");
        EXPECT_TRUE(test::waitUntil([this] { return !m_sentence.isEmpty(); }));
        EXPECT_FALSE(measurement.isBusy());
        return m_sentence;
    }
    [[nodiscard]] JobSpec smallJob() {
        const fs::path scan = test::makeScan(m_folder / "scan");
        return test::jobOf(readScanFile(scan), 12, m_folder / "a.mha");
    }

    test::TemporaryFolder m_folder;
    test::FakeMachine m_machine;
    std::optional<Measured> m_measured;
    QString m_sentence;
};

TEST_F(MeasurementTest, TellsOfTheGpusThatAnotherProcessFound) {
    m_machine.setGpus(2);
    Measurement measurement(m_machine.program());
    start(measurement);
    EXPECT_TRUE(measurement.isBusy());
    ASSERT_TRUE(test::waitUntil([this] { return m_measured.has_value(); }));
    EXPECT_FALSE(measurement.isBusy());
    EXPECT_EQ(m_measured->gpus.size(), 2U);
    EXPECT_EQ(m_measured->whyNoGpu, "");
    EXPECT_TRUE(m_measured->facts.all().empty());
    EXPECT_NE(m_machine.lastProcess(), getpid());
}

TEST_F(MeasurementTest, TheProgramMeasuresAJob) {
    Measurement measurement(GANTRY_PROGRAM);
    start(measurement, measureRequest(smallJob(), {}));
    ASSERT_TRUE(test::waitUntil([this] { return m_measured || !m_sentence.isEmpty(); }));
    ASSERT_TRUE(m_measured) << m_sentence.toStdString();
    EXPECT_FALSE(m_measured->facts.all().empty());
    EXPECT_EQ(m_measured->gpus.empty(), !m_measured->whyNoGpu.empty());
}

TEST_F(MeasurementTest, CancellingKillsTheProcess) {
    m_machine.setDelays(30'000);
    Measurement measurement(m_machine.program());
    start(measurement, measureRequest(smallJob(), {}));
    ASSERT_TRUE(test::waitUntil([this] { return m_machine.isLastAlive(); }));
    measurement.cancel();
    EXPECT_FALSE(measurement.isBusy());
    EXPECT_TRUE(test::waitUntil([this] { return !m_machine.isLastAlive(); }));
    EXPECT_FALSE(m_measured);
    EXPECT_EQ(m_sentence, "");
}

TEST_F(MeasurementTest, ItsEndKillsTheProcess) {
    m_machine.setDelays(30'000);
    {
        Measurement measurement(m_machine.program());
        start(measurement, measureRequest(smallJob(), {}));
        ASSERT_TRUE(test::waitUntil([this] { return m_machine.isLastAlive(); }));
    }
    EXPECT_FALSE(m_machine.isLastAlive());
}

TEST_F(MeasurementTest, OnlyTheNewestRequestIsAnswered) {
    m_machine.setDelays(0, 30'000);
    Measurement measurement(m_machine.program());
    start(measurement);
    ASSERT_TRUE(test::waitUntil([this] { return m_machine.isLastAlive(); }));
    const pid_t first = m_machine.lastProcess();
    start(measurement, measureRequest(smallJob(), {}));
    ASSERT_TRUE(test::waitUntil([this] { return m_measured.has_value(); }));
    EXPECT_FALSE(m_measured->facts.all().empty());
    EXPECT_EQ(m_machine.answered("gpus"), 0);
    EXPECT_TRUE(test::waitUntil([=] { return ::kill(first, 0) != 0; }));
}

TEST_F(MeasurementTest, WhoeverIsToldMayEndIt) {
    auto measurement = std::make_unique<Measurement>(m_machine.program());
    bool isTold = false;
    measurement->start(
        {},
        [&](const Measured&) {
            measurement.reset();
            isTold = true;
        },
        [](const QString&) {});
    EXPECT_TRUE(test::waitUntil([&] { return isTold; }));
    test::pass(50);
}

TEST_F(MeasurementTest, SaysWhyItFailed) {
    EXPECT_EQ(failureOf("echo 'gantry: the scan is gone.' >&2; exit 2"), "The scan is gone.");
    EXPECT_TRUE(failureOf("kill -9 $$").contains("ended unexpectedly"));
    EXPECT_TRUE(failureOf("echo '{\"gpus\":'").contains("the measurement's answer"));
    Measurement measurement("/nowhere/gantry");
    start(measurement);
    ASSERT_TRUE(test::waitUntil([this] { return m_sentence.contains("/nowhere/gantry"); }));
    EXPECT_FALSE(measurement.isBusy());
}

}  // namespace
}  // namespace gantry
