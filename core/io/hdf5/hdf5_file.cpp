#include "core/io/hdf5/hdf5_file.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kMaxTextBytes = 4096;

// Files that a program has opened for writing have a flag in their first bytes.
bool isBeingWritten(const File& file) {
    constexpr Index kVersion = 8;
    constexpr Index kFlags = 11;
    std::array<std::byte, 12> begin{};
    if (file.sizeBytes() < std::ssize(begin)) return false;
    file.readAt(0, begin);
    return begin[kVersion] == std::byte{3} && (begin[kFlags] & std::byte{5}) != std::byte{0};
}

std::string textOf(hid_t type, const auto& read) {
    if (H5Tget_class(type) != H5T_STRING) return {};
    const Hdf5Id memory(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_cset(memory.get(), H5Tget_cset(type));
    if (H5Tis_variable_str(type) > 0) {
        H5Tset_size(memory.get(), H5T_VARIABLE);
        char* found = nullptr;
        if (read(memory.get(), static_cast<void*>(&found)) < 0 || !found) return {};
        std::string text(found, strnlen(found, static_cast<std::size_t>(kMaxTextBytes)));
        H5free_memory(found);
        return text;
    }
    const std::size_t size = H5Tget_size(type);
    if (size == 0 || size > static_cast<std::size_t>(kMaxTextBytes)) return {};
    std::string text(size + 1, '\0');
    H5Tset_size(memory.get(), text.size());
    if (read(memory.get(), static_cast<void*>(text.data())) < 0) return {};
    text.resize(text.find('\0'));
    return text;
}

// The attribute; not open if there is none.
Hdf5Id openAttribute(const Hdf5Id& file, const std::string& object, const char* name) {
    if (H5Aexists_by_name(file.get(), object.c_str(), name, H5P_DEFAULT) <= 0) return {};
    return {H5Aopen_by_name(file.get(), object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
}

// A dataset that is opened to be read whole; not open if there is none.
struct OpenDataset {
    Hdf5Id dataset;
    Hdf5Id space;
    Hdf5Id type;

    OpenDataset(const Hdf5Id& file, const std::string& name)
        : dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), H5Dclose) {
        if (!dataset.isOpen()) return;
        space = Hdf5Id(H5Dget_space(dataset.get()), H5Sclose);
        type = Hdf5Id(H5Dget_type(dataset.get()), H5Tclose);
    }
    [[nodiscard]] bool isOpen() const { return dataset.isOpen(); }
    [[nodiscard]] H5T_class_t kind() const { return H5Tget_class(type.get()); }
    [[nodiscard]] Index count() const { return H5Sget_simple_extent_npoints(space.get()); }
};

bool isOne(hid_t space) {
    return H5Sget_simple_extent_npoints(space) == 1;
}

}  // namespace

void prepareHdf5() {
    // Nothing is open for writing at the program's end, and libhdf5 may keep parts of damaged files
    // that it cannot close.
    [[maybe_unused]] static const herr_t isLeftOpen = H5dont_atexit();
    hbool_t isThreadSafe = 0;
    H5is_library_threadsafe(&isThreadSafe);
    require(isThreadSafe != 0, "this build of HDF5 is for one thread alone");
}

bool isHdf5Signature(std::string_view begin) {
    // Programs may put bytes of their own in front of the signature.
    for (const std::size_t at : {std::size_t{0}, std::size_t{512}, std::size_t{1024}})
        if (begin.size() > at && begin.substr(at).starts_with("\x89HDF\r\n\x1a\n")) return true;
    return false;
}

Hdf5Quiet::Hdf5Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &m_print, &m_data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Quiet::~Hdf5Quiet() {
    H5Eset_auto2(H5E_DEFAULT, m_print, m_data);
}

Hdf5Id& Hdf5Id::operator=(Hdf5Id&& other) noexcept {
    std::swap(m_id, other.m_id);
    std::swap(m_close, other.m_close);
    return *this;
}

Hdf5Id::~Hdf5Id() {
    if (isOpen()) m_close(m_id);
}

