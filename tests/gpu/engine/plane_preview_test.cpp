#include "gpu/engine/gpu_engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/parallel.h"
#include "core/cpu/cpu_backend.h"
#include "tests/gpu/support/device.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

constexpr auto kQuick = PlanePreview::Precision::quick;

struct Scan {
    ScanGeometry geometry;
    std::vector<float> views;  // [s][v][u]

    [[nodiscard]] Span3<const float> span() const {
        return {views.data(), geometry.views(), geometry.detector.rows, geometry.detector.columns};
    }
};

// A rolled and tilted detector off the centre, and views that are positive and smooth, as filtered
// ones of an object without edges are.
Scan scanOf(Index columns, Index rows, Index views) {
    Scan scan;
    scan.geometry.cone().sourceToIsocenterMm = 500;
    scan.geometry.cone().sourceToDetectorMm = 1000;
    scan.geometry.cone().startDeg = 17;
    scan.geometry.cone().views = views;
    scan.geometry.detector.columns = columns;
    scan.geometry.detector.rows = rows;
    scan.geometry.detector.pitchMm = {400.0 / static_cast<double>(columns),
                                      300.0 / static_cast<double>(rows)};
    scan.geometry.detector.offsetMm = {5, -3};
    scan.geometry.detector.rollDeg = 2;
    scan.geometry.detector.tiltDeg = -1;
    for (Index s = 0; s < views; ++s)
        for (Index v = 0; v < rows; ++v)
            for (Index u = 0; u < columns; ++u) {
                const double x = static_cast<double>(u) / static_cast<double>(columns);
                const double y = static_cast<double>(v) / static_cast<double>(rows);
                const double turn = static_cast<double>(s);
                scan.views.push_back(
                    static_cast<float>(2 + std::sin(7 * x + turn) * std::cos(5 * y)));
            }
    return scan;
}

// ‖found − expected‖/‖expected‖ over all pictures of both projectors.
double difference(PlanePreview& found, PlanePreview& expected, std::span<const Plane> planes,
                  PlanePreview::Precision precision = kQuick) {
    const auto a = found.render(planes, precision, {});
    const auto b = expected.render(planes, precision, {});
    double sum = 0;
    double norm = 0;
    for (std::size_t i = 0; i < planes.size(); ++i) {
        EXPECT_EQ(a[i].size(1), planes[i].rows);
        EXPECT_EQ(a[i].size(2), planes[i].columns);
        for (Index p = 0; p < b[i].count(); ++p) {
            const auto wanted = static_cast<double>(b[i].data()[p]);
            sum += std::pow(static_cast<double>(a[i].data()[p]) - wanted, 2);
            norm += wanted * wanted;
        }
    }
    return std::sqrt(sum / norm);
}

void set(PlanePreview& projector, const Scan& scan) {
    projector.setViews(scan.span(), {});
    projector.setGeometry(projectionMatrices(scan.geometry));
}

// Fractions of 8 bits are off by up to 1/512. From pixel to pixel these views change by up to 0.05
// of some 2, which makes 5e-5 before the errors of many views cancel. Half a pixel would be 1e-3.
constexpr double kTextureError = 1e-4;

class PlanePreviewTest : public testing::Test {
  protected:
    void SetUp() override {
        GANTRY_NEEDS_DEVICE();
        m_preview = makeGpuPlanePreview(test::testDevice());
    }

    std::unique_ptr<PlanePreview> m_preview;
    std::unique_ptr<PlanePreview> m_cpu = makeReferencePlanePreview(availableThreads());
};

TEST_F(PlanePreviewTest, AgreesWithTheCpuOnPlanesOfAnyDirectionAndSize) {
    const Scan scan = scanOf(131, 97, 67);
    set(*m_preview, scan);
    set(*m_cpu, scan);
    // More planes than one launch takes, pictures of odd sizes, and one of a single pixel.
    std::vector<Plane> planes = {{{-80, -70, 3}, {160, 0, 0}, {0, 140, 0}, 77, 65},
                                 {{-80, 5, -50}, {160, 0, 0}, {0, 0, 100}, 64, 32},
                                 {{-9, -70, -50}, {0, 140, 0}, {0, 0, 100}, 33, 95},
                                 {{-50, -40, -30}, {80, 50, 20}, {-20, 30, 60}, 45, 70},
                                 {{1, 2, 3}, {1, 0, 0}, {0, 0, 1}, 1, 1}};
    for (double z = -40; z < 40; z += 5)
        planes.push_back({{-30, -30, z}, {60, 0, 9}, {0, 60, -7}, 21, 19});
    EXPECT_LT(difference(*m_preview, *m_cpu, planes), kTextureError);
    // Places are off by a unit in the last place, 1e-5 pixels at u = 131; sums are of floats.
    EXPECT_LT(difference(*m_preview, *m_cpu, planes, PlanePreview::Precision::exact), 1e-6);
}

TEST_F(PlanePreviewTest, TakesMoreViewsThanATextureHasLayers) {
    const Scan scan = scanOf(29, 23, 2100);
    set(*m_preview, scan);
    set(*m_cpu, scan);
    const auto planes = orthogonalPlanes({{20, 20, 20}, {6, 6, 4}, {0, 0, 0}}, {1, 2, 3});
    // With so few pixels a pixel's step is a large part of the value: four times that of the
    // others.
    EXPECT_LT(difference(*m_preview, *m_cpu, planes), 4 * kTextureError);
}

TEST_F(PlanePreviewTest, FollowsTheGeometryWhileTheViewsStay) {
    Scan scan = scanOf(101, 83, 40);
    set(*m_preview, scan);
    set(*m_cpu, scan);
    const auto planes = orthogonalPlanes({{50, 40, 30}, {3, 3, 3}, {0, 0, 0}}, {0, 0, 0});
    scan.geometry.detector.offsetMm[0] += 20;
    m_cpu->setGeometry(projectionMatrices(scan.geometry));
    EXPECT_GT(difference(*m_preview, *m_cpu, planes), 10 * kTextureError);
    m_preview->setGeometry(projectionMatrices(scan.geometry));
    EXPECT_LT(difference(*m_preview, *m_cpu, planes), kTextureError);
}

TEST_F(PlanePreviewTest, ShowsNothingAboveTheDetectorAndBehindTheSource) {
    Scan scan = scanOf(33, 31, 1);
    scan.geometry.cone().startDeg = 0;  // the source is at (0, −500, 0)
    set(*m_preview, scan);
    const Plane planes[] = {
        {{-10, -10, 900}, {20, 0, 0}, {0, 20, 0}, 40, 35},
        {{-10, -700, -10}, {20, 0, 0}, {0, 0, 20}, 35, 40},
        {{-10, -500, -10}, {20, 0, 0}, {0, 0, 20}, 8, 8},  // through the source
    };
    for (const auto& picture : m_preview->render(planes, kQuick, {}))
        for (Index i = 0; i < picture.count(); ++i)
            ASSERT_EQ(picture.data()[i], 0);
}

TEST_F(PlanePreviewTest, StopsOnRequestAndThenHasNoViews) {
    const Scan scan = scanOf(16, 16, 40);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(m_preview->setViews(scan.span(), stop.get_token()), Cancelled);
    EXPECT_ERROR(m_preview->setGeometry(projectionMatrices(scan.geometry)), InternalError,
                 "of other views");
}

}  // namespace
}  // namespace gantry
