#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace gantry {

/// An error in one file; what() is "PATH FAULT.": "/scans/view_7.tif is cut off."
class FileError : public InputError {
  public:
    /// fault: completes a sentence that begins with the file's name: "is cut off"
    FileError(std::filesystem::path path, std::string fault)
        : InputError(path.string() + " " + fault + ".", {.code = ErrorCode::damagedFile}),
          m_path(std::move(path)),
          m_fault(std::move(fault)) {}

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] const std::string& fault() const { return m_fault; }

  private:
    std::filesystem::path m_path;
    std::string m_fault;
};

}  // namespace gantry
