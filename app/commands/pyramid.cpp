#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/field_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/io/zarr/make_pyramid.h"
#include "core/job/job_fields.h"

namespace gantry {

namespace {

struct PyramidCommandOptions {
    std::filesystem::path volume;
    std::filesystem::path output;
    std::string chunk = "64";
    int threads = 0;
    bool json = false;
};

nlohmann::ordered_json toJson(const PyramidCommandOptions& o, const PyramidFacts& facts,
                              double seconds) {
    nlohmann::ordered_json levels = nlohmann::ordered_json::array();
    for (const VolumeGrid& grid : facts.levels)
        levels.push_back({{"voxels", grid.voxels}, {"pitchMm", grid.pitchMm}});
    return {{"volume", o.volume.string()},
            {"pyramid", o.output.string()},
            {"type", name(facts.type)},
            {"levels", levels},
            {"voxelBytes", facts.voxelBytes},
            {"storedBytes", facts.storedBytes},
            {"seconds", seconds}};
}

void print(const PyramidCommandOptions& o, const PyramidFacts& facts, double seconds) {
    const auto& coarsest = facts.levels.back().voxels;
    show("{}: {} {}, down to {} × {} × {} voxels of {}; {} for {} of voxels, in {}\n",
         o.output.string(), facts.levels.size(), facts.levels.size() == 1 ? "level" : "levels",
         coarsest[0], coarsest[1], coarsest[2], name(facts.type), formatBytes(facts.storedBytes),
         formatBytes(facts.voxelBytes), formatDuration(seconds));
}

int pyramid(PyramidCommandOptions& o, Session& session) {
    if (o.output.empty()) o.output = pyramidPathFor(o.volume);
    ProgressLine progress("Writing", o.json);
    PyramidOptions options;
    options.chunk = o.chunk == "128" ? 128 : 64;
    options.threads = o.threads > 0 ? o.threads : availableThreads();
    options.onProgress = [&](double fraction) { progress.update(fraction); };
    options.stop = session.stop();
    const std::int64_t begin = nowNs();
    const PyramidFacts facts = makePyramid(o.volume, o.output, options);
    const double seconds = secondsSince(begin);
    progress.end();
    if (o.json)
        showJson(toJson(o, facts, seconds));
    else
        print(o, facts, seconds);
    return 0;
}

}  // namespace

void addPyramid(Command program) {
    auto options = std::make_shared<PyramidCommandOptions>();
    PyramidCommandOptions& o = *options;
    Command command = program.command(
        "pyramid", "Make an OME-Zarr of a volume: in chunks, with ever coarser levels for viewers");
    command.required("volume", o.volume, "VOLUME", "Any volume that Gantry reads");
    command.option("output", o.output, "OUTPUT",
                   "A name that ends in .ome.zarr; by default VOLUME's, beside it");
    command.choice("--chunk", o.chunk, {"64", "128"}, "Voxels along each side of a chunk");
    addRow(command, jobFields(), "threads", o.threads);
    command.flag("--json", o.json, "Print one JSON document");
    command.examples(
        "  gantry pyramid volume.mha\n"
        "  gantry pyramid slices/ /data/walnut.ome.zarr --chunk 128");
    command.action([options](Session& session) { return pyramid(*options, session); });
}

}  // namespace gantry
