#pragma once

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QProcess>

namespace gantry::test {

/// Runs tests of this program in another process, on a screen of that size ("1280x800", physical
/// pixels) and scale, and passes on how they end. Disabled tests are run, too: those that make
/// sense on such a screen only.
inline void runOnScreen(const char* screen, const char* scale, const char* tests) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("GANTRY_TEST_SCREEN", screen);
    environment.insert("QT_SCALE_FACTOR", scale);
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QCoreApplication::applicationFilePath(),
                  {"--gtest_also_run_disabled_tests", QString("--gtest_filter=%1").arg(tests)});
    constexpr int kLimitMs = 300'000;
    ASSERT_TRUE(process.waitForFinished(kLimitMs));
    EXPECT_EQ(process.exitCode(), 0) << screen << " at " << scale << ":\n"
                                     << process.readAll().toStdString();
}

}  // namespace gantry::test
