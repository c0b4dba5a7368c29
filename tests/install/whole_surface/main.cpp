// What a program does with the whole of the surface, with its files in the folder argv[1].
#include <gantry/gantry.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

using namespace gantry;

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
    if (condition) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

ScanGeometry smallGeometry() {
    CircularCone orbit;
    orbit.sourceToIsocenterMm = 600;
    orbit.sourceToDetectorMm = 1200;
    orbit.views = 60;
    return {orbit, {.columns = 64, .rows = 48, .pitchMm = {6.4, 6.4}}};
}

SimulationSpec smallSimulation() {
    SimulationSpec spec;
    spec.geometry = smallGeometry();
    spec.axisErrorMm = 3.2;  // a pixel at the detector
    return spec;
}

constexpr float kOpenBeam = 1000;

// The counts of a detector that would have measured the scan's line integrals.
class Counts final : public ProjectionSource {
  public:
    explicit Counts(const Scan& scan) {
        const Detector& detector = scan.geometry().detector;
        m_info.views = scan.geometry().views();
        m_info.rows = detector.rows;
        m_info.columns = detector.columns;
        for (const Index number : scan.usedViews())
            for (const float integral : scan.view(number).lineIntegrals)
                m_counts.push_back(kOpenBeam * std::exp(-integral));
    }
    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        const float* first = m_counts.data() + (view * m_info.rows + rows.begin) * m_info.columns;
        std::memcpy(pixels.data(), first, pixels.size());
    }
    [[nodiscard]] std::string viewName(Index view) const override { return std::to_string(view); }

  private:
    SourceInfo m_info;
    std::vector<float> m_counts;
};

// Takes the largest voxel of all slices.
class Largest final : public VolumeSink {
  public:
    void flush() override {}
    void discard() noexcept override {}
    float value = 0;
    bool isComplete = false;

  private:
    void put(Index, Span3<const float> voxels, int) override {
        const float* first = voxels.data();
        value = std::max(value, *std::max_element(first, first + voxels.count()));
    }
    void complete(int, const std::stop_token&) override { isComplete = true; }
};

void checkOwnViewsAndSlices(const Scan& scan, const Engines& engines, const Volume& volume) {
    const Detector& detector = scan.geometry().detector;
    auto fields = std::make_shared<DetectorCalibration>();
    fields->rows = detector.rows;
    fields->columns = detector.columns;
    fields->dark = HostBuffer<float>(detector.rows * detector.columns);
    fields->flat = HostBuffer<float>(detector.rows * detector.columns);
    std::ranges::fill(fields->dark.span(), 0.F);
    std::ranges::fill(fields->flat.span(), kOpenBeam);
    expect(markDeadPixels(*fields) == 0, "no pixel is dead");
    const Scan counts = Scan::ofViews(scan.geometry(), std::make_shared<Counts>(scan), fields);
    ReconstructionRequest request;
    request.volume = volume.grid;
    const Volume again = reconstruct(counts, request, engines);
    expect(compareVolumes(again, volume).maxError < 1e-4, "counts give the same as line integrals");

    Largest sink;
    request.engine = Engine::cpu;
    reconstruct(scan, request, engines, sink);
    const float* first = volume.voxels.data();
    const float largest = *std::max_element(first, first + volume.grid.count());
    expect(sink.isComplete && std::abs(sink.value - largest) < 1e-4F, "slices for an own sink");
}

void checkErrors(const Scan& scan, const Engines& engines) {
    ScanGeometry wrong = smallGeometry();
    wrong.cone().sourceToDetectorMm = 100;
    expect(!validate(wrong).empty(), "a detector before the object is a problem");
    try {
        (void)Scan::open("none.json");
        expect(false, "a scan that is missing is an error");
    } catch (const InputError& error) {
        expect(error.message().find("none.json") != std::string::npos, "the error names the file");
    }
    RunControl stopped;
    std::stop_source source;
    source.request_stop();
    stopped.stop = source.get_token();
    try {
        (void)reconstruct(scan, {}, engines, stopped);
        expect(false, "a stop ends a run");
    } catch (const Cancelled&) {
    }
}

void checkFiles(const Scan& scan, const Engines& engines, const std::filesystem::path& folder) {
    const OutputFormat output = {.path = folder / "volume.mha"};
    const PlanForecast plan = planReconstruction(scan, {}, engines, output);
    expect(plan.outputBytes > 0 && !plan.slabs.empty() && !plan.stages.empty(), "a plan");
    reconstruct(scan, {}, engines, output);
    const Volume stored = readVolume(output.path);
    expect(stored.grid == plan.volume, "the volume that was planned");
    const Volume made = reconstruct(scan, {}, engines);
    expect(compareVolumes(stored, made).maxError == 0, "the same in memory and in a file");
    writeVolume(made, {.path = folder / "copy.mha"});
    expect(compareVolumes(readVolume(folder / "copy.mha"), made).maxError == 0, "a copy");
}

}  // namespace

int main(int, char** words) {
    const std::filesystem::path folder = words[1];
    std::filesystem::create_directories(folder);
    const Engines engines = Engines::find();
    expect(engines.gpus().empty() != engines.whyNoGpu().empty(), "GPUs, or why there are none");
    const SimulationResult simulated = simulateScan(smallSimulation(), folder / "scan", true, {});
    const Scan declared = Scan::open(simulated.scanFile);
    expect(declared.usedViews().size() == 60 && declared.leftOutText().empty(), "all views");
    expect(declared.view(7).filtered.size() == 64 * 48, "a filtered view");

    const FoundCentre found = findCentre(declared, engines);
    std::printf("centre %+.2f px: %s\n", found.centre.change, found.centre.reason.c_str());
    expect(found.centre.isFound && std::abs(found.centre.change) > 0.5, "the centre is found");
    const Scan scan = declared.withGeometry(found.geometry);

    ReconstructionRequest request;
    request.volume = fitGrid(smallGeometry(), 48);
    const Volume volume = reconstruct(scan, request, engines);
    const Volume truth =
        phantomVolume(makePhantom("shepp-logan", PhantomFile().placement), volume.grid);
    const ComparedVoxels middle = {.maskRadiusMm = 90};
    const double rmse = compareVolumes(volume, truth, middle).rmse;
    const double before =
        compareVolumes(reconstruct(declared, request, engines), truth, middle).rmse;
    std::printf("RMSE %.5f /mm, with the declared centre %.5f /mm\n", rmse, before);
    expect(rmse < before, "the found centre makes the volume better");
    checkOwnViewsAndSlices(scan, engines, volume);
    checkFiles(scan, engines, folder);
    checkErrors(scan, engines);
    std::printf("gantry %s: %d failures\n", std::string(programVersion()).c_str(), failures);
    return failures == 0 ? 0 : 1;
}