Hdf5File::Hdf5File(fs::path path) : m_path(std::move(path)) {
    prepareHdf5();
    const Hdf5Quiet quiet;
    const File file(m_path, File::Mode::read);
    m_sizeBytes = file.sizeBytes();
    if (isBeingWritten(file))
        throw FileError(m_path,
                        "is still being written, or was not closed by the program that wrote it; "
                        "wait for the end of the scan, or mark it as closed with h5clear -s");
    m_file = Hdf5Id(H5Fopen(m_path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!m_file.isOpen()) throw FileError(m_path, "is no HDF5 file, or it is damaged or cut off");
}

bool Hdf5File::has(const std::string& object) const {
    const Hdf5Quiet quiet;
    // libhdf5 requires that every link of the path is checked.
    for (std::size_t end = object.find('/', 1); end != std::string::npos;
         end = object.find('/', end + 1))
        if (H5Lexists(m_file.get(), object.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    return H5Lexists(m_file.get(), object.c_str(), H5P_DEFAULT) > 0 &&
           H5Oexists_by_name(m_file.get(), object.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::namesIn(
    const std::string& group, const std::function<bool(const std::string& path)>& isWanted) const {
    const Hdf5Quiet quiet;
    constexpr hsize_t kMax = 10'000;
    std::vector<std::string> found;
    const Hdf5Id opened(H5Gopen2(m_file.get(), group.c_str(), H5P_DEFAULT), H5Gclose);
    H5G_info_t info{};
    if (!opened.isOpen() || H5Gget_info(opened.get(), &info) < 0) return found;
    for (hsize_t i = 0; i < std::min(info.nlinks, kMax); ++i) {
        std::string name(kMaxTextBytes, '\0');
        const auto length = H5Lget_name_by_idx(opened.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i,
                                               name.data(), name.size(), H5P_DEFAULT);
        if (length <= 0 || length >= kMaxTextBytes) continue;
        name.resize(length);
        if (isWanted(group == "/" ? group + name : fmt::format("{}/{}", group, name)))
            found.push_back(std::move(name));
    }
    return found;
}

std::vector<std::string> Hdf5File::groupsIn(const std::string& group) const {
    return namesIn(group, [&](const std::string& path) {
        return Hdf5Id(H5Gopen2(m_file.get(), path.c_str(), H5P_DEFAULT), H5Gclose).isOpen();
    });
}

std::vector<std::string> Hdf5File::datasetsIn(const std::string& group) const {
    return namesIn(group, [&](const std::string& path) {
        return Hdf5Id(H5Dopen2(m_file.get(), path.c_str(), H5P_DEFAULT), H5Dclose).isOpen();
    });
}

std::vector<std::string> Hdf5File::stacksIn(const std::string& group) const {
    return namesIn(group, [&](const std::string& path) {
        const Hdf5Id dataset(H5Dopen2(m_file.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
        if (!dataset.isOpen()) return false;
        const Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
        return H5Sget_simple_extent_ndims(space.get()) == 3;
    });
}

bool Hdf5File::areSame(const std::string& a, const std::string& b) const {
    const Hdf5Quiet quiet;
    H5O_info_t first{};
    H5O_info_t second{};
    return H5Oget_info_by_name2(m_file.get(), a.c_str(), &first, H5O_INFO_BASIC, H5P_DEFAULT) >=
               0 &&
           H5Oget_info_by_name2(m_file.get(), b.c_str(), &second, H5O_INFO_BASIC, H5P_DEFAULT) >=
               0 &&
           first.fileno == second.fileno && first.addr == second.addr;
}

std::string Hdf5File::text(const std::string& dataset) const {
    if (!has(dataset)) return {};
    const Hdf5Quiet quiet;
    const OpenDataset opened(m_file, dataset);
    if (!opened.isOpen() || !isOne(opened.space.get())) return {};
    return textOf(opened.type.get(), [&](hid_t memory, void* text) {
        return H5Dread(opened.dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    });
}

std::string Hdf5File::attribute(const std::string& object, const char* name) const {
    const Hdf5Quiet quiet;
    const Hdf5Id opened = openAttribute(m_file, object, name);
    if (!opened.isOpen()) return {};
    const Hdf5Id space(H5Aget_space(opened.get()), H5Sclose);
    const Hdf5Id type(H5Aget_type(opened.get()), H5Tclose);
    if (!isOne(space.get())) return {};
    return textOf(type.get(),
                  [&](hid_t memory, void* text) { return H5Aread(opened.get(), memory, text); });
}

std::vector<double> Hdf5File::attributeNumbers(const std::string& object, const char* name) const {
    constexpr Index kMax = 64;
    const Hdf5Quiet quiet;
    const Hdf5Id opened = openAttribute(m_file, object, name);
    if (!opened.isOpen()) return {};
    const Hdf5Id space(H5Aget_space(opened.get()), H5Sclose);
    const Hdf5Id type(H5Aget_type(opened.get()), H5Tclose);
    const H5T_class_t kind = H5Tget_class(type.get());
    const Index count = H5Sget_simple_extent_npoints(space.get());
    if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 1 || count > kMax) return {};
    std::vector<double> numbers(count);
    if (H5Aread(opened.get(), H5T_NATIVE_DOUBLE, numbers.data()) < 0) return {};
    return numbers;
}

std::optional<Hdf5Numbers> Hdf5File::numbers(const std::string& dataset, Index max) const {
    if (!has(dataset)) return std::nullopt;
    const Hdf5Quiet quiet;
    const OpenDataset opened(m_file, dataset);
    if (!opened.isOpen()) return std::nullopt;
    const H5T_class_t kind = opened.kind();
    const Index count = opened.count();
    // A yes or no is an enumeration of two whole numbers, as h5py writes it.
    if ((kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_ENUM) || count < 1)
        return std::nullopt;
    if (count > max)
        throwErrorOf<FileError>(m_path,
                                "is damaged: {} holds {} numbers, where {} at most can be meant",
                                dataset, count, max);
    Hdf5Numbers numbers;
    numbers.values.resize(count);
    if (H5Dread(opened.dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                numbers.values.data()) < 0)
        throwErrorOf<FileError>(m_path, "is damaged: {} cannot be read", dataset);
    numbers.units = attribute(dataset, "units");
    return numbers;
}

std::optional<std::vector<std::string>> Hdf5File::texts(const std::string& dataset,
                                                        Index max) const {
    if (!has(dataset)) return std::nullopt;
    const Hdf5Quiet quiet;
    const OpenDataset opened(m_file, dataset);
    if (!opened.isOpen()) return std::nullopt;
    const hid_t space = opened.space.get();
    const Index count = opened.count();
    const bool isList = H5Sget_simple_extent_ndims(space) == 1;
    if (opened.kind() != H5T_STRING || !isList || count < 1) return std::nullopt;
    if (count > max)
        throwErrorOf<FileError>(m_path,
                                "is damaged: {} holds {} texts, where {} at most can be meant",
                                dataset, count, max);
    const hsize_t one = 1;
    const Hdf5Id memory(H5Screate_simple(1, &one, nullptr), H5Sclose);
    const auto textAt = [&](Index i) {
        const auto at = static_cast<hsize_t>(i);
        H5Sselect_elements(space, H5S_SELECT_SET, 1, &at);
        return textOf(opened.type.get(), [&](hid_t memoryType, void* text) {
            return H5Dread(opened.dataset.get(), memoryType, memory.get(), space, H5P_DEFAULT,
                           text);
        });
    };
    std::vector<std::string> texts;
    texts.reserve(count);
    for (Index i = 0; i < count; ++i)
        texts.push_back(textAt(i));
    return texts;
}

Hdf5Id Hdf5File::openDataset(const std::string& dataset, std::int64_t access) const {
    const Hdf5Quiet quiet;
    Hdf5Id opened(H5Dopen2(m_file.get(), dataset.c_str(), access), H5Dclose);
    if (opened.isOpen()) return opened;
    H5L_info_t link{};
    if (H5Lget_info(m_file.get(), dataset.c_str(), &link, H5P_DEFAULT) >= 0 &&
        link.type == H5L_TYPE_EXTERNAL && link.u.val_size <= kMaxTextBytes) {
        std::string value(link.u.val_size, '\0');
        unsigned flags = 0;
        const char* file = nullptr;
        const char* object = nullptr;
        if (H5Lget_val(m_file.get(), dataset.c_str(), value.data(), value.size(), H5P_DEFAULT) >=
                0 &&
            H5Lunpack_elink_val(value.data(), value.size(), &flags, &file, &object) >= 0)
            throwErrorOf<FileError>(
                m_path, "has its images, {}, in another file, which is missing or unreadable: {}",
                dataset, file);
    }
    throwErrorOf<FileError>(m_path, "is damaged: {} cannot be opened", dataset);
}

}  // namespace gantry
