#include "core/io/hdf5/hdf5_images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <algorithm>
#include <optional>

#include "core/base/throw_error.h"
#include "core/io/file_error.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Products of these with 8 bytes a pixel stay below 2^63.
constexpr hsize_t kMaxEachWay = 1'000'000;
constexpr int kMaxDimensions = 3;

using Sizes = std::array<hsize_t, kMaxDimensions>;

std::optional<PixelType> pixelTypeOf(hid_t type) {
    const std::size_t size = H5Tget_size(type);
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_FLOAT && size == 4) return PixelType::float32;
    if (kind == H5T_FLOAT && size == 8) return PixelType::float64;
    // A mask of yes and no is an enumeration of bytes, as h5py writes it.
    if (kind == H5T_ENUM && size == 1) return PixelType::uint8;
    if (kind != H5T_INTEGER) return std::nullopt;
    const bool isSigned = H5Tget_sign(type) == H5T_SGN_2;
    if (size == 1) return isSigned ? PixelType::int8 : PixelType::uint8;
    if (size == 2) return isSigned ? PixelType::int16 : PixelType::uint16;
    if (size == 4) return isSigned ? PixelType::int32 : PixelType::uint32;
    return std::nullopt;
}

const char* nameOfClass(hid_t type) {
    const H5T_class_t kind = H5Tget_class(type);
    return kind == H5T_FLOAT     ? "floats"
           : kind == H5T_INTEGER ? "integers"
                                 : "neither integers nor floats, but values";
}

hid_t inMemory(PixelType type) {
    switch (type) {
        case PixelType::uint8:
            return H5T_NATIVE_UINT8;
        case PixelType::int8:
            return H5T_NATIVE_INT8;
        case PixelType::uint16:
            return H5T_NATIVE_UINT16;
        case PixelType::int16:
            return H5T_NATIVE_INT16;
        case PixelType::uint32:
            return H5T_NATIVE_UINT32;
        case PixelType::int32:
            return H5T_NATIVE_INT32;
        case PixelType::float32:
            return H5T_NATIVE_FLOAT;
        case PixelType::float64:
            return H5T_NATIVE_DOUBLE;
    }
    throw InternalError("a pixel type without a type of HDF5");
}

std::string filterName(H5Z_filter_t filter, const char* inFile) {
    switch (filter) {
        case H5Z_FILTER_DEFLATE:
            return "gzip";
        case H5Z_FILTER_SHUFFLE:
            return "shuffle";
        case H5Z_FILTER_SZIP:
            return "szip";
        case 32001:
            return "blosc";
        case 32004:
            return "lz4";
        case 32008:
            return "bitshuffle";
        case 32015:
            return "zstd";
        case 32026:
            return "blosc2";
        default:
            return *inFile ? inFile : fmt::format("filter {}", filter);
    }
}

Hdf5Id creationOf(std::int64_t dataset) {
    return {H5Dget_create_plist(dataset), H5Pclose};
}

// Where libhdf5 looks for a file that a dataset consists of; nothing if it is not there.
std::optional<fs::path> sourceFile(const fs::path& virtualFile, const fs::path& source) {
    std::error_code ignored;
    const fs::path folder = virtualFile.parent_path();
    for (const fs::path& place : {folder / source, folder / source.filename()})
        if (fs::exists(place, ignored)) return place;
    return std::nullopt;
}

// libhdf5 replaces "%b" in a mapping's name by the number of a block; this gives the first one's.
std::string withFirstBlock(std::string name) {
    if (const std::size_t at = name.find("%b"); at != std::string::npos) name.replace(at, 2, "0");
    return name;
}

std::string textOfMapping(const auto& get, std::int64_t creation, std::size_t mapping) {
    std::string text(4096, '\0');
    const auto length = get(creation, mapping, text.data(), text.size());
    if (length <= 0 || length >= std::ssize(text)) return {};
    text.resize(length);
    return withFirstBlock(std::move(text));
}

// A raw file of a dataset's pixels.
struct ExternalPart {
    std::string name;  // as it is stored
    fs::path found;    // from the folder of the HDF5 file
    Index offsetBytes = 0;
    Index endBytes = 0;  // 0: its pixels may be as many as there are
};

