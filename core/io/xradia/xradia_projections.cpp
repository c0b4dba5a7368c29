#include "core/io/projection_formats.h"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/xradia/xradia_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kMaxPieces = 4'000'000;  // of all images; 64 MB

// An image of a file, or why it cannot be used.
struct PlacedImage {
    OlePlaces places;
    std::exception_ptr fault;
};

struct PlacedImages {
    ImageShape shape;
    std::vector<PlacedImage> images;
    std::vector<double> exposures = {};  // of the images; none: see XradiaFile
    Index sizeBytes = 0;                 // of the file
};

XradiaImages framesOf(const XradiaFile& file, FrameKind kind) {
    if (kind == FrameKind::projections) return file.images();
    if (kind == FrameKind::flat) {
        XradiaImages references = file.references();
        if (!references.streams.empty()) return references;
    }
    // An image by itself is of the kind that the scan names it for.
    XradiaImages images = file.images();
    if (images.streams.size() > 1)
        throwErrorOf<FileError>(file.ole().path(), "holds no {} frames",
                                kind == FrameKind::dark ? "dark" : "flat");
    return images;
}

OlePlaces placesOf(const OleFile& ole, const OleStream* stream, const ImageShape& shape) {
    if (!stream) throwErrorOf<FileError>(ole.path(), "lacks the image");
    const Index bytes = shape.rows * shape.columns * sizeBytes(shape.type);
    if (stream->sizeBytes != bytes)
        throwErrorOf<FileError>(ole.path(), "has {} bytes in {}; {} x {} pixels of {} take {}",
                                stream->sizeBytes, stream->path, shape.columns, shape.rows,
                                name(shape.type), bytes);
    return ole.placesOf(*stream);
}

PlacedImages placedImages(const fs::path& path, FrameKind kind) {
    const XradiaFile file(path);
    const XradiaImages frames = framesOf(file, kind);
    PlacedImages placed{frames.shape, {}, file.exposures(kind), file.ole().sizeBytes()};
    if (placed.exposures.size() != frames.streams.size()) placed.exposures.clear();
    Index pieces = 0;
    for (const OleStream* stream : frames.streams) {
        PlacedImage& image = placed.images.emplace_back();
        try {
            image.places = placesOf(file.ole(), stream, frames.shape);
        } catch (const InputError&) {
            image.fault = std::current_exception();
        }
        pieces += std::ssize(image.places.pieces);
        if (pieces > kMaxPieces)
            throwErrorOf<FileError>(
                path, "has its images in more than {} pieces; copy it to defragment it",
                kMaxPieces);
    }
    return placed;
}

class XradiaSource : public ProjectionSource {
  public:
    XradiaSource(std::vector<fs::path> files, const OpenOptions& options, const ChooseParts& choose)
        : m_files(std::move(files)), m_options(options) {
        std::vector<PlacedImages> found(m_files.size());
        std::vector<SeriesPart> parts;
        for (std::size_t i = 0; i < m_files.size(); ++i) {
            try {
                found[i] = placedImages(m_files[i], options.frames);
            } catch (const InputError&) {
                parts.push_back({i, SeriesPart::kWholeFile, 0, {}, std::current_exception()});
            }
            const auto count = std::ssize(found[i].images);
            for (Index image = 0; image < count; ++image)
                parts.push_back({i, count == 1 ? SeriesPart::kWholeFile : image, 1, found[i].shape,
                                 found[i].images[image].fault});
            m_info.storedBytes += found[i].sizeBytes;
        }
        const UsableParts usable = choose(m_files, parts);
        for (const std::size_t number : usable.parts) {
            const SeriesPart& part = parts[number];
            const Index image = std::max<Index>(0, part.image);
            m_views.push_back(
                {part.file, part.image, std::move(found[part.file].images[image].places)});
            // A longer exposure is a brighter beam.
            if (const std::vector<double>& all = found[part.file].exposures; !all.empty())
                m_info.monitor.push_back(all[image]);
        }
        if (m_files.size() == 1) m_onlyFile = File(m_files.front(), File::Mode::read);
        describe(usable.shape);
        if (std::ssize(m_info.monitor) != m_info.views) m_info.monitor.clear();
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }

    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        checkRequest(m_shape, m_info.views, view, rows, pixels);
        const View& wanted = m_views[view];
        const IndexRange stored = imageRows(rows, m_shape.rows, m_options.firstRowIsTop);
        const Index begin = stored.begin * m_shape.columns * sizeBytes(m_shape.type);
        if (m_onlyFile.isOpen())
            readPlaces(m_onlyFile, wanted.places, begin, pixels);
        else
            readPlaces(File(m_files[wanted.file], File::Mode::read), wanted.places, begin, pixels);
        putInOrder(pixels, rows.size(), m_shape, m_options);
    }

    [[nodiscard]] std::string viewName(Index view) const override {
        const View& wanted = m_views[view];
        std::string file = m_files[wanted.file].string();
        if (wanted.image == SeriesPart::kWholeFile) return file;
        return fmt::format("{}, image {}", file, wanted.image);
    }

  private:
    struct View {
        std::size_t file = 0;
        Index image = 0;
        OlePlaces places;
    };

    void describe(const ImageShape& shape) {
        m_shape = shape;
        m_info.views = std::ssize(m_views);
        m_info.rows = shape.rows;
        m_info.columns = shape.columns;
        m_info.pixelType = shape.type;
        m_info.format = fmt::format("ZEISS Xradia, {}", gantry::describe(shape.type));
        m_info.readsRowsAlone = true;
    }

    std::vector<fs::path> m_files;
    OpenOptions m_options;
    File m_onlyFile;  // of several, each is opened to be read
    std::vector<View> m_views;
    ImageShape m_shape;
    SourceInfo m_info;
};

}  // namespace

ProjectionFormat xradiaProjections() {
    return {"ZEISS Xradia",
            {".txrm", ".xrm"},
            {},
            [](const fs::path&, std::string_view begin) { return isOleSignature(begin); },
            openAs<XradiaSource>};
}

}  // namespace gantry
