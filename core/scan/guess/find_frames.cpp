#include "core/scan/guess/find_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/io/volume/stored_volume.h"
#include "core/scan/open_scan.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

enum class Role { projections, dark, flat, darkOrFlat };
// When dark and flat frames were taken.
enum class When { unknown, before, after };

// Files of one folder that are the same kind of frames by their names or the folder's.
struct Group {
    Role role;
    fs::path folder;
    std::vector<fs::path> files;
    std::string reason;
    When when = When::unknown;
};

// Splits a name into words: "DarkField_007" gives dark, field.
std::vector<std::string> wordsOf(const std::string& name) {
    std::vector<std::string> words;
    bool inWord = false;
    bool lower = false;
    for (const char c : name) {
        const auto letter = static_cast<unsigned char>(c);
        if (!std::isalpha(letter)) {
            inWord = false;
            continue;
        }
        const bool upper = std::isupper(letter) != 0;
        if (!inWord || (upper && lower)) words.emplace_back();
        words.back() += static_cast<char>(std::tolower(letter));
        inWord = true;
        lower = !upper;
    }
    return words;
}

Role roleOf(const std::string& name) {
    struct Word {
        std::string_view begin;
        bool whole;  // else the begin of a longer word is enough
        Role role;
    };
    constexpr std::array<Word, 14> kWords = {{{"dark", false, Role::dark},
                                              {"di", true, Role::dark},
                                              {"df", true, Role::dark},
                                              {"offset", false, Role::dark},
                                              {"flat", false, Role::flat},
                                              {"io", true, Role::flat},
                                              {"ff", true, Role::flat},
                                              {"ob", true, Role::flat},
                                              {"blank", true, Role::flat},
                                              {"gain", false, Role::flat},
                                              {"white", false, Role::flat},
                                              {"open", false, Role::flat},
                                              {"bright", false, Role::flat},
                                              {"background", false, Role::darkOrFlat}}};
    for (const std::string& word : wordsOf(name))
        for (const Word& known : kWords)
            if (known.whole ? word == known.begin : word.starts_with(known.begin))
                return known.role;
    return Role::projections;
}

When whenOf(const std::string& name) {
    for (const std::string& word : wordsOf(name)) {
        if (word.starts_with("after") || word == "post" || word == "end") return When::after;
        if (word.starts_with("before") || word == "pre" || word == "start" || word == "begin")
            return When::before;
    }
    return When::unknown;
}

bool isCalledProjections(const std::string& name) {
    const std::vector<std::string> words = wordsOf(name);
    return std::ranges::any_of(words, [](const std::string& word) {
        return word.starts_with("proj") || word.starts_with("radiogra");
    });
}

// Does the same as matchViews(), but "." as a pattern would stay in the paths.
std::vector<fs::path> filesOf(const fs::path& folder, const std::string& pattern) {
    std::vector<fs::path> files = matchViews(folder, pattern);
    for (fs::path& file : files)
        file = folder / file.filename();
    return files;
}

// Adds the images of a folder; if the folder's name has a role, all of them get it.
void addFolder(const fs::path& folder, Role folderRole, std::vector<Group>& groups,
               std::string& whyNot) {
    std::map<std::tuple<Role, When, std::string>, std::vector<fs::path>> byRole;
    const When folderWhen = whenOf(folder.filename().string());
    try {
        for (const fs::path& file : filesOf(folder, ".")) {
            const std::string name = file.stem().string();
            const Role role = folderRole == Role::projections ? roleOf(name) : folderRole;
            const When when = role == Role::projections     ? When::unknown
                              : folderWhen != When::unknown ? folderWhen
                                                            : whenOf(name);
            // Fields of several formats are several groups.
            std::string format =
                role == Role::projections ? "" : inLowerCase(file.extension().string());
            if (format == ".tiff") format = ".tif";
            byRole[{role, when, format}].push_back(file);
        }
    } catch (const InputError& error) {
        if (whyNot.empty()) whyNot = error.what();
    }
    for (auto& [kind, files] : byRole) {
        const auto& [role, when, format] = kind;
        std::string reason;
        if (role != Role::projections)
            reason = folderRole == Role::projections
                         ? fmt::format("Taken for that by the names of the files, as {}",
                                       files.front().filename().string())
                         : fmt::format("Taken for that by the name of the folder {}",
                                       folder.filename().string());
        groups.push_back({role, folder, std::move(files), reason, when});
    }
}

