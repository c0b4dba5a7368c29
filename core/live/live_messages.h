#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/engine/plane_preview.h"
#include "core/live/live_place.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The first line that `gantry live` reads: the scan, and where its slices are made.
struct LiveOpen {
    JobSpec spec;
    LivePlace place;
};

/// Every later line: planes to be made with this geometry and filter. A newer line replaces it.
struct LiveAsked {
    Index number = 0;
    JobSpec spec;
    std::vector<Plane> planes;
};

/// The part of the views that has been read.
struct LiveLoading {
    double fraction = 0;
};

/// All views have been loaded, and pictures will follow.
struct LiveReady {
    Index binning = 1;  ///< of the finest views
    Index bytes = 0;    ///< that they take where the slices are made
};

/// Where a picture lies in the file of pictures: floats [row][column], 1/mm.
struct PicturePlace {
    Index columns = 0;
    Index rows = 0;
    Index offsetBytes = 0;
};

/// Pictures of request `number`; they are valid until a newer request is read.
struct LivePictures {
    Index number = 0;
    Index binning = 1;
    bool isFinal = false;
    std::vector<PicturePlace> places;
};

/// Why a request failed.
struct LiveRefused {
    Index number = 0;
    std::string sentence;
};

using LiveReply = std::variant<LiveLoading, LiveReady, LivePictures, LiveRefused>;

/// Each is one line of JSON, without the line's end.
[[nodiscard]] std::string toLine(const LiveOpen& open);
[[nodiscard]] std::string toLine(const LiveAsked& asked);
[[nodiscard]] std::string toLine(const LiveReply& reply);

/// @throws InputError naming the field; where: the line's name in messages
/// Tests: tests/core/live/live_server_test.cpp
[[nodiscard]] LiveOpen parseLiveOpen(std::string_view line, const std::string& where);
[[nodiscard]] LiveAsked parseLiveAsked(std::string_view line, const std::string& where);
[[nodiscard]] LiveReply parseLiveReply(std::string_view line, const std::string& where);

}  // namespace gantry
