#pragma once

#include <QString>
#include <filesystem>
#include <optional>

#include "core/io/volume/volume_format.h"

namespace gantry {

/// The output's path as the user sets it.
struct OutputPlace {
    QString folder;
    QString name;  ///< without the extension, which the format determines
    VolumeFormat format = VolumeFormat::metaImage;

    friend bool operator==(const OutputPlace&, const OutputPlace&) = default;
};

/// Tests: tests/ui/models/job_output_test.cpp
[[nodiscard]] OutputPlace outputPlaceOf(const std::filesystem::path& output);
[[nodiscard]] std::filesystem::path outputPathOf(const OutputPlace& place);

/// ".mha"; empty for a folder of slices.
[[nodiscard]] QString extensionOf(VolumeFormat format);
/// The format that a typed name's extension selects, and the name without it.
struct TypedName {
    QString name;
    std::optional<VolumeFormat> format;
};
[[nodiscard]] TypedName typedName(const QString& text);
/// A sentence on why a file cannot have this name; empty: it can.
[[nodiscard]] QString reasonAgainstName(const QString& name);

}  // namespace gantry
