#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/plane_preview.h"
#include "core/geometry/volume_grid.h"
#include "core/job/varied_field.h"
#include "core/live/montage.h"
#include "core/plan/job_spec.h"

namespace gantry {

inline constexpr std::size_t kMaxMontageValues = 64;

/// The values of one field that a montage shows, and the job of each.
struct MontageValues {
    VariedField field;
    std::vector<std::string> words;
    std::vector<FieldValue> values;
    std::vector<JobSpec> jobs;
};

/// The jobs that differ from `job` in that field. A slice must depend on it, with these jobs, as
/// pictures that are all the same would say that the field does not matter, which may be wrong.
/// words: 2 to kMaxMontageValues, all different; name: of the field, for messages
/// @throws InputError naming it, the value and what is allowed
/// Tests: tests/core/live/montage_values_test.cpp, tests/cli/test_montage.py
[[nodiscard]] MontageValues montageValues(const VariedField& field,
                                          const std::vector<std::string>& words, const JobSpec& job,
                                          const std::string& name);

/// One of the planes of orthogonalPlanes(), in their order.
struct SliceKind {
    const char* word;
    const char* axis;   ///< across which it lies
    std::size_t along;  ///< that axis, of x, y, z
};
inline constexpr std::array kSliceKinds = {SliceKind{"axial", "z", 2}, SliceKind{"coronal", "y", 1},
                                           SliceKind{"sagittal", "x", 0}};

/// The slice that all pictures show.
struct MontageSlice {
    std::size_t kind = 0;  ///< of kSliceKinds
    double atMm = 0;       ///< along its axis
    Plane plane;
};

/// A slice of a volume; atMm: none: in its middle. name: of the place, for messages; maxAcross:
/// pixels along a side, 0: as many as the volume has voxels
/// @throws InputError naming it, where it lies outside the volume
/// Tests: tests/core/live/montage_values_test.cpp
[[nodiscard]] MontageSlice montageSlice(const VolumeGrid& grid, std::size_t kind,
                                        std::optional<double> atMm, const std::string& name,
                                        Index maxAcross = 0);

/// "axial slice at z = 12.5 mm", and what memory made of its pixels.
[[nodiscard]] std::string sliceText(const MontageSlice& slice, Index binning);

/// The scores of pictures. Fields that are not of the alignment have none: what is sharper need not
/// be better. sharpness: one a picture
[[nodiscard]] MontageScores scoresOf(const VariedField& field,
                                     std::vector<std::optional<double>> sharpness);

}  // namespace gantry
