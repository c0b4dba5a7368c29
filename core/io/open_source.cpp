#include "core/io/open_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/io/file_error.h"
#include "core/io/raw/raw_files.h"
#include "core/io/series/series_parts.h"
#include "core/io/turned_source.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Enough for every signature, and for the first fields of a MetaImage header.
constexpr Index kSignatureBytes = 2048;

std::string readSignature(const fs::path& path) {
    const File file(path, File::Mode::read);
    std::string signature(std::min(kSignatureBytes, file.sizeBytes()), '\0');
    file.readAt(0, std::as_writable_bytes(std::span(signature)));
    return signature;
}

// Recognises files of other formats by their first bytes.
std::string_view otherFormat(std::string_view signature) {
    using namespace std::string_view_literals;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kKnown = {{
        {"\x89PNG"sv, "it is a PNG image"},
        {"\xff\xd8\xff"sv, "it is a JPEG image"},
        {"\x1f\x8b"sv, "it is a gzip archive"},
        {"PK\x03\x04"sv, "it is a zip archive"},
        {"CTDATA-HEADER_V1"sv,
         "it is a file of Scanco (.isq holds a volume, .rsq and .rad projections whose geometry is "
         "not public)"},
    }};
    for (const auto& [magic, format] : kKnown)
        if (signature.starts_with(magic)) return format;
    if (signature.size() > 132 && signature.substr(128, 4) == "DICM") return "it is a DICOM file";
    return "unknown format";
}

const ProjectionFormat& formatOf(const fs::path& file, const OpenOptions& options,
                                 const ProjectionFormats& formats) {
    const std::string signature = readSignature(file);
    if (signature.empty()) throw FileError(file, "is empty; it must be an image");
    for (const ProjectionFormat& format : formats)
        if (format.takes(file, signature)) return format;
    static const ProjectionFormat bare = bareProjections();
    if (options.bare) return bare;
    std::vector<std::string> names;
    for (const ProjectionFormat& format : formats)
        names.emplace_back(format.name);
    throw InputError(fmt::format("Cannot open {}: {}. Gantry reads {}, and scans by the file that "
                                 "their scanner's program wrote.",
                                 file.string(), otherFormat(signature), listed(names, "and")),
                     {.code = ErrorCode::unknownFormat});
}

// The first file may be a bad one, so the middle and the last one are checked too, and all others
// only if none of the three is readable.
const ProjectionFormat& formatOfMost(const std::vector<fs::path>& files, const OpenOptions& options,
                                     const ProjectionFormats& formats) {
    std::vector<const ProjectionFormat*> found;
    std::exception_ptr firstFault;
    const auto ask = [&](std::size_t i) {
        try {
            found.push_back(&formatOf(files[i], options, formats));
        } catch (const InputError&) {
            if (!firstFault) firstFault = std::current_exception();
        }
    };
    std::vector<std::size_t> few = {0, files.size() / 2, files.size() - 1};
    few.erase(std::unique(few.begin(), few.end()), few.end());
    std::ranges::for_each(few, ask);
    if (found.size() == 3 && found[1] == found[2]) return *found[1];
    for (std::size_t i = 0; found.empty() && i < files.size(); ++i)
        ask(i);
    if (found.empty()) std::rethrow_exception(firstFault);
    return *found.front();
}

}  // namespace

std::unique_ptr<ProjectionSource> openSource(const std::vector<fs::path>& files,
                                             const OpenOptions& options,
                                             const ProjectionFormats& formats) {
    if (files.empty())
        throw InputError("A scan needs at least one image file, and none was given.");
    return openTurned(formatOf(files.front(), options, formats), files, options, useAll);
}

std::optional<StatedGeometry> statedGeometry(const std::vector<fs::path>& files,
                                             const std::string& entry,
                                             const ProjectionFormats& formats) {
    const auto ask = [&](const fs::path& file) -> std::optional<StatedGeometry> {
        const ProjectionFormat& format = formatOf(file, {}, formats);
        if (!format.stated) return std::nullopt;
        std::optional<StatedGeometry> stated = format.stated(file, entry);
        if (stated && stated->wouldTellSource && files.size() > 1) return std::nullopt;
        return stated;
    };
    if (files.empty()) return std::nullopt;
    for (const std::size_t i : {std::size_t{0}, files.size() / 2}) {
        try {
            if (i + 1 < files.size()) return ask(files[i]);
        } catch (const InputError&) {
            continue;  // one bad file among many
        }
    }
    return ask(files.back());
}

std::vector<std::string> entriesIn(const fs::path& file, const ProjectionFormats& formats) {
    const std::string signature = readSignature(file);
    for (const ProjectionFormat& format : formats)
        if (format.takes(file, signature))
            return format.entries ? format.entries(file) : std::vector<std::string>();
    return {};
}

OpenedViews openViews(std::vector<fs::path> files, const OpenOptions& options,
                      const ProjectionFormats& formats) {
    if (files.empty())
        throw InputError("A scan needs at least one image file, and none was given.");
    OpenedViews views;
    const auto choose = [&views](std::span<const fs::path> all, std::span<const SeriesPart> parts) {
        UsableParts usable = useMost(all, parts);
        views.bad = usable.bad;
        views.fileOfView = usable.fileOfView;
        return usable;
    };
    views.source = openTurned(formatOfMost(files, options, formats), files, options, choose);
    views.files = std::move(files);
    return views;
}

}  // namespace gantry
