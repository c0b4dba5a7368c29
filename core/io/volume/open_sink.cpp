#include "core/io/volume/open_sink.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/base/read_files.h"
#include "core/base/text.h"
#include "core/base/written_place.h"
#include "core/io/volume/calibration.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/output_names.h"
#include "core/io/volume/rescale_volume.h"
#include "core/io/volume/volume_description.h"
#include "core/io/volume/volume_format.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Writes a volume whose scale is its own smallest and largest value, known only at the end: spools
// it as float32 to "<path>.spool.part", and converts it to the real output in finish(). If killed
// at any time, it can be resumed from the spool. The range of what it writes itself is known when
// the last slice comes; only what another run or process has written is read for it. NaN and
// infinite voxels do not count. Tests: tests/core/io/scaled_sink_test.cpp
class SpooledSink : public VolumeSink {
  public:
    // Opens the real output for attenuations in a range.
    using OpenOutput = std::function<std::unique_ptr<VolumeSink>(std::array<double, 2> range)>;

    SpooledSink(const std::filesystem::path& path, const VolumeGrid& grid, SinkStart start,
                OpenOutput openOutput);

    void expect(std::span<const IndexRange> slices) override { m_spool.expect(slices); }
    void flush() override { m_spool.flush(); }
    void discard() noexcept override { m_spool.discard(); }

  private:
    // Smallest and largest value; if there are none, the smallest is above the largest.
    struct Range {
        float min = std::numeric_limits<float>::infinity();
        float max = -std::numeric_limits<float>::infinity();

        void add(const Range& other) {
            min = std::min(min, other.min);
            max = std::max(max, other.max);
        }
    };
    static Range finiteRange(std::span<const float> values);

    void put(Index zBegin, Span3<const float> voxels, int threads) override;
    // If it fails, the spool stays.
    void complete(int threads, const std::stop_token& stop) override;
    [[nodiscard]] Range rangeOfUnseen(int threads, const std::stop_token& stop) const;
    void convert(VolumeSink& output, int threads, const std::stop_token& stop) const;

    VolumeGrid m_grid;
    FlatSink m_spool;
    OpenOutput m_openOutput;
    std::mutex m_mutex;
    Range m_seen;                // of what this sink has written
    std::vector<bool> m_isSeen;  // [z]
};

constexpr Index kVoxelsAtOnce = 256 * 1024;           // by one thread
constexpr Index kVoxelsOfThread = 8 * kVoxelsAtOnce;  // converted between two waits
constexpr Index kMinConverted = Index{8} << 20;

FlatLayout spoolLayout(std::filesystem::path path, const VolumeGrid& grid) {
    FlatLayout layout;
    layout.path = std::move(path);
    layout.path += ".spool";
    layout.before = toJson({grid, {}});
    // Keeps the voxels aligned in the file.
    layout.before.resize((layout.before.size() + 63) / 64 * 64, ' ');
    return layout;
}

SpooledSink::SpooledSink(const std::filesystem::path& path, const VolumeGrid& grid, SinkStart start,
                         OpenOutput openOutput)
    : m_grid(grid),
      m_spool(spoolLayout(path, grid), grid, {}, start),
      m_openOutput(std::move(openOutput)),
      m_isSeen(static_cast<std::size_t>(grid.voxels[2])) {}

SpooledSink::Range SpooledSink::finiteRange(std::span<const float> values) {
    constexpr float kLargest = std::numeric_limits<float>::max();
    constexpr std::size_t kLanes = 16;  // independent of each other, so that the compiler uses SIMD
    std::array<float, kLanes> min;
    std::array<float, kLanes> max;
    min.fill(Range().min);
    max.fill(Range().max);
    const auto take = [&](std::size_t lane, float value) {
        // The comparisons are false for NaN.
        min[lane] = value < min[lane] && value >= -kLargest ? value : min[lane];
        max[lane] = value > max[lane] && value <= kLargest ? value : max[lane];
    };
    const std::size_t whole = values.size() / kLanes * kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            take(lane, values[i + lane]);
    for (std::size_t i = whole; i < values.size(); ++i)
        take(0, values[i]);
    return {*std::ranges::min_element(min), *std::ranges::max_element(max)};
}

void SpooledSink::put(Index zBegin, Span3<const float> voxels, int threads) {
    m_spool.write(zBegin, voxels, threads);
    const std::span all(voxels.data(), static_cast<std::size_t>(voxels.count()));
    parallelFor(threads, voxels.count(), kVoxelsAtOnce, [&](Index begin, Index end, int) {
        const Range range = finiteRange(all.subspan(begin, end - begin));
        const std::scoped_lock lock(m_mutex);
        m_seen.add(range);
    });
    const std::scoped_lock lock(m_mutex);
    std::fill_n(m_isSeen.begin() + zBegin, voxels.size(0), true);
}

