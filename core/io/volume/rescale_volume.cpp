#include "core/io/volume/rescale_volume.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/io/volume/calibration.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/record_path.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/volume/volume_format.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kScaleKey = "calibration";

// Those of our jobs, or of this file alone; anything else that has the name is left to its owner.
std::optional<nlohmann::ordered_json> readRecord(const fs::path& record) {
    if (!pathExists(record)) return std::nullopt;
    nlohmann::ordered_json json = ownOrderedJson(readTextFile(record));
    if (!json.is_object()) return std::nullopt;
    return json;
}

void writeRecord(const fs::path& record, const ValueScale& scale, bool isNeeded) {
    const auto found = readRecord(record);
    if (!found && pathExists(record))
        throw InputError(record.string() +
                         ": it is no record of a volume, and its name is needed for one. Rename "
                         "it.");
    nlohmann::ordered_json json = found.value_or(nlohmann::ordered_json::object());
    json.erase(kScaleKey);
    if (isNeeded) json[kScaleKey] = scaleText(scale);
    if (json.empty())
        removeFile(record);
    else
        writeFileAtomically(record, jsonText(json) + "\n");
}

bool holds(const File& file, Index offset, const std::string& text) {
    if (file.sizeBytes() < offset + std::ssize(text)) return false;
    std::string found(text.size(), '\0');
    file.readAt(offset, std::as_writable_bytes(std::span(found)));
    return found == text;
}

// Writes the bytes of a text that differ from those that are there.
void replace(File& file, Index offset, const std::string& before, const std::string& after) {
    if (before == after) return;
    file.writeAt(offset, std::as_bytes(std::span(after)));
}

// Only where the file is as Gantry writes it, and its voxels stay where they are.
bool restateHeader(const FlatLayout& before, const FlatLayout& after, Index voxelBytes) {
    if (before.before.size() != after.before.size() || before.after.size() != after.after.size())
        return false;
    const bool hasCompanion = !before.companionPath.empty();
    if (hasCompanion && readTextFile(before.companionPath) != before.companionText) return false;
    const Index voxelEnd = std::ssize(before.before) + voxelBytes + before.madeBytes;
    const File found(before.path, File::Mode::read);
    if (!holds(found, 0, before.before) || !holds(found, voxelEnd, before.after)) return false;
    if (hasCompanion) writeFileAtomically(after.companionPath, after.companionText);
    if (before.before == after.before && before.after == after.after) return true;
    File data(before.path, File::Mode::update);
    claim(data, before.path);
    replace(data, 0, before.before, after.before);
    replace(data, voxelEnd, before.after, after.after);
    data.sync();
    data.close();
    return true;
}

}  // namespace

VoxelEncoding rescaled(const VoxelEncoding& encoding, const ValueScale& scale) {
    const ValueScale& now = encoding.scale;
    if (scale == now) return encoding;
    const double factor = scale.slope / now.slope;
    return {encoding.type, factor * encoding.slope,
            factor * (encoding.intercept - now.intercept) + scale.intercept, scale};
}

VoxelEncoding asRecorded(const fs::path& volume, const VoxelEncoding& encoding) {
    const fs::path record = recordPath(volume);
    const auto json = readRecord(record);
    if (!json || !json->contains(kScaleKey)) return encoding;
    const auto& text = json->at(kScaleKey);
    const auto scale = text.is_string() ? scaleOf(text.get<std::string>()) : std::nullopt;
    if (!scale)
        throw InputError(record.string() + ": " + kScaleKey +
                         " must be 1/mm, or HU with two numbers. Correct or remove it.");
    return rescaled(encoding, *scale);
}

void forgetRecordedScale(const fs::path& volume) {
    const fs::path record = recordPath(volume);
    const auto json = readRecord(record);
    if (json && json->contains(kScaleKey)) writeRecord(record, {}, false);
}

bool rescaleVolume(const fs::path& volume, const ValueScale& scale) {
    require(scale.slope != 0, "a volume was to be scaled with the slope 0");
    const VolumeFileFormat& format = storedFormatOf(volume);
    const fs::path place = placeOf(volume);
    VolumeGrid grid;
    VoxelEncoding own;
    {
        const StoredVolume stored = format.read(volume);
        grid = stored.grid;
        own = stored.encoding;
    }
    bool isInFile = own.scale == scale;
    if (!isInFile && format.layout)
        isInFile = restateHeader(format.layout(place, grid, own),
                                 format.layout(place, grid, rescaled(own, scale)),
                                 grid.count() * sizeBytes(own.type));
    writeRecord(recordPath(place), scale, !isInFile || scale != ValueScale{});
    return isInFile;
}

}  // namespace gantry
