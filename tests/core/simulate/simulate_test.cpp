#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/phantom/analytic_projector.h"
#include "core/prep/line_integrals.h"
#include "core/scan/open_scan.h"
#include "core/simulate/simulate_scan.h"
#include "core/simulate/synthetic_detector.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::smallScan;
using test::TemporaryFolder;

SimulationResult simulate(const SimulationSpec& spec, const fs::path& folder,
                          std::stop_token stop = {}) {
    SimulationContext context;
    context.threads = 2;
    context.stop = std::move(stop);
    return simulateScan(spec, folder, false, context);
}

// A scan without symmetry: odd sizes, both offsets, a tilted detector, clockwise.
SimulationSpec crookedScan() {
    SimulationSpec spec = smallScan(13, 37, 29, 400);
    spec.geometry.cone().arcDeg = -210;
    spec.geometry.cone().startDeg = 17;
    spec.geometry.cone().sourceOffsetMm = {3, -2};
    spec.geometry.detector.offsetMm = {11, 7};
    spec.geometry.detector.rollDeg = 2;
    spec.geometry.detector.tiltDeg = -4;
    spec.phantom.placement.centerMm = {5, -8, 12};
    return spec;
}

std::vector<float> lineIntegrals(const SimulationSpec& spec, const ScanGeometry& geometry,
                                 Index view) {
    const Detector& detector = geometry.detector;
    std::vector<float> values(static_cast<std::size_t>(detector.columns * detector.rows));
    projectPhantom(makePhantom(spec.phantom.phantom, spec.phantom.placement),
                   viewPose(geometry, view), detector, {0, detector.rows}, values);
    return values;
}

TEST(Simulate, AttenuationFilesHoldTheExactLineIntegrals) {
    const TemporaryFolder folder;
    SimulationSpec spec = crookedScan();
    spec.kind = ProjectionKind::attenuation;
    const ScanFile scan = readScanFile(simulate(spec, folder / "scan").scanFile);
    EXPECT_EQ(scan.geometry, spec.geometry);
    EXPECT_TRUE(scan.projections.dark.empty());
    const auto source = openSource(matchFiles(scan.folder, scan.projections.files), {});
    const HostBuffer<float> found = test::readAll(*source);
    const Index pixels = 37 * 29;
    for (const Index view : {0, 5, 12}) {
        const std::vector<float> wanted = lineIntegrals(spec, spec.geometry, view);
        for (Index i = 0; i < pixels; ++i)
            ASSERT_EQ(found[view * pixels + i], wanted[static_cast<std::size_t>(i)]);
    }
}

TEST(Simulate, CountsGiveTheLineIntegralsBackToTheQuantisation) {
    const TemporaryFolder folder;
    SimulationSpec spec = crookedScan();
    for (const auto layout : {SimulationSpec::Layout::files, SimulationSpec::Layout::multiPage}) {
        spec.layout = layout;
        spec.deflate = layout == SimulationSpec::Layout::multiPage;
        const fs::path place = folder / (spec.deflate ? "one" : "many");
        const ScanFile scan = readScanFile(simulate(spec, place).scanFile);
        const OpenScan open = openScan(scan);
        EXPECT_EQ(open.source->info().pixelType, PixelType::uint16);
        HostBuffer<float> counts = test::readAll(*open.source);
        const Index pixels = 37 * 29;
        for (const Index view : {0, 7}) {
            (void)toLineIntegrals(*open.calibration, 0, {counts.data() + view * pixels, 1, 29, 37});
            const std::vector<float> wanted = lineIntegrals(spec, spec.geometry, view);
            for (Index i = 0; i < pixels; ++i) {
                // Half a count of those above dark, and the float's own rounding.
                const double signal = (open.calibration->flat[i] - open.calibration->dark[i]) *
                                      std::exp(-wanted[static_cast<std::size_t>(i)]);
                ASSERT_NEAR(counts[view * pixels + i], wanted[static_cast<std::size_t>(i)],
                            0.55 / signal + 1e-5);
            }
        }
    }
}

TEST(Simulate, AxisErrorMovesTheProjectionOfTheAxis) {
    const TemporaryFolder folder;
    SimulationSpec spec = crookedScan();
    spec.kind = ProjectionKind::attenuation;
    spec.axisErrorMm = 4;
    const ScanFile scan = readScanFile(simulate(spec, folder / "scan").scanFile);
    EXPECT_EQ(scan.geometry, spec.geometry);
    const auto source = openSource(matchFiles(scan.folder, scan.projections.files), {});
    const HostBuffer<float> found = test::readAll(*source);
    // The same object seen by source and detector that both stand 4 mm to the left.
    ScanGeometry moved = spec.geometry;
    moved.cone().sourceOffsetMm[0] -= 4;
    moved.detector.offsetMm[0] -= 4;
    const std::vector<float> wanted = lineIntegrals(spec, moved, 3);
    for (Index i = 0; i < 37 * 29; ++i)
        ASSERT_EQ(found[3 * 37 * 29 + i], wanted[static_cast<std::size_t>(i)]);
}