// Groups of files in and around a folder, the nearest first.
std::vector<Group> groupsAround(const fs::path& folder, std::string& whyNot) {
    std::vector<Group> groups;
    addFolder(folder, Role::projections, groups, whyNot);
    for (const fs::path& entry : entriesOf(folder))
        if (isFolder(entry) && !isStoredVolume(entry) && !pathExists(entry / "job.json"))
            addFolder(entry, roleOf(entry.filename().string()), groups, whyNot);
    std::vector<fs::path> siblings;
    try {
        siblings = entriesOf(folder.parent_path());
    } catch (const InputError&) {
        // A folder without read permission counts as empty.
    }
    std::string ignored;
    for (const fs::path& entry : siblings) {
        const Role role = roleOf(entry.filename().string());
        if (role != Role::projections && entry != folder && isFolder(entry))
            addFolder(entry, role, groups, ignored);
    }
    return groups;
}

// The name without its numbers.
std::string family(const fs::path& file) {
    std::string name = file.filename().string();
    std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
    return name;
}

// The group of a file that the user named: the file alone, or with others of its sequence.
Group groupOfFile(const fs::path& file) {
    Group group = {Role::projections, file.parent_path(), {file}, {}};
    if (openSource({file}, {})->info().views > 1) return group;
    std::vector<fs::path> sequence;
    for (const fs::path& other : filesOf(group.folder, "."))
        if (family(other) == family(file)) sequence.push_back(other);
    if (sequence.size() > 1) {
        group.reason = fmt::format("The file is one of {} whose names differ in their number",
                                   sequence.size());
        group.files = std::move(sequence);
    }
    return group;
}

// A pattern that matches these files of the folder and no others; empty if there is none.
std::string patternOf(const Group& group) {
    std::string first = group.files.front().filename().string();
    if (group.files.size() == 1) return first;
    std::string begin = first;
    std::string end = first;
    for (const fs::path& file : group.files) {
        const std::string name = file.filename().string();
        begin.erase(std::mismatch(begin.begin(), begin.end(), name.begin(), name.end()).first,
                    begin.end());
        const auto different =
            std::mismatch(end.rbegin(), end.rend(), name.rbegin(), name.rend()).first;
        end.erase(end.begin(), different.base());
    }
    // Digits that all names share belong to their numbers.
    constexpr const char* kDigits = "0123456789";
    begin.erase(begin.find_last_not_of(kDigits) + 1);
    end.erase(0, end.find_first_not_of(kDigits));
    const std::size_t width = first.size() - std::min(first.size(), begin.size() + end.size());
    const std::string extension = group.files.front().extension().string();
    for (const std::string& pattern :
         {fmt::format("{}*{}", begin, end), fmt::format("{}{:?>{}}{}", begin, "", width, end),
          fmt::format("*{}", extension), std::string(".")}) {
        try {
            if (filesOf(group.folder, pattern) == group.files) return pattern;
        } catch (const InputError&) {
            // The pattern matches other files too, among which some are missing.
        }
    }
    return {};
}

// A series whose pattern is still relative to its own folder.
struct OpenGroup {
    fs::path folder;
    FrameSeries series;
};

// A sentence as a clause.
std::string withoutFullStop(std::string sentence) {
    if (sentence.ends_with('.')) sentence.pop_back();
    return sentence;
}

std::optional<OpenGroup> openGroup(const Group& group) {
    std::string pattern = patternOf(group);
    if (pattern.empty()) return std::nullopt;
    FrameSeries series{std::move(pattern), group.reason, nullptr, 0};
    if (group.role == Role::projections) {
        // One bad view among many does not make the others unusable.
        const OpenedViews opened = openViews(group.files, {});
        series.source = opened.source;
        series.views = opened.views();
    } else {
        // A file of several kinds of frames (HDF5) is asked for the one that its name says.
        series.source = openSource(
            group.files, {.frames = group.role == Role::dark ? FrameKind::dark : FrameKind::flat});
        series.views = series.source->info().views;
    }
    return OpenGroup{group.folder, std::move(series)};
}

