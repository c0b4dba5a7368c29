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

/// An open libtiff handle that reads and writes through a File. What libtiff reports goes into this
/// handle's exceptions, never to the terminal and never to a handler shared by the process.
/// One thread at a time.
/// Tests: tests/core/io/tiff_source_test.cpp, tests/core/io/hostile_input_test.cpp
class TiffHandle {
  public:
    /// No single piece of a file (a strip, a tile, a tag) may take more memory than this.
    static constexpr Index kMostPieceBytes = Index{1} << 30;

    /// @param mode  libtiff's: "r", "w", "w8" (BigTIFF)
    /// @param directoryOffset  with "r": the directory to begin with, as if it were the file's
    /// first; 0: the file's first. (libtiff itself reads all directories before it to go to one.)
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

    /// Throws what made libtiff fail: a failure of the file itself as it was (a full disk is a
    /// ResourceError), else a FileError "FILE: <what>: <libtiff's words>".
    [[noreturn]] void fail(std::string_view what) const;
    /// Does nothing, or fail().
    void check(bool good, std::string_view what) const;
    /// Ends writing. @throws as fail() when something could not be written
    void close();

  private:
    [[noreturn]] void failToOpen() const;

    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace gantry
