#include "core/io/series/match_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <system_error>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/series/file_order.h"
#include "core/io/series/number_forms.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

bool hasWildcard(std::string_view text) {
    return text.find_first_of("*?") != std::string_view::npos;
}

// Whether `name` matches `pattern` with * (any run) and ? (any one byte).
bool matches(std::string_view pattern, std::string_view name) {
    std::size_t p = 0;
    std::size_t n = 0;
    std::size_t star = std::string_view::npos;  // the last * and how much it matches
    std::size_t reached = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            reached = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++reached;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool hasExtension(const fs::path& path, std::string_view extension) {
    return inLowerCase(path.extension().string()) == extension;
}

bool isImageName(const fs::path& path, const ProjectionFormats& formats) {
    const std::string extension = inLowerCase(path.extension().string());
    return std::ranges::any_of(formats, [&](const ProjectionFormat& format) {
        return std::ranges::find(format.extensions, extension) != format.extensions.end();
    });
}

// The files of a folder whose names `wanted` accepts. A folder with an image's name is an error;
// other folders are skipped.
template <class Wanted>
std::vector<fs::path> listFolder(const fs::path& folder, const ProjectionFormats& formats,
                                 const Wanted& wanted) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const fs::path& path = entry->path();
        if (!wanted(path)) continue;
        std::error_code ignored;
        if (entry->is_regular_file(ignored)) {
            files.push_back(path);
        } else if (isImageName(path, formats)) {
            throwError<InputError>("{}: is {}; an image file is needed", path.string(),
                                   entry->is_directory(ignored) ? "a folder" : "no readable file");
        }
    }
    if (error)
        throwError<InputError>("{}: the folder cannot be read: {}", folder.string(),
                               error.message());
    return files;
}

// Removes the data files, because a header and its data are one image, not two.
void dropData(const HeaderAndData& pair, std::vector<fs::path>& files) {
    std::set<fs::path> headers;
    for (const fs::path& file : files)
        if (hasExtension(file, pair.header)) headers.insert(file.stem());
    std::erase_if(files, [&](const fs::path& file) {
        return hasExtension(file, pair.data) && headers.contains(file.stem());
    });
}

std::vector<std::string> extensionsOf(const ProjectionFormats& formats) {
    std::vector<std::string> all;
    for (const ProjectionFormat& format : formats)
        all.insert(all.end(), format.extensions.begin(), format.extensions.end());
    return all;
}

std::vector<fs::path> imagesInFolder(const fs::path& folder, const ProjectionFormats& formats) {
    std::vector<fs::path> files = listFolder(folder, formats, [&](const fs::path& path) {
        return isImageName(path, formats) && path.filename().native().front() != '.';
    });
    for (const ProjectionFormat& format : formats)
        for (const HeaderAndData& pair : format.pairs)
            dropData(pair, files);
    if (files.empty())
        throwError<InputError>("{}: the folder holds no images ({})", folder.string(),
                               listed(extensionsOf(formats), "or"));
    return files;
}

std::vector<fs::path> filesOfPattern(const fs::path& whole, const ProjectionFormats& formats) {
    const fs::path folder = whole.has_parent_path() ? whole.parent_path() : fs::path(".");
    const std::string pattern = whole.filename().string();
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
        const char* hint = hasWildcard(folder.string())
                               ? " (* and ? are understood in the last part of a path only)"
                               : "";
        throwError<InputError>("{}: there is no such folder{}", folder.string(), hint);
    }
    const bool hidden = pattern.front() == '.';
    std::vector<fs::path> files = listFolder(folder, formats, [&](const fs::path& path) {
        const std::string name = path.filename().string();
        return (hidden || name.front() != '.') && matches(pattern, name);
    });
    if (files.empty()) throwError<InputError>("{}: no file matches this pattern", whole.string());
    return files;
}

struct Numbered {
    std::uint64_t number = 0;
    NumberedName name;
    fs::path path;
    char digits = 'd';  // 'x' or 'X': hexadecimal ones
};

std::string padded(std::uint64_t number, std::size_t width, char digits) {
    if (digits == 'x') return fmt::format("{:0{}x}", number, width);
    if (digits == 'X') return fmt::format("{:0{}X}", number, width);
    return fmt::format("{:0{}}", number, width);
}

