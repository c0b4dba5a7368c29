#include "core/prep/phase_retrieval.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <kissfft/kissfft.hh>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/base/fft_length.h"
#include "core/geometry/vec3.h"
#include "core/prep/fast_log.h"
#include "core/prep/mirrored_index.h"

namespace gantry {

namespace {

constexpr double kKeVMm = 1.239841984e-6;  // Planck's constant times the speed of light

using Complex = std::complex<float>;

}  // namespace

// The cosine transform of real lines continued by their mirror images: two lines at a time, as the
// parts of complex numbers, by one complex transform of the same length (Makhoul 1980, doi
// 10.1109/TASSP.1980.1163351): C[k] = Σ x[n]·cos(π·k·(2n + 1)/(2N)).
class PhaseRetriever::CosineTransform {
  public:
    explicit CosineTransform(Index length)
        : m_length(static_cast<std::size_t>(length)),
          m_forward(m_length, false),
          m_inverse(m_length, true),
          m_spectrum(m_length),
          m_shuffled(m_length),
          m_line(m_length) {
        for (std::size_t k = 0; k < m_length; ++k)
            m_turn.emplace_back(std::polar(
                1.0, -kPi * static_cast<double>(k) / (2 * static_cast<double>(m_length))));
    }

    [[nodiscard]] Index length() const { return static_cast<Index>(m_length); }
    /// The line that is transformed in place.
    [[nodiscard]] Complex* line() { return m_line.data(); }

    void forward() {
        for (std::size_t i = 0; 2 * i < m_length; ++i)
            m_shuffled[i] = m_line[2 * i];
        for (std::size_t i = 0; 2 * i + 1 < m_length; ++i)
            m_shuffled[m_length - 1 - i] = m_line[2 * i + 1];
        m_forward.transform(m_shuffled.data(), m_spectrum.data());
        for (std::size_t k = 0; k < m_length; ++k)
            m_line[k] =
                0.5f * (product(m_turn[k], m_spectrum[k]) +
                        product(std::conj(m_turn[k]), m_spectrum[(m_length - k) % m_length]));
    }

    void back() {
        const float scale = 1 / static_cast<float>(m_length);
        for (std::size_t k = 0; k < m_length; ++k) {
            const Complex other = k == 0 ? Complex() : m_line[m_length - k];
            const Complex both = {m_line[k].real() + other.imag(), m_line[k].imag() - other.real()};
            m_spectrum[k] = scale * product(std::conj(m_turn[k]), both);
        }
        m_inverse.transform(m_spectrum.data(), m_shuffled.data());
        for (std::size_t i = 0; 2 * i < m_length; ++i)
            m_line[2 * i] = m_shuffled[i];
        for (std::size_t i = 0; 2 * i + 1 < m_length; ++i)
            m_line[2 * i + 1] = m_shuffled[m_length - 1 - i];
    }

  private:
    // Multiplies finite numbers; the standard library's operator also handles others, which takes
    // time.
    static Complex product(Complex a, Complex b) {
        return {a.real() * b.real() - a.imag() * b.imag(),
                a.real() * b.imag() + a.imag() * b.real()};
    }

