#include "core/io/hdf5/hdf5_volume_header.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/system_fault.h"
#include "core/io/hdf5/hdf5_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& reason) {
    throw ResourceError(
        fmt::format("The header of an HDF5 file cannot be made in memory: {}. Make room in "
                    "/dev/shm, or close other programs.",
                    reason),
        {.code = ErrorCode::hostMemory});
}

// A file in memory, removed at the end: no disk can be full or fail. libhdf5 asks for a real name,
// so that one without any (memfd_create) does not serve. Where there is no such folder, files of
// the system's own for temporary ones do.
class MemoryFile {
  public:
    MemoryFile() {
        constexpr const char* kName = "gantry-header-XXXXXX";
        for (const fs::path& folder : {fs::path("/dev/shm"), fs::temp_directory_path()}) {
            m_path = (folder / kName).string();
            const int made = mkostemp(m_path.data(), O_CLOEXEC);
            if (made < 0) continue;
            close(made);
            return;
        }
        refuse(std::generic_category().message(errno));
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { unlink(m_path.c_str()); }

    [[nodiscard]] const std::string& path() const { return m_path; }

  private:
    std::string m_path;
};

std::int64_t checked(std::int64_t result) {
    if (result < 0) refuse("it cannot be written");
    return result;
}

Hdf5Id textType() {
    Hdf5Id type(checked(H5Tcopy(H5T_C_S1)), H5Tclose);
    checked(H5Tset_size(type.get(), H5T_VARIABLE));
    checked(H5Tset_cset(type.get(), H5T_CSET_UTF8));
    return type;
}

Hdf5Id listOf(std::size_t count) {
    const hsize_t size = count;
    return {checked(H5Screate_simple(1, &size, nullptr)), H5Sclose};
}

Hdf5Id oneValue() {
    return {checked(H5Screate(H5S_SCALAR)), H5Sclose};
}

void setAttribute(const Hdf5Id& object, const char* name, std::int64_t type, const Hdf5Id& space,
                  const void* values) {
    const Hdf5Id made(
        checked(H5Acreate2(object.get(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT)),
        H5Aclose);
    checked(H5Awrite(made.get(), type, values));
}
void setText(const Hdf5Id& object, const char* name, const std::string& text) {
    const char* const letters = text.c_str();
    setAttribute(object, name, textType().get(), oneValue(), &letters);
}
void setNumber(const Hdf5Id& object, const char* name, double number) {
    setAttribute(object, name, H5T_NATIVE_DOUBLE, oneValue(), &number);
}

Hdf5Id groupIn(const Hdf5Id& parent, const char* name, const char* nxClass = nullptr) {
    Hdf5Id group(checked(H5Gcreate2(parent.get(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
                 H5Gclose);
    if (nxClass) setText(group, "NX_class", nxClass);
    return group;
}

// Leaves out the time of day, so that files are reproducible. No voxels are written yet, because
// there is no fill value.
Hdf5Id datasetIn(const Hdf5Id& parent, const char* name, std::int64_t type, const Hdf5Id& space) {
    const Hdf5Id creation(checked(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
    checked(H5Pset_obj_track_times(creation.get(), false));
    checked(H5Pset_layout(creation.get(), H5D_CONTIGUOUS));
    checked(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY));
    return {checked(H5Dcreate2(parent.get(), name, type, space.get(), H5P_DEFAULT, creation.get(),
                               H5P_DEFAULT)),
            H5Dclose};
}

void writeText(const Hdf5Id& parent, const char* name, const std::string& text) {
    const Hdf5Id type = textType();
    const Hdf5Id dataset = datasetIn(parent, name, type.get(), oneValue());
    const char* const letters = text.c_str();
    checked(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &letters));
}

void writeAxis(const Hdf5Id& data, const char* name, double firstMm, double pitchMm, Index count) {
    std::vector<double> centers;
    for (Index i = 0; i < count; ++i)
        centers.push_back(firstMm + static_cast<double>(i) * pitchMm);
    const Hdf5Id axis = datasetIn(data, name, H5T_IEEE_F64LE, listOf(centers.size()));
    checked(H5Dwrite(axis.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, centers.data()));
    setText(axis, "units", "mm");
}

std::int64_t storedType(PixelType type) {
    if (type == PixelType::uint8) return H5T_STD_U8LE;
    return type == PixelType::uint16 ? H5T_STD_U16LE : H5T_IEEE_F32LE;
}

Hdf5Id voxelsIn(const Hdf5Id& data, const VolumeDescription& volume) {
    const auto& [grid, encoding] = volume;
    const std::array<hsize_t, 3> size = {static_cast<hsize_t>(grid.voxels[2]),
                                         static_cast<hsize_t>(grid.voxels[1]),
                                         static_cast<hsize_t>(grid.voxels[0])};
    const Hdf5Id space(checked(H5Screate_simple(3, size.data(), nullptr)), H5Sclose);
    Hdf5Id voxels = datasetIn(data, "data", storedType(encoding.type), space);
    const std::string unit(name(encoding.scale.unit));
    const bool isHu = encoding.scale.unit == ValueUnit::hounsfield;
    if (encoding.type == PixelType::float32) {
        setText(voxels, "units", unit);
        setText(voxels, "long_name", isHu ? "CT number" : "attenuation");
    } else {
        setText(voxels, "long_name",
                (isHu ? "CT number, " : "attenuation, ") + unit +
                    " = slope * stored value + intercept");
        setNumber(voxels, "slope", encoding.slope);
        setNumber(voxels, "intercept", encoding.intercept);
    }
    constexpr double kUmPerMm = 1000;
    const std::array<double, 3> pitchUm = {kUmPerMm * grid.pitchMm[2], kUmPerMm * grid.pitchMm[1],
                                           kUmPerMm * grid.pitchMm[0]};
    setAttribute(voxels, "element_size_um", H5T_NATIVE_DOUBLE, listOf(pitchUm.size()),
                 pitchUm.data());
    setText(voxels, kHdf5Description, toJson(volume));
    return voxels;
}

haddr_t writeVoxelsAndLinks(const Hdf5Id& file, const Hdf5Id& data,
                            const VolumeDescription& volume) {
    const Hdf5Id voxels = voxelsIn(data, volume);
    const Hdf5Id exchange = groupIn(file, "exchange");
    checked(
        H5Lcreate_hard(file.get(), kHdf5Voxels, exchange.get(), "data", H5P_DEFAULT, H5P_DEFAULT));
    return H5Dget_offset(voxels.get());
}

// Returns where the voxels begin.
haddr_t writeContent(const Hdf5Id& file, const VolumeDescription& volume) {
    setText(file, "NX_class", "NXroot");
    setText(file, "default", "entry");
    const Hdf5Id entry = groupIn(file, "entry", "NXentry");
    setText(entry, "default", "data");
    writeText(entry, "definition", "NXtomoproc");
    const bool isHu = volume.encoding.scale.unit == ValueUnit::hounsfield;
    writeText(entry, "title", isHu ? "CT number, HU" : "Attenuation, 1/mm");
    writeText(groupIn(entry, "reconstruction", "NXprocess"), "program", "Gantry");
    const Hdf5Id data = groupIn(entry, "data", "NXdata");
    setText(data, "signal", "data");
    const std::array<const char*, 3> axes = {"z", "y", "x"};
    setAttribute(data, "axes", textType().get(), listOf(axes.size()), axes.data());
    const Vec3 originMm = volume.grid.originMm();
    const std::array<double, 3> firstMm = {originMm.z, originMm.y, originMm.x};
    for (std::size_t i = 0; i < axes.size(); ++i)
        writeAxis(data, axes[i], firstMm[i], volume.grid.pitchMm[2 - i], volume.grid.voxels[2 - i]);
    return writeVoxelsAndLinks(file, data, volume);
}

// The same, in a file of that name.
Index writeHeader(const std::string& path, const VolumeDescription& volume) {
    const Hdf5Id access(checked(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
    constexpr hsize_t kPage = 4096;
    checked(H5Pset_alignment(access.get(), 16 * kPage, kPage));
    Hdf5Id file(checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get())),
                H5Fclose);
    const haddr_t offset = writeContent(file, volume);
    // What was written last may go to the file only when it is closed.
    checked(H5Fflush(file.get(), H5F_SCOPE_LOCAL));
    checked(H5Fclose(file.release()));
    require(offset != HADDR_UNDEF, "the voxels of an HDF5 volume have no place");
    return static_cast<Index>(offset);
}

// A limit of file sizes holds for files in memory too, where libhdf5 reports no reason.
void requireAllowedSize(const fs::path& path, Index bytes) {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < static_cast<rlim_t>(bytes))
        throwSystemFault(path, "cannot be written", EFBIG);
}

std::string bytesOf(const File& file, Index begin, Index end) {
    std::string bytes(end - begin, '\0');
    file.readAt(begin, std::as_writable_bytes(std::span(bytes)));
    return bytes;
}

}  // namespace

FlatLayout hdf5VolumeLayout(const fs::path& path, const VolumeDescription& volume) {
    prepareHdf5();
    const Hdf5Quiet quiet;
    requireAllowedSize(path, volume.grid.count() * sizeBytes(volume.encoding.type));
    const MemoryFile memory;
    // In place of the voxels the file has a hole, which takes no memory.
    const Index begin = writeHeader(memory.path(), volume);
    const Index end = begin + volume.grid.count() * sizeBytes(volume.encoding.type);
    const File header(memory.path(), File::Mode::read);
    require(header.sizeBytes() >= end, "the header of an HDF5 volume is incomplete");
    return {path, bytesOf(header, 0, begin), bytesOf(header, end, header.sizeBytes()), {}, {}};
}

}  // namespace gantry
