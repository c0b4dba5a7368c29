#pragma once

#include <vector>

#include "core/base/types.h"
#include "core/filter/filter_spec.h"

namespace gantry {

/// Sample n of the band-limited ramp, 1/mm²: h(0) = 1/(4τ²), h(odd) = −1/(π²n²τ²), h(even) = 0,
/// for samples τ = pitchMm apart (resources/help/architecture.md, step 3).
[[nodiscard]] double rampSample(Index n, double pitchMm);

/// Gain of a window at a frequency given as a fraction of the cut-off; 0 above it.
[[nodiscard]] double windowGain(FilterWindow window, double fractionOfCutoff);

/// Points of the zero-padded row that a detector of `columns` is filtered in: at least twice as
/// many, and no prime factor above 5.
[[nodiscard]] Index paddedLength(Index columns);

/// Frequency response, 1/mm, of the windowed ramp at the `length` frequencies of a discrete Fourier
/// transform, in its order: the transform of the circular ramp (real, since it is even) times τ and
/// the window. The transform's own factor 1/length is not in it.
/// @throws InputError when the cut-off is out of range
/// Tests: tests/core/filter/ramp_kernel_test.cpp
[[nodiscard]] std::vector<double> rampResponse(Index length, double pitchMm,
                                               const FilterSpec& spec);

}  // namespace gantry
