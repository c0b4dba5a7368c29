// Reconstructs views that are in memory into a volume in memory.
#include <gantry/gantry.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

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
    const Scan scan = Scan::ofLineIntegrals(geometry, views);

    ReconstructionRequest request;
    request.volume = fitGrid(geometry);  // what the detector sees, at its resolution
    RunControl control;
    control.progress = [](const Progress& progress) {
        std::printf("%.0f %% done\n", 100 * progress.fraction);
    };
    const Engines engines = Engines::find();  // GPUs where there are any, else the CPU
    const Volume volume = reconstruct(scan, request, engines, control);

    const auto [nX, nY, nZ] = volume.grid.voxels;
    const float middle = volume.span()(nZ / 2, nY / 2, nX / 2);
    std::printf("%.4f /mm in the middle\n", middle);
    return std::abs(middle - 0.02) < 0.0005 ? 0 : 1;
}
