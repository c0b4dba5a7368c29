#include "core/io/xradia/xradia_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/problem_list.h"
#include "core/io/file_error.h"
#include "core/io/ole/ole_bytes.h"

namespace gantry {

namespace {

constexpr std::string_view kCount = "ImageInfo/NoOfImages";
constexpr std::string_view kTaken = "ImageInfo/ImagesTaken";
constexpr std::string_view kType = "ImageInfo/DataType";

constexpr std::pair<Index, PixelType> kTypeCodes[] = {
    {2, PixelType::int8},     {3, PixelType::uint8},   {4, PixelType::int16},
    {5, PixelType::uint16},   {6, PixelType::int32},   {7, PixelType::uint32},
    {10, PixelType::float32}, {11, PixelType::float64}};

std::string codesOfTypes() {
    std::vector<std::string> codes;
    for (const auto& [code, type] : kTypeCodes)
        codes.push_back(fmt::format("{} ({})", code, name(type)));
    return listed(codes, "or");
}

// The signed integers of 32 bits, or floats, that a stream begins with.
std::vector<std::uint32_t> wordsOf(const OleFile& ole, std::string_view path, Index max) {
    std::vector<std::uint32_t> words;
    const OleStream* const stream = ole.find(path);
    if (!stream) return words;
    const std::vector<std::byte> bytes = ole.readBegin(*stream, 4 * max);
    words.reserve(bytes.size() / 4);
    for (Index at = 0; at + 4 <= std::ssize(bytes); at += 4)
        words.push_back(oleNumber(bytes, at));
    return words;
}

}  // namespace

XradiaFile::XradiaFile(const std::filesystem::path& path) : m_ole(path) {
    if (!m_ole.find(kCount))
        throwErrorOf<FileError>(
            path, "is an OLE file without {}, so it is not of a ZEISS Xradia microscope", kCount);
    const std::string ending = inLowerCase(path.extension().string());
    const Index mode = integer("ImageInfo/AcquisitionMode").value_or(0);
    if (ending == ".txm" || (ending != ".xrm" && mode != 0))
        throwErrorOf<FileError>(path,
                                "is a volume that ZEISS Xradia has reconstructed{}, not a scan; "
                                "open the .txrm of the scan",
                                mode == 0 ? "" : fmt::format(" (AcquisitionMode {})", mode));
}

std::optional<Index> XradiaFile::integer(std::string_view stream) const {
    const std::vector<std::uint32_t> words = wordsOf(m_ole, stream, 1);
    if (words.empty()) return std::nullopt;
    return std::bit_cast<std::int32_t>(words.front());
}

std::optional<double> XradiaFile::number(std::string_view stream) const {
    const std::vector<double> first = numbers(stream, 1);
    return first.empty() ? std::nullopt : std::optional(first.front());
}

std::vector<double> XradiaFile::numbers(std::string_view stream, Index max) const {
    std::vector<double> values;
    const std::vector<std::uint32_t> words = wordsOf(m_ole, stream, max);
    values.reserve(words.size());
    for (const std::uint32_t word : words)
        values.push_back(std::bit_cast<float>(word));
    return values;
}

Index XradiaFile::needed(std::string_view stream, Index max) const {
    const std::optional<Index> value = integer(stream);
    if (!value) throwErrorOf<FileError>(m_ole.path(), "lacks {}", stream);
    if (*value < 1 || *value > max)
        throwErrorOf<FileError>(m_ole.path(), "says that {} is {}; it must be 1 to {}", stream,
                                *value, max);
    return *value;
}

PixelType XradiaFile::typeOf(Index code, std::string_view stream) const {
    const auto* const found =
        std::ranges::find(kTypeCodes, code, &std::pair<Index, PixelType>::first);
    if (found == std::ranges::end(kTypeCodes))
        throwErrorOf<FileError>(m_ole.path(), "says that {} is {}; Gantry reads {}", stream, code,
                                codesOfTypes());
    return found->second;
}

XradiaImages XradiaFile::images() const {
    XradiaImages images;
    images.shape = {needed("ImageInfo/ImageWidth", kMaxPixels),
                    needed("ImageInfo/ImageHeight", kMaxPixels),
                    typeOf(needed(kType, 1000), kType)};
    Index count = needed(kCount, kMaxViews);
    if (m_ole.find(kTaken)) count = std::min(count, needed(kTaken, kMaxViews));
    if (count > std::ssize(m_ole.streams()))
        throwErrorOf<FileError>(m_ole.path(), "should have {} images, and has {} streams in all",
                                count, m_ole.streams().size());
    constexpr Index kInFolder = 100;
    images.streams.reserve(count);
    for (Index k = 1; k <= count; ++k)
        images.streams.push_back(
            m_ole.find(fmt::format("ImageData{}/Image{}", (k - 1) / kInFolder + 1, k)));
    return images;
}

XradiaImages XradiaFile::references() const {
    XradiaImages found;
    if (const OleStream* const only = m_ole.find("ReferenceData/Image")) found.streams = {only};
    for (Index k = 1; found.streams.empty() || k > 1; ++k) {
        const OleStream* const next = m_ole.find(fmt::format("MultiReferenceData/Image{}", k));
        if (!next) break;
        found.streams.push_back(next);
    }
    if (found.streams.empty()) return found;
    found.shape = {needed("ImageInfo/ImageWidth", kMaxPixels),
                   needed("ImageInfo/ImageHeight", kMaxPixels), PixelType::float32};
    for (const std::string_view stream :
         {"ReferenceData/ImageInfo/DataType", "ReferenceData/DataType",
          "MultiReferenceData/DataType"}) {
        const std::optional<Index> code = integer(stream);
        if (!code) continue;
        found.shape.type = typeOf(*code, stream);
        return found;
    }
    // Without a type of its own it is that of the images, or floats, by its size.
    const Index pixels = found.shape.rows * found.shape.columns;
    if (found.streams.front()->sizeBytes != pixels * sizeBytes(PixelType::float32))
        found.shape.type = typeOf(needed(kType, 1000), kType);
    return found;
}

std::vector<double> XradiaFile::exposures(FrameKind kind) const {
    constexpr double kRepeats = 1e-3;  // of a time that is set
    const auto count = std::ssize(images().streams);
    std::vector<double> ofImages = numbers("ImageInfo/ExpTimes", count);
    std::optional<double> ofReference = number("ReferenceData/ExpTime");
    if (!ofReference) ofReference = number("ReferenceData/ImageInfo/ExpTimes");
    if (!ofReference || std::ssize(ofImages) != count) return {};
    const auto isTime = [](double seconds) { return std::isfinite(seconds) && seconds > 0; };
    if (!isTime(*ofReference) || !std::ranges::all_of(ofImages, isTime)) return {};
    const bool areSame = std::ranges::all_of(ofImages, [&](double seconds) {
        return std::abs(seconds - *ofReference) <= kRepeats * *ofReference;
    });
    if (areSame) return {};
    if (kind == FrameKind::projections) return ofImages;
    return std::vector<double>(references().streams.size(), *ofReference);
}

}  // namespace gantry
