#include "ui/models/job/job_output.h"

#include <QFile>
#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "ui/models/text.h"
#include "ui/models/translation.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::pair<const char*, VolumeFormat>, 5> kExtensions = {
    {{".mha", VolumeFormat::metaImage},
     {".mhd", VolumeFormat::metaImagePair},
     {".raw", VolumeFormat::raw},
     {".tif", VolumeFormat::bigTiff},
     {".tiff", VolumeFormat::bigTiff}}};

}  // namespace

OutputPlace outputPlaceOf(const fs::path& output) {
    const fs::path file = output.has_filename() ? output : output.parent_path();
    OutputPlace place;
    place.folder = toText(file.parent_path());
    try {
        place.format = volumeFormatOf(output);
    } catch (const InputError&) {
        // Of an unknown extension: it becomes a part of the name.
        place.name = toText(file.filename());
        return place;
    }
    const bool isSlices = place.format == VolumeFormat::tiffFolder;
    place.name = toText(isSlices ? file.filename() : file.stem());
    return place;
}

fs::path outputPathOf(const OutputPlace& place) {
    const fs::path path = toPath(place.folder) / toPath(place.name + extensionOf(place.format));
    // With the slash at its end it is a folder whatever dots are in its name.
    return place.format == VolumeFormat::tiffFolder ? path / "" : path;
}

QString extensionOf(VolumeFormat format) {
    const auto found = std::find_if(kExtensions.begin(), kExtensions.end(),
                                    [=](const auto& one) { return one.second == format; });
    return found == kExtensions.end() ? QString() : QString(found->first);
}

TypedName typedName(const QString& text) {
    const QString name = text.trimmed();
    for (const auto& [extension, format] : kExtensions)
        if (name.endsWith(QLatin1String(extension), Qt::CaseInsensitive) &&
            name.size() > qsizetype(qstrlen(extension)))
            return {name.chopped(qsizetype(qstrlen(extension))), format};
    return {name, {}};
}

QString reasonAgainstName(const QString& name) {
    constexpr qsizetype kMostBytes = 230;  // of 255, with room for ".mha.job" and the like
    if (name.isEmpty()) return tr("Give the volume a name.");
    if (name == "." || name == "..") return tr("“%1” is no name for a file.").arg(name);
    if (name.contains('/')) return tr("A name has no “/”: choose the folder in the field below.");
    if (std::any_of(name.begin(), name.end(),
                    [](QChar c) { return c.category() == QChar::Other_Control; }))
        return tr("The name has characters that cannot be seen: type it anew.");
    if (QFile::encodeName(name).size() > kMostBytes)
        return tr("The name is too long: use at most about 200 letters.");
    return {};
}

}  // namespace gantry
