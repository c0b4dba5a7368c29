#include "core/scan/guess/find_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/io/open_source.h"
#include "core/scan/guess/frame_groups.h"
#include "core/scan/guess/frame_sample.h"
#include "core/scan/guess/judge_frames.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

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

const char* wordOf(FrameRole role) {
    return role == FrameRole::dark ? "Dark" : "Flat";
}

// Files that all hold several images are stacks: scans of their own, unless they are the parts of
// one, which differ in their number.
void judgeStacks(const FrameGroup& group, const OpenedViews& opened, FrameSeries& series) {
    const auto files = std::ssize(opened.files);
    if (files < 2 || !opened.bad.empty()) return;
    std::vector<Index> views(opened.files.size());
    for (const std::size_t file : opened.fileOfView)
        ++views[file];
    if (std::ranges::min(views) < 2) return;
    const std::string first = group.files.front().filename().string();
    const std::string last = group.files.back().filename().string();
    const bool isOneFamily = std::ranges::all_of(group.files, [&](const fs::path& file) {
        return familyOfName(file.filename().string()) == familyOfName(first);
    });
    if (!isOneFamily)
        throwError<InputError>(
            "{}: holds {} stacks of images, from {} ({} images) to {} ({}), and nothing says "
            "whether they are parts of one scan. Open the one that is meant, or describe them in a "
            "scan.json",
            group.folder.string(), files, first, views.front(), last, views.back());
    series.isUnsure = true;
    series.reason = fmt::format(
        "{} stacks, {} ({} images) to {} ({}), are taken for parts of one scan. If they are scans "
        "of their own, open the one that is meant",
        files, first, views.front(), last, views.back());
}

std::optional<OpenGroup> openGroup(const FrameGroup& group, const std::string& entry = {}) {
    std::string pattern = patternOf(group);
    if (pattern.empty()) return std::nullopt;
    FrameSeries series{std::move(pattern), group.reason, nullptr, 0};
    if (group.role == FrameRole::projections) {
        // One bad view among many does not make the others unusable.
        const OpenedViews opened = openViews(group.files, {.entry = entry});
        series.source = opened.source;
        series.views = opened.views();
        judgeStacks(group, opened, series);
    } else {
        // A file of several kinds of frames (HDF5) is asked for the one that its name says.
        series.source = openSource(
            group.files,
            {.frames = group.role == FrameRole::dark ? FrameKind::dark : FrameKind::flat});
        series.views = series.source->info().views;
    }
    return OpenGroup{group.folder, std::move(series)};
}

// Chooses the group of projections: by its name, then by the number of its files. A name with more
// than a word for frames ("white_mouse_007") may be that of projections.
FrameGroup takeProjections(std::vector<FrameGroup>& groups, const fs::path& path,
                           const std::string& whyNot) {
    const auto rank = [](const FrameGroup& group) {
        const bool isRole = group.role == FrameRole::projections;
        const bool named = isCalledProjections(group.folder.filename().string()) ||
                           isCalledProjections(group.files.front().stem().string());
        return std::tuple(!group.isNeighbour, !group.isVolume,
                          isRole || !saysFramesAlone(nameOfRole(group), {}), named,
                          group.files.size(), isRole,
                          formatByName(group.files.front()) != ".mha");  // often a volume
    };
    const auto best = std::ranges::max_element(
        groups, [&](const FrameGroup& a, const FrameGroup& b) { return rank(a) < rank(b); });
    if (best == groups.end() || best->isNeighbour)
        throw InputError(whyNot.empty() ? fmt::format("{}: holds no images", path.string())
                                        : whyNot);
    FrameGroup group = *best;
    groups.erase(best);
    if (group.role != FrameRole::projections) group.reason.clear();
    group.role = FrameRole::projections;
    return group;
}

struct OpenFields {
    std::optional<OpenGroup> dark;
    std::optional<OpenGroup> darkAfter;
    std::optional<OpenGroup> flat;
    std::optional<OpenGroup> flatAfter;
    std::vector<UnusedFrames> unused;
};

// Puts a group in the place that is free for it; false: there is none. A second group of flat
// frames whose name does not say that it is from after the scan may be anything; the dark signal
// hardly changes, so that two groups of dark frames are as good as one.
bool place(OpenGroup& group, FrameTime when, bool isDark, std::optional<OpenGroup>& first,
           std::optional<OpenGroup>& after) {
    const bool isSecondDark = isDark && when == FrameTime::unknown && first;
    std::optional<OpenGroup>& slot = when == FrameTime::after || isSecondDark ? after : first;
    if (slot) return false;
    slot = std::move(group);
    return true;
}

