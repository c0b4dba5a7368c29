// What a program does with the whole of the surface, with its files in the folder argv[1].
#include <gantry/gantry.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

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
    checkFiles(scan, engines, folder);
    checkErrors(scan, engines);
    std::printf("gantry %s: %d failures\n", std::string(programVersion()).c_str(), failures);
    return failures == 0 ? 0 : 1;
}
