#pragma once

#include <cstddef>
#include <string>

#include "core/geometry/check/problem_list.h"
#include "core/job/job_fields.h"

// The rows of jobFields() for the method: the section "method" of job.json. For job_fields.cpp
// alone.

namespace gantry::method_in_files {

using J = JobSpec;
using enum FieldPresence;

inline constexpr FieldChoice<J> kMethod = {
    kMethods, [](const J& j) { return static_cast<std::size_t>(j.method.method); },
    [](J& j, std::size_t word) { j.method.method = static_cast<Method>(word); }};

inline bool isIterative(const J& j) {
    return j.method.isIterative();
}
inline bool isSirt(const J& j) {
    return j.method.method == Method::sirt;
}
inline bool hasPhotons(const J& j) {
    return j.method.isIterative() && j.method.photons > 0;
}
inline bool hasSubsets(const J& j) {
    return j.method.hasSubsets();
}
inline bool hasBounds(const J& j) {
    return j.method.hasBounds();
}
inline bool hasWeight(const J& j) {
    return j.method.method == Method::tv;
}

inline constexpr FileField<J> kMethodFields[] = {
    {{"method", "name", defaulted, "",
      "how the volume is made: at once (FDK), or by correcting a volume again and again until its "
      "own line integrals are those of the views"},
     kMethod,
     {.flag = "--method",
      .group = kIterativeOptions,
      .label = "Method",
      .help = "FDK makes the volume at once and is right for many clean views. The others correct "
              "a volume again and again: slower, and better with few, noisy or missing views.",
      .what = "method"}},
    {{"method", "iterations", defaulted, "",
      "max number of iterations; 0: 20 of SIRT and total variation, 10 of OS-SART and CGLS", 0,
      100'000},
     [](J& j) -> Index& { return j.method.iterations; },
     {.flag = "--iterations",
      .form = "N",
      .group = kIterativeOptions,
      .label = "Iterations",
      .help = "Each corrects the volume once by all views. More are sharper, noisier and take "
              "longer. 0: 20 of SIRT and total variation, 10 of OS-SART and CGLS.",
      .what = "number of iterations",
      .absent = "usual"},
     isIterative},
    {{"method", "start", defaulted, "",
      "what the iterations begin from: `fdk`, filtered with a Hann window and kept within the "
      "bounds; `zero`, from which SIRT takes hundreds of iterations; or a volume's file, to go on "
      "from it"},
     [](J& j) -> std::string& { return j.method.start; },
     {.flag = "--start",
      .form = "FROM",
      .group = kIterativeOptions,
      .label = "Start from",
      .help = "fdk: a filtered back-projection with a Hann window, which saves many iterations. "
              "zero: nothing. Or the path of a volume of the same voxels, to go on from it.",
      .what = "start of the iterations"},
     isIterative},
    {{"method", "subsetViews", defaulted, "",
      "views that correct the volume together in OS-SART and total variation: fewer need fewer "
      "iterations, and bring noise sooner; 0: 12 and 4",
      0, kMaxViews},
     [](J& j) -> Index& { return j.method.subsetViews; },
     {.flag = "--subset-views",
      .form = "N",
      .group = kIterativeOptions,
      .label = "Views at a time",
      .help = "Views that correct the volume together. Fewer need fewer iterations, and bring "
              "noise sooner. 0: 12 of OS-SART, 4 of total variation.",
      .what = "views at a time",
      .absent = "usual"},
     hasSubsets},
    {{"method", "weight", defaulted, "",
      "how much each iteration evens out, as a part of the mean attenuation; 0: 0.003 for each "
      "group of views that correct together, and more by the noise where photons are known"},
     [](J& j) -> double& { return j.method.tvWeight; },
     {.flag = "--tv-weight",
      .form = "W",
      .group = kIterativeOptions,
      .label = "Weight",
      .help = "How much each iteration evens out, as a part of the mean attenuation: more is "
              "smoother. 0: by the number of views, and by the noise where photons are known.",
      .what = "weight of total variation",
      .absent = "automatic",
      .step = 0.001},
     hasWeight},
    {{"method", "relaxation", defaulted, "",
      "the part of each correction that is made, above 0 and below 2"},
     [](J& j) -> double& { return j.method.relaxation; },
     {.flag = "--relaxation",
      .form = "F",
      .group = kIterativeOptions,
      .label = "Relaxation",
      .help = "The part of each correction that is made. Less is slower and smoother; 2 and more "
              "would diverge.",
      .what = "relaxation",
      .step = 0.1,
      .low = 0.01,
      .high = 1.99},
     hasBounds},
    {{"method", "accelerated", defaulted, "",
      "whether SIRT begins each iteration ahead of the volume, which makes 20 do what 100 do; "
      "`--no-acceleration`: it does not, and noise comes later"},
     [](J& j) -> bool& { return j.method.isAccelerated; },
     {.flag = "--no-acceleration",
      .group = kIterativeOptions,
      .label = "Accelerated",
      .help = "Each iteration begins ahead of the volume: 20 then do what 100 do. Without it noise "
              "comes later, and one volume less is kept in memory.",
      .what = "acceleration"},
     isSirt},
    {{"method", "nonNegative", defaulted, "",
      "whether attenuation below 0 becomes 0 after each correction; `--allow-negative`: it stays"},
     [](J& j) -> bool& { return j.method.nonNegative; },
     {.flag = "--allow-negative",
      .group = kIterativeOptions,
      .label = "Not negative",
      .help = "Attenuation below 0 becomes 0 after each correction: no matter has less.",
      .what = "bound at 0"},
     hasBounds},
    {{"method", "upperBound", defaulted, "1/mm",
      "the largest attenuation that a voxel may have after each correction; 0: any"},
     [](J& j) -> double& { return j.method.upperBound; },
     {.flag = "--upper-bound",
      .form = "A",
      .group = kIterativeOptions,
      .label = "Upper bound",
      .help = "The largest attenuation that a voxel may have after each correction. 0: any.",
      .what = "upper bound",
      .unit = "/mm",
      .absent = "none",
      .step = 0.001},
     hasBounds},
    {{"method", "mask", defaulted, "",
      "where the volume may differ from 0: everywhere, `none`; in the `cylinder` that all views "
      "see; or where the voxels of a volume's file are not 0"},
     [](J& j) -> std::string& { return j.method.mask; },
     {.flag = "--mask",
      .form = "WHERE",
      .group = kIterativeOptions,
      .label = "Mask",
      .help = "none: all voxels. cylinder: those that all views see. Or the path of a volume of "
              "the same voxels that is not 0 where the object may be.",
      .what = "mask"},
     isIterative},
    {{"method", "region", defaulted, "",
      "whether the volume is a region of a larger object: what is around it is made coarsely "
      "first, and taken off the views"},
     [](J& j) -> bool& { return j.method.isRegion; },
     {.flag = "--region",
      .group = kIterativeOptions,
      .label = "Region of an object",
      .help = "The volume is a part of a larger object. What is around it is made coarsely first, "
              "and taken off the views, so that it does not appear in the region.",
      .what = "region of an object"},
     isIterative},
    {{"method", "photons", defaulted, "",
      "photons that a pixel counts without an object: the iterations then end once the residual is "
      "as large as the noise, and total variation finds its weight by it; 0: unknown"},
     [](J& j) -> double& { return j.method.photons; },
     {.flag = "--photons",
      .form = "N",
      .group = kIterativeOptions,
      .label = "Photons",
      .help = "Photons that a pixel counts without an object. The iterations then end once the "
              "residual is as large as the noise, and total variation finds its weight by it. 0: "
              "unknown.",
      .what = "number of photons",
      .absent = "unknown",
      .step = 1000},
     isIterative},
    {{"method", "countWeights", defaulted, "",
      "whether pixels weigh by the photons that they count: dense parts of the object are then "
      "made "
      "more slowly, and noise of few photons harms less after many iterations"},
     [](J& j) -> bool& { return j.method.weighsByCounts; },
     {.flag = "--count-weights",
      .group = kIterativeOptions,
      .label = "Weigh by counts",
      .help = "Pixels weigh by the photons that they count. Dense parts are then made more slowly, "
              "so that it takes more iterations; noise of few photons harms less after them.",
      .what = "weights by counts"},
     hasPhotons},
    {{"method", "stopChange", defaulted, "",
      "relative change of the volume in an iteration under which they end, such as 0.001; 0: they "
      "do not"},
     [](J& j) -> double& { return j.method.stopChange; },
     {.flag = "--stop-change",
      .form = "F",
      .group = kIterativeOptions,
      .label = "Stop at a change of",
      .help = "The iterations end when one changes the volume by less than this part of it. 0: "
              "they do not.",
      .what = "change at which iterations end",
      .step = 0.0001,
      .low = 0,
      .high = 1},
     isIterative},
};

}  // namespace gantry::method_in_files
