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

std::string_view otherFormat(std::string_view signature) {
    using namespace std::string_view_literals;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kKnown = {{
        {"\x89PNG"sv, "a PNG image"},
        {"\xff\xd8\xff"sv, "a JPEG image"},
        {"\x89HDF\r\n"sv, "an HDF5 file"},
        {"\x1f\x8b"sv, "a gzip archive"},
        {"PK\x03\x04"sv, "a zip archive"},
        {"\xd0\xcf\x11\xe0"sv, "an OLE file (as .txrm is)"},
    }};
    for (const auto& [magic, format] : kKnown)
        if (signature.starts_with(magic)) return format;
    if (signature.size() > 132 && signature.substr(128, 4) == "DICM") return "a DICOM file";
    return "of an unknown format";
}

}  // namespace

std::unique_ptr<ProjectionSource> openSource(const std::vector<fs::path>& files,
                                             const OpenOptions& options) {
    if (files.empty()) throw InputError("a scan needs at least one image file; none was given");
    const fs::path& first = files.front();
    const std::string signature = readSignature(first);
    if (signature.empty())
        throw InputError(
            fmt::format("{}: the file is empty; an image was expected", first.string()));
    if (isTiff(signature)) return std::make_unique<TiffSource>(files, options);
    if (isMetaImage(signature)) return std::make_unique<MetaImageSource>(files, options);
    if (rawHeaderOf(first)) return std::make_unique<RawSource>(files, options);
    throw InputError(fmt::format(
        "{}: is {}; TIFF, MetaImage and raw files with a JSON header ({}.json) can be read",
        first.string(), otherFormat(signature), first.filename().string()));
}

}  // namespace gantry
