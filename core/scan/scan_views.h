#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/open_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/series/left_out_view.h"

namespace gantry {

/// Which views of the trajectory the files have, and which of them are used.
struct ScanViews {
    std::vector<Index> used;           ///< numbers in the trajectory, in order
    std::vector<Index> stored;         ///< the same views' numbers in OpenedViews::source
    std::vector<Index> numbers;        ///< in the trajectory, of all views of OpenedViews::source
    std::vector<LeftOutView> leftOut;  ///< all others, in order
    std::vector<std::filesystem::path> files;  ///< that hold the used ones
};

/// Gives every view of the trajectory its image: to all in order where there are as many. Where
/// there are fewer, views that are to be left out have none: at the beginning or the end of the
/// trajectory, or all of them where their number is that of the lacking images and none is missing
/// within the files' own numbers. Bad views are left out, wanted or not.
/// @throws InputError when images and views do not match in exactly one way, saying what
///         to do; when no view remains
/// Tests: tests/core/scan/scan_views_test.cpp
[[nodiscard]] ScanViews matchTrajectory(const ScanFile& scan, const OpenedViews& opened);

/// "1 of 360 views was left out. View 99: proj_0100.tif is missing."; empty where there are none.
[[nodiscard]] std::string leftOutText(const std::vector<LeftOutView>& leftOut, Index views);

/// @throws InputError when views are left out that the request does not name: it gives them by
///         number and file, and the options of the command line for that
void throwOnBadViews(const std::vector<LeftOutView>& leftOut, const ScanFile& scan);

/// A view that proved unreadable when its pixels were read.
class ViewError : public InputError {
  public:
    /// sentence: naming the file
    ViewError(Index view, std::string sentence);

    [[nodiscard]] Index view() const { return m_view; }
    /// The message for the command line, whose options can leave the view out.
    [[nodiscard]] std::string withRemedy() const;

  private:
    Index m_view;
};

}  // namespace gantry