std::vector<ExternalPart> externalOf(const fs::path& file, std::int64_t creation) {
    constexpr int kMaxLooked = 10'000;
    std::vector<ExternalPart> parts;
    const int count = std::min(H5Pget_external_count(creation), kMaxLooked);
    for (int i = 0; i < count; ++i) {
        std::array<char, 4096> name{};
        off_t offset = 0;
        hsize_t size = 0;
        if (H5Pget_external(creation, static_cast<unsigned>(i), name.size() - 1, name.data(),
                            &offset, &size) < 0)
            continue;
        constexpr auto kMaxBytes = hsize_t{1} << 61;
        ExternalPart part{name.data(), file.parent_path() / name.data()};
        if (offset >= 0 && static_cast<hsize_t>(offset) < kMaxBytes) part.offsetBytes = offset;
        if (size < kMaxBytes) part.endBytes = part.offsetBytes + static_cast<Index>(size);
        parts.push_back(std::move(part));
    }
    return parts;
}

// The names of the filters that a dataset's pixels go through.
// @throws InputError naming the file and the filter for which there is no plugin
std::vector<std::string> filtersOf(const fs::path& file, std::int64_t creation) {
    const int filters = H5Pget_nfilters(creation);
    std::vector<std::string> names;
    for (int i = 0; i < filters; ++i) {
        unsigned flags = 0;
        std::size_t values = 0;
        std::array<char, 128> inFile{};
        unsigned config = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr,
                           inFile.size() - 1, inFile.data(), &config);
        names.push_back(filterName(filter, inFile.data()));
        if (H5Zfilter_avail(filter) <= 0)
            throwErrorOf<FileError>(
                file,
                "is compressed with {} (filter {} of HDF5), for which there is no "
                "plugin on this machine; install it, and name its folder in the "
                "environment variable HDF5_PLUGIN_PATH",
                names.back(), filter);
    }
    return names;
}

}  // namespace

Hdf5Images::Hdf5Images(const Hdf5File& file, std::string dataset, Order order)
    : m_file(file), m_dataset(std::move(dataset)), m_opened(file.openDataset(m_dataset)) {
    const Hdf5Quiet quiet;
    readShape(order);
    readStorage();
}

std::vector<fs::path> hdf5SourcesOf(const Hdf5File& file, const std::string& dataset) {
    std::vector<fs::path> sources;
    const Hdf5Id opened = file.openDataset(dataset);
    const Hdf5Quiet quiet;
    std::string holder(4096, '\0');
    const auto length = H5Fget_name(opened.get(), holder.data(), holder.size());
    if (length > 0 && length < std::ssize(holder)) sources.emplace_back(holder.substr(0, length));
    const Hdf5Id creation = creationOf(opened.get());
    for (ExternalPart& part : externalOf(file.path(), creation.get()))
        sources.push_back(std::move(part.found));
    std::size_t count = 0;
    if (H5Pget_layout(creation.get()) == H5D_VIRTUAL) H5Pget_virtual_count(creation.get(), &count);
    std::string last;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string source = textOfMapping(H5Pget_virtual_filename, creation.get(), i);
        if (source.empty() || source == last) continue;
        last = source;
        if (const std::optional<fs::path> found = sourceFile(file.path(), source))
            sources.push_back(*found);
    }
    return sources;
}

void Hdf5Images::readShape(Order order) {
    const Hdf5Id space(H5Dget_space(m_opened.get()), H5Sclose);
    const Hdf5Id type(H5Dget_type(m_opened.get()), H5Tclose);
    m_rank = H5Sget_simple_extent_ndims(space.get());
    Sizes sizes{};
    if (m_rank == 2 || m_rank == 3)
        H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
    else
        throwErrorOf<FileError>(
            m_file.path(),
            "is not understood: {} has {} dimensions; images have 3, or 2 where there is one alone",
            m_dataset, m_rank);
    const auto used = std::span(sizes).first(m_rank);
    if (std::ranges::any_of(used, [](hsize_t size) { return size < 1 || size > kMaxEachWay; }))
        throwErrorOf<FileError>(
            m_file.path(), "is not understood: {} has {} numbers; images have 1 to {} each way",
            m_dataset, fmt::join(used, " × "), kMaxEachWay);
    const std::optional<PixelType> pixels = pixelTypeOf(type.get());
    if (!pixels)
        throwErrorOf<FileError>(
            m_file.path(),
            "is not understood: the pixels of {} are {} of {} bits; integers of 8, 16 or 32 bits "
            "and floats of 32 or 64 are read",
            m_dataset, nameOfClass(type.get()), 8 * H5Tget_size(type.get()));
    m_rowDimension = m_rank == 2 || order == Order::sinograms ? 0 : 1;
    m_imageDimension = 1 - m_rowDimension;
    m_shape = {static_cast<Index>(sizes[m_rank - 1]), static_cast<Index>(sizes[m_rowDimension]),
               *pixels};
    m_images = m_rank == 2 ? 1 : static_cast<Index>(sizes[m_imageDimension]);
}

