#include "core/io/raw/raw_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/io/file_error.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Products of these with 8 bytes a pixel and the offset stay below 2^63.
constexpr Index kMostEachWay = 1'000'000;
constexpr Index kMostOffset = 1'000'000'000'000;

Index positive(JsonFields& fields, const char* name) {
    const Index value = fields.integer(name);
    if (value < 1 || value > kMostEachWay)
        fields.fail(name, fmt::format("is {}; it must be 1 to {}", value, kMostEachWay));
    return value;
}

PixelType pixelType(JsonFields& fields) {
    std::vector<std::string> names;
    for (int i = 0; i <= static_cast<int>(PixelType::float64); ++i)
        names.emplace_back(name(static_cast<PixelType>(i)));
    const std::string chosen = fields.choice("type", names);
    const auto found = std::find(names.begin(), names.end(), chosen);
    return static_cast<PixelType>(found - names.begin());
}

void reverseBytes(std::span<std::byte> pixels, Index pixelBytes) {
    const auto step = static_cast<std::size_t>(pixelBytes);
    for (std::size_t i = 0; i < pixels.size(); i += step)
        std::reverse(pixels.data() + i, pixels.data() + i + step);
}

// The JSON header beside a raw file, if there is one.
std::optional<fs::path> rawHeaderOf(const fs::path& file) {
    fs::path beside = file;
    beside += ".json";
    fs::path replaced = file;
    replaced.replace_extension(".json");
    std::error_code ignored;
    for (const fs::path& header : {beside, replaced})
        if (header != file && fs::is_regular_file(header, ignored)) return header;
    return std::nullopt;
}

}  // namespace

RawSource::Part RawSource::readHeader(const fs::path& file) {
    const std::optional<fs::path> header = rawHeaderOf(file);
    if (!header)
        throw FileError(
            file, fmt::format("has no header beside it; {}.json must say its columns, rows, views "
                              "and type",
                              file.filename().string()));
    const nlohmann::json json = readJsonFile(*header);
    JsonFields fields(json, header->string());
    if (const Index version = fields.integer("gantryRaw"); version != 1)
        fields.fail("gantryRaw", fmt::format("is {}; this version of Gantry reads 1", version));
    Part part;
    part.file = file;
    part.shape.columns = positive(fields, "columns");
    part.shape.rows = positive(fields, "rows");
    part.views = positive(fields, "views");
    part.shape.type = pixelType(fields);
    part.bigEndian = fields.choice("byteOrder", {"little", "big"}, "little") == "big";
    part.offsetBytes = fields.integer("offsetBytes", 0);
    if (part.offsetBytes < 0 || part.offsetBytes > kMostOffset)
        fields.fail("offsetBytes",
                    fmt::format("is {}; it must be 0 to {}", part.offsetBytes, kMostOffset));
    fields.finish();

    const Index expected = part.offsetBytes + part.views * part.shape.rows * part.shape.columns *
                                                  sizeBytes(part.shape.type);
    const Index found = File(file, File::Mode::read).sizeBytes();
    if (found != expected)
        throw FileError(
            file, fmt::format(
                      "has {} bytes, but its header {} says {} ({} views of {} x {} pixels of {} "
                      "from byte {})",
                      found, header->filename().string(), expected, part.views, part.shape.columns,
                      part.shape.rows, name(part.shape.type), part.offsetBytes));
    return part;
}

RawSource::RawSource(const std::vector<fs::path>& files, const OpenOptions& options,
                     const ChooseParts& choose)
    : m_options(options) {
    std::vector<Part> found(files.size());
    std::vector<SeriesPart> parts;
    for (std::size_t i = 0; i < files.size(); ++i) {
        try {
            found[i] = readHeader(files[i]);
            parts.push_back({i, SeriesPart::kWholeFile, found[i].views, found[i].shape});
        } catch (const InputError&) {
            parts.push_back({i, SeriesPart::kWholeFile, 0, {}, std::current_exception()});
        }
    }
    const UsableParts usable = choose(files, parts);
    m_shape = usable.shape;
    for (const std::size_t number : usable.parts) {
        Part& part = found[number];
        part.firstView = m_info.views;
        m_info.views += part.views;
        m_info.storedBytes += part.offsetBytes +
                              part.views * m_shape.rows * m_shape.columns * sizeBytes(m_shape.type);
        m_parts.push_back(std::move(part));
    }
    m_info.rows = m_shape.rows;
    m_info.columns = m_shape.columns;
    m_info.pixelType = m_shape.type;
    m_info.readsRowsAlone = true;
    m_info.format = fmt::format("raw, {}, {}-endian", describe(m_shape.type),
                                m_parts.front().bigEndian ? "big" : "little");
}

const RawSource::Part& RawSource::partOf(Index view) const {
    const auto after =
        std::upper_bound(m_parts.begin(), m_parts.end(), view,
                         [](Index v, const Part& part) { return v < part.firstView; });
    return *std::prev(after);
}

void RawSource::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    checkRequest(m_shape, m_info.views, view, rows, pixels);
    const Part& part = partOf(view);
    const IndexRange stored = imageRows(rows, m_shape.rows, m_options.firstRowIsTop);
    const Index firstRow = (view - part.firstView) * m_shape.rows + stored.begin;
    const Index pixelBytes = sizeBytes(m_shape.type);
    File(part.file, File::Mode::read)
        .readAt(part.offsetBytes + firstRow * m_shape.columns * pixelBytes, pixels);
    if (part.bigEndian != (std::endian::native == std::endian::big))
        reverseBytes(pixels, pixelBytes);
    if (m_options.firstRowIsTop) reverseRows(pixels, rows.size());
}

std::string RawSource::viewName(Index view) const {
    const Part& part = partOf(view);
    if (part.views == 1) return part.file.string();
    return fmt::format("{}, view {}", part.file.string(), view - part.firstView + 1);
}

ProjectionFormat rawProjections() {
    return {"raw files with a JSON header",
            {".raw"},
            {},
            [](const fs::path& file, std::string_view) { return rawHeaderOf(file).has_value(); },
            openAs<RawSource>};
}

}  // namespace gantry
