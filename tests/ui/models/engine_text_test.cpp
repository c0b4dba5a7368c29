#include "ui/models/job/engine_text.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

TEST(EngineText, EqualGpusAreCounted) {
    EXPECT_EQ(devicesText({}), "");
    EXPECT_EQ(devicesText({{0, "NVIDIA H200", 1, 1}}), "NVIDIA H200");
    EXPECT_EQ(
        devicesText({{0, "NVIDIA H200", 1, 1}, {1, "NVIDIA L40S", 1, 1}, {2, "NVIDIA H200", 1, 1}}),
        QString::fromUtf8("2 × NVIDIA H200 + NVIDIA L40S"));
}

TEST(EngineText, WithoutGpusItIsTheCpu) {
    Backends backends;
    backends.cpuName = "CPU (AVX2)";
    EXPECT_TRUE(engineText(backends).startsWith("CPU (AVX2), "));
    EXPECT_TRUE(engineText(backends).endsWith(" threads"));
    backends.gpu.devices = {{0, "NVIDIA H200", 1, 1}};
    EXPECT_EQ(engineText(backends), "NVIDIA H200");
}

}  // namespace
}  // namespace gantry
