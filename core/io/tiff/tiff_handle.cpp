#include "core/io/tiff/tiff_handle.h"

#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include "core/base/throw_error.h"
#include "core/io/file_error.h"

namespace gantry {

bool isTiffSignature(std::string_view begin) {
    using namespace std::string_view_literals;
    return begin.starts_with("II*\0"sv) || begin.starts_with("MM\0*"sv) ||
           begin.starts_with("II+\0"sv) || begin.starts_with("MM\0+"sv);
}

struct TiffHandle::State {
    File file;
    Index position = 0;
    bool writing = false;
    Index readableBytes = 0;  // the file's size when it was opened for reading
    std::uint64_t directoryOffset = 0;
    std::string error;
    std::string warning;
    std::exception_ptr fileError;  // an exception must not pass through libtiff's C code
    TIFF* handle = nullptr;

    [[nodiscard]] Index sizeBytes() const { return writing ? file.sizeBytes() : readableBytes; }

    void replaceFirstDirectory(Index begin, std::span<std::byte> bytes) const;

    // libtiff's callbacks; `data` is the State.
    static tmsize_t read(thandle_t data, void* bytes, tmsize_t count);
    static tmsize_t write(thandle_t data, void* bytes, tmsize_t count);
    static toff_t seek(thandle_t data, toff_t offset, int whence);
    static toff_t size(thandle_t data);
    static int closeNothing(thandle_t) { return 0; }
    static int keepError(TIFF*, void* data, const char*, const char* format, va_list arguments);
    static int keepWarning(TIFF*, void* data, const char*, const char* format, va_list arguments);
};

namespace {

std::string oneLine(const char* format, va_list arguments) {
    char text[512];
    std::vsnprintf(text, sizeof(text), format, arguments);
    std::string line = text;
    // These messages may contain file names and tag values of damaged files.
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
    while (!line.empty() && (line.back() == '.' || line.back() == ' '))
        line.pop_back();
    return line;
}

}  // namespace

// Replaces the header's offset of the first directory by directoryOffset, in bytes that were read
// from `begin`.
void TiffHandle::State::replaceFirstDirectory(Index begin, std::span<std::byte> bytes) const {
    if (begin >= 16) return;
    std::array<std::byte, 4> signature;
    file.readAt(0, signature);
    const bool bigEndian = signature[0] == std::byte{'M'};
    const bool bigTiff = signature[bigEndian ? 3 : 2] == std::byte{43};
    const Index field = bigTiff ? 8 : 4;
    for (Index i = 0; i < field; ++i) {
        const Index at = field + i - begin;
        if (at < 0 || at >= std::ssize(bytes)) continue;
        const Index shift = 8 * (bigEndian ? field - 1 - i : i);
        bytes[at] = static_cast<std::byte>(directoryOffset >> shift & 0xff);
    }
}

tmsize_t TiffHandle::State::read(thandle_t data, void* bytes, tmsize_t count) {
    auto& state = *static_cast<State*>(data);
    try {
        const Index left = std::max<Index>(0, state.sizeBytes() - state.position);
        const Index got = std::clamp<Index>(count, 0, left);
        const std::span target(static_cast<std::byte*>(bytes), static_cast<std::size_t>(got));
        state.file.readAt(state.position, target);
        if (state.directoryOffset != 0) state.replaceFirstDirectory(state.position, target);
        state.position += got;
        return got;
    } catch (...) {
        state.fileError = std::current_exception();
        return -1;
    }
}

tmsize_t TiffHandle::State::write(thandle_t data, void* bytes, tmsize_t count) {
    auto& state = *static_cast<State*>(data);
    try {
        state.file.writeAt(state.position,
                           {static_cast<const std::byte*>(bytes), static_cast<std::size_t>(count)});
        state.position += count;
        return count;
    } catch (...) {
        if (!state.fileError) state.fileError = std::current_exception();
        return -1;
    }
}

toff_t TiffHandle::State::seek(thandle_t data, toff_t offset, int whence) {
    auto& state = *static_cast<State*>(data);
    const auto step = static_cast<Index>(offset);
    const Index base = whence == SEEK_SET   ? 0
                       : whence == SEEK_CUR ? state.position
                                            : static_cast<Index>(size(data));
    Index target = 0;
    // A damaged file may request positions beyond a signed 64-bit offset.
    if (__builtin_add_overflow(base, step, &target) || target < 0) return static_cast<toff_t>(-1);
    state.position = target;
    return static_cast<toff_t>(target);
}

toff_t TiffHandle::State::size(thandle_t data) {
    auto& state = *static_cast<State*>(data);
    try {
        return static_cast<toff_t>(state.sizeBytes());
    } catch (...) {
        state.fileError = std::current_exception();
        return 0;
    }
}

int TiffHandle::State::keepError(TIFF*, void* data, const char*, const char* format,
                                 va_list arguments) {
    // The first error is the cause; later ones are its consequences.
    auto& state = *static_cast<State*>(data);
    if (!state.error.empty()) return 1;
    state.error = oneLine(format, arguments);
    const std::string name = state.file.path().string() + ": ";
    if (state.error.starts_with(name)) state.error.erase(0, name.size());
    return 1;
}

int TiffHandle::State::keepWarning(TIFF*, void* data, const char*, const char* format,
                                   va_list arguments) {
    static_cast<State*>(data)->warning = oneLine(format, arguments);
    return 1;
}

TiffHandle::TiffHandle(const std::filesystem::path& path, File::Mode fileMode, const char* mode,
                       std::uint64_t directoryOffset)
    : m_state(std::make_unique<State>()) {
    State& state = *m_state;
    state.file = File(path, fileMode);
    state.writing = fileMode != File::Mode::read;
    state.readableBytes = state.file.sizeBytes();
    state.directoryOffset = directoryOffset;
    if (!state.writing && state.readableBytes == 0)
        throw FileError(path, "is empty; a TIFF image was expected");
    TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
    if (!options) throw ResourceError("out of memory: a TIFF file cannot be opened");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, kMaxPieceBytes);
    TIFFOpenOptionsSetErrorHandlerExtR(options, State::keepError, &state);
    TIFFOpenOptionsSetWarningHandlerExtR(options, State::keepWarning, &state);
    state.handle =
        TIFFClientOpenExt(path.c_str(), mode, &state, State::read, State::write, State::seek,
                          State::closeNothing, State::size, nullptr, nullptr, options);
    TIFFOpenOptionsFree(options);
    if (!state.handle) failToOpen();
}

