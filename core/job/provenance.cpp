#include "core/job/provenance.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"
#include "core/base/version.h"
#include "core/io/volume/record_path.h"
#include "core/job/job_file.h"

namespace gantry {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

// A part of a file, and the checksum of this part.
struct Piece {
    std::size_t file = 0;
    Index begin = 0;
    Index end = 0;
    std::uint32_t crc32 = 0;
};

std::vector<Piece> piecesOf(const std::vector<FileChecksum>& files) {
    constexpr Index kPieceBytes = Index{64} << 20;
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < files.size(); ++i)
        for (Index begin = 0; begin < files[i].bytes; begin += kPieceBytes)
            pieces.push_back({i, begin, std::min(begin + kPieceBytes, files[i].bytes), 0});
    return pieces;
}

std::uint32_t checksumOf(const fs::path& path, const Piece& piece, std::span<std::byte> buffer,
                         const std::stop_token& stop) {
    const File file(path, File::Mode::read);
    const auto max = std::ssize(buffer);
    uLong crc = 0;
    for (Index at = piece.begin; at < piece.end; at += max) {
        if (stop.stop_requested()) throw Cancelled();
        const auto size = static_cast<std::size_t>(std::min(max, piece.end - at));
        file.readAt(at, buffer.first(size));
        crc = ::crc32_z(crc, reinterpret_cast<const unsigned char*>(buffer.data()), size);
    }
    return static_cast<std::uint32_t>(crc);
}

}  // namespace

std::vector<FileChecksum> checksumFiles(const std::vector<fs::path>& files,
                                        const std::stop_token& stop, int threads) {
    constexpr int kPartOfThreads = 4;
    constexpr Index kBufferBytes = 1 << 20;
    std::vector<FileChecksum> result;
    result.reserve(files.size());
    for (const fs::path& path : files)
        result.push_back({path, File(path, File::Mode::read).sizeBytes(), 0});
    std::vector<Piece> pieces = piecesOf(result);
    const int workers = std::max(1, threads / kPartOfThreads);
    std::vector<HostBuffer<std::byte>> buffers;
    buffers.reserve(workers);
    for (int i = 0; i < workers; ++i)
        buffers.emplace_back(kBufferBytes);
    parallelFor(
        workers, std::ssize(pieces), 1,
        [&](Index begin, Index end, int worker) {
            for (Index i = begin; i < end; ++i) {
                Piece& piece = pieces[i];
                piece.crc32 = checksumOf(files[piece.file], piece, buffers[worker].span(), stop);
            }
        },
        stop);
    for (const Piece& piece : pieces) {
        std::uint32_t& whole = result[piece.file].crc32;
        whole = static_cast<std::uint32_t>(
            ::crc32_combine(whole, piece.crc32, piece.end - piece.begin));
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
    return recordPath(output);
}

json toJson(const IterationFigures& figures) {
    return {{"iteration", figures.iteration},
            {"residual", figures.residual},
            {"change", figures.change},
            {"seconds", figures.seconds}};
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
    json leftOut = json::array();
    for (const LeftOutView& view : provenance.leftOut)
        leftOut.push_back(
            {{"view", view.view}, {"file", view.file.string()}, {"reason", view.sentence}});
    json document = {
        {"gantryProvenance", 1},     {"program", fmt::format("gantry {}", programVersion())},
        {"finished", when},          {"engine", provenance.engine},
        {"notes", provenance.notes}, {"request", ownOrderedJson(toJson(provenance.spec))},
        {"viewsLeftOut", leftOut},   {"inputs", inputs}};
    for (const IterationFigures& one : provenance.iterations)
        document["iterations"].push_back(toJson(one));
    return jsonText(document) + "\n";
}

}  // namespace gantry
