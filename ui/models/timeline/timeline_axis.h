#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "core/pipeline/work_time.h"

namespace gantry {

/// Time against pixels of a view. Tests: tests/ui/models/timeline_axis_test.cpp
struct TimeAxis {
    static constexpr double kFinestNsPerPixel = 10;

    std::int64_t beginNs = 0;  ///< at the left edge of pixel 0
    double nsPerPixel = 1e6;

    [[nodiscard]] double xOf(std::int64_t ns) const;
    [[nodiscard]] std::int64_t nsAt(double x) const;
    [[nodiscard]] TimeRange range(double width) const;

    /// That range over the whole width; one of no length is shown as 1 µs.
    [[nodiscard]] static TimeAxis fitted(const TimeRange& range, double width);
    /// `factor` times as many pixels for the same time; the time at x stays there. Not
    /// finer than kFinestNsPerPixel.
    [[nodiscard]] TimeAxis zoomed(double factor, double x) const;
    /// Time moved to the right by so many pixels.
    [[nodiscard]] TimeAxis panned(double pixels) const;
    /// Within the run, which at the widest fills the view.
    [[nodiscard]] TimeAxis limited(const TimeRange& run, double width) const;
    /// The same picture in pixels of which `ratio` make one of this axis.
    [[nodiscard]] TimeAxis withPixelRatio(double ratio) const;

    friend bool operator==(const TimeAxis&, const TimeAxis&) = default;
};

/// Round moments along an axis.
struct TimeRuler {
    struct Tick {
        double x;
        QString text;  ///< "12 s", "3 min", or after a base "+250 µs"
    };
    std::vector<Tick> ticks;
    /// The moment that the ticks' "+" counts from; empty: they count from the job's start.
    QString base;
};

/// Ticks at least `leastPixels` apart.
[[nodiscard]] TimeRuler rulerFor(const TimeAxis& axis, double width, double leastPixels);

}  // namespace gantry
