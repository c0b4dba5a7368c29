#include "core/job/job_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/geometry/check/problem_list.h"
#include "core/job/correction_fields.h"
#include "core/job/method_fields.h"

namespace gantry {

namespace {

using J = JobSpec;
using enum FieldPresence;

constexpr Index kMaxBytes = Index{1} << 60;

constexpr std::array kPixelTypes = {PixelType::float32, PixelType::uint16, PixelType::uint8};
constexpr FieldWord kOutputTypes[] = {
    {kPixelTypeNames[static_cast<std::size_t>(PixelType::float32)], "32-bit float"},
    {kPixelTypeNames[static_cast<std::size_t>(PixelType::uint16)], "16-bit"},
    {kPixelTypeNames[static_cast<std::size_t>(PixelType::uint8)], "8-bit"}};
constexpr FieldWord kFilterPlaces[] = {
    {kEngineWords[0].word, kEngineWords[0].label, "Where the job is predicted to finish sooner."},
    kEngineWords[1],
    kEngineWords[2]};
constexpr FieldWord kRankIos[] = {"parallel", "single", "split"};
constexpr FieldWord kPrecisions[] = {
    {"exact", "Exact, 32-bit", "Every voxel is as exact as 32-bit numbers allow."},
    {"fast", "Fast, on the GPU"}};

template <class Enum>
std::size_t wordOf(Enum value) {
    return static_cast<std::size_t>(value);
}

constexpr FieldChoice<J> kWindow = {
    kFilterWindows, [](const J& j) { return wordOf(j.filter.window); },
    [](J& j, std::size_t word) { j.filter.window = static_cast<FilterWindow>(word); }};
constexpr FieldChoice<J> kType = {
    kOutputTypes,
    [](const J& j) {
        const auto found = std::ranges::find(kPixelTypes, j.output.type);
        return static_cast<std::size_t>(found - kPixelTypes.begin());
    },
    [](J& j, std::size_t word) { j.output.type = kPixelTypes[word]; }};
constexpr FieldChoice<J> kEngine = {
    kEngineWords, [](const J& j) { return wordOf(j.engine); },
    [](J& j, std::size_t word) { j.engine = static_cast<Engine>(word); }};
constexpr FieldChoice<J> kExchangeOfRanks = {
    kExchanges, [](const J& j) { return j.exchange ? wordOf(*j.exchange) + 1 : std::size_t{0}; },
    [](J& j, std::size_t word) {
        j.exchange = word == 0 ? std::nullopt : std::optional(static_cast<Exchange>(word - 1));
    }};
constexpr FieldChoice<J> kRankIo = {
    kRankIos, [](const J& j) { return wordOf(j.rankIo); },
    [](J& j, std::size_t word) { j.rankIo = static_cast<RankIo>(word); }};
constexpr FieldChoice<J> kPrecision = {kPrecisions,
                                       [](const J& j) { return std::size_t{j.fast ? 1U : 0U}; },
                                       [](J& j, std::size_t word) { j.fast = word == 1; }};
constexpr FieldChoice<J> kRows = {
    kFilterRows, [](const J& j) { return j.rows ? wordOf(*j.rows) + 1 : std::size_t{0}; },
    [](J& j, std::size_t word) {
        j.rows = word == 0 ? std::nullopt : std::optional(static_cast<FilterRows>(word - 1));
    }};
constexpr FieldChoice<J> kFilterOn = {
    kFilterPlaces, [](const J& j) { return wordOf(j.filterOn); },
    [](J& j, std::size_t word) { j.filterOn = static_cast<FilterOn>(word); }};

// What the path consists of in the desktop: format, name, folder.
constexpr FieldOption kPlaceParts[] = {
    {.label = "Format",
     .help = "Kind of file for the volume. Every kind holds the volume's position and voxel pitch; "
             "raw voxels have them in a .json file beside them.",
     .what = "output format"},
    {.label = "Name",
     .help = "Name of the volume. The format adds the ending, such as .mha.",
     .what = "output name"},
    {.label = "Folder",
     .help = "Folder for the volume. The job's own files are beside it, in a folder such as "
             "walnut.mha.job.",
     .what = "output folder"}};
// Water has 0.02 /mm, bone 0.05, aluminium 0.1.
constexpr FieldOption kRangeParts[] = {{.start = 0}, {.start = 0.1}};

// A GPU's wishes have no meaning for the CPU, nor has a kernel of the CPU for GPUs.
void settleEngine(J& j) {
    if (j.engine == Engine::cpu) leaveGpus(j);
    if (j.engine == Engine::gpu) j.cpuKernel = kUsualCpuKernel;
}
void settleType(J& j) {
    if (j.output.type == PixelType::float32) j.output.range.reset();
}

bool isScaled(const J& j) {
    return j.output.type != PixelType::float32;
}
bool isFdk(const J& j) {
    return !j.method.isIterative();
}
bool isNotAligned(const J& j) {
    return !j.scan.geometry.isAligned();
}

constexpr FileField<J> kBeforePrep[] = {
    {{"filter", "window", needed, "",
      "the filter's window; all but the first trade sharpness for less noise"},
     kWindow,
     {.flag = "--window",
      .group = kMethodOptions,
      .label = "Window",
      .help = "How strongly high frequencies are damped: less noise, less sharpness. The "
              "reconstruction uses the same filter.",
      .what = "filter"},
     isFdk},
    {{"filter", "cutoff", needed, "",
      "the filter's cut-off, as a part of the Nyquist frequency, up to 1"},
     [](J& j) -> double& { return j.filter.cutoff; },
     {.flag = "--cutoff",
      .form = "F",
      .group = kMethodOptions,
      .label = "Cut-off",
      .help = "Frequencies above this share of the detector's highest one (Nyquist) are removed: "
              "lower is smoother.",
      .what = "cut-off",
      .unit = "of Nyquist",
      .step = 0.01,
      .low = 0.05,
      .high = 1},
     isFdk},
};

constexpr FileField<J> kAfterPrep[] = {
    {{"output", "path", needed, "",
      "the volume: .mha, .mhd, .raw, .nrrd, .nhdr, .nii, .vgi, .tif or .ome.tif (all slices), "
      ".ome.zarr, .h5, .dcm (DICOM slices), or a folder of TIFF slices"},
     [](J& j) -> std::filesystem::path& { return j.output.path; },
     {.flag = "-o,--out", .form = "FILE", .group = kOutputOptions, .parts = kPlaceParts}},
    {{"output", "type", needed, "", "how voxels are stored"},
     kType,
     {.flag = "--type",
      .group = kOutputOptions,
      .label = "Voxel type",
      .help = "32-bit float stores the attenuation in 1/mm itself. 16-bit and 8-bit take a half "
              "and a quarter of the disk space, and round the attenuation to 65536 or 256 steps.",
      .what = "voxel type"},
     nullptr,
     settleType},
    {{"output", "calibration", defaulted, "",
      "makes values Hounsfield units: the attenuation in 1/mm of air (−1000 HU) and of water "
      "(0 HU), `air=0.0001,water=0.0205`, or of other numbers of HU, `-1000=0.0001,350=0.028`; "
      "empty: values are attenuation in 1/mm"},
     [](J& j) -> std::string& { return j.output.calibration; },
     {.flag = "--calibrate", .form = "air=A,water=W", .group = kOutputOptions}},
    {{"output", "range", whereSet, "1/mm or HU",
      "value stored as 0 and as the type's largest one, in HU where there is a calibration; "
      "without it the volume's own smallest and largest"},
     [](J& j) -> std::optional<std::array<double, 2>>& { return j.output.range; },
     {.flag = "--range",
      .form = "LO,HI",
      .group = kOutputOptions,
      .label = "Fixed range",
      .help = "The value that is stored as 0 and the one that is stored as the largest number, "
              "attenuation in 1/mm, or HU where there is a calibration; values outside get the "
              "nearer end. Without a fixed range the "
              "volume's own smallest and largest values are used, and the volume is written to "
              "disk twice.",
      .what = "fixed range",
      .unit = "/mm",
      .step = 0.001,
      .parts = kRangeParts},
     isScaled},
    {{"", "engine", defaulted, "", "where to compute"},
     kEngine,
     {.flag = "--engine",
      .group = kMethodOptions,
      .label = "Engine",
      .help = "What computes the volume from the views: the processor (CPU) or the graphics cards "
              "(GPU). The result is the same; the time is not.",
      .what = "engine"},
     nullptr,
     settleEngine},
    {{"", "cpuKernel", defaulted, "",
      "back-projector of the CPU by name; `reference` computes in double precision"},
     [](J& j) -> std::string& { return j.cpuKernel; },
     {.flag = "--kernel", .form = "NAME", .group = kMethodOptions, .label = "CPU kernel"}},
    {{"", "gpuKernel", defaulted, "",
      "back-projector of GPUs by name; `auto`: the fastest in a short trial"},
     [](J& j) -> std::string& { return j.gpuKernel; },
     {.flag = "--kernel",
      .form = "NAME",
      .group = kMethodOptions,
      .label = "GPU kernel",
      .help = "The program on the GPU that adds the views to the volume.",
      .what = "GPU kernel"}},
    {{"", "precision", defaulted, "",
      "`exact`, or `fast`: a GPU's texture hardware may interpolate, with a relative error of 1e-4 "
      "on smooth data and 4e-3 on noise, and parallel beams may be added in half floats"},
     kPrecision,
     {.flag = "--precision", .group = kMethodOptions, .label = "Precision", .what = "precision"}},
    {{"", "filterOn", defaulted, "", "where views are filtered when GPUs back-project"},
     kFilterOn,
     {.flag = "--filter-on",
      .group = kMethodOptions,
      .label = "Filter on",
      .help = "Where views are filtered before a GPU adds them to the volume.",
      .what = "where views are filtered"}},
    {{"", "filterRows", defaulted, "",
      "along which rows views of a rolled, tilted or slanted detector are filtered: its `own`; "
      "those of an `upright` one, onto which they are resampled; its own with the weights of "
      "`rtk`'s FDK, for comparisons; or `auto`: upright for a rolled detector unless it is in the "
      "middle of a full circle; otherwise own for the CPU, and for GPUs the kind with which the "
      "run is predicted to be shorter"},
     kRows,
     {.flag = "--filter-rows",
      .group = kMethodOptions,
      .label = "Filter along",
      .help = "The detector is rolled, tilted or slanted: along which rows views are filtered.",
      .what = "filtered rows"},
     isNotAligned},
    {{"", "devices", defaulted, "", "numbers of the GPUs to use; none: all", 0, 1023},
     [](J& j) -> std::vector<int>& { return j.devices; },
     {.flag = "--devices",
      .form = "0,1",
      .group = kMethodOptions,
      .label = "GPUs",
      .absent = "all"}},
    {{"", "deviceMemoryBytes", defaulted, "bytes",
      "memory limit for each GPU, such as 16G; 0: most of what is free", 0, kMaxBytes},
     [](J& j) -> Index& { return j.deviceMemoryBytes; },
     {.flag = "--device-memory",
      .form = "SIZE",
      .group = kMethodOptions,
      .label = "GPU memory",
      .help =
          "The largest amount of memory that the job may use on each GPU. With less, the volume "
          "is made in more passes; its values are the same.",
      .what = "GPU memory limit",
      .absent = "most of what is free"}},
    {{"", "threads", defaulted, "", "threads of the CPU; 0: as many as the machine has", 0, 4096},
     [](J& j) -> int& { return j.threads; },
     {.flag = "--threads",
      .form = "N",
      .group = kMethodOptions,
      .label = "Threads",
      .help = "Processor threads that work on the volume. Fewer leave more of the processor to "
              "other programs, and take longer.",
      .what = "number of threads",
      .absent = "all of the machine"}},
    {{"", "memoryBytes", defaulted, "bytes",
      "memory limit, such as 400M or 4G; 0: most of what is free", 0, kMaxBytes},
     [](J& j) -> Index& { return j.memoryBytes; },
     {.flag = "--memory",
      .form = "SIZE",
      .group = kMethodOptions,
      .label = "Memory limit",
      .help = "Without a limit the job uses most of the free memory. With less memory the volume "
              "is made in several passes, which takes longer; its values are the same.",
      .what = "memory limit",
      .absent = "most of what is free"}},
    {{"", "batchViews", defaulted, "", "views that are at work together", 1, 1024},
     [](J& j) -> Index& { return j.batchViews; },
     {.flag = "--batch", .form = "N", .group = kMethodOptions, .label = "Views at once"}},
    {{"", "ranks", defaulted, "", "processes (MPI ranks) of one machine that share the work", 1,
      1024},
     [](J& j) -> int& { return j.ranks; },
     {.flag = "--ranks",
      .form = "N",
      .group = kRunOptions,
      .label = "Processes",
      .help = "Processes (MPI ranks) on this machine that share the volume, as on a cluster. They "
              "pay where each has a GPU of its own; one process uses all processors and GPUs, too.",
      .what = "number of processes"}},
    {{"", "exchange", defaulted, "",
      "how views reach several ranks: with `gather` each reads and filters a part of the views and "
      "gives it to others, with `rows` all views but only the detector rows it needs; `auto`: what "
      "is predicted to be faster"},
     kExchangeOfRanks,
     {.flag = "--exchange", .group = kSharingOptions, .label = "Exchange of views"},
     isFdk},
    {{"", "gridRows", defaulted, "",
      "rows of the grid of ranks: each makes slices of its own, and the ranks of a row share the "
      "views; 0: what is predicted to be fastest",
      0, 1'000'000},
     [](J& j) -> Index& { return j.gridRows; },
     {.flag = "--grid-rows",
      .form = "R",
      .group = kSharingOptions,
      .label = "Rows of processes",
      .absent = "automatic"},
     isFdk},
    {{"", "rankIo", defaulted, "",
      "which of several ranks read views and write the volume: all (`parallel`), as a shared file "
      "system serves best; the first (`single`); or the first reads and the last writes (`split`)"},
     kRankIo,
     {.flag = "--io", .group = kRunOptions, .label = "Files are used by"}},
    {{"", "weights", defaulted, "",
      "by what several ranks share the work: `measured` (each one's speed, corrected on the way), "
      "`uniform`; numbers for ranks, as 2,1,1, or machines, as alpha:2,beta:1; `log`, `logistic`, "
      "`logistic-planes` or functions of what a machine has: see the manual's page on clusters"},
     [](J& j) -> std::string& { return j.weights; },
     {.flag = "--weights", .form = "HOW", .group = kSharingOptions, .label = "Work is shared by"},
     isFdk},
    {{"", "checksumInput", defaulted, "",
      "whether the CRC-32 of every input file is recorded; `--no-checksum`: it is not"},
     [](J& j) -> bool& { return j.checksumInput; },
     {.flag = "--no-checksum", .group = kRunOptions, .label = "Checksums of the input"}},
};

// All rows, in their order in the file.
constexpr auto kJobFields = [] {
    std::array<FileField<J>, std::size(method_in_files::kMethodFields) + std::size(kBeforePrep) +
                                 std::size(corrections_in_files::kCorrectionFields) +
                                 std::size(kAfterPrep)>
        fields;
    auto* const filter = std::ranges::copy(method_in_files::kMethodFields, fields.begin()).out;
    auto* const prep = std::ranges::copy(kBeforePrep, filter).out;
    auto* const after = std::ranges::copy(corrections_in_files::kCorrectionFields, prep).out;
    std::ranges::copy(kAfterPrep, after);
    return fields;
}();

// A value as the command line takes it.
std::string wordOf(const FieldValue& value) {
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
    if (const auto* whole = std::get_if<Index>(&value)) return fmt::format("{}", *whole);
    if (const auto* list = std::get_if<std::vector<Index>>(&value))
        return fmt::format("{}", fmt::join(*list, ","));
    return std::get<std::string>(value);
}

}  // namespace

std::span<const FileField<JobSpec>> jobFields() {
    return kJobFields;
}

std::vector<std::string> methodWords(const JobSpec& spec) {
    const JobSpec usual;
    std::vector<std::string> words;
    for (const FileField<JobSpec>& field : kJobFields) {
        const std::string flag(field.option.flag);
        // An option that sets one of several fields is given once.
        const bool isGiven = std::ranges::find(words, flag) != words.end();
        if (field.option.group == kMethodOptions && !field.isSame(spec, usual) && !isGiven)
            words.insert(words.end(), {flag, wordOf(field.value(spec))});
    }
    return words;
}

}  // namespace gantry
