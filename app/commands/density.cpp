#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/field_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/throw_error.h"
#include "core/io/volume/calibration.h"
#include "core/io/volume/record_path.h"
#include "core/io/volume/rescale_volume.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/volume/volume_levels.h"
#include "core/job/job_fields.h"
#include "core/job/read_value.h"
#include "core/metrics/region.h"
#include "core/report/measure_volume.h"

namespace gantry {

namespace {

struct DensityOptions {
    std::filesystem::path volume;
    std::string calibration;
    std::vector<std::string> regions;
    bool isAttenuation = false;
    bool json = false;
};

struct KnownRegion {
    double hounsfield = 0;
    WorldBox box;
    double attenuation = 0;  ///< its mean
};

// "air=X,Y,Z:X,Y,Z"
KnownRegion readRegion(const std::string& text) {
    const auto equals = text.find('=');
    const auto value = hounsfieldOf(std::string_view(text).substr(0, equals));
    if (equals == std::string::npos || !value)
        throwError<InputError>(
            "--region is '{}'; it must be as air=-5,-5,0:5,5,8 or water=…: what the box is, air, "
            "water or a number of HU, and its low and high corner in mm.",
            text);
    const auto [low, high] = readLine(text.substr(equals + 1), "--region");
    return {*value, {low, high}};
}

std::vector<KnownRegion> measured(const DensityOptions& o, const ValueScale& now,
                                  const std::stop_token& stop) {
    const auto levels = openVolumeLevels(o.volume);
    std::vector<KnownRegion> regions;
    std::atomic<double> fraction = 0;
    for (const std::string& text : o.regions) {
        KnownRegion region = readRegion(text);
        const double mean = measureRegion(*levels, region.box, fraction, stop).found.mean;
        region.attenuation = (mean - now.intercept) / now.slope;
        regions.push_back(region);
    }
    return regions;
}

ValueScale scaleOf(const std::vector<KnownRegion>& regions) {
    std::vector<KnownValue> known;
    known.reserve(regions.size());
    for (const KnownRegion& region : regions)
        known.push_back({region.attenuation, region.hounsfield});
    const std::optional<ValueScale> scale = scaleThrough(known);
    if (!scale)
        throw InputError(
            "--region must be given for two boxes at least, whose means and HU differ.");
    return *scale;
}

nlohmann::ordered_json toJson(const DensityOptions& o, const ValueScale& scale,
                              const std::vector<KnownRegion>& regions, bool isInFile) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const KnownRegion& region : regions)
        list.push_back({{"hu", region.hounsfield},
                        {"lowMm", region.box.lowMm},
                        {"highMm", region.box.highMm},
                        {"meanPerMm", region.attenuation}});
    return {{"volume", o.volume.string()},
            {"unit", std::string(name(scale.unit))},
            {"slope", scale.slope},
            {"intercept", scale.intercept},
            {"regions", list},
            {"inFile", isInFile}};
}

void print(const DensityOptions& o, const ValueScale& scale,
           const std::vector<KnownRegion>& regions, bool isInFile) {
    for (const KnownRegion& region : regions)
        show("{:.6g} HU: mean {:.6g} /mm\n", region.hounsfield, region.attenuation);
    if (scale == ValueScale{})
        show("{}: values are attenuation in 1/mm\n", o.volume.string());
    else
        show("{}: HU = {:.8g} · attenuation (1/mm) {} {:.8g}\n", o.volume.string(), scale.slope,
             scale.intercept < 0 ? "−" : "+", std::abs(scale.intercept));
    if (!isInFile)
        show(
            "  Its own header has no room for that: {} says it, which Gantry goes by and other "
            "programs do not.\n",
            recordPath(o.volume).string());
}

int density(const DensityOptions& o, Session& session) {
    const int ways =
        (o.calibration.empty() ? 0 : 1) + (o.regions.empty() ? 0 : 1) + (o.isAttenuation ? 1 : 0);
    if (ways != 1)
        throw InputError(
            "Give --calibrate with two attenuations, --region for two boxes, or --attenuation.");
    const ValueScale now = openStoredVolume(o.volume).encoding.scale;
    ValueScale scale = readCalibration(o.calibration);
    std::vector<KnownRegion> regions;
    if (!o.regions.empty()) {
        regions = measured(o, now, session.stop());
        scale = scaleOf(regions);
    }
    const bool isInFile = rescaleVolume(o.volume, scale);
    if (o.json)
        showJson(toJson(o, scale, regions, isInFile));
    else
        print(o, scale, regions, isInFile);
    return 0;
}

}  // namespace

void addDensity(Command program) {
    auto options = std::make_shared<DensityOptions>();
    DensityOptions& o = *options;
    Command command = program.command(
        "density", "Make a stored volume's values Hounsfield units, without rewriting its voxels");
    command.required("volume", o.volume, "VOLUME", "Any volume that Gantry reads");
    addRow(command, jobFields(), "output.calibration", o.calibration);
    command.repeated("--region", o.regions, "air=X,Y,Z:X,Y,Z",
                     "A box, from its low to its high corner in mm, that is air, water or a number "
                     "of HU; twice or more: by their means");
    command.flag("--attenuation", o.isAttenuation, "Make the values attenuation in 1/mm again");
    command.flag("--json", o.json, "Print one JSON document");
    command.examples(
        "  gantry density volume.mha --calibrate air=0.0001,water=0.0205\n"
        "  gantry density volume.mha --region air=-30,-30,0:-25,-25,5 --region "
        "water=-3,-3,0:3,3,5\n"
        "  gantry density volume.mha --attenuation");
    command.action([options](Session& session) { return density(*options, session); });
}

}  // namespace gantry
