#include "app/bench/bench_scan.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <vector>

#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"
#include "core/io/pixel_type.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kViewsFile = "views.raw";

Index viewPixels(const ScanGeometry& geometry) {
    return geometry.detector.columns * geometry.detector.rows;
}

// Writes random counts, different in every view: the same sequence, started at different points.
void writeViews(const ConeProblem& problem, const fs::path& path, const std::stop_token& stop) {
    const Index views = problem.geometry.views();
    const Index pixels = viewPixels(problem.geometry);
    std::vector<std::uint16_t> counts(pixels + views);
    std::minstd_rand random(1);
    std::uniform_int_distribution<int> some(20'000, 60'000);
    for (std::uint16_t& count : counts)
        count = static_cast<std::uint16_t>(some(random));
    File file(path, File::Mode::create);
    parallelFor(
        availableThreads(), views, 1,
        [&](Index begin, Index end, int) {
            for (Index s = begin; s < end; ++s) {
                const auto view = std::span(counts).subspan(s, pixels);
                file.writeAt(s * static_cast<Index>(view.size_bytes()), std::as_bytes(view));
            }
        },
        stop);
    file.close();
    const nlohmann::ordered_json header = {{"gantryRaw", 1},
                                           {"columns", problem.geometry.detector.columns},
                                           {"rows", problem.geometry.detector.rows},
                                           {"views", views},
                                           {"type", std::string(name(PixelType::uint16))}};
    writeFileAtomically(path.string() + ".json", jsonText(header));
}

}  // namespace

Index benchScanBytes(const ScanGeometry& geometry) {
    return viewPixels(geometry) * geometry.views() * Index{sizeof(std::uint16_t)};
}

fs::path writeBenchScan(const ConeProblem& problem, const fs::path& folder,
                        const std::stop_token& stop) {
    writeViews(problem, folder / kViewsFile, stop);
    ScanFile scan;
    scan.folder = folder;
    scan.path = folder / "scan.json";
    scan.name = problem.name;
    scan.geometry = problem.geometry;
    scan.projections.files = kViewsFile;
    scan.projections.flatValue = 65535;
    scan.volume = problem.grid;
    writeFileAtomically(scan.path, toJson(scan));
    return scan.path;
}

}  // namespace gantry
