#include "core/io/hdf5/hdf5_projections.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/hdf5/hdf5_pixel_statements.h"
#include "core/io/hdf5/hdf5_tomography.h"
#include "core/io/hdf5/hdf5_trial.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// The frames of one kind in one file.
struct OpenFrames {
    std::unique_ptr<Hdf5File> file;
    std::unique_ptr<Hdf5Images> images;
    std::unique_ptr<Hdf5Images> imagesAfter;  // numbered behind the others; null: there are none
    std::string layout;
    std::vector<Index> numbers;
    std::vector<Index> projectionsBefore;
    std::vector<double> monitor;
    std::vector<std::string> notes;

    void read(Index number, IndexRange rows, std::span<std::byte> pixels) const {
        if (number < images->images())
            images->read(number, rows, pixels);
        else
            imagesAfter->read(number - images->images(), rows, pixels);
    }
    [[nodiscard]] std::string nameOf(Index number) const {
        const bool isAfter = number >= images->images();
        return fmt::format("{}, image {}{}", file->path().string(),
                           isAfter ? number - images->images() : number,
                           isAfter ? " of " + imagesAfter->dataset() : "");
    }
};

OpenFrames openFrames(const fs::path& path, FrameKind kind, const std::string& entry) {
    OpenFrames open;
    open.file = std::make_unique<Hdf5File>(path);
    Hdf5Tomography scan = readTomography(*open.file, kind, entry);
    if (kind == FrameKind::flat) (void)leaveOutProjections(*open.file, scan);
    const Hdf5Frames& frames = scan.frames(kind);
    open.images = std::make_unique<Hdf5Images>(*open.file, frames.dataset, frames.order);
    if (!frames.datasetAfter.empty())
        open.imagesAfter =
            std::make_unique<Hdf5Images>(*open.file, frames.datasetAfter, frames.order);
    open.layout = std::move(scan.layout);
    open.numbers = frames.numbers;
    open.projectionsBefore = frames.projectionsBefore;
    open.monitor = frames.monitor;
    if (kind == FrameKind::projections)
        for (const StatedRemark& remark : scan.stated.remarks)
            open.notes.push_back(remark.sentence + ".");
    const Index after = open.imagesAfter ? open.imagesAfter->images() : 0;
    if (open.numbers.empty())
        for (Index i = 0; i < open.images->images() + after; ++i)
            open.numbers.push_back(i);
    return open;
}

Hdf5Question questionOf(FrameKind kind) {
    switch (kind) {
        case FrameKind::projections:
            return Hdf5Question::projections;
        case FrameKind::dark:
            return Hdf5Question::dark;
        case FrameKind::flat:
            return Hdf5Question::flat;
        case FrameKind::badPixels:
            return Hdf5Question::badPixels;
    }
    throw InternalError("a kind of frames without a question");
}

void requireHarmless(const fs::path& path, FrameKind kind, const std::string& entry) {
    (void)tryHdf5(path, questionOf(kind), entry);
}

void readALittle(const Hdf5File& file, const Hdf5Frames& frames, const std::string& dataset) {
    const Hdf5Images images(file, dataset, frames.order);
    images.checkChunks();
    const ImageShape shape = images.shape();
    std::vector<std::byte> row(shape.columns * sizeBytes(shape.type));
    const bool isListed = !frames.numbers.empty();
    for (const Index number : {isListed ? frames.numbers.front() : 0,
                               isListed ? frames.numbers.back() : images.images() - 1})
        images.read(number, {shape.rows / 2, shape.rows / 2 + 1}, row);
}

