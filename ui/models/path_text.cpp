#include "ui/models/path_text.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/foreign_text.h"
#include "ui/models/text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

struct SeenPath {
    fs::path path;
    bool isAmbiguous = false;
};

// The names in a folder that look like this one.
std::vector<fs::path> lookingLike(const QString& name, const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator each(folder, error), end; !error && each != end;
         each.increment(error))
        if (QString::fromStdString(each->path().filename().string()) == name)
            found.push_back(each->path().filename());
    return found;
}

SeenPath seenAs(const QString& text) {
    SeenPath seen{bytesOfUtf8(text.toStdString())};
    if (!text.contains(QChar::ReplacementCharacter)) return seen;
    fs::path real;
    for (const fs::path& part : seen.path) {
        const QString name = QString::fromStdString(part.string());
        std::error_code error;
        const bool isLookedUp = name.contains(QChar::ReplacementCharacter) &&
                                !fs::exists(fs::symlink_status(real / part, error));
        const std::vector<fs::path> alike =
            isLookedUp ? lookingLike(name, real.empty() ? fs::path(".") : real)
                       : std::vector<fs::path>();
        seen.isAmbiguous = seen.isAmbiguous || alike.size() > 1;
        real /= alike.size() == 1 ? alike.front() : part;
    }
    seen.path = std::move(real);
    return seen;
}

}  // namespace

fs::path toPath(const QString& text) {
    return seenAs(text).path;
}

QString toText(const fs::path& path) {
    return QString::fromStdString(utf8OfBytes(path.string()));
}

QString pathTextOf(const QUrl& url) {
    const QByteArray encoded = url.path(QUrl::FullyEncoded).toUtf8();
    return toText(QByteArray::fromPercentEncoding(encoded).toStdString());
}

QString reasonAgainstPath(const QString& path) {
    const SeenPath seen = seenAs(path);
    if (!seen.isAmbiguous) return {};
    return tr("%1 has letters in a name that are no UTF-8, and several names there look the same: "
              "choose another folder, or rename them.")
        .arg(path);
}

}  // namespace gantry