// Chooses the group of projections: by its name, then by the number of its files.
Group takeProjections(std::vector<Group>& groups, const fs::path& path, const std::string& whyNot) {
    const auto rank = [](const Group& group) {
        const bool named = isCalledProjections(group.folder.filename().string()) ||
                           isCalledProjections(group.files.front().stem().string());
        return std::tuple(group.role == Role::projections, named, group.files.size());
    };
    const auto best = std::ranges::max_element(
        groups, [&](const Group& a, const Group& b) { return rank(a) < rank(b); });
    if (best == groups.end())
        throw InputError(whyNot.empty() ? fmt::format("{}: holds no images", path.string())
                                        : whyNot);
    Group group = *best;
    groups.erase(best);
    if (group.role != Role::projections) group.reason.clear();
    return group;
}

struct OpenFields {
    std::optional<OpenGroup> dark;
    std::optional<OpenGroup> darkAfter;
    std::optional<OpenGroup> flat;
    std::optional<OpenGroup> flatAfter;
    std::vector<std::string> unused;
};

// Puts a group in the place that is free for it; false: there is none. A second group of flat
// frames whose name does not say that it is from after the scan may be anything; the dark signal
// hardly changes, so that two groups of dark frames are as good as one.
bool place(OpenGroup& group, When when, bool isDark, std::optional<OpenGroup>& first,
           std::optional<OpenGroup>& after) {
    const bool isSecondDark = isDark && when == When::unknown && first;
    std::optional<OpenGroup>& slot = when == When::after || isSecondDark ? after : first;
    if (slot) return false;
    slot = std::move(group);
    return true;
}

// The dark and flat frames that are of the projections' size, from before and after the scan.
OpenFields openFields(const std::vector<Group>& groups, const ProjectionSource& projections) {
    const SourceInfo& views = projections.info();
    OpenFields fields;
    for (const Group& group : groups) {
        try {
            std::optional<OpenGroup> open = openGroup(group);
            if (!open) continue;
            const ProjectionSource& source = *open->series.source;
            if (source.info().columns != views.columns || source.info().rows != views.rows)
                continue;
            const bool isDark = group.role == Role::darkOrFlat
                                    ? sampleFrames(source).median < sampleFrames(projections).median
                                    : group.role == Role::dark;
            if (!(isDark ? place(*open, group.when, true, fields.dark, fields.darkAfter)
                         : place(*open, group.when, false, fields.flat, fields.flatAfter)))
                fields.unused.push_back(fmt::format(
                    "{} frames in {} are not used: there are others, and no name says "
                    "that these are from after the scan",
                    isDark ? "Dark" : "Flat", (group.folder / open->series.pattern).string()));
        } catch (const InputError& error) {
            // For frames that may be of either kind, this is the likelier one.
            fields.unused.push_back(fmt::format("{} frames are not used: {}",
                                                group.role == Role::dark ? "Dark" : "Flat",
                                                withoutFullStop(error.what())));
        }
    }
    // Without any from before, those from after the scan are all that there is.
    if (!fields.dark) std::swap(fields.dark, fields.darkAfter);
    if (!fields.flat) std::swap(fields.flat, fields.flatAfter);
    return fields;
}

FrameSeries seenFrom(const fs::path& base, OpenGroup group) {
    const fs::path inBase = group.folder.lexically_relative(base);
    if (inBase != ".") group.series.pattern = (inBase / group.series.pattern).string();
    return std::move(group.series);
}

// Dark or flat frames that are in the file of the projections.
std::optional<OpenGroup> openInside(const Group& projections, FrameKind kind) {
    FrameSeries series{patternOf(projections), "They are in the file of the projections", nullptr,
                       0};
    series.source = openSource(projections.files, {.frames = kind});
    series.views = series.source->info().views;
    return OpenGroup{projections.folder, std::move(series)};
}

bool isBeside(const std::optional<OpenGroup>& group, const fs::path& folder) {
    return group && group->folder != folder && group->folder.parent_path() != folder;
}