SpooledSink::Range SpooledSink::rangeOfUnseen(int threads, const std::stop_token& stop) const {
    std::vector<Index> slices;
    for (Index z = 0; z < m_grid.voxels[2]; ++z)
        if (!m_isSeen[z]) slices.push_back(z);
    const Index sliceVoxels = m_grid.voxels[0] * m_grid.voxels[1];
    const Index pieces = (sliceVoxels + kVoxelsAtOnce - 1) / kVoxelsAtOnce;
    Range range;
    std::mutex mutex;
    parallelFor(
        threads, std::ssize(slices) * pieces, 1,
        [&](Index i, Index, int) {
            const Index begin = i % pieces * kVoxelsAtOnce;
            HostBuffer<float> part(std::min(kVoxelsAtOnce, sliceVoxels - begin));
            m_spool.read(slices[i / pieces] * sliceVoxels + begin, part.span());
            const Range found = finiteRange(part.span());
            const std::scoped_lock lock(mutex);
            range.add(found);
        },
        stop);
    return range;
}

void SpooledSink::convert(VolumeSink& output, int threads, const std::stop_token& stop) const {
    const auto [nX, nY, nZ] = m_grid.voxels;
    const Index sliceVoxels = nX * nY;
    const Index voxels = std::max(kMinConverted, threads * kVoxelsOfThread);
    const Index slices = std::clamp<Index>(voxels / sliceVoxels, 1, nZ);
    HostBuffer<float> buffer(slices * sliceVoxels);
    for (Index z = 0; z < nZ; z += slices) {
        const Span3<float> piece(buffer.data(), std::min(slices, nZ - z), nY, nX);
        parallelFor(
            threads, piece.count(), kVoxelsAtOnce,
            [&](Index begin, Index end, int) {
                m_spool.read(z * sliceVoxels + begin, buffer.span().subspan(begin, end - begin));
            },
            stop);
        output.write(z, piece, threads);
    }
}

void SpooledSink::complete(int threads, const std::stop_token& stop) {
    m_spool.requireComplete();
    m_spool.flush();
    Range range = rangeOfUnseen(threads, stop);
    range.add(m_seen);
    if (range.min > range.max) range = {0, 0};
    const std::unique_ptr<VolumeSink> output =
        m_openOutput({static_cast<double>(range.min), static_cast<double>(range.max)});
    try {
        convert(*output, threads, stop);
        output->finish(threads, stop);
    } catch (...) {
        output->discard();
        throw;
    }
    m_spool.discard();
}

bool isScaled(const OutputFormat& format) {
    return format.type != PixelType::float32;
}

fs::path folderOf(const fs::path& place) {
    return place.has_parent_path() ? place.parent_path() : fs::path(".");
}

void checkRequest(const OutputFormat& format, const VolumeGrid& grid) {
    checkVoxels(format);
    if (format.range) {
        const auto [low, high] = *format.range;
        if (!isScaled(format))
            refuseOutput(format.path,
                         "a range applies to uint16 and uint8 only, and the voxel type is float32");
        if (!std::isfinite(low) || !std::isfinite(high) || low >= high)
            refuseOutput(
                format.path,
                fmt::format(
                    "the range is {} to {} {}; its upper limit must be greater than its lower "
                    "limit",
                    low, high, name(readCalibration(format.calibration).unit)));
    }
    require(
        *std::ranges::min_element(grid.voxels) > 0 && *std::ranges::min_element(grid.pitchMm) > 0,
        "an empty volume was to be written");
}

// Disk space that a file, or all files below a folder, take now; holes in a file take none.
Index allocatedBytes(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return 0;
    if (!S_ISDIR(status.st_mode)) return static_cast<Index>(status.st_blocks) * 512;
    Index bytes = 0;
    std::error_code ignored;
    for (fs::recursive_directory_iterator entry(path, ignored), end; !ignored && entry != end;
         entry.increment(ignored))
        if (::stat(entry->path().c_str(), &status) == 0)
            bytes += static_cast<Index>(status.st_blocks) * 512;
    return bytes;
}

bool spools(const OutputFormat& format) {
    return isScaled(format) && !format.range;
}

// The unfinished output and its spool, which an earlier run may have left.
std::array<fs::path, 2> unfinished(const fs::path& place, const VolumeFileFormat& kind) {
    fs::path spool = place;
    spool += ".spool";
    return {partName(kind.dataPath(place)), partName(spool)};
}

}  // namespace

std::vector<fs::path> outputNames(const fs::path& output) {
    const fs::path place = writtenPlace(placeOf(output));
    const VolumeFileFormat& kind = volumeFormatOf(output);
    std::vector<fs::path> names = kind.files(place);
    const std::size_t finished = names.size();
    for (std::size_t i = 0; i < finished; ++i)
        names.push_back(partName(names[i]));
    names.push_back(unfinished(place, kind)[1]);
    return names;
}