// Adds a group of frames to the fields, or the reason why it is not used.
void addField(const FrameGroup& group, const FrameJudge& judge, const OpenFields& inside,
              OpenFields& fields) {
    const auto reject = [&](FrameRole role, const std::string& why, bool isDoubt = true) {
        fields.unused.push_back(
            {role == FrameRole::dark ? role : FrameRole::flat,
             fmt::format("{} frames in {} are not used: {}", wordOf(role), judge.shown(group), why),
             isDoubt});
    };
    const NameVerdict name = judge.byName(group);
    const bool hasOwn = group.role == FrameRole::dark ? inside.dark || inside.darkAfter
                                                      : inside.flat || inside.flatAfter;
    if (group.isNeighbour && hasOwn) {
        if (name.whyNot.empty()) reject(group.role, "the scan's own folder has some", false);
        return;
    }
    if (!name.whyNot.empty()) return reject(group.role, name.whyNot);
    try {
        std::optional<OpenGroup> open = openGroup(group);
        if (!open) return;
        const ProjectionSource& source = *open->series.source;
        const FrameRole role = group.role != FrameRole::darkOrFlat ? group.role
                               : sampleFrames(source).median < judge.medianOfViews()
                                   ? FrameRole::dark
                                   : FrameRole::flat;
        const std::string whyNot = judge.byImages(group, source.info(), name.isUnsure);
        if (!whyNot.empty()) return reject(role, whyNot);
        open->series.isUnsure = name.isUnsure;
        if (name.isUnsure) open->series.reason += ", " + name.doubt;
        const bool isDark = role == FrameRole::dark;
        if (!(isDark ? place(*open, group.when, true, fields.dark, fields.darkAfter)
                     : place(*open, group.when, false, fields.flat, fields.flatAfter)))
            reject(role, "there are others, and no name says that these are from after the scan");
    } catch (const InputError& error) {
        // For frames that may be of either kind, flat is the likelier one.
        fields.unused.push_back({group.role == FrameRole::dark ? group.role : FrameRole::flat,
                                 fmt::format("{} frames are not used: {}", wordOf(group.role),
                                             withoutFullStop(error.what()))});
    }
}

// The dark and flat frames that are of the projections' size, from before and after the scan.
OpenFields openFields(const std::vector<FrameGroup>& groups, const FrameJudge& judge) {
    OpenFields fields;
    for (const bool isNeighbour : {false, true}) {
        const OpenFields inside = fields;
        for (const FrameGroup& group : groups)
            if (group.role != FrameRole::projections && group.isNeighbour == isNeighbour)
                addField(group, judge, inside, fields);
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
std::optional<OpenGroup> openInside(const FrameGroup& projections, FrameKind kind,
                                    const std::string& entry) {
    FrameSeries series{patternOf(projections), "They are in the file of the projections", nullptr,
                       0};
    series.source = openSource(projections.files, {.frames = kind, .entry = entry});
    series.views = series.source->info().views;
    return OpenGroup{projections.folder, std::move(series)};
}

bool isBeside(const std::optional<OpenGroup>& group, const fs::path& folder) {
    return group && group->folder != folder && group->folder.parent_path() != folder;
}

std::string nameOf(const FrameGroup& projections) {
    if (projections.files.size() == 1) return projections.files.front().stem().string();
    const fs::path& folder = projections.folder;
    const std::string name = folder.filename().string();
    const std::string around = folder.parent_path().filename().string();
    return isCalledProjections(name) && !around.empty() ? around : name;
}

}  // namespace

FoundFrames findFrames(const fs::path& path, const std::string& entry) {
    fs::path whole = fs::absolute(path).lexically_normal();
    if (!whole.has_filename()) whole = whole.parent_path();
    const bool isFile = !isFolder(whole);
    const fs::path folder = isFile ? whole.parent_path() : whole;
    std::string whyNot;
    std::vector<FrameGroup> groups = groupsAround(folder, whyNot);
    const FrameGroup projections =
        isFile ? groupOfFile(whole, entry) : takeProjections(groups, whole, whyNot);
    std::erase_if(groups,
                  [&](const FrameGroup& group) { return group.files == projections.files; });
    std::vector<UnusedFrames> others;
    if (!isFile) others = otherProjections(projections, groups);

    std::optional<OpenGroup> open = openGroup(projections, entry);
    if (!open)
        throwError<InputError>(
            "{}: the projections cannot be told from the other files by their names; move dark and "
            "flat frames into folders of their own",
            projections.folder.string());
    const FrameJudge judge(projections, groups, folder, open->series.source, open->series.views);
    OpenFields fields = openFields(groups, judge);
    // Which frames elsewhere are not used does not matter where the file has its own.
    const auto useInside = [&](FrameKind kind, FrameRole role, std::optional<OpenGroup>& first,
                               std::optional<OpenGroup>& after) {
        first = openInside(projections, kind, entry);
        after.reset();
        std::erase_if(fields.unused,
                      [&](const UnusedFrames& unused) { return unused.role == role; });
    };
    FoundFrames found;
    found.stated = statedGeometry(projections.files, entry);
    if (found.stated && found.stated->hasDark)
        useInside(FrameKind::dark, FrameRole::dark, fields.dark, fields.darkAfter);
    if (found.stated && found.stated->hasFlat)
        useInside(FrameKind::flat, FrameRole::flat, fields.flat, fields.flatAfter);
    const bool beside = isBeside(fields.dark, folder) || isBeside(fields.flat, folder) ||
                        isBeside(fields.darkAfter, folder) || isBeside(fields.flatAfter, folder);
    found.folder = beside ? folder.parent_path() : folder;
    found.name = nameOf(projections);
    found.projections = seenFrom(found.folder, std::move(*open));
    if (fields.dark) found.dark = seenFrom(found.folder, std::move(*fields.dark));
    if (fields.flat) found.flat = seenFrom(found.folder, std::move(*fields.flat));
    if (fields.darkAfter) found.darkAfter = seenFrom(found.folder, std::move(*fields.darkAfter));
    if (fields.flatAfter) found.flatAfter = seenFrom(found.folder, std::move(*fields.flatAfter));
    found.unused = std::move(others);
    std::ranges::move(fields.unused, std::back_inserter(found.unused));
    return found;
}

}  // namespace gantry
