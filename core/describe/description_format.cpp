#include "core/describe/description_format.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/describe/makers.h"
#include "core/geometry/exchange/exchange.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kBeginBytes = 4096;
constexpr Index kMaxVectorsBytes = 512'000'000;

std::string extensionOf(const fs::path& file) {
    return inLowerCase(file.extension().string());
}

bool isJson(const fs::path& file, std::string_view) {
    return extensionOf(file) == ".json";
}
bool isXml(const fs::path& file, std::string_view) {
    return extensionOf(file) == ".xml";
}
bool isCsv(const fs::path& file, std::string_view) {
    return extensionOf(file) == ".csv";
}
bool isMatlab(const fs::path& file, std::string_view) {
    return extensionOf(file) == ".mat";
}
// The name of LEAP's geometry may stand behind all views' angles.
bool isLeap(const fs::path& file, std::string_view) {
    return isLeapText(readTextFile(file, kMaxVectorsBytes));
}
bool isAnyText(const fs::path&, std::string_view) {
    return true;
}

ScanDescription readScanJson(const fs::path& file, const Answers& answers) {
    if (!answers.empty())
        throwError<InputError>("{}: a scan.json leaves no question open, so {} cannot be answered",
                               file.string(), quotable(answers.begin()->first));
    ScanDescription description;
    description.scan = readScanFile(file);
    description.format = "scan.json";
    description.file = file;
    return description;
}

std::string beginOf(const fs::path& path) {
    const File file(path, File::Mode::read);
    std::string begin(std::min(kBeginBytes, file.sizeBytes()), '\0');
    file.readAt(0, std::as_writable_bytes(std::span(begin)));
    return begin;
}

bool isAmong(const std::vector<std::string_view>& extensions, const fs::path& file) {
    return std::ranges::find(extensions, extensionOf(file)) != extensions.end();
}

const DescriptionFormat* find(const fs::path& file, bool (*isWanted)(const DescriptionFormat&)) {
    const std::string begin = beginOf(file);
    for (const DescriptionFormat& format : descriptionFormats())
        if (isWanted(format) && format.recognises(file, begin)) return &format;
    return nullptr;
}

bool isWhole(const DescriptionFormat& format) {
    return format.read != nullptr;
}

}  // namespace

const std::vector<DescriptionFormat>& descriptionFormats() {
    static const std::vector<DescriptionFormat> formats = {
        {"gantry", "scan.json", {".json"}, isJson, GeometryFormat::scan, readScanJson, true},
        nikonDescriptions(),
        skyscanDescriptions(),
        phoenixDescriptions(),
        northStarDescriptions(),
        tescanDescriptions(),
        rigakuDescriptions(),
        yxlonDescriptions(),
        olderYxlonDescriptions(),
        diondoDescriptions(),
        varianDescriptions(),
        varianObiDescriptions(),
        elektaDescriptions(),
        ceraDescriptions(),
        zeissDescriptions(),
        {"rtk", "RTK geometry", {".xml"}, isXml, GeometryFormat::rtk, nullptr, true},
        {"csv", "calibrated poses", {".csv"}, isCsv, GeometryFormat::poses, nullptr, true},
        {"tigre", "TIGRE geometry", {".mat"}, isMatlab, GeometryFormat::tigre},
        {"leap", "LEAP parameters", {".txt", ".cfg"}, isLeap, GeometryFormat::leap},
        {"astra",
         "ASTRA vectors",
         {".txt", ".vec"},
         isAnyText,
         GeometryFormat::astra,
         nullptr,
         true},
    };
    return formats;
}

const DescriptionFormat* scanFormatOf(const fs::path& file) {
    const bool mayBe = std::ranges::any_of(descriptionFormats(), [&](const auto& format) {
        return isWhole(format) && isAmong(format.extensions, file);
    });
    if (!mayBe || !isRegularFile(file)) return nullptr;
    return find(file, isWhole);
}

const DescriptionFormat& geometryFormatAt(const fs::path& file) {
    return *find(file, [](const DescriptionFormat&) { return true; });
}

std::optional<fs::path> makersFileIn(const fs::path& folder) {
    std::optional<fs::path> found;
    for (const fs::path& file : entriesOf(folder)) {
        if (isJson(file, {}) || !scanFormatOf(file)) continue;
        if (found)
            throwError<InputError>(
                "{}: has two descriptions of a scan, {} and {}; open the one that is meant",
                folder.string(), found->filename().string(), file.filename().string());
        found = file;
    }
    return found;
}

std::optional<fs::path> descriptionAt(const fs::path& path) {
    if (isFolder(path))
        return pathExists(path / "scan.json") ? path / "scan.json" : makersFileIn(path);
    if (path.extension() == ".json" || scanFormatOf(path)) return path;
    return std::nullopt;
}

ScanDescription readScanDescription(const fs::path& file, const Answers& answers) {
    if (const DescriptionFormat* format = scanFormatOf(file)) return format->read(file, answers);
    // It has the words for what is missing or malformed.
    return readScanJson(file, answers);
}

ScanFile readDescribedScan(const fs::path& file) {
    ScanDescription description = readScanDescription(file);
    throwOnError(description.problems, file.string());
    return std::move(description.scan);
}

}  // namespace gantry
