#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "core/pipeline/work_time.h"

namespace gantry {

/// The mapping between time and pixels of a view. Tests: tests/ui/models/timeline_axis_test.cpp
struct TimeAxis {
    static constexpr double kFinestNsPerPixel = 10;

    std::int64_t beginNs = 0;  ///< at the left edge of pixel 0
    double nsPerPixel = 1e6;

    [[nodiscard]] double xOf(std::int64_t ns) const;
    [[nodiscard]] std::int64_t nsAt(double x) const;
    [[nodiscard]] TimeRange range(double width) const { return {beginNs, nsAt(width)}; }

    /// That range over the whole width; one of length 0 is shown as 1 µs.
    [[nodiscard]] static TimeAxis fitted(const TimeRange& range, double width);
    /// `factor` times as many pixels for the same time; the time at x stays in place. Not finer
    /// than kFinestNsPerPixel.
    [[nodiscard]] TimeAxis zoomed(double factor, double x) const;
    /// The time axis moved to the right by `pixels`.
    [[nodiscard]] TimeAxis panned(double pixels) const;
    /// Limited to the run, which fills the view at the widest.
    [[nodiscard]] TimeAxis limited(const TimeRange& run, double width) const;
    /// The same picture in smaller pixels, `ratio` of which make one of this axis.
    [[nodiscard]] TimeAxis withPixelRatio(double ratio) const;

    friend bool operator==(const TimeAxis&, const TimeAxis&) = default;
};

/// Round times along an axis.
struct TimeRuler {
    struct Tick {
        double x;
        QString text;  ///< "12 s", "3 min", or after a base "+250 µs"
    };
    std::vector<Tick> ticks;
    /// The time that ticks with "+" are relative to; empty: the job's start.
    QString base;
};

/// Ticks at least `minPixels` apart.
[[nodiscard]] TimeRuler rulerFor(const TimeAxis& axis, double width, double minPixels);

}  // namespace gantry
