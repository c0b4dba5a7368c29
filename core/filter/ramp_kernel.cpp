#include "core/filter/ramp_kernel.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <kissfft/kissfft.hh>

#include "core/base/fft_length.h"
#include "core/base/throw_error.h"
#include "core/geometry/vec3.h"

namespace gantry {

double rampSample(Index n, double pitchMm) {
    if (n == 0) return 1 / (4 * pitchMm * pitchMm);
    if (n % 2 == 0) return 0;
    const double x = kPi * static_cast<double>(n) * pitchMm;
    return -1 / (x * x);
}

double windowGain(FilterWindow window, double fractionOfCutoff) {
    const double x = std::abs(fractionOfCutoff);
    if (x > 1) return 0;
    switch (window) {
        case FilterWindow::ramLak:
            return 1;
        case FilterWindow::sheppLogan:
            return x == 0 ? 1 : std::sin(kPi * x / 2) / (kPi * x / 2);
        case FilterWindow::cosine:
            return std::cos(kPi * x / 2);
        case FilterWindow::hamming:
            return 0.54 + 0.46 * std::cos(kPi * x);
        case FilterWindow::hann:
            return 0.5 + 0.5 * std::cos(kPi * x);
    }
    throw InternalError("a filter window without a shape");
}

Index paddedLength(Index columns) {
    return 2 * fftLength(std::max<Index>(2, columns));
}

std::vector<double> rampResponse(Index length, double pitchMm, const FilterSpec& spec) {
    if (!(spec.cutoff > 0 && spec.cutoff <= 1))
        throwError<InputError>(
            "The filter cut-off is {}; it must be greater than 0 and at most 1 (the Nyquist "
            "frequency).",
            spec.cutoff);
    const auto n = static_cast<std::size_t>(length);
    std::vector<std::complex<double>> kernel(n);
    std::vector<std::complex<double>> spectrum(n);
    for (Index i = 0; i < length; ++i)
        kernel[i] = rampSample(std::min(i, length - i), pitchMm);
    const kissfft<double> transform(n, false);
    transform.transform(kernel.data(), spectrum.data());

    std::vector<double> response(n);
    for (Index k = 0; k < length; ++k) {
        const double nyquistFraction =
            2 * static_cast<double>(std::min(k, length - k)) / static_cast<double>(length);
        response[k] =
            pitchMm * spectrum[k].real() * windowGain(spec.window, nyquistFraction / spec.cutoff);
    }
    return response;
}

}  // namespace gantry
