#include "core/job/job_fields.h"

#include <algorithm>
#include <array>
#include <optional>

namespace gantry {

namespace {

using J = JobSpec;
using enum FieldPresence;

constexpr Index kMostBytes = Index{1} << 60;

constexpr std::array<std::string_view, 3> kOutputTypes = {"float32", "uint16", "uint8"};
constexpr std::array kPixelTypes = {PixelType::float32, PixelType::uint16, PixelType::uint8};
constexpr std::array<std::string_view, 3> kWhere = {"auto", "cpu", "gpu"};
constexpr std::array<std::string_view, 3> kExchanges = {"auto", "gather", "rows"};
constexpr std::array<std::string_view, 3> kRankIos = {"parallel", "single", "split"};
constexpr std::array<std::string_view, 2> kPrecisions = {"exact", "fast"};
constexpr std::array<std::string_view, 4> kRows = {"auto", kFilterRowsNames[0], kFilterRowsNames[1],
                                                   kFilterRowsNames[2]};

template <class Enum>
std::size_t wordOf(Enum value) {
    return static_cast<std::size_t>(value);
}

constexpr FieldChoice<J> kWindow = {
    kFilterWindowNames, [](const J& j) { return wordOf(j.filter.window); },
    [](J& j, std::size_t word) { j.filter.window = static_cast<FilterWindow>(word); }};
constexpr FieldChoice<J> kType = {
    kOutputTypes,
    [](const J& j) {
        const auto found = std::find(kPixelTypes.begin(), kPixelTypes.end(), j.output.type);
        return static_cast<std::size_t>(found - kPixelTypes.begin());
    },
    [](J& j, std::size_t word) { j.output.type = kPixelTypes[word]; }};
constexpr FieldChoice<J> kEngine = {
    kWhere, [](const J& j) { return wordOf(j.engine); },
    [](J& j, std::size_t word) { j.engine = static_cast<Engine>(word); }};
constexpr FieldChoice<J> kExchange = {
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
constexpr FieldChoice<J> kFilterRows = {
    kRows, [](const J& j) { return j.rows ? wordOf(*j.rows) + 1 : std::size_t{0}; },
    [](J& j, std::size_t word) {
        j.rows = word == 0 ? std::nullopt : std::optional(static_cast<FilterRows>(word - 1));
    }};
constexpr FieldChoice<J> kFilterOn = {
    kWhere, [](const J& j) { return wordOf(j.filterOn); },
    [](J& j, std::size_t word) { j.filterOn = static_cast<FilterOn>(word); }};

constexpr FieldChoice<J> kRings = {
    kRingMethodNames, [](const J& j) { return wordOf(j.corrections.rings.method); },
    [](J& j, std::size_t word) { j.corrections.rings.method = static_cast<RingMethod>(word); }};

constexpr FileField<J> kJobFields[] = {
    {{"filter", "window", needed, "", "what damps high frequencies"}, kWindow},
    {{"filter", "cutoff", needed, "", "as a part of the Nyquist frequency"},
     [](J& j) -> double& { return j.filter.cutoff; }},
    {{"prep", "zingerRatio", defaulted, "",
      "pixels that are brighter than the median around them by more than this factor are replaced "
      "by it; 0: none"},
     [](J& j) -> double& { return j.corrections.zingers.ratio; }},
    {{"prep", "zingerWidthPx", defaulted, "px", "width of the square that the median is of", 3, 15},
     [](J& j) -> Index& { return j.corrections.zingers.widthPx; }},
    {{"prep", "phaseEnergyKeV", defaulted, "keV",
      "of the beam, for phase retrieval after Paganin; 0, as the next two: none"},
     [](J& j) -> double& { return j.corrections.phase.energyKeV; }},
    {{"prep", "phaseDistanceMm", defaulted, "mm", "from the object to the detector"},
     [](J& j) -> double& { return j.corrections.phase.distanceMm; }},
    {{"prep", "phaseDeltaOverBeta", defaulted, "", "of the object's material, δ/β"},
     [](J& j) -> double& { return j.corrections.phase.deltaOverBeta; }},
    {{"prep", "rings", defaulted, "", "how rings are removed"}, kRings},
    {{"prep", "ringWidthPx", defaulted, "px",
      "of the median (`sorting`) or the moving average (`smoothed-mean`) along a row; odd", 3,
      1001},
     [](J& j) -> Index& { return j.corrections.rings.widthPx; }},
    {{"prep", "ringLevels", defaulted, "", "scales of the `wavelets`", 1, 12},
     [](J& j) -> Index& { return j.corrections.rings.levels; }},
    {{"prep", "ringDampCycles", defaulted, "cycles a scan",
      "`wavelets`: what changes more slowly over the views is taken for a ring"},
     [](J& j) -> double& { return j.corrections.rings.dampCycles; }},
    {{"output", "path", needed, "", "the volume's file, or its folder of slices"},
     [](J& j) -> std::filesystem::path& { return j.output.path; }},
    {{"output", "type", needed, "", "how a voxel is stored"}, kType},
    {{"output", "range", whereSet, "1/mm",
      "attenuation stored as 0 and as the type's largest value; without it the volume's own "
      "smallest and largest"},
     [](J& j) -> std::optional<std::array<double, 2>>& { return j.output.range; }},
    {{"", "engine", defaulted, "", "what back-projects"}, kEngine},
    {{"", "cpuKernel", defaulted, "", "how the CPU does it: a kernel by name"},
     [](J& j) -> std::string& { return j.cpuKernel; }},
    {{"", "gpuKernel", defaulted, "",
      "how GPUs do it: a kernel by name, or `auto` for the fastest in a trial"},
     [](J& j) -> std::string& { return j.gpuKernel; }},
    {{"", "precision", defaulted, "", "`fast`: texture hardware may interpolate"}, kPrecision},
    {{"", "filterRows", defaulted, "",
      "along which rows views are filtered: the detector's `own`; those of an `upright` one, onto "
      "which they are resampled; the detector's with the weights of `rtk`, for comparisons; or "
      "`auto`: upright for GPUs and a circle, own for others"},
     kFilterRows},
    {{"", "filterOn", defaulted, "", "where views are filtered for GPUs"}, kFilterOn},
    {{"", "devices", defaulted, "", "numbers of the GPUs to use; none: all", 0, 1023},
     [](J& j) -> std::vector<int>& { return j.devices; }},
    {{"", "deviceMemoryBytes", defaulted, "bytes", "of each GPU; 0: what it has free", 0,
      kMostBytes},
     [](J& j) -> Index& { return j.deviceMemoryBytes; }},
    {{"", "threads", defaulted, "", "of the CPU; 0: all", 0, 4096},
     [](J& j) -> int& { return j.threads; }},
    {{"", "memoryBytes", defaulted, "bytes", "of the host; 0: what it has free", 0, kMostBytes},
     [](J& j) -> Index& { return j.memoryBytes; }},
    {{"", "batchViews", defaulted, "", "views that are at work together", 1, 1024},
     [](J& j) -> Index& { return j.batchViews; }},
    {{"", "ranks", defaulted, "", "processes (ranks) on one machine that the job is run by", 1,
      1024},
     [](J& j) -> int& { return j.ranks; }},
    {{"", "exchange", defaulted, "",
      "how views reach several ranks: `gather`, `rows`, or what the model says is faster"},
     kExchange},
    {{"", "gridRows", defaulted, "", "of the grid of several ranks; 0: what the model says", 0,
      1'000'000},
     [](J& j) -> Index& { return j.gridRows; }},
    {{"", "rankIo", defaulted, "",
      "which of several ranks read views and write the volume: all (`parallel`), the first "
      "(`single`), or the first and the last (`split`)"},
     kRankIo},
    {{"", "weights", defaulted, "",
      "by what several ranks share the work: `measured`, `uniform`, `log`, `logistic`, "
      "`logistic-planes`, numbers for ranks or machines, or functions of what nodes have"},
     [](J& j) -> std::string& { return j.weights; }},
    {{"", "checksumInput", defaulted, "", "whether checksums of all input files are recorded"},
     [](J& j) -> bool& { return j.checksumInput; }},
};

}  // namespace

std::span<const FileField<JobSpec>> jobFields() {
    return kJobFields;
}

}  // namespace gantry
