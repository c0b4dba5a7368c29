#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Must be called before the first call of libhdf5, or of a library that calls it.
/// @throws InternalError  its build is for one thread only
void prepareHdf5();

/// Whether a file that begins so is an HDF5 file.
[[nodiscard]] bool isHdf5Signature(std::string_view begin);

/// An object that libhdf5 has opened: its hid_t and the function that closes it.
class Hdf5Id {
  public:
    using Close = int (*)(std::int64_t id);

    Hdf5Id() = default;
    Hdf5Id(std::int64_t id, Close close) : m_id(id), m_close(close) {}
    Hdf5Id(Hdf5Id&& other) noexcept : m_id(std::exchange(other.m_id, -1)), m_close(other.m_close) {}
    Hdf5Id& operator=(Hdf5Id&& other) noexcept;
    Hdf5Id(const Hdf5Id&) = delete;
    Hdf5Id& operator=(const Hdf5Id&) = delete;
    ~Hdf5Id();

    [[nodiscard]] bool isOpen() const { return m_id >= 0; }
    [[nodiscard]] std::int64_t get() const { return m_id; }
    /// Leaves the closing to the caller.
    [[nodiscard]] std::int64_t release() { return std::exchange(m_id, -1); }

  private:
    std::int64_t m_id = -1;
    Close m_close = nullptr;
};

/// While it exists, libhdf5 prints no errors of this thread.
class Hdf5Quiet {
  public:
    Hdf5Quiet();
    Hdf5Quiet(const Hdf5Quiet&) = delete;
    Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;
    ~Hdf5Quiet();

  private:
    int (*m_print)(std::int64_t stack, void* data) = nullptr;
    void* m_data = nullptr;
};

/// A number or list of numbers in a file, with the attribute "units".
struct Hdf5Numbers {
    std::vector<double> values;
    std::string units;  ///< empty: not stated
};

/// An HDF5 file that is open for reading. Objects are named by their paths: "/exchange/data".
/// Errors of libhdf5 go into the exceptions, never to the terminal. Thread-safe, because libhdf5
/// admits one thread at a time. Tests: tests/core/io/hdf5_source_test.cpp
class Hdf5File {
  public:
    /// @throws InputError  it cannot be read, is no HDF5 file, is damaged, or is still being
    /// written
    explicit Hdf5File(std::filesystem::path path);

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] Index sizeBytes() const { return m_sizeBytes; }
    /// Whether there is such an object. Broken links do not count.
    [[nodiscard]] bool has(const std::string& object) const;
    /// Names of the groups in a group; of the file itself: "/".
    [[nodiscard]] std::vector<std::string> groupsIn(const std::string& group) const;
    /// Names of the datasets in a group, and of those of three dimensions alone.
    [[nodiscard]] std::vector<std::string> datasetsIn(const std::string& group) const;
    [[nodiscard]] std::vector<std::string> stacksIn(const std::string& group) const;
    /// Whether two paths lead to the same object.
    [[nodiscard]] bool areSame(const std::string& a, const std::string& b) const;
    /// The text of a dataset or of an object's attribute; empty where there is none.
    [[nodiscard]] std::string text(const std::string& dataset) const;
    [[nodiscard]] std::string attribute(const std::string& object, const char* name) const;
    /// The numbers of an object's attribute; none where it has none, or more than a few.
    [[nodiscard]] std::vector<double> attributeNumbers(const std::string& object,
                                                       const char* name) const;
    /// Every number of a dataset; nothing where there is no such dataset, or not of numbers.
    /// @throws InputError  it holds more than `max`, or cannot be read
    [[nodiscard]] std::optional<Hdf5Numbers> numbers(const std::string& dataset, Index max) const;
    /// Every text of a list; nothing where there is no such dataset, or not a list of texts.
    /// @throws InputError  it holds more than `max`, or cannot be read
    [[nodiscard]] std::optional<std::vector<std::string>> texts(const std::string& dataset,
                                                                Index max) const;
    /// Opens a dataset. access: libhdf5's property list; 0: the usual ones
    /// @throws InputError naming it and, where it lies in a file that is missing, that one
    [[nodiscard]] Hdf5Id openDataset(const std::string& dataset, std::int64_t access = 0) const;

  private:
    [[nodiscard]] std::vector<std::string> namesIn(
        const std::string& group,
        const std::function<bool(const std::string& path)>& isWanted) const;

    std::filesystem::path m_path;
    Index m_sizeBytes = 0;
    Hdf5Id m_file;
};

}  // namespace gantry
