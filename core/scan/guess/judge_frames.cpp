#include "core/scan/guess/judge_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/describe/description_format.h"
#include "core/io/open_source.h"
#include "core/scan/guess/frame_sample.h"
#include "core/scan/guess/guess_arc.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Every name that the scan itself has, whole and without the words for projections.
std::vector<std::vector<std::string>> namesOfScan(const FrameGroup& projections,
                                                  const fs::path& opened) {
    std::vector<std::vector<std::string>> names;
    const auto add = [&](std::vector<std::string> parts) {
        names.push_back(ownParts(parts));
        names.push_back(std::move(parts));
    };
    add(partsOfName(projections.folder.filename().string()));
    add(partsOfName(opened.filename().string()));
    if (isCalledProjections(projections.folder.filename().string()))
        add(partsOfName(projections.folder.parent_path().filename().string()));
    std::vector<std::string> stem = partsOfName(projections.files.front().stem().string());
    // The last number is that of the view.
    if (projections.files.size() > 1 && !stem.empty() && familyOfName(stem.back()).empty())
        stem.pop_back();
    add(std::move(stem));
    return names;
}

bool haveAngles(const std::vector<fs::path>& files) {
    constexpr std::size_t kMin = 3;
    std::set<double> angles;
    for (const fs::path& file : files) {
        const std::optional<double> angle = angleInName(file.stem().string());
        if (!angle) return false;
        angles.insert(*angle);
    }
    return files.size() >= kMin && angles.size() == files.size();
}

bool isDescribed(const fs::path& folder) {
    if (pathExists(folder / "scan.json")) return true;
    try {
        return makersFileIn(folder).has_value();
    } catch (const InputError&) {
        return true;  // by several
    }
}

// A file with projections of its own among its frames.
bool holdsScan(const FrameGroup& group) {
    try {
        const std::optional<StatedGeometry> stated = statedGeometry(group.files);
        const bool tellsKinds =
            stated && (!stated->anglesDeg.empty() || stated->hasDark || stated->hasFlat);
        return tellsKinds &&
               openSource(group.files, {.frames = FrameKind::projections})->info().views > 1;
    } catch (const InputError&) {
        return false;
    }
}

std::string filesText(const FrameGroup& group) {
    const std::string first = group.files.front().filename().string();
    return group.files.size() == 1
               ? first
               : fmt::format("{} to {}", first, group.files.back().filename().string());
}

}  // namespace

FrameJudge::FrameJudge(const FrameGroup& projections, const std::vector<FrameGroup>& others,
                       fs::path opened, std::shared_ptr<const ProjectionSource> views, Index count)
    : m_own(projections.folder),
      m_opened(std::move(opened)),
      m_isOneFile(projections.files.size() == 1),
      m_names(namesOfScan(projections, m_opened)),
      m_views(std::move(views)),
      m_count(count) {
    for (const FrameGroup& group : others)
        if (group.role == FrameRole::projections && group.folder != m_own)
            m_otherScans.insert(group.folder);
}

FrameJudge::Place FrameJudge::placeOf(const FrameGroup& group) const {
    if (group.isNeighbour) return Place::beside;
    // Beside a file that is a whole scan there may be files that are other ones.
    if (m_isOneFile && !group.isByFolder) return Place::within;
    const bool isOwn =
        group.folder == m_own || group.folder.parent_path() == m_own || group.folder == m_opened;
    return isOwn ? Place::own : Place::within;
}

NameVerdict FrameJudge::byName(const FrameGroup& group) const {
    const std::string name = nameOfRole(group);
    const bool isAlone = saysFramesAlone(name, {});
    const bool isWhole = isAlone || saysFramesAlone(name, m_names);
    const Place place = placeOf(group);
    NameVerdict verdict;
    if (place == Place::within && m_otherScans.contains(group.folder)) {
        verdict.whyNot = fmt::format("there are other images in the folder {}, whose they may be",
                                     group.folder.filename().string());
        return verdict;
    }
    if (!isWhole && place != Place::own) {
        verdict.whyNot = fmt::format("the name {} may be that of another scan", name);
        return verdict;
    }
    const bool isDoubtful =
        place == Place::beside || (place == Place::within && group.isByFolder && !isAlone);
    if (isDoubtful) {
        if (isDescribed(group.folder)) verdict.whyNot = "a description says that they are a scan";
        if (haveAngles(group.files)) verdict.whyNot = "their names state angles, as of a scan";
    }
    verdict.isUnsure = isDoubtful || !isWhole;
    verdict.doubt = place == Place::beside ? fmt::format("which is outside the folder {}",
                                                         m_opened.filename().string())
                                           : "though the name may mean something else";
    return verdict;
}

std::string FrameJudge::byImages(const FrameGroup& group, const SourceInfo& info,
                                 bool isUnsure) const {
    const SourceInfo& views = m_views->info();
    if (info.columns != views.columns || info.rows != views.rows)
        return fmt::format("they have {} × {} pixels, and the views {} × {}", info.columns,
                           info.rows, views.columns, views.rows);
    if ((isUnsure || placeOf(group) == Place::within) && holdsScan(group))
        return "the file holds a scan of its own";
    if (!isUnsure) return {};
    if (info.pixelType != views.pixelType)
        return fmt::format("their pixels are {}, and those of the views {}", name(info.pixelType),
                           name(views.pixelType));
    if (info.views >= m_count)
        return fmt::format("they are {}, as many as a scan has: the views are {}", info.views,
                           m_count);
    return {};
}

std::string FrameJudge::shown(const FrameGroup& group) const {
    const std::string pattern = patternOf(group);
    const fs::path files =
        group.folder / (pattern.empty() ? group.files.front().filename().string() : pattern);
    return files.lexically_relative(m_opened).string();
}

double FrameJudge::medianOfViews() const {
    return sampleFrames(*m_views).median;
}

std::vector<UnusedFrames> otherProjections(const FrameGroup& projections,
                                           const std::vector<FrameGroup>& groups) {
    constexpr std::size_t kFew = 4;  // times fewer files are no other scan
    const std::size_t count = projections.files.size();
    const bool isNamed = isCalledProjections(projections.folder.filename().string());
    std::vector<UnusedFrames> unused;
    std::size_t others = 0;
    for (const FrameGroup& group : groups) {
        if (group.role != FrameRole::projections) continue;
        const bool isHere = group.folder == projections.folder;
        const bool isOtherFormat =
            formatByName(group.files.front()) != formatByName(projections.files.front());
        if (!isHere && !isNamed && group.files.size() * kFew > count)
            unused.push_back({FrameRole::projections,
                              fmt::format("The folder {} holds {} images, too, which are not used",
                                          group.folder.filename().string(), group.files.size())});
        if (!isHere) continue;
        if (!isOtherFormat && !group.isVolume) others += group.files.size();
        unused.push_back({FrameRole::projections,
                          fmt::format("{} is left out: it {}", filesText(group),
                                      group.isVolume  ? "is a volume"
                                      : isOtherFormat ? "is of another format than the views"
                                                      : fmt::format("is named unlike the views, {}",
                                                                    filesText(projections))),
                          !group.isVolume});
        if (others > 1 && others * kFew > count)
            throwError<InputError>(
                "{}: holds two series of images, {} and {}, and nothing says which one is the "
                "scan. Open one of the files of the series that is meant, or move the other away",
                projections.folder.string(), filesText(projections), filesText(group));
    }
    return unused;
}

}  // namespace gantry