void Hdf5Images::readStorage() {
    const Hdf5Id creation = creationOf(m_opened.get());
    const std::vector<std::string> filters = filtersOf(m_file.path(), creation.get());
    m_isCompressed = !filters.empty();
    if (m_isCompressed) m_storage = fmt::format("{}, ", fmt::join(filters, " and "));
    const H5D_layout_t layout = H5Pget_layout(creation.get());
    if (layout == H5D_VIRTUAL) {
        checkSources(creation.get());
        m_storage = "in several files";
        return;
    }
    checkExternal(creation.get());
    if (layout == H5D_CHUNKED)
        readLayout(creation.get());
    else
        m_storage = "in one piece";
    const haddr_t offset = H5Dget_offset(m_opened.get());
    const std::vector<ExternalPart> external = externalOf(m_file.path(), creation.get());
    const bool isInside = external.empty() && offset != HADDR_UNDEF;
    if (layout != H5D_CONTIGUOUS || !(isInside || external.size() == 1) || m_imageDimension != 0)
        return;
    // Pixels in one piece are read without libhdf5, which admits only one thread at a time.
    const Hdf5Id type(H5Dget_type(m_opened.get()), H5Tclose);
    if (H5Tget_precision(type.get()) != 8 * H5Tget_size(type.get())) return;
    std::string holder(4096, '\0');
    const auto length = H5Fget_name(m_opened.get(), holder.data(), holder.size());
    if (length <= 0 || length >= std::ssize(holder)) return;
    holder.resize(length);
    StoredPixels pixels;
    pixels.path = isInside ? fs::path(holder) : external.front().found;
    pixels.offsetBytes = isInside ? static_cast<Index>(offset) : external.front().offsetBytes;
    pixels.count = m_images * m_shape.rows * m_shape.columns;
    pixels.type = m_shape.type;
    pixels.storedBytes = pixels.bytes();
    pixels.bigEndian = H5Tget_order(type.get()) == H5T_ORDER_BE;
    m_pieces = std::make_unique<PixelReader>(std::move(pixels));
}

// Its parts have filters of their own, without which libhdf5 would only say that it cannot read.
void Hdf5Images::checkSources(std::int64_t creation) {
    std::size_t count = 0;
    H5Pget_virtual_count(creation, &count);
    constexpr std::size_t kMaxOpened = 1000;  // because opening each takes time
    std::vector<std::string> missing;
    std::string last;
    std::string lastDataset;
    std::optional<Hdf5File> opened;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string source = textOfMapping(H5Pget_virtual_filename, creation, i);
        const std::string dataset = textOfMapping(H5Pget_virtual_dsetname, creation, i);
        // "." is the file itself. Pieces of one file follow each other, so each file is opened
        // once.
        if (source != last && !source.empty() && source != ".") {
            last = source;
            lastDataset.clear();
            opened.reset();
            const std::optional<fs::path> file = sourceFile(m_file.path(), source);
            if (!file) missing.push_back(source);
            if (file && i < kMaxOpened) opened.emplace(*file);
        }
        // If it is not there, libhdf5 would return zeros.
        const Hdf5File* const holder = source == "." ? &m_file : opened ? &*opened : nullptr;
        if (!holder || dataset.empty() || dataset == lastDataset) continue;
        lastDataset = dataset;
        if (!holder->has(dataset))
            throwErrorOf<FileError>(m_file.path(),
                                    "has images in the dataset {} of {}, which is missing there",
                                    dataset, holder->path().string());
        const Hdf5Id part = holder->openDataset(dataset);
        m_isCompressed =
            !filtersOf(holder->path(), creationOf(part.get()).get()).empty() || m_isCompressed;
    }
    if (missing.empty()) return;
    throw FileError(
        m_file.path(),
        missing.size() == 1
            ? fmt::format("has images in another file, which is missing: {}", missing.front())
            : fmt::format("has images in other files, of which {} are missing; the "
                          "first is {}",
                          missing.size(), missing.front()));
}

