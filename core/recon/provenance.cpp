#include "core/recon/provenance.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"

namespace gantry {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

std::string_view programVersion() {
    return GANTRY_VERSION;
}

std::vector<FileChecksum> checksumFiles(const std::vector<fs::path>& files,
                                        const std::stop_token& stop) {
    constexpr Index kPieceBytes = 1 << 20;
    HostBuffer<std::byte> piece(kPieceBytes);
    std::vector<FileChecksum> result;
    result.reserve(files.size());
    for (const fs::path& path : files) {
        const File file(path, File::Mode::read);
        FileChecksum sum{path, file.sizeBytes(), 0};
        for (Index at = 0; at < sum.bytes; at += kPieceBytes) {
            if (stop.stop_requested()) throw Cancelled();
            const auto size = static_cast<std::size_t>(std::min(kPieceBytes, sum.bytes - at));
            file.readAt(at, piece.span().first(size));
            sum.crc32 = static_cast<std::uint32_t>(
                ::crc32_z(sum.crc32, reinterpret_cast<const unsigned char*>(piece.data()), size));
        }
        result.push_back(std::move(sum));
    }
    return result;
}

std::string inputState(const std::vector<fs::path>& files) {
    uLong state = ::crc32_z(0, nullptr, 0);
    for (const fs::path& path : files) {
        std::error_code ignored;
        const std::string text =
            fmt::format("{} {} {}\n", path.string(), fs::file_size(path, ignored),
                        fs::last_write_time(path, ignored).time_since_epoch().count());
        state = ::crc32_z(state, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
    return fmt::format("{:08x}", state);
}

fs::path provenancePath(const fs::path& output) {
    fs::path path = output;
    if (!path.has_filename()) path = path.parent_path();
    path += ".provenance.json";
    return path;
}

std::string toJson(const Provenance& provenance) {
    char when[32] = "";
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    (void)std::strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
    json inputs = json::array();
    for (const FileChecksum& sum : provenance.inputs)
        inputs.push_back({{"file", sum.path.string()},
                          {"bytes", sum.bytes},
                          {"crc32", fmt::format("{:08x}", sum.crc32)}});
    const json document = {
        {"gantryProvenance", 1},     {"program", fmt::format("gantry {}", programVersion())},
        {"finished", when},          {"engine", provenance.engine},
        {"notes", provenance.notes}, {"request", json::parse(toJson(provenance.spec))},
        {"inputs", inputs}};
    return document.dump(2) + "\n";
}

}  // namespace gantry