std::string nameOf(const Group& projections) {
    if (projections.files.size() == 1) return projections.files.front().stem().string();
    const fs::path& folder = projections.folder;
    const std::string name = folder.filename().string();
    const std::string around = folder.parent_path().filename().string();
    return isCalledProjections(name) && !around.empty() ? around : name;
}

}  // namespace

FoundFrames findFrames(const fs::path& path) {
    fs::path whole = fs::absolute(path).lexically_normal();
    if (!whole.has_filename()) whole = whole.parent_path();
    const bool isFile = !isFolder(whole);
    const fs::path folder = isFile ? whole.parent_path() : whole;
    std::string whyNot;
    std::vector<Group> groups = groupsAround(folder, whyNot);
    const Group projections = isFile ? groupOfFile(whole) : takeProjections(groups, whole, whyNot);
    std::erase_if(groups, [&](const Group& group) {
        return group.role == Role::projections || group.files == projections.files;
    });

    std::optional<OpenGroup> open = openGroup(projections);
    if (!open)
        throwError<InputError>(
            "{}: the projections cannot be told from the other files by their names; move dark and "
            "flat frames into folders of their own",
            projections.folder.string());
    OpenFields fields = openFields(groups, *open->series.source);
    // Which frames elsewhere are not used does not matter where the file has its own.
    const auto useInside = [&](FrameKind kind, std::string_view name,
                               std::optional<OpenGroup>& first, std::optional<OpenGroup>& after) {
        first = openInside(projections, kind);
        after.reset();
        std::erase_if(fields.unused,
                      [&](const std::string& clause) { return clause.starts_with(name); });
    };
    FoundFrames found;
    found.stated = statedGeometry(projections.files);
    if (found.stated && found.stated->hasDark)
        useInside(FrameKind::dark, "Dark", fields.dark, fields.darkAfter);
    if (found.stated && found.stated->hasFlat)
        useInside(FrameKind::flat, "Flat", fields.flat, fields.flatAfter);
    const bool beside = isBeside(fields.dark, folder) || isBeside(fields.flat, folder) ||
                        isBeside(fields.darkAfter, folder) || isBeside(fields.flatAfter, folder);
    found.folder = beside ? folder.parent_path() : folder;
    found.name = nameOf(projections);
    found.projections = seenFrom(found.folder, std::move(*open));
    if (fields.dark) found.dark = seenFrom(found.folder, std::move(*fields.dark));
    if (fields.flat) found.flat = seenFrom(found.folder, std::move(*fields.flat));
    if (fields.darkAfter) found.darkAfter = seenFrom(found.folder, std::move(*fields.darkAfter));
    if (fields.flatAfter) found.flatAfter = seenFrom(found.folder, std::move(*fields.flatAfter));
    found.unused = std::move(fields.unused);
    return found;
}

FrameSample sampleFrames(const ProjectionSource& source) {
    const SourceInfo& info = source.info();
    std::vector<float> values;
    std::vector<float> edge;
    HostBuffer<float> frame(info.rows * info.columns);
    std::string whyNot = "none of the images holds a number";
    for (const Index view : {Index{0}, info.views / 3, 2 * info.views / 3}) {
        try {
            readView(source, view, frame.span());
        } catch (const InputError& error) {
            whyNot = error.what();
            continue;
        }
        for (Index i = 0; i < frame.count(); ++i) {
            if (!std::isfinite(frame[i])) continue;
            values.push_back(frame[i]);
            const Index u = i % info.columns;
            if (u == 0 || u == info.columns - 1) edge.push_back(frame[i]);
        }
    }
    if (values.empty()) throw InputError(whyNot);
    const auto at = [](std::vector<float>& all, std::size_t percent) {
        const auto place =
            all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) * percent / 100);
        std::nth_element(all.begin(), place, all.end());
        return static_cast<double>(*place);
    };
    FrameSample sample;
    sample.median = at(values, 50);
    sample.bright = at(values, 99);
    sample.smallest = at(values, 0);
    sample.edge = edge.empty() ? sample.median : at(edge, 50);
    return sample;
}

}  // namespace gantry
