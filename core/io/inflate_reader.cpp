#include "core/io/inflate_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "core/base/error.h"

namespace gantry {

namespace {

constexpr Index kPieceBytes = 64 * 1024;
constexpr Index kMaxRests = 64;
constexpr Index kMinRestStep = 1024 * 1024;

// zlib's stream and the file position where it continues.
struct Stream {
    z_stream z{};
    Index in = 0;   // next byte of the file to hand to zlib
    Index out = 0;  // inflated bytes so far

    Stream() = default;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { inflateEnd(&z); }
};

}  // namespace

struct InflateReader::State {
    File file;
    Index begin = 0;
    Index end = 0;
    Index inflatedBytes = 0;
    Index restStep = 0;

    std::mutex mutex;
    std::unique_ptr<Stream> stream;
    std::vector<std::unique_ptr<Stream>> rests;  // rests[i] stands at i · restStep
    std::array<std::byte, kPieceBytes> input{};
    std::array<std::byte, kPieceBytes> skipped{};

    template <class... Values>
    [[noreturn]] void fail(fmt::format_string<Values...> what, Values&&... values) const {
        throw InputError(fmt::format("{} is damaged: {}.", file.path().string(),
                                     fmt::format(what, std::forward<Values>(values)...)),
                         {.code = ErrorCode::damagedFile});
    }
    void start();
    void moveTo(Index offset);
    Index inflateSome(std::span<std::byte> bytes);
    void fill(std::span<std::byte> bytes);
    void refill();
    void leaveRest();
    void checkEnd();
};

namespace {

constexpr const char* kNoMemory =
    "Out of memory while compressed voxels are read. Close other programs.";

std::unique_ptr<Stream> copyOf(Stream& other) {
    auto copy = std::make_unique<Stream>();
    if (inflateCopy(&copy->z, &other.z) != Z_OK)
        throw ResourceError(kNoMemory, {.code = ErrorCode::hostMemory});
    // Input that zlib has not consumed is read again.
    copy->in = other.in - static_cast<Index>(other.z.avail_in);
    copy->out = other.out;
    copy->z.avail_in = 0;
    copy->z.next_in = nullptr;
    return copy;
}

}  // namespace

InflateReader::InflateReader(File file, Index begin, Index storedBytes, Index inflatedBytes)
    : m_state(std::make_unique<State>()) {
    m_state->file = std::move(file);
    m_state->begin = begin;
    m_state->end = begin + storedBytes;
    m_state->inflatedBytes = inflatedBytes;
    m_state->restStep = std::max(kMinRestStep, inflatedBytes / kMaxRests + 1);
    m_state->start();
}

InflateReader::~InflateReader() = default;

void InflateReader::read(Index offset, std::span<std::byte> bytes) {
    State& state = *m_state;
    const std::lock_guard lock(state.mutex);
    require(offset >= 0 && offset + std::ssize(bytes) <= state.inflatedBytes,
            "compressed voxels are read beyond their end");
    state.moveTo(offset);
    state.fill(bytes);
    if (state.stream->out == state.inflatedBytes && !bytes.empty()) state.checkEnd();
}

void InflateReader::State::start() {
    stream = std::make_unique<Stream>();
    // 15: the largest window; +32: tell zlib from gzip by their headers.
    if (inflateInit2(&stream->z, 15 + 32) != Z_OK)
        throw ResourceError(kNoMemory, {.code = ErrorCode::hostMemory});
    stream->in = begin;
    leaveRest();
}

void InflateReader::State::leaveRest() {
    if (stream->out == std::ssize(rests) * restStep) rests.push_back(copyOf(*stream));
}

void InflateReader::State::moveTo(Index offset) {
    const Index rest = std::min(offset / restStep, std::ssize(rests) - 1);
    const bool behind = stream->out > offset;
    if (behind || rest * restStep > stream->out) stream = copyOf(*rests[rest]);
    while (stream->out < offset)
        fill(std::span(skipped).first(std::min(kPieceBytes, offset - stream->out)));
}

void InflateReader::State::fill(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        // Stops exactly where the next resting point is due.
        const Index untilRest = restStep - stream->out % restStep;
        const auto piece = std::min({std::ssize(bytes), untilRest, Index{1} << 30});
        const Index got = inflateSome(bytes.first(piece));
        bytes = bytes.subspan(got);
        leaveRest();
    }
}

void InflateReader::State::refill() {
    if (stream->z.avail_in > 0) return;
    const Index count = std::min(kPieceBytes, end - stream->in);
    file.readAt(stream->in, std::span(input).first(count));
    stream->in += count;
    stream->z.next_in = reinterpret_cast<Bytef*>(input.data());
    stream->z.avail_in = static_cast<uInt>(count);
}

// Inflates at least one byte.
Index InflateReader::State::inflateSome(std::span<std::byte> bytes) {
    z_stream& z = stream->z;
    z.next_out = reinterpret_cast<Bytef*>(bytes.data());
    z.avail_out = static_cast<uInt>(bytes.size());
    while (z.avail_out == bytes.size()) {
        refill();
        const int code = inflate(&z, Z_NO_FLUSH);
        const bool none = z.avail_out == bytes.size();
        if (code == Z_MEM_ERROR) throw ResourceError(kNoMemory, {.code = ErrorCode::hostMemory});
        if (code == Z_STREAM_END && none)
            fail("its compressed voxels are {} bytes, and its header says {}", stream->out,
                 inflatedBytes);
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            fail("its compressed voxels cannot be read beyond {} bytes", stream->out);
        if (none && z.avail_in == 0 && stream->in == end)
            fail("its compressed voxels end after {} of {} bytes", stream->out, inflatedBytes);
    }
    const Index got = std::ssize(bytes) - static_cast<Index>(z.avail_out);
    stream->out += got;
    return got;
}

void InflateReader::State::checkEnd() {
    z_stream& z = stream->z;
    std::byte beyond{};
    int code = Z_OK;
    while (code == Z_OK) {
        refill();
        z.next_out = reinterpret_cast<Bytef*>(&beyond);
        z.avail_out = 1;
        code = inflate(&z, Z_NO_FLUSH);
        if (z.avail_out == 0)
            fail("its compressed voxels are more than the {} bytes that its header says",
                 inflatedBytes);
    }
    if (code != Z_STREAM_END) fail("its compressed voxels do not end as they should");
    // The end may be read again: continue from the last resting point.
    stream = copyOf(*rests.back());
}

}  // namespace gantry