TEST(Simulate, ABeamOfAnotherBrightnessIsInTheViewsAlone) {
    const TemporaryFolder folder;
    SimulationSpec spec = crookedScan();
    spec.flux = {0.5, 0.9};
    const OpenScan open = openScan(readScanFile(simulate(spec, folder / "counts").scanFile));
    EXPECT_NEAR(open.calibration->flat[14 * 37 + 18], spec.flatCounts, 0.05 * spec.flatCounts);
    spec.kind = ProjectionKind::attenuation;
    const ScanFile scan = readScanFile(simulate(spec, folder / "scan").scanFile);
    const auto source = openSource(matchFiles(scan.folder, scan.projections.files), {});
    const HostBuffer<float> found = test::readAll(*source);
    const Index pixels = 37 * 29;
    const Index last = spec.geometry.views() - 1;
    for (const auto& [view, beam] : {std::pair{Index{0}, 0.5}, {last, 0.9}}) {
        const std::vector<float> wanted = lineIntegrals(spec, spec.geometry, view);
        for (Index i = 0; i < pixels; ++i)
            ASSERT_NEAR(found[view * pixels + i],
                        static_cast<double>(wanted[static_cast<std::size_t>(i)]) - std::log(beam),
                        1e-5);
    }
    spec.flux = {0.5, 0};
    EXPECT_ERROR((void)simulate(spec, folder / "none"), InputError, "--flux");
}

TEST(Simulate, PhantomFileComesBack) {
    const TemporaryFolder folder;
    SimulationSpec spec = crookedScan();
    spec.phantom.phantom = "spheres";
    spec.phantom.placement.density = 0.03;
    simulate(spec, folder / "scan");
    const PhantomFile back = readPhantomFile(folder / "scan/phantom.json");
    EXPECT_EQ(back.phantom, "spheres");
    EXPECT_EQ(back.placement.scaleMm, 100);
    EXPECT_EQ(back.placement.density, 0.03);
    EXPECT_EQ(back.placement.centerMm, (Vec3{5, -8, 12}));
    const fs::path wrong = folder / "wrong.json";
    std::ofstream(wrong) << R"({"gantryPhantom": 1, "phantom": "teapot"})";
    EXPECT_ERROR((void)readPhantomFile(wrong), InputError, "teapot");
}

TEST(Simulate, DetectorHasStructureAndDeadPixels) {
    const SyntheticDetector detector = makeSyntheticDetector(40, 50, 100, 60000, 17, 3);
    EXPECT_EQ(std::count(detector.bad.begin(), detector.bad.end(), 1), 17);
    const auto [low, high] = std::minmax_element(detector.flat.begin(), detector.flat.end());
    EXPECT_EQ(*low, 0);
    EXPECT_LE(*high, 60000);
    EXPECT_GT(*high, 55000);
    double below = 0;
    double above = 0;
    for (Index v = 0; v < 20; ++v)
        for (Index u = 0; u < 50; ++u) {
            below += detector.flat[static_cast<std::size_t>(v * 50 + u)];
            above += detector.flat[static_cast<std::size_t>((39 - v) * 50 + u)];
        }
    EXPECT_GT(above, 1.02 * below);  // the heel effect darkens the anode's side
    EXPECT_EQ(makeSyntheticDetector(40, 50, 100, 60000, 17, 3).flat, detector.flat);
    EXPECT_NE(makeSyntheticDetector(40, 50, 100, 60000, 17, 4).flat, detector.flat);
}

TEST(Simulate, TheBeamIsAsBrightOnTheLeftAsOnTheRight) {
    const SyntheticDetector detector = makeSyntheticDetector(1000, 10, 100, 60000, 0, 3);
    double left = 0;
    double right = 0;
    for (std::size_t i = 0; i < detector.flat.size(); ++i)
        (i % 10 < 5 ? left : right) += static_cast<double>(detector.flat[i]);
    // Gains of 5000 pixels on either side, spread evenly over 2 %: 0.00012 in the ratio.
    EXPECT_NEAR(right / left, 1, 0.001);
}

