#include "ui/models/job/job_request.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/job/job_fields.h"
#include "ui/models/job/option_text.h"

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
    EXPECT_EQ(valueOf(lines, "Source–object"), "600 mm");
    EXPECT_EQ(valueOf(lines, "Start angle"), "0°");
    EXPECT_EQ(valueOf(lines, "Arc"), "200°");
    EXPECT_EQ(valueOf(lines, "Direction"), "Clockwise");
    EXPECT_EQ(valueOf(lines, "Voxels"), "512 × 512 × 300");
    EXPECT_EQ(valueOf(lines, "Centre"), "0, 0, 1.5 mm");
    EXPECT_EQ(valueOf(lines, "Window"), "Hann");
    EXPECT_EQ(valueOf(lines, "Voxel type"), "16-bit");
    EXPECT_EQ(valueOf(lines, "Fixed range"), "0 to 0.1 /mm");
    EXPECT_EQ(valueOf(lines, "Memory limit"), "4.00 GB");
    EXPECT_EQ(valueOf(lines, "Threads"), "all of the machine");
}

TEST(JobRequest, WhatIsAskedOfGpusIsTold) {
    JobSpec spec;
    EXPECT_EQ(valueOf(requestLines(spec), "Precision"), "Exact, 32-bit");
    EXPECT_EQ(valueOf(requestLines(spec), "Filter on"), "Automatic");
    EXPECT_EQ(valueOf(requestLines(spec), "GPUs"), "all");
    EXPECT_EQ(valueOf(requestLines(spec), "GPU memory"), "most of what is free");
    spec.engine = Engine::gpu;
    spec.fast = true;
    spec.gpuKernel = "mirror-texture";
    spec.filterOn = FilterOn::cpu;
    spec.devices = {0, 2};
    spec.deviceMemoryBytes = 16'000'000'000;
    const std::vector<RequestLine> lines = requestLines(spec);
    EXPECT_EQ(valueOf(lines, "Engine"), "GPU");
    EXPECT_EQ(valueOf(lines, "Precision"), "Fast, on the GPU");
    EXPECT_EQ(valueOf(lines, "GPU kernel"), "mirror-texture");
    EXPECT_EQ(valueOf(lines, "Filter on"), "CPU");
    EXPECT_EQ(valueOf(lines, "GPUs"), "0, 2");
    EXPECT_EQ(valueOf(lines, "GPU memory"), "16.0 GB");
}

TEST(JobRequest, ListedAnglesAreTold) {
    JobSpec spec;
    spec.scan.geometry.cone().anglesDeg = {0, 10, 25.5};
    EXPECT_EQ(valueOf(requestLines(spec), "Angles"), "3 listed angles, 0° to 25.5°");
    EXPECT_EQ(valueOf(requestLines(spec), "Arc"), "none");
}

TEST(JobRequest, CorrectionsAreTold) {
    JobSpec spec;
    EXPECT_EQ(valueOf(requestLines(spec), "Zinger factor"), "none");
    EXPECT_EQ(valueOf(requestLines(spec), "Ring width"), "none");
    spec.corrections.zingers.ratio = 1.2;
    spec.corrections.rings.method = RingMethod::sorting;
    spec.corrections.rings.widthPx = 31;
    const std::vector<RequestLine> lines = requestLines(spec);
    EXPECT_EQ(valueOf(lines, "Zinger factor"), "1.2 × median");
    EXPECT_EQ(valueOf(lines, "Ring width"), "31 px");
}

TEST(JobRequest, EveryOptionOfAJobIsTold) {
    JobSpec spec;
    spec.scan.geometry.detector.rollDeg = 1;
    spec.corrections.zingers.ratio = 1.2;
    spec.corrections.phase = {20, 100, 500};
    spec.output.type = PixelType::uint16;
    spec.output.range = {0.0, 0.1};
    for (const RingMethod method : {RingMethod::sorting, RingMethod::wavelets}) {
        spec.corrections.rings.method = method;
        const std::vector<RequestLine> lines = requestLines(spec);
        for (const FileField<JobSpec>& row : jobFields()) {
            if (row.option.label.empty() || (row.applies && !row.applies(spec))) continue;
            EXPECT_NE(valueOf(lines, optionText(row.option.label)), "none") << row.shape.path();
        }
    }
}

}  // namespace
}  // namespace gantry
