// Reconstructs views that are in memory into a volume in memory.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "app/wiring/wiring.h"
#include "core/io/memory_source.h"
#include "core/io/volume/memory_sink.h"
#include "core/machine/measure.h"
#include "core/recon/reconstruct.h"

using namespace gantry;

int main() {
    CircularCone orbit;  // a full circle
    orbit.sourceToIsocenterMm = 600;
    orbit.sourceToDetectorMm = 1200;
    orbit.views = 90;
    const ScanGeometry geometry = {orbit, {.columns = 64, .rows = 48, .pitchMm = {4, 4}}};

    // Line integrals, [view][row][column] with row 0 below. Here of a ball of 30 mm radius
    // and 0.02 /mm, which looks the same from everywhere.
    std::vector<float> pixels(90 * 48 * 64);
    for (Index i = 0; i < Index(pixels.size()); ++i) {
        const double radiusMm = 4 * std::hypot(i % 64 - 31.5, i / 64 % 48 - 23.5);
        const double missMm = 600 * radiusMm / std::hypot(radiusMm, 1200);
        pixels[i] = 0.04 * std::sqrt(std::max(0.0, 30 * 30 - missMm * missMm));
    }
    const Span3<float> views(pixels.data(), 90, 48, 64);
    const OpenScan scan = openScan(geometry, std::make_shared<MemorySource>(views));

    ReconstructionRequest request;
    request.volume = fitGrid(geometry);  // what the detector sees, at its resolution
    const auto [nX, nY, nZ] = request.volume.voxels;
    std::vector<float> voxels(request.volume.count());
    const Span3<float> volume(voxels.data(), nZ, nY, nX);
    MemorySink sink(volume);

    const Backends backends = makeBackends();  // GPUs where there are any, else the CPU
    const JobPlan plan = learnAndPlan(scan, request, backends).plan;
    RunObserver observer;
    observer.progress = [](const Progress& progress) {
        std::printf("%.0f %% done\n", 100 * progress.fraction);
    };
    reconstruct(scan, request, plan, backends, sink, observer, {});
    sink.finish();

    const float middle = volume(nZ / 2, nY / 2, nX / 2);
    std::printf("%.4f /mm in the middle\n", middle);
    return std::abs(middle - 0.02) < 0.0005 ? 0 : 1;
}