    std::size_t m_length;
    kissfft<float> m_forward;
    kissfft<float> m_inverse;
    std::vector<Complex> m_turn;  ///< exp(−iπk/(2N))
    std::vector<Complex> m_spectrum;
    std::vector<Complex> m_shuffled;
    std::vector<Complex> m_line;
};

PhaseRetriever::PhaseRetriever(const PhaseSpec& spec, std::array<double, 2> pitchMm, Index rows,
                               Index columns)
    : m_rows(rows),
      m_columns(columns),
      m_stride((fftLength(columns) + 1) / 2 * 2),
      m_values(fftLength(rows) * m_stride),
      m_alongU(std::make_unique<CosineTransform>(fftLength(columns))),
      m_alongV(std::make_unique<CosineTransform>(fftLength(rows))) {
    const double factor = kPi * kKeVMm / spec.energyKeV * spec.distanceMm * spec.deltaOverBeta;
    const auto squaredStep = [](const CosineTransform& transform, double pitch) {
        return std::pow(1 / (2 * static_cast<double>(transform.length()) * pitch), 2);
    };
    m_factorU = factor * squaredStep(*m_alongU, pitchMm[0]);
    m_factorV = factor * squaredStep(*m_alongV, pitchMm[1]);
}

PhaseRetriever::~PhaseRetriever() = default;
PhaseRetriever::PhaseRetriever(PhaseRetriever&&) noexcept = default;
PhaseRetriever& PhaseRetriever::operator=(PhaseRetriever&&) noexcept = default;

Index PhaseRetriever::workspaceBytes(Index rows, Index columns) {
    constexpr Index kComplexPerPoint = 6;  // a transform's tables and lines
    return fftLength(rows) * ((fftLength(columns) + 1) / 2 * 2) * Index{sizeof(float)} +
           kComplexPerPoint * (fftLength(rows) + fftLength(columns)) * Index{sizeof(Complex)};
}

float PhaseRetriever::takeTransmission(Span3<const float> view) {
    float min = std::numeric_limits<float>::max();
    for (Index v = 0; v < m_rows; ++v) {
        float* row = m_values.data() + v * m_stride;
        for (Index u = 0; u < m_columns; ++u) {
            row[u] = std::exp(-view(0, v, u));
            min = std::min(min, row[u]);
        }
        for (Index u = m_columns; u < m_alongU->length(); ++u)
            row[u] = row[mirroredIndex(u, m_columns)];
        std::fill(row + m_alongU->length(), row + m_stride, 0.0f);
    }
    for (Index v = m_rows; v < m_alongV->length(); ++v)
        std::copy_n(m_values.data() + mirroredIndex(v, m_rows) * m_stride, m_stride,
                    m_values.data() + v * m_stride);
    return min;
}

void PhaseRetriever::transformRows(bool isBack) {
    const Index rows = isBack ? m_rows : m_alongV->length();
    Complex* line = m_alongU->line();
    for (Index v = 0; v < rows; v += 2) {
        float* first = m_values.data() + v * m_stride;
        float* second = v + 1 < m_alongV->length() ? first + m_stride : nullptr;
        for (Index u = 0; u < m_alongU->length(); ++u)
            line[u] = {first[u], second ? second[u] : 0.0f};
        isBack ? m_alongU->back() : m_alongU->forward();
        for (Index u = 0; u < m_alongU->length(); ++u) {
            first[u] = line[u].real();
            if (second) second[u] = line[u].imag();
        }
    }
}

void PhaseRetriever::filterColumns() {
    Complex* line = m_alongV->line();
    for (Index u = 0; u < m_stride; u += 2) {
        const double squareU = m_factorU * static_cast<double>(u * u);
        const double nextSquareU = m_factorU * static_cast<double>((u + 1) * (u + 1));
        for (Index v = 0; v < m_alongV->length(); ++v)
            line[v] = {m_values[v * m_stride + u], m_values[v * m_stride + u + 1]};
        m_alongV->forward();
        for (Index v = 0; v < m_alongV->length(); ++v) {
            const double fromOne = 1 + m_factorV * static_cast<double>(v * v);
            line[v] = {line[v].real() / static_cast<float>(fromOne + squareU),
                       line[v].imag() / static_cast<float>(fromOne + nextSquareU)};
        }
        m_alongV->back();
        for (Index v = 0; v < m_alongV->length(); ++v) {
            m_values[v * m_stride + u] = line[v].real();
            m_values[v * m_stride + u + 1] = line[v].imag();
        }
    }
}

void PhaseRetriever::apply(Span3<float> view) {
    require(view.size(0) == 1 && view.size(1) == m_rows && view.size(2) == m_columns,
            "a view has another size than the phase retrieval was made for");
    // The filter takes a mean of transmissions, which cannot be below the smallest of them; only
    // ripples are, so values are clamped.
    const float min = std::max(takeTransmission(view), std::numeric_limits<float>::min());
    transformRows(false);
    filterColumns();
    transformRows(true);
    for (Index v = 0; v < m_rows; ++v)
        for (Index u = 0; u < m_columns; ++u)
            view(0, v, u) = -fastLog(std::max(m_values[v * m_stride + u], min));
}

}  // namespace gantry
