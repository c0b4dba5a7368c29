#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/io/projection_source.h"
#include "core/scan/guess/find_frames.h"
#include "core/scan/guess/frame_groups.h"

namespace gantry {

/// What the name of a group of frames says. Clauses are without a full stop.
struct NameVerdict {
    std::string whyNot;  ///< why the group is not used; empty: it may be
    bool isUnsure = false;
    std::string doubt;  ///< why it is unsure
};

/// Judges whether images with a word for dark or flat frames in their name belong to a scan.
/// Tests: tests/core/scan/find_frames_test.cpp
class FrameJudge {
  public:
    /// others: all groups but the projections. views: usable ones; count: including unusable ones.
    /// opened: the folder that was searched
    FrameJudge(const FrameGroup& projections, const std::vector<FrameGroup>& others,
               std::filesystem::path opened, std::shared_ptr<const ProjectionSource> views,
               Index count);

    /// By the name, and for files outside the scan by what lies beside them.
    [[nodiscard]] NameVerdict byName(const FrameGroup& group) const;
    /// By the images; why the group is not used, or nothing. isUnsure: as byName() says
    [[nodiscard]] std::string byImages(const FrameGroup& group, const SourceInfo& info,
                                       bool isUnsure) const;
    /// The group's files as seen from the folder that was searched.
    [[nodiscard]] std::string shown(const FrameGroup& group) const;
    /// @throws InputError when none of the views can be read
    [[nodiscard]] double medianOfViews() const;

  private:
    enum class Place { own, within, beside };
    [[nodiscard]] Place placeOf(const FrameGroup& group) const;

    std::filesystem::path m_own;
    std::filesystem::path m_opened;
    bool m_isOneFile;
    std::vector<std::vector<std::string>> m_names;
    std::set<std::filesystem::path> m_otherScans;  ///< folders with projections
    std::shared_ptr<const ProjectionSource> m_views;
    Index m_count;
};

/// Images that might be the projections as well as those that were chosen.
/// @throws InputError when they are as likely: another series in the same folder
[[nodiscard]] std::vector<UnusedFrames> otherProjections(const FrameGroup& projections,
                                                         const std::vector<FrameGroup>& groups);

}  // namespace gantry