class Hdf5Source : public ProjectionSource {
  public:
    Hdf5Source(std::vector<fs::path> files, const OpenOptions& options, const ChooseParts& choose)
        : m_options(options) {
        std::vector<std::optional<OpenFrames>> found;
        std::vector<SeriesPart> parts;
        for (std::size_t i = 0; i < files.size(); ++i) {
            SeriesPart part{i, SeriesPart::kWholeFile, 0, {}, nullptr};
            found.emplace_back();
            try {
                requireHarmless(files[i], options.frames, options.entry);
                found.back() = openFrames(files[i], options.frames, options.entry);
                part.views = std::ssize(found.back()->numbers);
                part.shape = found.back()->images->shape();
            } catch (const InputError&) {
                part.fault = std::current_exception();
            }
            parts.push_back(std::move(part));
        }
        const UsableParts usable = choose(files, parts);
        for (const std::size_t number : usable.parts)
            m_files.push_back(std::move(*found[parts[number].file]));
        describe(usable.shape);
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }

    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        const auto [frames, number] = placeOf(view);
        const ImageShape& shape = frames->images->shape();
        frames->read(number, imageRows(rows, shape.rows, m_options.firstRowIsTop), pixels);
        putInOrder(pixels, rows.size(), shape, m_options);
    }

    [[nodiscard]] std::string viewName(Index view) const override {
        const auto [frames, number] = placeOf(view);
        return frames->nameOf(number);
    }

  private:
    [[noreturn]] static void refuseTypes(const OpenFrames& frames) {
        throwErrorOf<FileError>(
            frames.file->path(), "is not understood: pixels of {} are {}, of {} {}",
            frames.images->dataset(), name(frames.images->shape().type),
            frames.imagesAfter->dataset(), name(frames.imagesAfter->shape().type));
    }
    void describe(const ImageShape& shape) {
        m_info.rows = shape.rows;
        m_info.columns = shape.columns;
        m_info.pixelType = shape.type;
        m_info.readsRowsAlone = true;
        for (const OpenFrames& frames : m_files) {
            m_firstViews.push_back(m_info.views);
            m_info.views += std::ssize(frames.numbers);
            m_info.storedBytes += frames.file->sizeBytes();
            m_info.readsRowsAlone = m_info.readsRowsAlone && frames.images->readsRowsAlone();
            m_info.isCompressed = m_info.isCompressed || frames.images->isCompressed();
            if (frames.imagesAfter && frames.imagesAfter->shape().type != shape.type)
                refuseTypes(frames);
        }
        m_info.notes = m_files.front().notes;
        for (const OpenFrames& frames : m_files)
            m_info.monitor.insert(m_info.monitor.end(), frames.monitor.begin(),
                                  frames.monitor.end());
        if (std::ssize(m_info.monitor) != m_info.views) m_info.monitor.clear();
        // How the frames of several files follow each other is not stated.
        if (m_files.size() == 1) m_info.projectionsBefore = m_files.front().projectionsBefore;
        m_info.format =
            fmt::format("HDF5 ({}), {}, {}", m_files.front().layout, gantry::describe(shape.type),
                        m_files.front().images->storage());
    }

    [[nodiscard]] std::pair<const OpenFrames*, Index> placeOf(Index view) const {
        require(view >= 0 && view < m_info.views, "a view is read that is not there");
        const auto after = std::upper_bound(m_firstViews.begin(), m_firstViews.end(), view);
        const auto file = static_cast<std::size_t>(after - m_firstViews.begin()) - 1;
        const OpenFrames& frames = m_files[file];
        return {&frames, frames.numbers[view - m_firstViews[file]]};
    }

    OpenOptions m_options;
    std::vector<OpenFrames> m_files;
    std::vector<Index> m_firstViews;
    SourceInfo m_info;
};

}  // namespace

void tryHdf5Frames(const fs::path& path, Hdf5Question kind, const std::string& entry,
                   TriedDatasets& tried) {
    const Hdf5File file(path);
    const FrameKind frameKind = kind == Hdf5Question::dark        ? FrameKind::dark
                                : kind == Hdf5Question::flat      ? FrameKind::flat
                                : kind == Hdf5Question::badPixels ? FrameKind::badPixels
                                                                  : FrameKind::projections;
    const Hdf5Tomography scan = readTomography(file, frameKind, entry);
    const Hdf5Frames& frames = scan.frames(frameKind);
    for (const std::string& dataset : {frames.dataset, frames.datasetAfter}) {
        if (dataset.empty()) continue;
        const auto [known, isNew] = tried.try_emplace(dataset);
        if (isNew) {
            try {
                readALittle(file, frames, dataset);
            } catch (...) {
                known->second = std::current_exception();
            }
        }
        if (known->second) std::rethrow_exception(known->second);
    }
}

bool isNamedAsHdf5(const std::string& name) {
    const std::string extension = inLowerCase(fs::path(name).extension().string());
    const std::vector<std::string_view> all = hdf5Projections().extensions;
    return std::ranges::find(all, extension) != all.end();
}

ProjectionFormat hdf5Projections() {
    ProjectionFormat format;
    format.name = "HDF5 (NXtomo, Data Exchange)";
    format.extensions = {".h5", ".hdf5", ".hdf", ".nx", ".nxs"};
    format.takes = [](const fs::path&, std::string_view begin) { return isHdf5Signature(begin); };
    format.open = openAs<Hdf5Source>;
    format.stated = [](const fs::path& file,
                       const std::string& entry) -> std::optional<StatedGeometry> {
        requireHarmless(file, FrameKind::projections, entry);
        const Hdf5File opened(file);
        Hdf5Tomography scan = readTomography(opened, FrameKind::projections, entry);
        if (!scan.badPixels.dataset.empty()) requireHarmless(file, FrameKind::badPixels, entry);
        addPixelStatements(opened, scan);
        return std::move(scan.stated);
    };
    format.entries = [](const fs::path& file) {
        std::vector<std::string> entries;
        std::istringstream lines(tryHdf5(file, Hdf5Question::entries));
        for (std::string line; std::getline(lines, line);)
            entries.push_back(line);
        return entries;
    };
    return format;
}

}  // namespace gantry
