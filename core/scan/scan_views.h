#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/open_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/series/bad_view.h"

namespace gantry {

/// Which views of the trajectory the files have, and which of them are used.
struct ScanViews {
    std::vector<Index> used;           ///< numbers in the trajectory, in order
    std::vector<Index> stored;         ///< the same views' numbers in OpenedViews::source
    std::vector<Index> numbers;        ///< in the trajectory, of all views of OpenedViews::source
    std::vector<LeftOutView> leftOut;  ///< all others, in order
    std::vector<std::filesystem::path> files;  ///< files that contain the used views
};

/// Assigns images to the views of the trajectory, in order if there are as many. If there are
/// fewer, views to be left out have none: those at the beginning or the end of the trajectory, or
/// all of them if their number is that of the missing images and no file number is missing in
/// between. Bad views are left out, requested or not.
/// @throws InputError when images and views do not match in exactly one way, stating what
///         to do; when no view remains
/// Tests: tests/core/scan/scan_views_test.cpp
[[nodiscard]] ScanViews matchTrajectory(const ScanFile& scan, const OpenedViews& opened);

/// "1 of 360 views was left out. View 99: proj_0100.tif is missing."; empty where there are none.
/// Where many are, it has the numbers of all and the sentences of the first.
[[nodiscard]] std::string leftOutText(const std::vector<LeftOutView>& leftOut, Index views);

/// @throws InputError when views are left out that the request does not list: it names them by
/// number and file, and the command line's options for that
void throwOnBadViews(const std::vector<LeftOutView>& leftOut, const ScanFile& scan);

/// A view that proved unreadable when its pixels were read.
class ViewError : public InputError {
  public:
    /// sentence: names the file
    ViewError(Index view, std::string sentence);

    [[nodiscard]] Index view() const { return m_view; }
    /// The message for the command line, including the option that leaves the view out.
    [[nodiscard]] std::string withRemedy() const;

  private:
    Index m_view;
};

}  // namespace gantry
