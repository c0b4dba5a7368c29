#include "core/io/matlab/matlab_file.h"

#include <fmt/format.h>
#include <matio.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/hdf5/hdf5_file.h"

namespace gantry {

namespace {

constexpr Index kMaxMatlabBytes = 512'000'000;
constexpr Index kMatlabHeaderBytes = 128;
constexpr Index kTagBytes = 8;
constexpr std::uint32_t kCompressed = 15;  // miCOMPRESSED; Level 5 MAT-file format, table 1

// The header of an element.
struct Tag {
    std::uint32_t type = 0;
    Index bytes = 0;
};

Tag tagOf(const std::array<std::byte, kTagBytes>& stored, bool isBigEndian) {
    std::array<std::uint32_t, 2> numbers{};
    std::memcpy(numbers.data(), stored.data(), stored.size());
    if (isBigEndian)
        for (std::uint32_t& number : numbers)
            number = __builtin_bswap32(number);
    return {numbers[0], static_cast<Index>(numbers[1])};
}

// Whether the byte-order mark in the last two bytes is big-endian.
bool isBigEndian(const std::string& header) {
    static_assert(std::endian::native == std::endian::little);
    return header.ends_with("MI");
}

std::string readHeader(const File& file) {
    std::string header(kMatlabHeaderBytes, ' ');
    const Index there = std::min(kMatlabHeaderBytes, file.sizeBytes());
    file.readAt(0, std::as_writable_bytes(std::span(header)).first(there));
    if (header.starts_with("MATLAB 7.3 MAT-file"))
        throw FileError(
            file.path(),
            "is a file of MATLAB 7.3, which is not read; save it with the option '-v7'");
    if (!header.starts_with("MATLAB 5.0 MAT-file"))
        throw FileError(file.path(),
                        "is not a file of MATLAB 5; save it in MATLAB with the option '-v7'");
    if (!header.ends_with("IM") && !header.ends_with("MI"))
        throw FileError(file.path(), "is damaged or cut off: its header does not end as it must");
    return header;
}

// A compressed stream ends with a checksum. Writers disagree on the length that includes it.
bool isWhole(const File& file, Index begin, Index bytes) {
    constexpr Index kPiece = 1 << 16;
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK)
        throw ResourceError("Out of memory while a file of MATLAB is read.");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> closed(&stream, inflateEnd);
    std::vector<std::byte> in(kPiece);
    std::vector<std::byte> out(kPiece);
    int status = Z_OK;
    for (Index at = begin; status == Z_OK && stream.total_out < kMaxMatlabBytes;) {
        if (stream.avail_in == 0) {
            const Index piece = std::min(kPiece, begin + bytes - at);
            if (piece == 0) return false;
            file.readAt(at, std::span(in).first(piece));
            at += piece;
            stream.next_in = reinterpret_cast<Bytef*>(in.data());
            stream.avail_in = static_cast<uInt>(piece);
        }
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        status = inflate(&stream, Z_NO_FLUSH);
    }
    return status == Z_STREAM_END || status == Z_OK;
}

// Checks that a MATLAB 5 file is complete: each variable lies within the file, and those that are
// compressed, up to 512 MB inflated, match their checksums. libmatio would read missing bytes as
// zeros.
// @throws InputError naming the file: of another version, too large for a geometry, cut off,
//         damaged
// Tests: tests/core/io/tigre_geometry_test.cpp
void checkMatlabElements(const std::filesystem::path& path) {
    const File file(path, File::Mode::read);
    const Index end = file.sizeBytes();
    if (end > kMaxMatlabBytes)
        throwErrorOf<FileError>(path,
                                "has {} bytes, which no geometry has; it must have {} at most", end,
                                kMaxMatlabBytes);
    const bool isBig = isBigEndian(readHeader(file));
    for (Index at = kMatlabHeaderBytes; at < end;) {
        std::array<std::byte, kTagBytes> stored{};
        if (end - at < kTagBytes) throw FileError(path, "is cut off");
        file.readAt(at, stored);
        const Tag tag = tagOf(stored, isBig);
        at += kTagBytes;
        if (tag.bytes > end - at) throw FileError(path, "is cut off, or damaged");
        if (tag.type == kCompressed && !isWhole(file, at, tag.bytes))
            throw FileError(path, "is damaged: a compressed variable cannot be read");
        at += tag.bytes;
    }
}

constexpr std::size_t kMaxNumbers = 3'000'000;  // three a view of a million

struct Close {
    void operator()(mat_t* file) const { Mat_Close(file); }
};
struct Free {
    void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, Free>;

std::string nameInFile(const std::string& variable, const std::string& field) {
    return field.empty() ? variable : fmt::format("{}.{}", variable, field);
}

bool isSingle(const matvar_t& variable) {
    return variable.rank == 2 && variable.dims && variable.dims[0] == 1 && variable.dims[1] == 1;
}

}  // namespace

struct MatlabFile::Handles {
    std::unique_ptr<mat_t, Close> file;
    std::map<std::string, Variable> opened;  ///< shapes of variables, and of the fields of structs

