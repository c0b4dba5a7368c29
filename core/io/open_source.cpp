#include "core/io/open_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/metaimage_source.h"
#include "core/io/raw_source.h"
#include "core/io/tiff_source.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Enough for every signature and for the first fields of a MetaImage header.
constexpr Index kSignatureBytes = 2048;

std::string readSignature(const fs::path& path) {
    const File file(path, File::Mode::read);
    std::string signature(static_cast<std::size_t>(std::min(kSignatureBytes, file.sizeBytes())),
                          '\0');
    file.readAt(0, std::as_writable_bytes(std::span(signature)));
    return signature;
}

bool isTiff(std::string_view signature) {
    using namespace std::string_view_literals;
    return signature.starts_with("II*\0"sv) || signature.starts_with("MM\0*"sv) ||
           signature.starts_with("II+\0"sv) || signature.starts_with("MM\0+"sv);
}

// Fields stand as "Name = value", one a line; NDims is among the first.
bool isMetaImage(std::string_view signature) {
    const auto found = signature.find("NDims");
    if (found == std::string_view::npos) return false;
    if (found != 0 && signature[found - 1] != '\n') return false;
    const auto next = signature.find_first_not_of(" \t", found + 5);
    return next != std::string_view::npos && signature[next] == '=';
}

struct Reader {
    std::string_view reads;  ///< as a list of formats names it
    bool (*takes)(const fs::path& first, std::string_view signature);
    std::unique_ptr<ProjectionSource> (*open)(const std::vector<fs::path>&, const OpenOptions&);
};

template <class Source>
std::unique_ptr<ProjectionSource> make(const std::vector<fs::path>& files,
                                       const OpenOptions& options) {
    return std::make_unique<Source>(files, options);
}

// All that images can be read from, in the order in which they are asked.
constexpr std::array<Reader, 3> kReaders = {{
    {"TIFF", [](const fs::path&, std::string_view signature) { return isTiff(signature); },
     make<TiffSource>},
    {"MetaImage",
     [](const fs::path&, std::string_view signature) { return isMetaImage(signature); },
     make<MetaImageSource>},
    {"raw files with a JSON header",
     [](const fs::path& first, std::string_view) { return rawHeaderOf(first).has_value(); },
     make<RawSource>},
}};

// What files of other formats begin with.
std::string_view otherFormat(std::string_view signature) {
    using namespace std::string_view_literals;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kKnown = {{
        {"\x89PNG"sv, "it is a PNG image"},
        {"\xff\xd8\xff"sv, "it is a JPEG image"},
        {"\x89HDF\r\n"sv, "it is an HDF5 file"},
        {"\x1f\x8b"sv, "it is a gzip archive"},
        {"PK\x03\x04"sv, "it is a zip archive"},
        {"\xd0\xcf\x11\xe0"sv, "it is an OLE file (as .txrm is)"},
    }};
    for (const auto& [magic, format] : kKnown)
        if (signature.starts_with(magic)) return format;
    if (signature.size() > 132 && signature.substr(128, 4) == "DICM") return "it is a DICOM file";
    return "unknown format";
}

}  // namespace

std::string readableFormats() {
    std::string list;
    for (std::size_t i = 0; i < kReaders.size(); ++i) {
        if (i > 0) list += i + 1 < kReaders.size() ? ", " : " and ";
        list += kReaders[i].reads;
    }
    return list;
}

std::unique_ptr<ProjectionSource> openSource(const std::vector<fs::path>& files,
                                             const OpenOptions& options) {
    if (files.empty())
        throw InputError("A scan needs at least one image file, and none was given.");
    const fs::path& first = files.front();
    const std::string signature = readSignature(first);
    if (signature.empty())
        throw InputError(fmt::format("{} is empty; it must be an image.", first.string()),
                         {.code = ErrorCode::damagedFile});
    for (const Reader& reader : kReaders)
        if (reader.takes(first, signature)) return reader.open(files, options);
    throw InputError(fmt::format("Cannot open {}: {}. Gantry reads {}.", first.string(),
                                 otherFormat(signature), readableFormats()),
                     {.code = ErrorCode::unknownFormat});
}

}  // namespace gantry
