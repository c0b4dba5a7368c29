#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gantry {

/// Real numbers of a MATLAB matrix, column by column.
struct MatlabMatrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> values;
};

/// A MATLAB file, version 5 (what `save` writes with -v6 or -v7), as far as geometries need it.
/// Only requested variables are read, and their size is checked before memory is allocated.
/// libmatio has memory faults on damaged files: a file of unknown origin is first tried in another
/// process, see tryInAnotherProcess(). One thread at a time. Tests:
/// tests/core/io/tigre_geometry_test.cpp
class MatlabFile {
  public:
    /// @throws InputError naming the file: not there, too large, or of another version
    explicit MatlabFile(const std::filesystem::path& path);
    ~MatlabFile();
    MatlabFile(const MatlabFile&) = delete;
    MatlabFile& operator=(const MatlabFile&) = delete;

    /// The first single struct (not one of an array) that has this field; empty where there is
    /// none.
    [[nodiscard]] std::string structWith(const std::string& field);
    /// The matrix of a variable or, if `field` is not empty, of a field of a struct; none if it is
    /// not there.
    /// @throws InputError if it is anything but real numbers in rows and columns
    [[nodiscard]] std::optional<MatlabMatrix> matrix(const std::string& variable,
                                                     const std::string& field = {});
    /// The text of a struct's field. @throws InputError if it is no text
    [[nodiscard]] std::optional<std::string> text(const std::string& variable,
                                                  const std::string& field);

  private:
    struct Handles;
    [[noreturn]] void refuse(const std::string& name, const std::string& fault) const;
    std::string m_name;
    std::unique_ptr<Handles> m_handles;
};

}  // namespace gantry
