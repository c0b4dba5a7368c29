#include "core/live/live_slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/cpu/cpu_backend.h"
#include "gpu/engine/gpu_engine.h"
#include "tests/gpu/support/device.h"
#include "tests/support/live_scan.h"

namespace gantry {
namespace {

constexpr Index kMuch = 1'000'000'000;

class GpuLiveSlices : public testing::Test {
  protected:
    void SetUp() override {
        GANTRY_NEEDS_DEVICE();
        LiveOptions options;
        options.threads = 2;
        options.place = {kMuch, LivePlace::Device{0, kMuch}};
        options.makePreview = [] { return makeGpuPlanePreview(test::testDevice()); };
        m_gpu.emplace(m_scan.scan(), options, std::stop_token());
        // In a device's place, too: views are resampled onto an upright detector for one.
        options.makePreview = [] { return makeReferencePlanePreview(2); };
        m_cpu.emplace(m_scan.scan(), options, std::stop_token());
    }

    // The last pictures, one after the other.
    static std::vector<float> last(LiveSlices& live, const SliceRequest& request) {
        std::vector<float> pixels;
        live.render(request,
                    [&](const SliceStep& step) {
                        pixels.clear();
                        for (const auto& picture : step.pictures)
                            pixels.insert(pixels.end(), picture.data(),
                                          picture.data() + picture.count());
                    },
                    {});
        return pixels;
    }

    const test::LiveScan m_scan;
    std::optional<LiveSlices> m_gpu;
    std::optional<LiveSlices> m_cpu;
};

TEST_F(GpuLiveSlices, AreThoseOfTheCpuWhicheverFieldIsChanged) {
    using Change = std::function<void(SliceRequest&)>;
    const std::vector<std::pair<std::string, Change>> changes = {
        {"nothing", [](SliceRequest&) {}},
        {"centre", [](SliceRequest& r) { r.geometry.detector.offsetMm[0] = -2.7; }},
        {"offset detector", [](SliceRequest& r) { r.geometry.detector.offsetMm[0] = 61; }},
        {"the other side", [](SliceRequest& r) { r.geometry.detector.offsetMm[0] = -61; }},
        {"roll",
         [](SliceRequest& r) {
             r.geometry.detector.offsetMm[0] = 3;
             r.geometry.detector.rollDeg = 1.3;
         }},
        {"tilt", [](SliceRequest& r) { r.geometry.detector.tiltDeg = -2; }},
        {"slant of an offset detector",
         [](SliceRequest& r) {
             r.geometry.detector.slantDeg = 2.4;
             r.geometry.detector.offsetMm[0] = 55;
         }},
        {"SDD", [](SliceRequest& r) { r.geometry.cone().sourceToDetectorMm = 770; }},
        {"short scan",
         [](SliceRequest& r) {
             r.geometry.detector.offsetMm[0] = 3;
             r.geometry.cone().arcDeg = 220;
         }},
        {"window",
         [](SliceRequest& r) {
             r.filter = {FilterWindow::hann, 0.8};
         }},
    };
    SliceRequest request = {m_scan.geometry(), {}, {}};
    const auto planes = orthogonalPlanes(fitGrid(m_scan.geometry(), 61), {5, 3, -4});
    request.planes.assign(planes.begin(), planes.end());
    for (const auto& [name, change] : changes) {
        change(request);
        const std::vector<float> found = last(*m_gpu, request);
        const std::vector<float> wanted = last(*m_cpu, request);
        ASSERT_EQ(found.size(), wanted.size());
        double sum = 0;
        double norm = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            sum += std::pow(static_cast<double>(found[i] - wanted[i]), 2);
            norm += std::pow(static_cast<double>(wanted[i]), 2);
        }
        // The filter's transforms and the sums are in single precision.
        EXPECT_LT(std::sqrt(sum / norm), 1e-5) << name;
    }
}

TEST_F(GpuLiveSlices, ShowANewGeometryBeforeItIsFiltered) {
    SliceRequest request = {m_scan.geometry(), {}, {}};
    request.planes.push_back(orthogonalPlanes(fitGrid(m_scan.geometry(), 61), {0, 0, 0})[0]);
    (void)last(*m_gpu, request);
    request.geometry.detector.offsetMm[0] = 5;
    std::vector<bool> steps;
    m_gpu->render(request, [&](const SliceStep& step) { steps.push_back(step.isFinal); }, {});
    EXPECT_EQ(steps, (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace gantry