TiffHandle::TiffHandle(TiffHandle&&) noexcept = default;

TiffHandle& TiffHandle::operator=(TiffHandle&& other) noexcept {
    std::swap(m_state, other.m_state);
    return *this;
}

TiffHandle::~TiffHandle() {
    if (m_state && m_state->handle) TIFFClose(m_state->handle);
}

tiff* TiffHandle::get() const {
    return m_state->handle;
}

const File& TiffHandle::file() const {
    return m_state->file;
}

void TiffHandle::failToOpen() const {
    if (m_state->writing || m_state->fileError) fail("cannot be opened as a TIFF file");
    std::array<std::byte, 4> signature{};
    if (m_state->readableBytes >= 4) m_state->file.readAt(0, signature);
    const std::string_view text(reinterpret_cast<const char*>(signature.data()), 4);
    throw FileError(m_state->file.path(), isTiffSignature(text)
                                              ? "is damaged (its directory cannot be read)"
                                              : "is no TIFF file");
}

void TiffHandle::fail(std::string_view what) const {
    if (m_state->fileError) std::rethrow_exception(m_state->fileError);
    const std::string& reason = m_state->error.empty() ? m_state->warning : m_state->error;
    const std::filesystem::path& path = m_state->file.path();
    if (reason.empty()) throw FileError(path, std::string(what));
    throwErrorOf<FileError>(path, "{}: {}", what, reason);
}

void TiffHandle::check(bool good, std::string_view what) const {
    if (!good) fail(what);
}

void TiffHandle::close() {
    if (!m_state->handle) return;
    m_state->error.clear();
    TIFFClose(std::exchange(m_state->handle, nullptr));
    check(m_state->error.empty() && !m_state->fileError, "cannot be written");
    m_state->file.close();
}

}  // namespace gantry
