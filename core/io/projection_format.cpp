#include "core/io/projection_format.h"

#include "core/io/hdf5/hdf5_projections.h"
#include "core/io/metaimage/metaimage_files.h"
#include "core/io/projection_formats.h"
#include "core/io/raw/raw_files.h"
#include "core/io/tiff/tiff_source.h"

namespace gantry {

void putInOrder(std::span<std::byte> pixels, Index rows, const ImageShape& shape,
                const OpenOptions& options) {
    if (options.firstRowIsTop) reverseRows(pixels, rows);
    if (options.isMirrored) reverseColumns(pixels, shape);
}

const ProjectionFormats& projectionFormats() {
    static const ProjectionFormats formats = {
        tiffProjections(), metaImageProjections(), hdf5Projections(), xradiaProjections(),
        ximProjections(),  hisProjections(),       rawProjections(),
    };
    return formats;
}

}  // namespace gantry
