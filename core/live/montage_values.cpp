#include "core/live/montage_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/throw_error.h"
#include "core/geometry/check/validate.h"

namespace gantry {

namespace {

void requireCount(std::size_t count, const std::string& name) {
    if (count < 2 || count > kMaxMontageValues)
        throwError<InputError>("{}: a montage shows 2 to {} values; there {}.", name,
                               kMaxMontageValues,
                               count == 1 ? std::string("is one") : fmt::format("are {}", count));
}

void requireDifferentSlices(const MontageValues& montage, const std::string& name) {
    const std::vector<JobSpec>& jobs = montage.jobs;
    for (std::size_t i = 1; i < jobs.size(); ++i) {
        const auto same =
            std::find(montage.values.begin(), montage.values.end(), montage.values[i]);
        if (same - montage.values.begin() < static_cast<std::ptrdiff_t>(i))
            throwError<InputError>("{} has the value {} twice.", name, montage.words[i]);
        if (haveSameSlices(jobs[i - 1], jobs[i]))
            throwError<InputError>(
                "{}: a slice does not depend on it. Choose a field of the corrections, the filter "
                "or the geometry.",
                name);
    }
    const VariedField& field = montage.field;
    if (std::ranges::none_of(jobs, field.hasEffect))
        throwError<InputError>("{}: it has no effect on this scan with these options{}.", name,
                               field.what.empty() ? "" : fmt::format(" of {}", field.what));
}

}  // namespace

MontageValues montageValues(const VariedField& field, const std::vector<std::string>& words,
                            const JobSpec& job, const std::string& name) {
    requireCount(words.size(), name);
    MontageValues montage = {field, words, {}, {}};
    for (const std::string& word : words) {
        montage.values.push_back(variedValue(field.option, name, word));
        JobSpec spec = job;
        field.assign(spec, montage.values.back());
        const std::string where = fmt::format("{}={}", name, word);
        throwOnError(validate(spec.scan.geometry), where);
        throwOnError(validate(spec.corrections), where);
        montage.jobs.push_back(std::move(spec));
    }
    requireDifferentSlices(montage, name);
    return montage;
}

MontageSlice montageSlice(const VolumeGrid& grid, std::size_t kind, std::optional<double> atMm,
                          const std::string& name, Index maxAcross) {
    const auto& [word, axis, along] = kSliceKinds.at(kind);
    const double centre = grid.centerMm[along];
    const double reach = static_cast<double>(grid.voxels[along]) / 2 * grid.pitchMm[along];
    MontageSlice slice = {kind, atMm.value_or(centre), {}};
    if (!(std::abs(slice.atMm - centre) <= reach))
        throwError<InputError>("{} is {} mm; the volume is at {} = {:.4g} to {:.4g} mm.", name,
                               slice.atMm, axis, centre - reach, centre + reach);
    std::array<double, 3> through = grid.centerMm;
    through[along] = slice.atMm;
    const bool isTooFine = maxAcross > 0 && *std::ranges::max_element(grid.voxels) > maxAcross;
    slice.plane = orthogonalPlanes(grid, {through[0], through[1], through[2]},
                                   isTooFine ? maxAcross : 0)[kind];
    return slice;
}

std::string sliceText(const MontageSlice& slice, Index binning) {
    const SliceKind& kind = kSliceKinds.at(slice.kind);
    return fmt::format(
        "{} slice at {} = {:.4g} mm{}", kind.word, kind.axis, slice.atMm,
        binning > 1 ? fmt::format(", from detector pixels averaged {0} × {0} for memory", binning)
                    : "");
}

MontageScores scoresOf(const VariedField& field, std::vector<std::optional<double>> sharpness) {
    if (!field.isScored()) std::ranges::fill(sharpness, std::nullopt);
    return scoresOf(sharpness);
}

}  // namespace gantry