bool takesSeveralWriters(const OutputFormat& format) {
    // A spool takes them all; one process makes the volume of it.
    return spools(format) || !volumeFormatOf(format.path).hasOneWriter;
}

void checkOutputPlace(const fs::path& output) {
    const fs::path place = writtenPlace(placeOf(output));
    const std::string name = place.filename().string();
    if (name.empty() || name == "." || name == "..") refuseOutput(place, "it needs a name");
    for (const fs::path& written : volumeFormatOf(output).files(place))
        requireNameFits(written);
    const fs::path folder = folderOf(place);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        refuseOutput(place,
                     fmt::format("the folder {} does not exist; create it, or choose another place",
                                 folder.string()));
    if (::access(folder.c_str(), W_OK) != 0)
        refuseOutput(place,
                     fmt::format("no files can be made in the folder {} ({}); choose another place",
                                 folder.string(), std::generic_category().message(errno)));
    volumeFormatOf(output).checkPlace(placeOf(output));
}

void checkVoxels(const OutputFormat& format) {
    (void)readCalibration(format.calibration);
    const VolumeFileFormat& kind = volumeFormatOf(format.path);
    if (std::ranges::find(kind.types, format.type) != kind.types.end()) return;
    std::vector<std::string> words;
    words.reserve(kind.types.size());
    for (const PixelType type : kind.types)
        words.emplace_back(name(type));
    refuseOutput(format.path, fmt::format("the voxel type is {}; in this format it must be {}",
                                          name(format.type), listed(words, "or")));
}

std::unique_ptr<VolumeSink> openSink(const OutputFormat& format, const VolumeGrid& grid,
                                     SinkStart start) {
    const VolumeFileFormat& kind = volumeFormatOf(format.path);
    const fs::path place = writtenPlace(placeOf(format.path));
    checkRequest(format, grid);
    checkOutputPlace(format.path);
    requireDisk(format, grid);
    const ValueScale scale = readCalibration(format.calibration);
    // That of an older volume of this name is not the new one's.
    if (start == SinkStart::fresh) forgetRecordedScale(place);
    if (!spools(format)) {
        VoxelEncoding encoding =
            isScaled(format) ? encodingOf(format.type, *format.range) : VoxelEncoding{};
        encoding.scale = scale;
        return kind.write(place, grid, encoding, start);
    }
    const auto openOutput = [place, write = kind.write, grid, type = format.type,
                             scale](std::array<double, 2> range) {
        for (double& end : range)
            end = scale.slope * end + scale.intercept;
        if (range[0] > range[1]) std::swap(range[0], range[1]);
        VoxelEncoding encoding = encodingOf(type, range);
        encoding.scale = scale;
        return write(place, grid, encoding, SinkStart::fresh);
    };
    return std::make_unique<SpooledSink>(place, grid, start, openOutput);
}

Index outputBytes(const OutputFormat& format, const VolumeGrid& grid) {
    return grid.count() * sizeBytes(format.type) +
           volumeFormatOf(format.path).headerBytes(grid, format.type);
}

Index diskBytesNeeded(const OutputFormat& format, const VolumeGrid& grid) {
    const Index spool = spools(format) ? grid.count() * Index{sizeof(float)} : 0;
    return outputBytes(format, grid) + spool +
           volumeFormatOf(format.path).scratchBytes(grid, format.type);
}

Index sinkThreadBytes(const OutputFormat& format) {
    return volumeFormatOf(format.path).threadBytes(format.type);
}

void requireDisk(const OutputFormat& format, const VolumeGrid& grid, const FreeDisk& freeDisk) {
    const char* remedy =
        isScaled(format) ? (spools(format) ? "Give a range, free space, or choose another place."
                                           : "Free space, or choose another place.")
                         : "Use 8- or 16-bit output, free space, or choose another place.";
    requireDisk(format.path, diskBytesNeeded(format, grid), remedy, freeDisk);
}

void requireDisk(const fs::path& output, Index needed, const char* remedy,
                 const FreeDisk& freeDisk) {
    const fs::path place = writtenPlace(placeOf(output));
    // Files of an earlier run are resumed or replaced.
    for (const fs::path& left : unfinished(place, volumeFormatOf(output)))
        needed -= allocatedBytes(left);
    const Index free = freeDisk ? freeDisk(place) : freeDiskBytes(place);
    if (needed <= free) return;
    throw ResourceError(
        fmt::format("There is not enough disk space for {}: the volume needs {}, and {} are free. "
                    "{}",
                    place.string(), formatBytes(needed), formatBytes(free), remedy),
        {.code = ErrorCode::disk});
}

}  // namespace gantry
