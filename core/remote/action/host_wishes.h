#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/base/field_table.h"
#include "core/remote/job/remote_job.h"

namespace gantry {

/// What a user wants of a host; the rest follows from its file and the forecast.
struct HostWishes {
    int nodes = 0;    ///< 0: by the forecast
    int minutes = 0;  ///< 0: by the forecast
    std::optional<DataWay>
        way{};                 ///< none: mapped if the host's map has the scan's folder, or sent
    std::string placeThere{};  ///< the scan's file there, if the way is `there`
    BringBack bring = BringBack::volume;
    std::string script{};  ///< edited by hand; empty: batchScript()
};

/// The ways of the data as commands name them: none is asked for, then those of DataWay.
inline constexpr FieldWord kDataWords[] = {{"auto", "Automatic: send"},
                                           {"map", "Host sees the same files"},
                                           {"send", "Send them once"},
                                           {"there", "Are there already"}};

inline constexpr std::string_view kHostOptions = "host";

/// The wishes as rows of a table: words on the command line, texts in the desktop.
[[nodiscard]] std::span<const FileField<HostWishes>> hostWishFields();

}  // namespace gantry