// The file's name with another number at `place`.
fs::path withNumber(const Numbered& file, std::size_t place, std::uint64_t number) {
    const NumberedName& parts = file.name;
    std::string name;
    for (std::size_t t = 0; t < parts.texts.size(); ++t) {
        name += parts.texts[t];
        if (t == place)
            name += padded(number, parts.written[t].size(), file.digits);
        else if (t < parts.written.size())
            name += parts.written[t];
    }
    return file.path.parent_path() / name;
}

// A place in a sequence where files are missing.
struct Gap {
    fs::path before;
    fs::path after;
    std::vector<fs::path> missing;  // at least the first of them
    // all of them are listed: the steps lead from `before` to the next file
    bool isWhole = true;
};

// Sorts by the number at `place`; false if one is too long to be a counter.
bool sortByNumber(std::vector<Numbered>& files, std::size_t place) {
    for (Numbered& file : files) {
        const std::string& digits = file.name.numbers[place];
        const auto [rest, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), file.number);
        // Decimals are no counter either.
        if (error != std::errc() || rest != digits.data() + digits.size()) return false;
    }
    std::ranges::stable_sort(
        files, [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
    for (std::size_t i = 1; i < files.size(); ++i)
        if (files[i].number == files[i - 1].number)
            throwError<InputError>("{}: number {} is there twice, also as {}",
                                   files[i].path.string(), files[i].number,
                                   files[i - 1].path.filename().string());
    return true;
}

// The gaps in files whose names have the same texts and differ only in the number at `place`.
std::vector<Gap> gapsOf(std::vector<Numbered> files, std::size_t place) {
    if (!sortByNumber(files, place)) return {};
    const auto distance = [&](std::size_t i) { return files[i].number - files[i - 1].number; };
    std::uint64_t step = distance(1);
    for (std::size_t i = 2; i < files.size(); ++i)
        step = std::min(step, distance(i));
    std::size_t steps = 0;
    for (std::size_t i = 1; i < files.size(); ++i)
        steps += distance(i) == step ? 1 : 0;
    // Numbers with mostly different distances (angles, times of day) are no counter.
    if (2 * steps + 1 < files.size()) return {};
    std::vector<double> values;
    values.reserve(files.size());
    for (const Numbered& file : files)
        values.push_back(static_cast<double>(file.number));
    // Nothing is missing where angles begin that pass 360.
    const Index begin = beginOfTurn(values);
    std::vector<Gap> gaps;
    std::size_t missing = 0;
    for (std::size_t i = 1; i < files.size(); ++i) {
        if (distance(i) == step || static_cast<Index>(i) == begin) continue;
        Gap gap{files[i - 1].path, files[i].path, {}, distance(i) % step == 0};
        // More missing files than existing ones are rather two sequences than a gap in one.
        const std::uint64_t lacking = distance(i) / step - 1;
        gap.isWhole = gap.isWhole && lacking + missing <= files.size();
        const std::uint64_t listed = gap.isWhole ? lacking : 1;
        for (std::uint64_t n = 1; n <= listed; ++n)
            gap.missing.push_back(withNumber(files[i - 1], place, files[i - 1].number + n * step));
        missing += listed;
        gaps.push_back(std::move(gap));
    }
    return gaps;
}

[[noreturn]] void complainAbout(const Gap& gap) {
    throwError<InputError>("{}: the file is missing; the sequence has {} and then {}",
                           gap.missing.front().string(), gap.before.filename().string(),
                           gap.after.filename().string());
}

// The one number in which these names differ; none when they differ in several.
std::size_t varyingNumber(const std::vector<Numbered>& files) {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::size_t place = kNone;
    const std::vector<std::string>& first = files.front().name.numbers;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const bool varies = std::ranges::any_of(
            files, [&](const Numbered& file) { return file.name.numbers[i] != first[i]; });
        if (varies && place != kNone) return kNone;
        if (varies) place = i;
    }
    return place;
}

// Whether hexadecimal digits are small letters or capital ones.
char digitsOf(const std::vector<std::string>& names, const NumberForms& forms) {
    const bool isUpper = std::ranges::any_of(names, [&](const std::string& name) {
        return std::ranges::any_of(takeApart(name, forms).written.front(),
                                   [](char c) { return c >= 'A' && c <= 'F'; });
    });
    return isUpper ? 'X' : 'x';
}