// Checks the raw files that the pixels lie in, as detectors write them: where one is missing,
// libhdf5 only says that it cannot read.
void Hdf5Images::checkExternal(std::int64_t creation) {
    for (const ExternalPart& part : externalOf(m_file.path(), creation)) {
        std::error_code missing;
        const auto bytes = fs::file_size(part.found, missing);
        if (missing)
            throwErrorOf<FileError>(m_file.path(),
                                    "has its images, {}, in another file, which is missing: {}",
                                    m_dataset, part.name);
        if (part.endBytes > static_cast<Index>(bytes))
            throwErrorOf<FileError>(
                m_file.path(), "has its images, {}, in {}, which is cut off: it has {} bytes of {}",
                m_dataset, part.found.string(), bytes, part.endBytes);
    }
}

// Chooses a cache for the chunks that several images share.
void Hdf5Images::readLayout(std::int64_t creation) {
    Sizes chunk{};
    if (H5Pget_chunk(creation, m_rank, chunk.data()) != m_rank) return;
    const auto used = std::span(chunk).first(m_rank);
    m_storage += fmt::format("chunks of {}", fmt::join(used, " × "));
    const auto rows = static_cast<Index>(chunk[m_rowDimension]);
    m_readsRowsAlone = rows < m_shape.rows;
    constexpr hsize_t kMaxCacheBytes = hsize_t{256} << 20;
    // libhdf5 recommends a prime, much larger than the number of chunks
    constexpr std::size_t kSlots = 12'421;
    const hsize_t columns = chunk[m_rank - 1];
    const hsize_t across = (static_cast<hsize_t>(m_shape.columns) + columns - 1) / columns;
    const hsize_t down = (static_cast<hsize_t>(m_shape.rows + rows - 1)) / chunk[m_rowDimension];
    hsize_t bytes = static_cast<hsize_t>(sizeBytes(m_shape.type));
    for (const hsize_t size : used)
        bytes *= size;
    const Hdf5Id access(H5Dget_access_plist(m_opened.get()), H5Pclose);
    const hsize_t cache = std::min(kMaxCacheBytes, 2 * bytes * across * down);
    H5Pset_chunk_cache(access.get(), kSlots, static_cast<std::size_t>(cache), 1.0);
    // The first one to open a dataset determines its cache, so it is opened again.
    m_opened = {};
    m_opened = m_file.openDataset(m_dataset, access.get());
}

void Hdf5Images::read(Index image, IndexRange rows, std::span<std::byte> pixels) const {
    checkRequest(m_shape, m_images, image, rows, pixels);
    if (m_pieces)
        return m_pieces->read((image * m_shape.rows + rows.begin) * m_shape.columns, pixels);
    const Hdf5Quiet quiet;
    Sizes start{};
    Sizes count = {1, 1, 1};
    if (m_rank == 3) start[m_imageDimension] = static_cast<hsize_t>(image);
    start[m_rowDimension] = static_cast<hsize_t>(rows.begin);
    count[m_rowDimension] = static_cast<hsize_t>(rows.size());
    count[m_rank - 1] = static_cast<hsize_t>(m_shape.columns);
    const Hdf5Id space(H5Dget_space(m_opened.get()), H5Sclose);
    const Hdf5Id memory(H5Screate_simple(m_rank, count.data(), nullptr), H5Sclose);
    const bool isRead = H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr,
                                            count.data(), nullptr) >= 0 &&
                        H5Dread(m_opened.get(), inMemory(m_shape.type), memory.get(), space.get(),
                                H5P_DEFAULT, pixels.data()) >= 0;
    if (!isRead)
        throwErrorOf<FileError>(m_file.path(), "is damaged: image {} of {} cannot be read", image,
                                m_dataset);
}

void Hdf5Images::checkChunks() const {
    const Hdf5Quiet quiet;
    const Hdf5Id creation = creationOf(m_opened.get());
    if (H5Pget_layout(creation.get()) != H5D_CHUNKED) return;
    const Hdf5Id space(H5Dget_space(m_opened.get()), H5Sclose);
    hsize_t chunks = 0;
    if (H5Dget_num_chunks(m_opened.get(), space.get(), &chunks) < 0)
        throwErrorOf<FileError>(m_file.path(), "is damaged: where {} lies cannot be read",
                                m_dataset);
}

}  // namespace gantry
