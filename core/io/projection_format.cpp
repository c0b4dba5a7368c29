#include "core/io/projection_format.h"

#include "core/io/hdf5/hdf5_projections.h"
#include "core/io/metaimage/metaimage_projections.h"
#include "core/io/raw/raw_projections.h"
#include "core/io/tiff/tiff_source.h"

namespace gantry {

const ProjectionFormats& projectionFormats() {
    static const ProjectionFormats formats = {
        tiffProjections(),
        metaImageProjections(),
        hdf5Projections(),
        rawProjections(),
    };
    return formats;
}

}  // namespace gantry