std::vector<Gap> gapsIn(const std::vector<fs::path>& files) {
    std::vector<std::string> names;
    names.reserve(files.size());
    for (const fs::path& file : files)
        names.push_back(file.filename().string());
    NumberForms forms = formsOf(names);
    if (forms.exponents) return {};  // no counters
    // Numbers on either side of 0 count for themselves, so that signs are parts of the names.
    forms.signs = forms.wordSigns = false;
    forms.decimals = meaningOfPoints(names) == PointMeaning::decimals;
    const char digits = forms.hexadecimalRun ? digitsOf(names, forms) : 'd';
    std::map<std::vector<std::string>, std::vector<Numbered>> families;
    for (const fs::path& file : files) {
        NumberedName name = takeApart(file.filename().string(), forms);
        families[name.texts].push_back({0, name, file, digits});
    }
    std::vector<Gap> gaps;
    for (const auto& [texts, family] : families) {
        if (family.size() < 2) continue;
        const std::size_t place = varyingNumber(family);
        if (place == static_cast<std::size_t>(-1)) continue;
        std::vector<Gap> more = gapsOf(family, place);
        std::move(more.begin(), more.end(), std::back_inserter(gaps));
    }
    return gaps;
}

// The existing files, in natural order, whether numbers are missing or not.
std::vector<fs::path> filesThere(const fs::path& base, const std::string& pattern,
                                 const ProjectionFormats& formats) {
    if (pattern.empty())
        throwError<InputError>(
            "{}: an empty pattern of file names matches nothing; name a file, a folder or a "
            "pattern like proj/*.tif",
            base.string());
    // The folder itself is named as it is, without "/." at its end.
    const fs::path whole = pattern == "." && !base.empty() ? base : base / pattern;
    std::error_code ignored;
    const fs::file_status status = fs::status(whole, ignored);
    if (fs::is_regular_file(status)) return {whole};
    std::vector<fs::path> files;
    if (fs::is_directory(status)) {
        files = imagesInFolder(whole, formats);
    } else if (fs::exists(status)) {
        throwError<InputError>("{}: is no regular file", whole.string());
    } else if (hasWildcard(whole.filename().string())) {
        files = filesOfPattern(whole, formats);
    } else {
        throwError<InputError>("{}: there is no such file or folder", whole.string());
    }
    sortNaturally(files);
    return files;
}

}  // namespace

std::vector<fs::path> matchFiles(const fs::path& base, const std::string& pattern,
                                 const ProjectionFormats& formats) {
    std::vector<fs::path> files = filesThere(base, pattern, formats);
    const std::vector<Gap> gaps = gapsIn(files);
    if (!gaps.empty()) complainAbout(gaps.front());
    return files;
}

bool wouldMatch(const fs::path& base, const std::string& pattern, const fs::path& file,
                const ProjectionFormats& formats) {
    if (pattern.empty() || !file.has_filename()) return false;
    const fs::path whole = base / pattern;
    const std::string name = file.filename().string();
    std::error_code ignored;
    const bool isFolder = fs::is_directory(whole, ignored);
    if (!isFolder && !hasWildcard(whole.filename().string())) return false;
    const fs::path around = file.has_parent_path() ? file.parent_path() : fs::path(".");
    const fs::path folder = isFolder                  ? whole
                            : whole.has_parent_path() ? whole.parent_path()
                                                      : fs::path(".");
    if (!fs::equivalent(around, folder, ignored) || ignored) return false;
    if (isFolder) return isImageName(file, formats) && name.front() != '.';
    return matches(whole.filename().string(), name);
}

std::vector<fs::path> matchViews(const fs::path& base, const std::string& pattern,
                                 const ProjectionFormats& formats) {
    std::vector<fs::path> files = filesThere(base, pattern, formats);
    for (const Gap& gap : gapsIn(files)) {
        if (!gap.isWhole) complainAbout(gap);
        files.insert(files.end(), gap.missing.begin(), gap.missing.end());
    }
    sortNaturally(files);
    return files;
}

}  // namespace gantry