TEST(Simulate, AnyNumberOfThreadsMakesTheSameScan) {
    const TemporaryFolder folder;
    SimulationSpec spec = crookedScan();
    spec.layout = SimulationSpec::Layout::multiPage;
    spec.photons = 1000;
    for (const int threads : {1, 5}) {
        SimulationContext context;
        context.threads = threads;
        simulateScan(spec, folder / std::to_string(threads), false, context);
    }
    for (const char* file : {"proj.tif", "dark.tif", "flat.tif"}) {
        const std::string alone = test::fileBytes(folder / "1" / file);
        EXPECT_FALSE(alone.empty());
        EXPECT_TRUE(test::fileBytes(folder / "5" / file) == alone) << file;
    }
}

TEST(Simulate, NothingIsLeftOfWhatFailsOrIsCancelled) {
    const TemporaryFolder folder;
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(simulate(crookedScan(), folder / "scan", stop.get_token()), Cancelled);
    SimulationSpec spec = crookedScan();
    spec.flatCounts = 70000;
    EXPECT_ERROR(simulate(spec, folder / "scan"), InputError, "70000");
    spec = crookedScan();
    spec.geometry.cone().views = 0;
    EXPECT_ERROR(simulate(spec, folder / "scan"), InputError, "trajectory.views");
    spec = crookedScan();
    spec.geometry.cone().views = 900'000;
    spec.geometry.detector.columns = spec.geometry.detector.rows = 30'000;
    EXPECT_ERROR(simulate(spec, folder / "scan"), ResourceError, "are free. Ask for fewer views");
    EXPECT_TRUE(fs::is_empty(folder.path()));
    EXPECT_ERROR(simulate(crookedScan(), folder / "absent/scan"), InputError, "absent");
}

TEST(Simulate, OnlyASimulationIsReplaced) {
    const TemporaryFolder folder;
    const fs::path place = folder / "scan";
    SimulationSpec spec = crookedScan();
    simulate(spec, place);
    EXPECT_ERROR(simulate(spec, place), InputError, "--force");
    spec.geometry.cone().views = 5;
    SimulationContext context;
    // What a run leaves that is killed while it replaces.
    fs::copy(place, folder / "scan.old", fs::copy_options::recursive);
    EXPECT_EQ(readScanFile(simulateScan(spec, place, true, context).scanFile).geometry.views(), 5);
    // Volumes that were made of it are not part of it.
    std::ofstream(place / "volume.mha") << "x";
    fs::create_directory(place / "volume.mha.job");
    EXPECT_ERROR(simulateScan(spec, place, true, context), InputError,
                 "holds volume.mha and 1 more beside a simulated scan");
    EXPECT_TRUE(fs::exists(place / "volume.mha"));
    fs::remove(place / "volume.mha");
    fs::remove(place / "volume.mha.job");
    for (const auto layout : {SimulationSpec::Layout::files, SimulationSpec::Layout::multiPage}) {
        spec.layout = layout;
        spec.deadPixels = 2;
        spec.faults.flatDrift = 0.1;
        for (int i = 0; i < 2; ++i)
            EXPECT_NO_THROW(simulateScan(spec, place, true, context));
    }
    fs::create_directory(folder / "mine");
    std::ofstream(folder / "mine/thesis.txt") << "x";
    EXPECT_ERROR(simulateScan(spec, folder / "mine", true, context), InputError, "mine");
    EXPECT_TRUE(fs::exists(folder / "mine/thesis.txt"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);
}

TEST(Simulate, TheSizeIsThatOfAllItsFiles) {
    const TemporaryFolder folder;
    SimulationSpec spec = crookedScan();
    spec.deadPixels = 5;
    const SimulationResult result = simulate(spec, folder / "scan");
    Index bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "scan"))
        if (entry.is_regular_file()) bytes += static_cast<Index>(entry.file_size());
    EXPECT_EQ(result.bytes, bytes);
    EXPECT_GT(result.bytes, 13 * 37 * 29 * 2);  // its views, of two bytes a pixel
}

TEST(Simulate, AsManyPhotonsAsTheMessageNamesAreAllowed) {
    const TemporaryFolder folder;
    SimulationSpec spec = crookedScan();
    spec.geometry.cone().views = 2;
    spec.photons = 1e15;
    EXPECT_NO_THROW(simulate(spec, folder / "scan"));
    spec.photons = 1.01e15;
    EXPECT_ERROR(simulate(spec, folder / "more"), InputError, "0 to 1e15");
    spec.photons = 0;
    spec.readoutNoise = -0.5;
    EXPECT_ERROR(simulate(spec, folder / "noisy"), InputError, "0 to 65535 counts");
}

}  // namespace
}  // namespace gantry
