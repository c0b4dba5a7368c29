#include "core/remote/transfer/fetched_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "core/base/throw_error.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/output_names.h"
#include "core/io/volume/volume_format.h"
#include "core/io/zarr/pyramid_folder.h"
#include "core/job/provenance.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 9> kRecords = {
    "checkpoint.json", "summary.bin", "forecast.json",   "plan.json",     "report.html",
    "preview.mha",     "slices.png",  "comparison.html", "comparison.png"};

constexpr std::array<std::string_view, 6> kZarrNames = {".zattrs",    ".zgroup",    ".zarray",
                                                        ".zmetadata", kScratchName, kRecordName};

bool hasOnly(std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

// "NAME.1234.part", a file that was being written, is taken as NAME.
std::string_view finishedName(std::string_view name) {
    constexpr std::string_view kUnfinished = ".part";
    if (!name.ends_with(kUnfinished)) return name;
    name.remove_suffix(kUnfinished.size());
    const std::size_t dot = name.rfind('.');
    const bool hasNumber =
        dot != std::string_view::npos && dot > 0 && hasOnly(name.substr(dot + 1), "0123456789");
    return hasNumber ? name.substr(0, dot) : name;
}

bool isSliceName(std::string_view name) {
    constexpr std::string_view kBegin = "slice_";
    constexpr std::size_t kEndBytes = 4;
    constexpr std::size_t kMaxDigits = 10;
    if (!name.starts_with(kBegin) || !(name.ends_with(".tif") || name.ends_with(".dcm")))
        return false;
    name.remove_prefix(kBegin.size());
    name.remove_suffix(std::min(name.size(), kEndBytes));
    return name.size() <= kMaxDigits && hasOnly(name, "0123456789");
}

bool isZarrPart(std::string_view name) {
    name = finishedName(name);
    if (std::find(kZarrNames.begin(), kZarrNames.end(), name) != kZarrNames.end()) return true;
    return hasOnly(name, "0123456789.") && name.front() != '.' && name.back() != '.' &&
           name.find("..") == std::string_view::npos;
}

}  // namespace

bool isFetchedRecord(const std::string& name) {
    if (std::find(kRecords.begin(), kRecords.end(), name) != kRecords.end()) return true;
    constexpr std::string_view kOfRank = "checkpoint.rank";
    constexpr std::size_t kMaxDigits = 5;
    return name.starts_with(kOfRank) && name.size() <= kOfRank.size() + kMaxDigits &&
           hasOnly(std::string_view(name).substr(kOfRank.size()), "0123456789");
}

bool isOfVolume(const JobSpec& spec, const std::string& name) {
    const fs::path path = name;
    if (path.empty() || path.is_absolute()) return false;
    std::vector<fs::path> own = outputNames(spec.output.path);
    own.push_back(provenancePath(spec.output.path));
    const fs::path first = *path.begin();
    const bool isOwn = std::any_of(own.begin(), own.end(), [&](const fs::path& each) {
        return placeOf(each).filename() == first;
    });
    if (!isOwn) return false;
    const auto begin = std::next(path.begin());
    if (begin == path.end()) return true;
    if (std::next(begin) == path.end() && isSliceName(begin->string())) return true;
    if (first.string().find(".zarr") == std::string::npos) return false;
    return std::all_of(begin, path.end(),
                       [](const fs::path& part) { return isZarrPart(part.string()); });
}

std::vector<HostFile> filesOfVolume(const JobSpec& spec, const std::vector<HostFile>& listed,
                                    std::vector<std::string>& left) {
    // A spool has float32 voxels beside the volume's own, a pyramid less than once more, and each
    // file has a header.
    constexpr Index kTimes = 8;
    constexpr Index kMore = 256'000'000;
    const Index max = kTimes * outputBytes(spec.output, spec.volume) + kMore;
    std::vector<HostFile> files;
    Index room = max;
    for (const HostFile& file : listed) {
        if (!isOfVolume(spec, file.name)) {
            left.push_back(file.name);
            continue;
        }
        if (file.bytes > room)
            throwError<InputError>(
                "The host lists '{}' with {} bytes; the files of this volume have at most {}.",
                shownText(file.name), file.bytes, max);
        room -= file.bytes;
        files.push_back(file);
    }
    return files;
}

std::string leftFilesNotice(const std::string& host, const std::vector<std::string>& left) {
    return fmt::format(
        "{} lists {} file{} that this job does not write, such as '{}'; {} not "
        "fetched.",
        host, left.size(), left.size() == 1 ? "" : "s", shownText(left.front(), 80),
        left.size() == 1 ? "it is" : "they are");
}

}  // namespace gantry
