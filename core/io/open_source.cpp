#include "core/io/open_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/file_error.h"
#include "core/io/metaimage/metaimage_source.h"
#include "core/io/raw/raw_source.h"
#include "core/io/series_parts.h"
#include "core/io/tiff/tiff_handle.h"
#include "core/io/tiff/tiff_source.h"

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
    std::unique_ptr<ProjectionSource> (*open)(const std::vector<fs::path>&, const OpenOptions&,
                                              const ChooseParts&);
};

template <class Source>
std::unique_ptr<ProjectionSource> make(const std::vector<fs::path>& files,
                                       const OpenOptions& options, const ChooseParts& choose) {
    return std::make_unique<Source>(files, options, choose);
}

// All that images can be read from, in the order in which they are asked.
constexpr std::array<Reader, 3> kReaders = {{
    {"TIFF", [](const fs::path&, std::string_view signature) { return isTiffSignature(signature); },
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

const Reader& readerOf(const fs::path& file) {
    const std::string signature = readSignature(file);
    if (signature.empty()) throw FileError(file, "is empty; it must be an image");
    for (const Reader& reader : kReaders)
        if (reader.takes(file, signature)) return reader;
    throw InputError(fmt::format("Cannot open {}: {}. Gantry reads {}.", file.string(),
                                 otherFormat(signature), readableFormats()),
                     {.code = ErrorCode::unknownFormat});
}

// The first file may be one of the bad ones: asked are that in the middle and the last one, too,
// and all others only where none of the three is readable.
const Reader& readerOfMost(const std::vector<fs::path>& files) {
    std::vector<const Reader*> found;
    std::exception_ptr firstFault;
    const auto ask = [&](std::size_t i) {
        try {
            found.push_back(&readerOf(files[i]));
        } catch (const InputError&) {
            if (!firstFault) firstFault = std::current_exception();
        }
    };
    std::vector<std::size_t> few = {0, files.size() / 2, files.size() - 1};
    few.erase(std::unique(few.begin(), few.end()), few.end());
    std::for_each(few.begin(), few.end(), ask);
    if (found.size() == 3 && found[1] == found[2]) return *found[1];
    for (std::size_t i = 0; found.empty() && i < files.size(); ++i)
        ask(i);
    if (found.empty()) std::rethrow_exception(firstFault);
    return *found.front();
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
    return readerOf(files.front()).open(files, options, useAll);
}

OpenedViews openViews(std::vector<fs::path> files, const OpenOptions& options) {
    if (files.empty())
        throw InputError("A scan needs at least one image file, and none was given.");
    OpenedViews views;
    const auto choose = [&views](std::span<const fs::path> all, std::span<const SeriesPart> parts) {
        UsableParts usable = useMost(all, parts);
        views.bad = usable.bad;
        views.fileOfView = usable.fileOfView;
        return usable;
    };
    views.source = readerOfMost(files).open(files, options, choose);
    views.files = std::move(files);
    return views;
}

}  // namespace gantry
