#include "core/prep/corrections.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/prep/steps/correction_step.h"

namespace gantry {
namespace {

// "field: message" of all problems, each on a line.
std::string textOf(const Corrections& corrections) {
    std::string text;
    for (const Problem& problem : validate(corrections))
        text += problem.field + " " + problem.message + "\n";
    return text;
}

TEST(Corrections, NothingIsDoneByDefault) {
    EXPECT_FALSE(Corrections().any());
    // The host need not hold views for the beam's flux.
    const Corrections flux = {.flux = {.method = FluxMethod::air}};
    EXPECT_TRUE(flux.any());
    EXPECT_FALSE(flux.changesPixels());
    EXPECT_EQ(textOf({}), "");
    EXPECT_EQ(workspaceBytes({}, {100, 10, 10}), 0);
}

// Planning reads no view for what is measured in all of them.
TEST(Corrections, ThatAreMeasuredAreSetApart) {
    const Corrections all = {.modules = {.method = ModuleMethod::fit, .columnsPx = {40}},
                             .pixels = {.bin = 2},
                             .flux = {.method = FluxMethod::air},
                             .zingers = {.ratio = 1.2}};
    EXPECT_EQ(all.measured(), (Corrections{.modules = all.modules, .flux = all.flux}));
    EXPECT_EQ(all.withoutMeasured(),
              (Corrections{.pixels = {.bin = 2}, .zingers = {.ratio = 1.2}}));
    EXPECT_TRUE(all.measured().any());
    EXPECT_FALSE(all.measured().changesPixels());
}

// Columns of 2 pixels that are averaged in fours: half as wide in pixels, one scale less for each
// doubling.
TEST(Corrections, OfRingsMeanTheSameRingsWithLargerPixels) {
    const auto onPixels = [](Index bin, RingSpec rings) {
        return ringsOnPixels({.pixels = {.bin = bin}, .rings = rings});
    };
    const RingSpec rings = {.method = RingMethod::sorting, .widthPx = 21, .levels = 4};
    EXPECT_EQ(onPixels(1, rings), rings);
    EXPECT_EQ(onPixels(2, rings).widthPx, 11);
    EXPECT_EQ(onPixels(2, rings).levels, 3);
    EXPECT_EQ(onPixels(4, rings).widthPx, 5);
    EXPECT_EQ(onPixels(4, rings).levels, 2);
    // Never less than is possible.
    EXPECT_EQ(onPixels(16, rings).widthPx, 3);
    EXPECT_EQ(onPixels(16, rings).levels, 1);
}

TEST(Corrections, AreToldInASentence) {
    EXPECT_EQ(describe({}), "");
    EXPECT_EQ(describe({.zingers = {.ratio = 1.2},
                        .phase = {.energyKeV = 20, .distanceMm = 50.5, .deltaOverBeta = 200},
                        .rings = {.method = RingMethod::sorting}}),
              "Before the filter pixels more than 1.2 times as bright as the median around them "
              "were replaced by it; the phase was retrieved (Paganin et al. 2002; 20 keV, 50.5 mm, "
              "δ/β 200); rings were removed by sorting (Vo, Atwood, Drakopoulos 2018, algorithm 3; "
              "21 pixels).");
    EXPECT_EQ(describe({.flux = {.method = FluxMethod::air}}),
              "Before the filter each view was divided by its air beside the object.");
    EXPECT_EQ(describe({.rings = {.method = RingMethod::wavelets}}),
              "Before the filter rings were removed by wavelets (Münch et al. 2009; 4 levels, 2 "
              "cycles).");
}

TEST(Corrections, NumbersOutOfRangeAreNamed) {
    EXPECT_EQ(textOf({.zingers = {.ratio = 1.2},
                      .phase = {.energyKeV = 20, .distanceMm = 50, .deltaOverBeta = 200},
                      .rings = {.method = RingMethod::sorting}}),
              "");
    EXPECT_EQ(textOf({.zingers = {.ratio = 1, .widthPx = 4}}),
              "prep.zingerRatio is 1; it must be between 1.001 and 1000\n"
              "prep.zingerWidthPx is 4 pixels; it must be odd\n");
    EXPECT_EQ(textOf({.phase = {.energyKeV = 20}}),
              "prep.phaseDistanceMm is 0 mm; it must be greater than 0\n"
              "prep.phaseDeltaOverBeta is 0; it must be between 1 and 10000000\n");
    EXPECT_EQ(textOf({.rings = {.method = RingMethod::smoothedMean, .widthPx = 1}}),
              "prep.ringWidthPx is 1; it must be at least 3\n");
    EXPECT_EQ(textOf({.flux = {.method = FluxMethod::air, .airRegion = {0, 0, 15, 64}}}), "");
    EXPECT_EQ(textOf({.modules = {.method = ModuleMethod::fit, .columnsPx = {4, 80}}}), "");
    EXPECT_EQ(textOf({.modules = {.columnsPx = {40}}}),
              "prep.moduleColumnsPx has no effect while prep.modules is none; set that to fit "
              "(--modules fit), or leave the edges out\n");
    EXPECT_EQ(textOf({.modules = {.method = ModuleMethod::fit, .rowsPx = {40, 43}}}),
              "prep.moduleRowsPx has an edge at 43 behind 40; edges must ascend, and a module must "
              "have at least 4 pixels\n");
    EXPECT_EQ(textOf({.flux = {.airRegion = {0, 0, 15, 64}}}),
              "prep.airRegion has no effect while prep.flux is none; set that to air (--flux air), "
              "or leave the region out\n");
    EXPECT_EQ(textOf({.flux = {.method = FluxMethod::air, .airRegion = {0, 0, 15}}}),
              "prep.airRegion has 3 numbers; it must have 4: first column, first row, and one past "
              "the last column and row\n");
    EXPECT_EQ(textOf({.flux = {.method = FluxMethod::air, .airRegion = {15, 0, 15, 64}}}),
              "prep.airRegion is 15, 0, 15, 64; it must begin at 0 or above, and end (the third "
              "and the fourth number) behind its begin\n");
    // The wavelets have no width.
    EXPECT_EQ(textOf({.rings = {.method = RingMethod::wavelets, .widthPx = 4, .levels = 0}}),
              "prep.ringLevels is 0; it must be at least 1\n");
}

}  // namespace
}  // namespace gantry
