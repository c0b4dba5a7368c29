#include "ui/models/job/job_output.h"

#include <QFile>
#include <algorithm>

#include "core/base/error.h"
#include "ui/models/text.h"

namespace gantry {

namespace fs = std::filesystem;

OutputPlace outputPlaceOf(const fs::path& output) {
    const fs::path file = output.has_filename() ? output : output.parent_path();
    OutputPlace place;
    place.folder = toText(file.parent_path());
    try {
        place.format = volumeFormatOf(output).format;
    } catch (const InputError&) {
        // An unknown extension becomes a part of the name.
        place.name = toText(file.filename());
        return place;
    }
    const bool isSlices = place.format == VolumeFormat::tiffFolder;
    const QString name = toText(file.filename());
    place.name = isSlices ? name : typedName(name).name;
    return place;
}

fs::path outputPathOf(const OutputPlace& place) {
    const fs::path path = toPath(place.folder) / toPath(place.name + extensionOf(place.format));
    // With a slash at its end it is a folder, whatever dots its name has.
    return place.format == VolumeFormat::tiffFolder ? path / "" : path;
}

QString extensionOf(VolumeFormat format) {
    for (const VolumeFileFormat& known : volumeFormats())
        if (known.format == format && !known.extensions.empty())
            return QLatin1String(known.extensions.front().data(),
                                 qsizetype(known.extensions.front().size()));
    return {};
}

TypedName typedName(const QString& text) {
    const QString name = text.trimmed();
    for (const VolumeFileFormat& known : volumeFormats())
        for (const std::string_view own : known.extensions) {
            const QLatin1String extension(own.data(), qsizetype(own.size()));
            if (name.endsWith(extension, Qt::CaseInsensitive) && name.size() > extension.size())
                return {name.chopped(extension.size()), known.format};
        }
    return {name, {}};
}

QString reasonAgainstName(const QString& name) {
    constexpr qsizetype kMaxBytes = 230;  // of 255, leaving room for ".mha.job" and the like
    if (name.isEmpty()) return tr("Give the volume a name.");
    if (name == "." || name == "..") return tr("“%1” is no name for a file.").arg(name);
    if (name.contains('/')) return tr("A name has no “/”: choose the folder in the field below.");
    if (std::ranges::any_of(name, [](QChar c) { return c.category() == QChar::Other_Control; }))
        return tr("The name has characters that cannot be seen: type it anew.");
    if (QFile::encodeName(name).size() > kMaxBytes)
        return tr("The name is too long: use at most about 200 letters.");
    return {};
}

}  // namespace gantry
