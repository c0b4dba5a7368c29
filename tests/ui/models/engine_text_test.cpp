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
    Machine machine;
    machine.threads = 16;
    machine.cpu.devices = {{0, "CPU (AVX2)", 0, 0}};
    EXPECT_EQ(engineText(machine), "CPU (AVX2), 16 threads");
    machine.gpu.devices = {{0, "NVIDIA H200", 1, 1}};
    EXPECT_EQ(engineText(machine), "NVIDIA H200");
}

}  // namespace
}  // namespace gantry
