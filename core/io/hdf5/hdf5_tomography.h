#pragma once

#include <string>
#include <vector>

#include "core/io/hdf5/hdf5_file.h"
#include "core/io/hdf5/hdf5_images.h"
#include "core/io/projection_format.h"
#include "core/io/stated_geometry.h"

namespace gantry {

/// Where the frames of one kind are.
struct Hdf5Frames {
    std::string dataset;         ///< empty: there are none
    std::vector<Index> numbers;  ///< of its images; empty: all of them
    Hdf5Images::Order order = Hdf5Images::Order::images;
    std::string datasetAfter{};  ///< of further ones, from after the scan; empty: there are none
    /// See SourceInfo, for the images of `numbers`; empty: not known.
    std::vector<Index> projectionsBefore{};
    std::vector<double> monitor{};
};

/// A tomographic scan in an HDF5 file: an NXtomo entry (NeXus), in which each frame has a key (0: a
/// projection, 1: flat, 2: dark, 3: not to be used), or a Data Exchange group, which has a dataset
/// for each kind. Dark or flat frames may be alone in a file; a file that is neither of both, with
/// one stack of images, may be such frames, too.
/// Tests: tests/core/io/hdf5_source_test.cpp, tests/core/io/hdf5_statements_test.cpp
struct Hdf5Tomography {
    std::string layout;  ///< "NXtomo", "Data Exchange"
    Hdf5Frames projections;
    Hdf5Frames dark;
    Hdf5Frames flat;
    Hdf5Frames badPixels;  ///< a mask; where it is missing, `projections` may be one
    StatedGeometry stated;
    std::string whyNoProjections;  ///< a clause; empty: not known
    /// `projections` are dark or flat frames if these are asked for.
    bool isOfAnyKind = false;

    [[nodiscard]] const Hdf5Frames& frames(FrameKind kind) const;
};

/// Whether the file is marked as a scan: an NXtomo entry, or a Data Exchange group with angles or
/// flat or dark frames.
[[nodiscard]] bool holdsTomography(const Hdf5File& file);

/// Reads an entry of the file: the one of that path (see hdf5_entries.h), or if it is empty the
/// default one, or the first of several. kind: what is asked for
/// @throws InputError naming what is missing or wrong: no such entry, numbers of keys or angles
///         that differ from that of frames, an unknown unit, no frames of that kind, frames of
///         another size than the projections
[[nodiscard]] Hdf5Tomography readTomography(const Hdf5File& file,
                                            FrameKind kind = FrameKind::projections,
                                            const std::string& entry = {});

// What both layouts state.

/// Adds that the projections' pixels are stored with a scale or an offset, which are not used.
void quoteScaling(const Hdf5File& file, Hdf5Tomography& scan);

/// Adds to what is stated and not used that the object moves along an axis of the detector (0: u),
/// unless it does not. values: one a projection
void addTranslation(const Hdf5File& file, const std::string& dataset,
                    const std::vector<double>& values, std::size_t axis, StatedGeometry& stated);
/// Adds what a beam monitor, whose values the frames have, means. One without a usable value for
/// every projection is dropped.
void addMonitor(const std::string& dataset, Hdf5Tomography& scan);

}  // namespace gantry
