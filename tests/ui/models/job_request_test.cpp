#include "ui/models/job/job_request.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gantry {
namespace {

QString valueOf(const std::vector<RequestLine>& lines, const QString& label) {
    const auto found = std::find_if(lines.begin(), lines.end(),
                                    [&](const RequestLine& line) { return line.label == label; });
    return found == lines.end() ? "none" : found->value;
}

TEST(JobRequest, EveryNumberHasItsUnit) {
    JobSpec spec;
    spec.scan.name = "walnut";
    spec.scan.geometry.cone().sourceToIsocenterMm = 600;
    spec.scan.geometry.cone().views = 720;
    spec.scan.geometry.cone().arcDeg = -200;
    spec.volume = {{512, 512, 300}, {0.2, 0.2, 0.2}, {0, 0, 1.5}};
    spec.filter = {FilterWindow::hann, 0.8};
    spec.output = {"/data/walnut.mha", PixelType::uint16, std::array{0.0, 0.1}};
    spec.memoryBytes = 4'000'000'000;
    const std::vector<RequestLine> lines = requestLines(spec);
    EXPECT_EQ(valueOf(lines, "Source–object distance"), "600 mm");
    EXPECT_EQ(valueOf(lines, "Arc"), "-200° from 0°");
    EXPECT_EQ(valueOf(lines, "Voxels"), "512 × 512 × 300");
    EXPECT_EQ(valueOf(lines, "Centre"), "0, 0, 1.5 mm");
    EXPECT_EQ(valueOf(lines, "Window"), "Hann");
    EXPECT_EQ(valueOf(lines, "Voxel type"), "16-bit");
    EXPECT_EQ(valueOf(lines, "Range"), "0 to 0.1 /mm");
    EXPECT_EQ(valueOf(lines, "Memory"), "at most 4.00 GB");
    EXPECT_EQ(valueOf(lines, "Threads"), "all of the machine");
}

TEST(JobRequest, WhatIsAskedOfGpusIsTold) {
    JobSpec spec;
    EXPECT_EQ(valueOf(requestLines(spec), "Precision"), "none");
    EXPECT_EQ(valueOf(requestLines(spec), "Filter on"), "none");
    spec.engine = Engine::gpu;
    spec.fast = true;
    spec.gpuKernel = "mirror-texture";
    spec.filterOn = FilterOn::cpu;
    spec.devices = {0, 2};
    spec.deviceMemoryBytes = 16'000'000'000;
    const std::vector<RequestLine> lines = requestLines(spec);
    EXPECT_EQ(valueOf(lines, "Engine"), "GPU");
    EXPECT_TRUE(valueOf(lines, "Precision").startsWith("fast: voxels are off by"));
    EXPECT_EQ(valueOf(lines, "GPU kernel"), "mirror-texture");
    EXPECT_EQ(valueOf(lines, "Filter on"), "CPU");
    EXPECT_EQ(valueOf(lines, "GPUs"), "0, 2");
    EXPECT_EQ(valueOf(lines, "GPU memory"), "at most 16.0 GB each");
}

TEST(JobRequest, ListedAnglesAreTold) {
    JobSpec spec;
    spec.scan.geometry.cone().anglesDeg = {0, 10, 25.5};
    EXPECT_EQ(valueOf(requestLines(spec), "Angles"), "listed, 0° to 25.5°");
}

}  // namespace
}  // namespace gantry
