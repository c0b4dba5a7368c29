#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/simulate/faults.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

// More are counted, not listed.
constexpr Index kMaxListedZingers = 10'000;

Json zingersOf(const DrawnFaults& faults) {
    Json truth = {{"number", faults.zingers.size()}, {"counts", faults.zingerCounts}};
    if (std::ssize(faults.zingers) > kMaxListedZingers) return truth;
    Json& pixels = truth["pixels"] = Json::array();
    for (const DrawnFaults::Zinger& zinger : faults.zingers)
        pixels.push_back({{"view", zinger.view}, {"row", zinger.row}, {"column", zinger.column}});
    return truth;
}

Json stripesOf(const DrawnFaults& faults) {
    Json stripes = Json::array();
    for (const DrawnFaults::Stripe& stripe : faults.stripes)
        stripes.push_back({{"column", stripe.column}, {"gain", stripe.gain}});
    return stripes;
}

Json stuckPixelsOf(const DrawnFaults& faults) {
    Json pixels = Json::array();
    for (const DrawnFaults::StuckPixel& pixel : faults.stuckPixels)
        pixels.push_back({{"row", pixel.row}, {"column", pixel.column}, {"counts", pixel.counts}});
    return pixels;
}

}  // namespace

std::string truthOf(const SimulationSpec& spec, const DrawnFaults& faults) {
    Json truth;
    if (spec.axisErrorMm != 0) truth["centerOfRotationErrorMm"] = spec.axisErrorMm;
    if (spec.flux != std::array<double, 2>{1, 1}) truth["flux"] = faults.flux;
    if (!faults.shiftsPx.empty()) truth["viewShiftsPx"] = faults.shiftsPx;
    if (!faults.stripes.empty()) truth["stripes"] = stripesOf(faults);
    if (!faults.moduleGains.empty())
        truth["modules"] = {{"columns", faults.moduleColumns},
                            {"rows", faults.moduleRows},
                            {"gains", faults.moduleGains}};
    if (!faults.module.empty())
        truth["moduleStep"] = {{"firstColumn", faults.module.begin},
                               {"lastColumn", faults.module.end - 1},
                               {"firstView", faults.stepView},
                               {"gain", faults.moduleGain}};
    if (const LagFault& lag = spec.faults.lag; lag.share != 0)
        truth["lag"] = {{"share", lag.share}, {"views", lag.views}};
    if (faults.flatDrift != 0)
        truth["flatAfter"] = {{"gainAtLeftEdge", 1 - faults.flatDrift},
                              {"gainAtRightEdge", 1 + faults.flatDrift}};
    if (!faults.stuckPixels.empty()) truth["stuckPixels"] = stuckPixelsOf(faults);
    if (!faults.zingers.empty()) truth["zingers"] = zingersOf(faults);
    return truth.empty() ? std::string() : jsonText(truth) + "\n";
}

}  // namespace gantry
