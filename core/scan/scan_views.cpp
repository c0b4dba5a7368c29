#include "core/scan/scan_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/throw_error.h"
#include "core/io/series/view_numbers.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

std::string filesText(const OpenedViews& opened) {
    if (opened.files.size() == 1) return opened.files.front().filename().string();
    return fmt::format("{} to {}", opened.files.front().filename().string(),
                       opened.files.back().filename().string());
}

std::string firstMissing(const OpenedViews& opened) {
    const auto first = std::ranges::find(opened.bad, BadViewKind::missing, &BadView::kind);
    return first->file.filename().string();
}

[[noreturn]] void failToMatch(const ScanFile& scan, const OpenedViews& opened) {
    const Index views = scan.geometry.views();
    const Index images = opened.views();
    const Index missing = std::ranges::count(opened.bad, BadViewKind::missing, &BadView::kind);
    std::string sentence = fmt::format(
        "{}: the geometry has {} views, but '{}' holds {} images ({})", scan.path.string(), views,
        scan.projections.files, images - missing, filesText(opened));
    if (missing > 0)
        sentence += fmt::format(", and by the numbers in their names {} more {} missing, first {}",
                                missing, missing == 1 ? "is" : "are", firstMissing(opened));
    if (images > views)
        throw InputError(sentence + (missing > 0 ? "; correct trajectory.views, or rename the "
                                                   "files if these numbers count no views"
                                                 : "; correct trajectory.views or the files"));
    if (images + 1 == views && scan.projections.skipViews.empty())
        throw InputError(sentence +
                         fmt::format(", and no number among them tells which one is missing. If it "
                                     "is the first, leave out view 0 (--skip-views 0); if it is "
                                     "the last, view {0} (--skip-views {0}); or correct "
                                     "trajectory.views",
                                     views - 1));
    throw InputError(sentence +
                     fmt::format(", and the numbers among them do not tell which {} are missing. "
                                 "Name just these, counted from 0 (--skip-views 0-{}, or "
                                 "--skip-views {}-{}), or correct trajectory.views",
                                 views - images, views - images - 1, images, views - 1));
}

bool hasGap(const OpenedViews& opened) {
    return std::ranges::any_of(opened.bad,
                               [](const BadView& bad) { return bad.kind == BadViewKind::missing; });
}

// How many consecutive views are left out, from the first or from the last one on.
Index runFrom(bool first, const std::vector<Index>& skip, Index views) {
    Index run = 0;
    const auto isLeftOut = [&](Index view) { return std::ranges::binary_search(skip, view); };
    while (run < views && isLeftOut(first ? run : views - 1 - run))
        ++run;
    return run;
}

// The views that have no image.
std::vector<Index> viewsWithoutImage(const ScanFile& scan, const OpenedViews& opened) {
    const Index views = scan.geometry.views();
    const Index lacking = views - opened.views();
    const std::vector<Index>& skip = scan.projections.skipViews;
    if (lacking == 0) return {};
    if (lacking < 0) failToMatch(scan, opened);
    const Index before = runFrom(true, skip, views);
    const Index behind = runFrom(false, skip, views);
    std::optional<Index> first;  // how many of them are the first ones
    if (before + behind == lacking)
        first = before;
    else if (behind == 0 && before > lacking)
        first = lacking;
    else if (before == 0 && behind > lacking)
        first = 0;
    std::vector<Index> without;
    if (first) {
        for (Index view = 0; view < *first; ++view)
            without.push_back(view);
        for (Index view = views - (lacking - *first); view < views; ++view)
            without.push_back(view);
    } else if (std::ssize(skip) == lacking && !hasGap(opened)) {
        without = skip;
    } else {
        failToMatch(scan, opened);
    }
    return without;
}

bool contains(const std::vector<Index>& sorted, Index view) {
    return std::ranges::binary_search(sorted, view);
}

LeftOutView leftOut(Index view, const fs::path& file, const BadView* bad, bool isWanted) {
    std::string sentence = bad ? bad->sentence
                           : file.empty()
                               ? std::string("there is no image of it.")
                               : fmt::format("{} was to be left out.", file.filename().string());
    return {view, file, bad != nullptr, isWanted, std::move(sentence)};
}

}  // namespace

