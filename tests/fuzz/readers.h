#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gantry::fuzz {

/// A reader of bytes from outside.
struct Reader {
    std::string name;  ///< on the command line of packaging/fuzz.sh
    std::string
        ending;  ///< of the file that it reads, and of the seeds that it begins with: ".tif"
    /// Reads a file. It may throw any Error but an InternalError.
    std::function<void(const std::filesystem::path& file)> read;
};

/// Writes the images that some descriptions need beside them, and voxels that a header names.
void writeImagesBeside(const std::filesystem::path& folder);

/// All readers: every description, and those of the rows there. A reader is added by a row.
[[nodiscard]] std::vector<Reader> readers();

}  // namespace gantry::fuzz
