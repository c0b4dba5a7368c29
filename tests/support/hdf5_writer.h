#pragma once

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/io/pixel_type.h"

namespace gantry::test {

/// Writes an HDF5 file as some other program may. Groups on the way to an object are made.
class Hdf5Writer {
  public:
    struct Storage {
        std::vector<hsize_t> chunk = {};  ///< empty: in one piece
        int gzip = 0;
        H5Z_filter_t filter = 0;  ///< a further one, whether it is there or not
        bool isBigEndian = false;
        bool isHalfFloat = false;  ///< floats are stored in 16 bits
    };

    explicit Hdf5Writer(const std::filesystem::path& path, unsigned userblockBytes = 0)
        : m_file(-1) {
        [[maybe_unused]] static const herr_t isLeftOpen = H5dont_atexit();
        const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
        H5Pset_userblock(creation, userblockBytes);
        m_file = check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT));
        H5Pclose(creation);
        m_onTheWay = H5Pcreate(H5P_LINK_CREATE);
        H5Pset_create_intermediate_group(m_onTheWay, 1);
    }
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;
    ~Hdf5Writer() {
        H5Pclose(m_onTheWay);
        H5Fclose(m_file);
    }

    [[nodiscard]] hid_t file() const { return m_file; }

    void images(const std::string& name, PixelType type, const std::vector<hsize_t>& sizes,
                std::span<const std::byte> pixels, const Storage& storage) {
        const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        if (!storage.chunk.empty())
            H5Pset_chunk(creation, static_cast<int>(sizes.size()), storage.chunk.data());
        if (storage.gzip > 0) {
            H5Pset_shuffle(creation);
            H5Pset_deflate(creation, static_cast<unsigned>(storage.gzip));
        }
        if (storage.filter > 0)
            H5Pset_filter(creation, storage.filter, H5Z_FLAG_OPTIONAL, 0, nullptr);
        const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
        const hid_t stored = storage.isHalfFloat   ? halfFloat()
                             : storage.isBigEndian ? bigEndian(type)
                                                   : native(type);
        const hid_t dataset = check(
            H5Dcreate2(m_file, name.c_str(), stored, space, m_onTheWay, creation, H5P_DEFAULT));
        check(H5Dwrite(dataset, native(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels.data()));
        H5Dclose(dataset);
        H5Sclose(space);
        H5Pclose(creation);
    }
    void images(const std::string& name, PixelType type, const std::vector<hsize_t>& sizes,
                std::span<const std::byte> pixels) {
        images(name, type, sizes, pixels, {});
    }

    void numbers(const std::string& name, const std::vector<double>& values,
                 const std::string& units = {}) {
        images(name, PixelType::float64, {values.size()}, std::as_bytes(std::span(values)));
        if (!units.empty()) attribute(name, "units", units);
    }

    /// A yes or no, as h5py writes it: an enumeration.
    void flag(const std::string& name, bool value) {
        const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
        constexpr std::array<signed char, 2> kNumbers = {0, 1};
        H5Tenum_insert(type, "FALSE", &kNumbers[0]);
        H5Tenum_insert(type, "TRUE", &kNumbers[1]);
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t dataset = check(
            H5Dcreate2(m_file, name.c_str(), type, space, m_onTheWay, H5P_DEFAULT, H5P_DEFAULT));
        const signed char number = value ? 1 : 0;
        check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number));
        H5Dclose(dataset);
        H5Sclose(space);
        H5Tclose(type);
    }

    void text(const std::string& name, const std::string& value) {
        const hid_t type = stringType(value);
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t dataset = check(
            H5Dcreate2(m_file, name.c_str(), type, space, m_onTheWay, H5P_DEFAULT, H5P_DEFAULT));
        check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()));
        H5Dclose(dataset);
        H5Sclose(space);
        H5Tclose(type);
    }

    /// A list of texts of a fixed length, as h5py writes an array of bytes.
    void texts(const std::string& name, const std::vector<std::string>& values) {
        std::size_t length = 1;
        for (const std::string& value : values)
            length = std::max(length, value.size());
        std::string padded;
        for (const std::string& value : values)
            padded += value + std::string(length - value.size(), '\0');
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, length);
        const hsize_t size = values.size();
        const hid_t space = H5Screate_simple(1, &size, nullptr);
        const hid_t dataset = check(
            H5Dcreate2(m_file, name.c_str(), type, space, m_onTheWay, H5P_DEFAULT, H5P_DEFAULT));
        check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()));
        H5Dclose(dataset);
        H5Sclose(space);
        H5Tclose(type);
    }

    void attribute(const std::string& object, const char* name, const std::string& value) {
        const hid_t type = stringType(value);
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t made = check(H5Acreate_by_name(m_file, object.c_str(), name, type, space,
                                                   H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        check(H5Awrite(made, type, value.data()));
        H5Aclose(made);
        H5Sclose(space);
        H5Tclose(type);
    }

    void attribute(const std::string& object, const char* name, double value) {
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t made = check(H5Acreate_by_name(m_file, object.c_str(), name, H5T_NATIVE_DOUBLE,
                                                   space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        check(H5Awrite(made, H5T_NATIVE_DOUBLE, &value));
        H5Aclose(made);
        H5Sclose(space);
    }

    void link(const std::string& name, const std::string& file, const std::string& object) {
        check(H5Lcreate_external(file.c_str(), object.c_str(), m_file, name.c_str(), m_onTheWay,
                                 H5P_DEFAULT));
    }

    [[nodiscard]] hid_t onTheWay() const { return m_onTheWay; }

    static hid_t native(PixelType type) {
        switch (type) {
            case PixelType::uint8:
                return H5T_NATIVE_UINT8;
            case PixelType::int16:
                return H5T_NATIVE_INT16;
            case PixelType::uint16:
                return H5T_NATIVE_UINT16;
            case PixelType::float32:
                return H5T_NATIVE_FLOAT;
            default:
                return H5T_NATIVE_DOUBLE;
        }
    }

  private:
    static hid_t bigEndian(PixelType type) {
        return type == PixelType::float32 ? H5T_IEEE_F32BE : H5T_STD_U16BE;
    }
    static hid_t halfFloat() {
        const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
        H5Tset_fields(type, 15, 10, 5, 0, 10);
        H5Tset_size(type, 2);
        H5Tset_ebias(type, 15);
        return type;
    }
    static hid_t stringType(const std::string& value) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, value.size());
        return type;
    }
    static hid_t check(hid_t result) {
        if (result < 0) throw std::runtime_error("a test file cannot be written");
        return result;
    }

    hid_t m_file;
    hid_t m_onTheWay;
};

}  // namespace gantry::test
