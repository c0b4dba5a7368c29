#include "core/io/series/series_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "core/base/error.h"
#include "core/io/file_error.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

std::string nameOf(const fs::path& file, const SeriesPart& part) {
    if (part.image == SeriesPart::kWholeFile) return file.string();
    return fmt::format("{}, image {}", file.string(), part.image);
}

// The shape that most views have; of equally frequent ones the first. None: all have faults.
std::optional<ImageShape> usualShape(std::span<const SeriesPart> parts) {
    std::map<std::tuple<Index, Index, PixelType>, Index> views;
    const auto viewsOf = [&](const ImageShape& shape) -> Index& {
        return views[std::tuple(shape.columns, shape.rows, shape.type)];
    };
    for (const SeriesPart& part : parts)
        if (!part.fault) viewsOf(part.shape) += part.views;
    std::optional<ImageShape> usual;
    Index max = 0;
    for (const SeriesPart& part : parts) {
        if (part.fault || viewsOf(part.shape) <= max) continue;
        usual = part.shape;
        max = viewsOf(part.shape);
    }
    return usual;
}

// How many views most of the readable files hold.
Index usualViewsOfAFile(std::span<const SeriesPart> parts) {
    std::map<std::size_t, Index> viewsOf;
    for (const SeriesPart& part : parts)
        if (!part.fault) viewsOf[part.file] += part.views;
    std::map<Index, Index> filesWith;
    for (const auto& [file, views] : viewsOf)
        ++filesWith[views];
    const auto usual = std::ranges::max_element(
        filesWith, [](const auto& a, const auto& b) { return a.second < b.second; });
    return usual == filesWith.end() ? 1 : usual->first;
}

// The number of views that a part of unknown content counts for; at least one in a lone file.
Index restOfAFile(const SeriesPart& part, Index viewsOfAFile, bool isLone) {
    const Index before = std::max<Index>(0, part.image);
    return std::max<Index>(viewsOfAFile - before, isLone ? 1 : 0);
}

BadView deviating(const fs::path& file, const SeriesPart& part, const ImageShape& usual) {
    const ImageShape& found = part.shape;
    const std::string name = fs::path(nameOf(file, part)).filename().string();
    if (found.columns != usual.columns || found.rows != usual.rows)
        return {0, file, BadViewKind::otherSize,
                fmt::format("{} is {} × {}; the others are {} × {}. All must be the same size.",
                            name, found.columns, found.rows, usual.columns, usual.rows)};
    return {0, file, BadViewKind::otherType,
            fmt::format("{} has pixels of {}; the others have {}. All must be the same type.", name,
                        gantry::name(found.type), gantry::name(usual.type))};
}

BadView faulty(const fs::path& file, const SeriesPart& part) {
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return {0, file, BadViewKind::missing,
                fmt::format("{} is missing.", file.filename().string())};
    return {0, file, BadViewKind::unreadable, faultSentence(file, part.fault)};
}

}  // namespace

const char* name(BadViewKind kind) {
    switch (kind) {
        case BadViewKind::missing:
            return "missing";
        case BadViewKind::unreadable:
            return "unreadable";
        case BadViewKind::otherSize:
            return "otherSize";
        case BadViewKind::otherType:
            return "otherType";
    }
    throw InternalError("a kind of bad view without a name");
}

std::string faultSentence(const fs::path& file, const std::exception_ptr& fault) {
    const std::string name = file.filename().string();
    try {
        std::rethrow_exception(fault);
    } catch (const FileError& error) {
        return fmt::format("{} {}.", name, error.fault());
    } catch (const InputError& error) {
        // The file's name is enough beside the view's number.
        std::string text = error.message();
        const std::size_t path = text.find(file.string());
        if (path != std::string::npos) text.replace(path, file.string().size(), name);
        return text.ends_with('.') ? text : text + '.';
    }
}

UsableParts useAll(std::span<const fs::path> files, std::span<const SeriesPart> parts) {
    UsableParts usable;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const SeriesPart& part = parts[i];
        if (part.fault) std::rethrow_exception(part.fault);
        if (i == 0) usable.shape = part.shape;
        if (part.shape != usable.shape)
            checkSameShape(usable.shape, nameOf(files[parts.front().file], parts.front()),
                           part.shape, nameOf(files[part.file], part));
        usable.parts.push_back(i);
        usable.fileOfView.insert(usable.fileOfView.end(), static_cast<std::size_t>(part.views),
                                 part.file);
    }
    return usable;
}

UsableParts useMost(std::span<const fs::path> files, std::span<const SeriesPart> parts) {
    UsableParts usable;
    const std::optional<ImageShape> usual = usualShape(parts);
    if (!usual) std::rethrow_exception(parts.front().fault);
    usable.shape = *usual;
    const Index viewsOfAFile = usualViewsOfAFile(parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const SeriesPart& part = parts[i];
        const fs::path& file = files[part.file];
        const auto views = static_cast<std::size_t>(
            part.views > 0 ? part.views : restOfAFile(part, viewsOfAFile, files.size() == 1));
        const std::size_t first = usable.fileOfView.size();
        usable.fileOfView.insert(usable.fileOfView.end(), views, part.file);
        if (!part.fault && part.shape == *usual) {
            usable.parts.push_back(i);
            continue;
        }
        const BadView bad = part.fault ? faulty(file, part) : deviating(file, part, *usual);
        for (std::size_t view = 0; view < views; ++view) {
            usable.bad.push_back(bad);
            usable.bad.back().view = static_cast<Index>(first + view);
        }
    }
    return usable;
}

}  // namespace gantry
