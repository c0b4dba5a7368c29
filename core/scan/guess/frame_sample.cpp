#include "core/scan/guess/frame_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/scan/open_scan.h"

namespace gantry {

namespace {

// Fractions of which all lie in a narrow band that log10 or ln of a camera's counts fills.
bool mayBeLogarithms(const FrameSample& sample) {
    constexpr double kLow = 1.5;    // 32 counts, by log10
    constexpr double kHigh = 12.5;  // 18 bits, by ln
    constexpr double kMaxSpread = 3;
    return sample.low > kLow && sample.bright < kHigh && sample.bright < kMaxSpread * sample.low;
}

}  // namespace

FrameSample sampleFrames(const ProjectionSource& source) {
    const SourceInfo& info = source.info();
    std::vector<float> values;
    std::vector<float> edge;
    HostBuffer<float> frame(info.rows * info.columns);
    std::string whyNot = "none of the images holds a number";
    for (const Index view : {Index{0}, info.views / 3, 2 * info.views / 3}) {
        try {
            readView(source, view, frame.span());
        } catch (const InputError& error) {
            whyNot = error.what();
            continue;
        }
        for (Index i = 0; i < frame.count(); ++i) {
            if (!std::isfinite(frame[i])) continue;
            values.push_back(frame[i]);
            const Index u = i % info.columns;
            if (u == 0 || u == info.columns - 1) edge.push_back(frame[i]);
        }
    }
    if (values.empty()) throw InputError(whyNot);
    const auto at = [](std::vector<float>& all, std::size_t percent) {
        const auto place =
            all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) * percent / 100);
        std::nth_element(all.begin(), place, all.end());
        return static_cast<double>(*place);
    };
    FrameSample sample;
    sample.median = at(values, 50);
    sample.bright = at(values, 99);
    sample.smallest = at(values, 0);
    sample.low = at(values, 1);
    sample.negativeShare =
        static_cast<double>(std::ranges::count_if(values, [](float value) { return value < 0; })) /
        static_cast<double>(values.size());
    sample.edge = edge.empty() ? sample.median : at(edge, 50);
    return sample;
}

KindGuess guessKind(PixelType type, const FrameSample& sample, bool hasDark) {
    constexpr double kMaxAttenuation = 50;  // e⁻⁵⁰ of the beam, which no detector can measure
    constexpr double kMostly = 0.6;
    constexpr double kFar = 4;  // noise of air is as far below 0 as above
    KindGuess guess;
    if (isInteger(type)) {
        guess.reason =
            fmt::format("Whole numbers ({}) are a detector's counts as a rule", name(type));
        if (sample.negativeShare > kMostly && !hasDark)
            guess.doubt = fmt::format(
                "{:.0f} % of the values are negative, and there are no dark frames that would be "
                "subtracted from them: they are no counts as they are",
                100 * sample.negativeShare);
        return guess;
    }
    if (sample.bright > kMaxAttenuation) {
        guess.reason =
            fmt::format("Values as large as {:.4g} are a detector's counts", sample.bright);
    } else if (sample.smallest >= 0 && sample.bright > 0.5 && sample.edge > 0.7 * sample.bright) {
        guess.reason = "Beside the object the images are bright, as shares of the open beam are";
        if (mayBeLogarithms(sample))
            guess.doubt = fmt::format(
                "all values lie between {:.3g} and {:.3g}, as logarithms of counts do. Shares of "
                "the beam reach about 1; of logarithms the levels would be wrong by far",
                sample.low, sample.bright);
    } else {
        guess.kind = ProjectionKind::attenuation;
        guess.reason =
            "Small numbers with fractions, dark beside the object, are attenuation as a rule";
        if (-sample.low > kFar * std::abs(sample.bright))
            guess.doubt = fmt::format(
                "the values reach from {:.3g} to {:.3g}, as those of ln(I/I0) do, which is "
                "attenuation with the opposite sign: the volume would be negative, too",
                sample.low, sample.bright);
    }
    return guess;
}

}  // namespace gantry
