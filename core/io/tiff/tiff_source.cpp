#include "core/io/tiff/tiff_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/io/tiff/tiff_handle.h"

namespace gantry {

namespace {

// What one file holds, or why it cannot be used.
struct Headers {
    std::vector<TiffImageOrFault> images;
    Index sizeBytes = 0;
    std::exception_ptr fault;
};

Headers readHeaders(const std::filesystem::path& file) {
    Headers headers;
    try {
        TiffReader reader(file);
        headers.images = reader.imagesOrFaults();
        headers.sizeBytes = reader.sizeBytes();
    } catch (const InputError&) {
        headers.fault = std::current_exception();
    }
    return headers;
}

std::vector<Headers> readAllHeaders(const std::vector<std::filesystem::path>& files) {
    std::vector<Headers> headers(files.size());
    const auto count = std::ssize(files);
    parallelFor(availableThreads(), count, 16, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i)
            headers[i] = readHeaders(files[i]);
    });
    return headers;
}

std::vector<SeriesPart> partsOf(const std::vector<Headers>& headers) {
    std::vector<SeriesPart> parts;
    for (std::size_t file = 0; file < headers.size(); ++file) {
        const std::vector<TiffImageOrFault>& images = headers[file].images;
        if (headers[file].fault)
            parts.push_back({file, SeriesPart::kWholeFile, 0, {}, headers[file].fault});
        for (std::size_t i = 0; i < images.size(); ++i) {
            const TiffImage& image = images[i].image;
            parts.push_back({file,
                             images.size() == 1 ? SeriesPart::kWholeFile : static_cast<Index>(i),
                             images[i].isListBroken ? 0 : 1,
                             {image.columns, image.rows, image.type},
                             images[i].fault});
        }
    }
    return parts;
}

// What a user should know of the file of the first view.
std::vector<std::string> notesOf(const std::filesystem::path& file, const TiffImage& first,
                                 Index images) {
    TiffReader reader(file);
    std::vector<std::string> notes = tiffNotes(reader.tags());
    if (first.isWhiteZero && !first.isReadAsStored)
        notes.emplace_back(
            isInteger(first.type)
                ? "It says that 0 is white (PhotometricInterpretation 0), so its values are "
                  "inverted when they are read: each is the largest of its type less the one "
                  "stored. If its program meant the stored ones, store it with interpretation 1."
                : "It says that 0 is white (PhotometricInterpretation 0), which floating-point "
                  "numbers cannot mean; they are read as stored.");
    constexpr Index kMaxTagBytes = 100'000;
    const Index imageBytes = first.rows * first.columns * sizeBytes(first.type);
    if (images == 1 && !first.isCompressed && reader.sizeBytes() >= 3 * imageBytes + kMaxTagBytes)
        notes.push_back(
            fmt::format("It has one image of {}, and {} of data that no directory describes; these "
                        "are not read. If they are images, store the file as a stack anew.",
                        formatBytes(imageBytes), formatBytes(reader.sizeBytes() - imageBytes)));
    return notes;
}

std::optional<StatedGeometry> pitchStatedIn(const std::filesystem::path& file,
                                            const std::string& /*entry*/) {
    const std::optional<StatedPitch> pitch = statedPitch(TiffReader(file).tags());
    if (!pitch) return std::nullopt;
    StatedGeometry stated;
    stated.where = pitch->where;
    stated.pitchMm = pitch->mm;
    stated.isPitchCandidate = true;
    return stated;
}

}  // namespace

TiffSource::TiffSource(std::vector<std::filesystem::path> files, const OpenOptions& options,
                       const ChooseParts& choose)
    : m_files(std::move(files)), m_options(options) {
    std::vector<Headers> headers = readAllHeaders(m_files);
    const std::vector<SeriesPart> parts = partsOf(headers);
    const UsableParts usable = choose(m_files, parts);
    for (const Headers& file : headers) {
        m_imagesInFile.push_back(std::ssize(file.images));
        m_info.storedBytes += file.sizeBytes;
    }
    m_info.readsRowsAlone = true;
    for (const std::size_t number : usable.parts) {
        const SeriesPart& part = parts[number];
        const Index image = std::max<Index>(0, part.image);
        TiffImage& header = headers[part.file].images[image].image;
        // Programs show masks in white on black and in black on white.
        header.isReadAsStored = m_options.frames == FrameKind::badPixels;
        m_info.readsRowsAlone = m_info.readsRowsAlone && header.readsRowsAlone;
        m_info.isCompressed = m_info.isCompressed || header.isCompressed;
        m_views.push_back({part.file, image, std::move(header)});
    }
    m_shape = usable.shape;
    const TiffImage& first = m_views.front().header;
    m_info.views = std::ssize(m_views);
    m_info.rows = m_shape.rows;
    m_info.columns = m_shape.columns;
    m_info.pixelType = m_shape.type;
    m_info.format = fmt::format("TIFF, {}, {}{}{}", describe(m_shape.type), first.compression,
                                first.tiled ? ", tiled" : "",
                                first.isInverted() ? ", white is zero (inverted)" : "");
    const std::size_t file = m_views.front().file;
    m_info.notes = notesOf(m_files[file], first, m_imagesInFile[file]);
    if (std::string note = doubtOfMixedWhite(); !note.empty()) m_info.doubts.push_back(note);
}

// A program that inverts some images and not others of a series is unlikely.
std::string TiffSource::doubtOfMixedWhite() const {
    const auto inverted = [](const View& view) { return view.header.isInverted(); };
    const Index count = std::ranges::count_if(m_views, inverted);
    if (count == 0 || count == std::ssize(m_views)) return {};
    const bool isFewer = 2 * count <= std::ssize(m_views);
    const auto odd =
        std::ranges::find_if(m_views, [&](const View& view) { return inverted(view) == isFewer; });
    return fmt::format(
        "{} of {} images say that 0 is white (PhotometricInterpretation 0), and "
        "the others that it is black; the former are inverted when they are read. "
        "If all were stored alike, store them with one interpretation, first {}.",
        count, m_views.size(), viewName(odd - m_views.begin()));
}

void TiffSource::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    checkRequest(m_shape, m_info.views, view, rows, pixels);
    const View& wanted = m_views[view];
    HostBuffer<std::byte> scratch = m_scratch.take();
    TiffReader(m_files[wanted.file], wanted.header)
        .readRows(wanted.header, imageRows(rows, m_shape.rows, m_options.firstRowIsTop), pixels,
                  scratch);
    m_scratch.giveBack(std::move(scratch));
    putInOrder(pixels, rows.size(), m_shape, m_options);
}

std::string TiffSource::viewName(Index view) const {
    const View& wanted = m_views[view];
    std::string file = m_files[wanted.file].string();
    if (m_imagesInFile[wanted.file] == 1) return file;
    return fmt::format("{}, image {}", file, wanted.image);
}

ProjectionFormat tiffProjections() {
    return {
        "TIFF",
        {".tif", ".tiff"},
        {},
        [](const std::filesystem::path&, std::string_view begin) { return isTiffSignature(begin); },
        openAs<TiffSource>,
        pitchStatedIn};
}

}  // namespace gantry
