#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/base/file.h"

struct tiff;  // libtiff's TIFF

namespace gantry {

/// Whether a file that begins so is a TIFF or BigTIFF file.
[[nodiscard]] bool isTiffSignature(std::string_view begin);

/// An open libtiff handle that reads and writes through a File. Errors of libtiff go into this
/// handle's exceptions, never to the terminal and never to a handler shared by the process.
/// One thread at a time.
/// Tests: tests/core/io/tiff_source_test.cpp, tests/core/io/hostile_input_test.cpp
class TiffHandle {
  public:
    /// No single piece of a file (a strip, a tile, a tag) may take more memory than this.
    static constexpr Index kMaxPieceBytes = Index{1} << 30;

    /// @param mode  libtiff's: "r", "w", "w8" (BigTIFF)
    /// @param directoryOffset  with "r": the directory to treat as the file's first; 0: the real
    /// first one. (libtiff itself would read all directories before it.)
    /// @throws InputError  the file cannot be opened, or is no TIFF
    TiffHandle(const std::filesystem::path& path, File::Mode fileMode, const char* mode,
               std::uint64_t directoryOffset = 0);
    TiffHandle(TiffHandle&&) noexcept;
    TiffHandle& operator=(TiffHandle&&) noexcept;
    TiffHandle(const TiffHandle&) = delete;
    TiffHandle& operator=(const TiffHandle&) = delete;
    ~TiffHandle();

    [[nodiscard]] tiff* get() const;
    [[nodiscard]] const File& file() const;

    /// Throws the cause of libtiff's failure: an error of the file itself unchanged (a full disk is
    /// a ResourceError), otherwise a FileError "FILE: <what>: <libtiff's words>".
    [[noreturn]] void fail(std::string_view what) const;
    /// Calls fail() if `good` is false.
    void check(bool good, std::string_view what) const;
    /// Ends writing. @throws as fail() when something could not be written
    void close();

  private:
    [[noreturn]] void failToOpen() const;

    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace gantry