    // Finds a variable or field by name; null if it is missing or cannot be read.
    const matvar_t* find(const std::string& name, const std::string& field) {
        const auto [at, isNew] = opened.try_emplace(name);
        if (isNew) at->second.reset(Mat_VarReadInfo(file.get(), name.c_str()));
        matvar_t* found = at->second.get();
        if (!found || field.empty()) return found;
        if (found->class_type != MAT_C_STRUCT) return nullptr;
        return Mat_VarGetStructFieldByName(found, field.c_str(), 0);
    }
    // Loads a matrix whose shape has been checked. Bytes that the file lacks stay unchanged.
    bool load(const matvar_t& matrix, void* to) {
        return Mat_VarReadDataLinear(file.get(), const_cast<matvar_t*>(&matrix), to, 0, 1,
                                     static_cast<int>(matrix.dims[0] * matrix.dims[1])) == 0;
    }
    template <class Number>
    std::optional<std::vector<double>> numbers(const matvar_t& matrix) {
        std::vector<Number> numbers(matrix.dims[0] * matrix.dims[1],
                                    std::numeric_limits<Number>::quiet_NaN());
        if (!load(matrix, numbers.data()) || matrix.data_size != sizeof(Number))
            return std::nullopt;
        return std::vector<double>(numbers.begin(), numbers.end());
    }
};

MatlabFile::MatlabFile(const std::filesystem::path& path)
    : m_name(path.string()), m_handles(std::make_unique<Handles>()) {
    // libmatio calls libhdf5, for files of MATLAB 7.3.
    prepareHdf5();
    // Otherwise libmatio would print to the terminal what our errors report. The message is const
    // from version 1.5.28 on.
    [[maybe_unused]] static const int isQuiet = Mat_LogInitFunc("gantry", [](int, auto*) {});
    checkMatlabElements(path);
    m_handles->file.reset(Mat_Open(m_name.c_str(), MAT_ACC_RDONLY));
    if (!m_handles->file || Mat_GetVersion(m_handles->file.get()) != MAT_FT_MAT5)
        throwError<InputError>("{} is damaged: MATLAB's variables cannot be read.", m_name);
}

MatlabFile::~MatlabFile() = default;

std::string MatlabFile::structWith(const std::string& field) {
    Mat_Rewind(m_handles->file.get());
    while (const Variable next{Mat_VarReadNextInfo(m_handles->file.get())}) {
        if (next->class_type != MAT_C_STRUCT || !next->name || !isSingle(*next)) continue;
        const unsigned fields = Mat_VarGetNumberOfFields(next.get());
        char* const* names = Mat_VarGetStructFieldnames(next.get());
        for (unsigned i = 0; names && i < fields; ++i)
            if (names[i] && field == names[i]) return next->name;
    }
    return {};
}

std::optional<MatlabMatrix> MatlabFile::matrix(const std::string& variable,
                                               const std::string& field) {
    const matvar_t* found = m_handles->find(variable, field);
    if (!found) return std::nullopt;
    const std::string name = nameInFile(variable, field);
    const bool isReal = found->class_type == MAT_C_DOUBLE || found->class_type == MAT_C_SINGLE;
    if (found->rank != 2 || !found->dims || found->isComplex || !isReal)
        refuse(name, "must hold real numbers, double or single, in rows and columns");
    MatlabMatrix matrix = {found->dims[0], found->dims[1], {}};
    if (matrix.rows == 0 || matrix.columns == 0) return std::nullopt;
    if (matrix.columns > kMaxNumbers / matrix.rows)
        refuse(name, fmt::format("has {} rows and {} columns; it must have {} numbers at most",
                                 matrix.rows, matrix.columns, kMaxNumbers));
    std::optional<std::vector<double>> numbers = found->class_type == MAT_C_DOUBLE
                                                     ? m_handles->numbers<double>(*found)
                                                     : m_handles->numbers<float>(*found);
    if (!numbers) refuse(name, "cannot be read: the file is damaged");
    matrix.values = std::move(*numbers);
    return matrix;
}

std::optional<std::string> MatlabFile::text(const std::string& variable, const std::string& field) {
    const matvar_t* found = m_handles->find(variable, field);
    if (!found) return std::nullopt;
    const std::string name = nameInFile(variable, field);
    constexpr std::size_t kMaxLetters = 1000;
    if (found->class_type != MAT_C_CHAR || found->rank != 2 || !found->dims ||
        found->dims[0] != 1 || found->dims[1] > kMaxLetters)
        refuse(name, "must hold a word");
    matvar_t* const letters = const_cast<matvar_t*>(found);
    if (!letters->data) Mat_VarReadDataAll(m_handles->file.get(), letters);
    // A letter takes one byte or two; the words that matter are plain ASCII.
    const auto step = static_cast<std::size_t>(std::max(letters->data_size, 1));
    if (!letters->data || letters->nbytes < letters->dims[1] * step)
        refuse(name, "cannot be read: the file is damaged");
    std::string text;
    for (std::size_t i = 0; i < letters->dims[1]; ++i)
        text += static_cast<const char*>(letters->data)[i * step];
    if (std::ranges::any_of(text, [](char c) { return c < ' ' || c > '~'; }))
        refuse(name, "must hold a word");
    return text;
}

void MatlabFile::refuse(const std::string& name, const std::string& fault) const {
    throwError<InputError>("{}: {} {}", m_name, name, fault);
}

}  // namespace gantry
