#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/base/types.h"

namespace gantry {

/// A mean image of dark or flat frames that were taken later than the first ones.
struct LaterField {
    double view = 0;          ///< the view of the trajectory at which it holds, from 0
    HostBuffer<float> image;  ///< [v][u] counts
};

/// Mean dark and flat images of a detector, and what is known of its pixels. Where frames were
/// taken at several times of the scan, they change linearly over the views in between; before the
/// first and behind the last time they stay as they were then.
struct DetectorCalibration {
    Index rows = 0;
    Index columns = 0;
    HostBuffer<float> dark;            ///< [v][u] counts, of the first time
    HostBuffer<float> flat;            ///< [v][u] counts, dark not subtracted, of the first time
    HostBuffer<unsigned char> bad;     ///< [v][u], 1: dead
    std::optional<double> saturation;  ///< counts
    double darkView = 0;               ///< the view at which `dark` holds, and `flat`
    double flatView = 0;
    std::vector<LaterField> laterDarks;  ///< by view; empty: `dark` holds for all
    std::vector<LaterField> laterFlats;
    /// [view of the trajectory] how bright the beam is, as a share of what it was at the flat
    /// frames, as a beam monitor states it; empty: as bright.
    std::vector<float> beam;

    /// Whether the dark or the flat image differs from view to view.
    [[nodiscard]] bool changes() const { return !laterDarks.empty() || !laterFlats.empty(); }
    [[nodiscard]] float beamAt(Index view) const { return beam.empty() ? 1.0F : beam[view]; }
    [[nodiscard]] Index sizeBytes() const;
};

/// The dark and flat images at a place between the views of the trajectory, from pixel `first` on.
/// dark, flat: equally long. Several threads may call it.
void fieldsAt(const DetectorCalibration& calibration, double view, Index first,
              std::span<float> dark, std::span<float> flat);

/// The calibration of a detector whose pixels have other gains than its flat images say. Their net
/// signal (flat − dark) is multiplied by them at every time of the flat images.
/// gains: [v][u]
/// Tests: tests/core/prep/calibration_test.cpp
[[nodiscard]] DetectorCalibration withGains(const DetectorCalibration& calibration,
                                            std::span<const float> gains);

/// Mean of several frames, summed in double, one frame at a time. Values that are not finite are
/// left out of the mean; a pixel with no finite value is NaN, which makes it a dead one. On demand
/// it keeps what says how much the frames differ. Tests: tests/core/prep/calibration_test.cpp
class FrameMean {
  public:
    enum class Keeps { mean, spread };

    explicit FrameMean(Index pixels, Keeps keeps = Keeps::mean);

    /// frame: [v][u]
    void add(std::span<const float> frame);
    /// @returns [v][u]
    [[nodiscard]] HostBuffer<float> image() const;
    /// Standard deviations of a single frame, [v][u]; NaN for less than two finite values. It was
    /// asked to keep the spread.
    [[nodiscard]] HostBuffer<float> spread() const;
    /// How many frames were added.
    [[nodiscard]] Index frames() const { return m_frames; }

  private:
    Index m_frames = 0;
    std::vector<double> m_sum;
    std::vector<double> m_squares;      ///< sums of squares; empty: not kept
    std::vector<std::int32_t> m_count;  ///< of finite values
};

/// Marks pixels without net signal: flat − dark not finite, or not above the noise about 0. That is
/// 1/1000 of the median pixel, or as much as the darkest pixels are below 0, up to 1/100 of the
/// median. Where the fields change, at any of the times at which they were taken. Makes the mask if
/// there is none yet.
/// @returns how many pixels are bad in all
Index markDeadPixels(DetectorCalibration& calibration);

/// Marks pixels whose flat field, at any time, is at least `level` counts, which tell nothing of
/// the beam.
/// @returns how many these are
Index markSaturatedPixels(DetectorCalibration& calibration, double level);

/// The count at which a flat field is clearly cut off: its largest value, where four pixels or more
/// that touch have it, at most half of all, more than have the count below it, and it is either the
/// largest value of an integer type or detector or far above all others.
[[nodiscard]] std::optional<double> clippedLevel(const DetectorCalibration& calibration);

/// Marks the pixels in which `mask` ([v][u]) is not 0, in addition to those already marked.
/// @returns how many pixels are bad in all
/// @throws InputError when the size of the mask differs from the detector's
Index mergeBadPixels(DetectorCalibration& calibration, std::span<const unsigned char> mask);

}  // namespace gantry