ScanViews matchTrajectory(const ScanFile& scan, const OpenedViews& opened) {
    const std::vector<Index>& skip = scan.projections.skipViews;
    if (const std::string fault = leaveOutFault(skip, scan.geometry.views()); !fault.empty())
        throwError<InputError>("{}: projections.skipViews: {}", scan.path.string(), fault);
    const std::vector<Index> without = viewsWithoutImage(scan, opened);
    ScanViews result;
    auto bad = opened.bad.begin();
    Index image = 0;  // among all images of the files
    Index good = 0;   // among those of the source
    for (Index view = 0; view < scan.geometry.views(); ++view) {
        const bool isWanted = contains(skip, view);
        if (contains(without, view)) {
            result.leftOut.push_back(leftOut(view, {}, nullptr, isWanted));
            continue;
        }
        const std::size_t file = opened.fileOfView[image];
        const fs::path& path = opened.files[file];
        const bool isBad = bad != opened.bad.end() && bad->view == image;
        ++image;
        if (isBad) {
            result.leftOut.push_back(leftOut(view, path, &*bad++, isWanted));
            continue;
        }
        const Index stored = good++;
        result.numbers.push_back(view);
        if (isWanted) {
            const fs::path name = opened.source->viewName(stored);
            result.leftOut.push_back(leftOut(view, name, nullptr, true));
            continue;
        }
        result.used.push_back(view);
        result.stored.push_back(stored);
        const bool isNext = result.files.empty() || result.files.back() != path;
        if (isNext && !path.empty()) result.files.push_back(path);  // views in memory have none
    }
    if (result.used.empty())
        throwError<InputError>("{}: no view can be used: {}", scan.path.string(),
                               result.leftOut.front().sentence);
    return result;
}

namespace {

constexpr std::size_t kMaxListed = 10;  // of which each has a sentence of its own

// "View 99: proj_0100.tif is missing. View 100: ..."
std::string listed(const std::vector<LeftOutView>& views, std::size_t max) {
    std::string text;
    for (std::size_t i = 0; i < std::min(max, views.size()); ++i)
        text += fmt::format("{}View {}: {}", i > 0 ? " " : "", views[i].view, views[i].sentence);
    if (views.size() > max) text += fmt::format(" And {} more.", views.size() - max);
    return text;
}

}  // namespace

std::string leftOutText(const std::vector<LeftOutView>& leftOut, Index views) {
    if (leftOut.empty()) return {};
    const bool isShort = leftOut.size() <= kMaxListed;
    std::vector<Index> numbers;
    numbers.reserve(leftOut.size());
    for (const LeftOutView& view : leftOut)
        numbers.push_back(view.view);
    return fmt::format(
        "{} of {} views {} left out{}. {}", leftOut.size(), views,
        leftOut.size() == 1 ? "was" : "were",
        isShort ? "" : fmt::format(", those of numbers {}", viewNumbersText(numbers)),
        listed(leftOut, kMaxListed));
}

void throwOnBadViews(const std::vector<LeftOutView>& leftOut, const ScanFile& scan) {
    std::vector<LeftOutView> bad;
    std::vector<Index> numbers;
    for (const LeftOutView& view : leftOut) {
        if (view.isWanted) continue;
        bad.push_back(view);
        numbers.push_back(view.view);
    }
    if (bad.empty()) return;
    const bool isOne = bad.size() == 1;
    throwError<InputError>(
        "{}: {}{} Leave {} out with --skip-views {} or --skip-bad-views, or replace the {}.",
        scan.path.string(),
        isOne ? "a view cannot be used. " : fmt::format("{} views cannot be used. ", bad.size()),
        listed(bad, kMaxListed), isOne ? "it" : "them", viewNumbersText(numbers),
        isOne ? "file" : "files");
}

ViewError::ViewError(Index view, std::string sentence)
    : InputError(fmt::format("View {}: {}", view, sentence)), m_view(view) {}

std::string ViewError::withRemedy() const {
    return fmt::format(
        "{} Leave it out with --skip-views {} or --skip-bad-views, or replace the file.", what(),
        m_view);
}

}  // namespace gantry
