#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/io/hdf5/hdf5_file.h"
#include "core/io/image_shape.h"
#include "core/io/stored_pixels.h"

namespace gantry {

/// The files that a dataset's pixels are in: where a link leads, and the parts of a virtual one;
/// only those that exist.
/// @throws InputError  it cannot be opened
[[nodiscard]] std::vector<std::filesystem::path> hdf5SourcesOf(const Hdf5File& file,
                                                               const std::string& dataset);

/// A dataset of images in an HDF5 file: [image][row][column], [row][image][column] as for
/// sinograms, or a single image. Thread-safe: pixels in one piece are read by several threads at
/// once, others (in chunks, or in other files) by one at a time. Tests:
/// tests/core/io/hdf5_source_test.cpp
class Hdf5Images {
  public:
    enum class Order { images, sinograms };

    /// file: outlives this
    /// @throws InputError naming the dataset: its shape or type is not that of images, no plugin is
    ///         installed for its compression, or files that it consists of are missing
    Hdf5Images(const Hdf5File& file, std::string dataset, Order order = Order::images);

    [[nodiscard]] const std::string& dataset() const { return m_dataset; }
    [[nodiscard]] const ImageShape& shape() const { return m_shape; }
    [[nodiscard]] Index images() const { return m_images; }
    [[nodiscard]] bool isCompressed() const { return m_isCompressed; }
    /// Whether a range of rows costs hardly more than its own bytes.
    [[nodiscard]] bool readsRowsAlone() const { return m_readsRowsAlone; }
    /// "gzip, chunks of 1 × 64 × 2048"; "in one piece"
    [[nodiscard]] const std::string& storage() const { return m_storage; }

    /// Reads rows as they are stored, the first one first.
    /// pixels: rows.size() · columns of shape().type, host byte order
    /// @throws InputError naming the image when it is damaged
    void read(Index image, IndexRange rows, std::span<std::byte> pixels) const;
    /// Checks where every chunk lies, without reading them. @throws InputError
    void checkChunks() const;

  private:
    void readShape(Order order);
    void readStorage();
    void checkSources(std::int64_t creation);
    void checkExternal(std::int64_t creation);
    void readLayout(std::int64_t creation);

    const Hdf5File& m_file;
    std::string m_dataset;
    Hdf5Id m_opened;
    ImageShape m_shape;
    Index m_images = 1;
    int m_rank = 3;
    int m_imageDimension = 0;
    int m_rowDimension = 1;
    bool m_isCompressed = false;
    bool m_readsRowsAlone = true;
    std::string m_storage;
    std::unique_ptr<PixelReader> m_pieces;  ///< of pixels in one piece, image after image
};

}  // namespace gantry
