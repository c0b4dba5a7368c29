#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

namespace gantry::test {

/// The numbers of std::uniform_real_distribution(0, 1). That works out for every number, by two
/// logarithms, how many draws it takes, which was a third of the time of tests with noisy views.
template <typename T>
T uniformValue(std::mt19937& random) {
    constexpr auto kRange = static_cast<T>(4294967296.0);
    T value = static_cast<T>(random());
    if constexpr (std::is_same_v<T, double>)
        value = (value + static_cast<T>(random()) * kRange) / (kRange * kRange);
    else
        value /= kRange;
    return value < 1 ? value : 1 - std::numeric_limits<T>::epsilon() / 2;
}

/// The numbers of std::normal_distribution(0, deviation), by the polar method of Marsaglia.
template <typename T>
class NormalValues {
  public:
    explicit NormalValues(T deviation = 1) : m_deviation(deviation) {}

    T operator()(std::mt19937& random) {
        if (m_hasSpare) {
            m_hasSpare = false;
            return m_spare * m_deviation;
        }
        T x = 0;
        T y = 0;
        T square = 0;
        do {
            x = 2 * uniformValue<T>(random) - 1;
            y = 2 * uniformValue<T>(random) - 1;
            square = x * x + y * y;
        } while (square > 1 || square == 0);
        const T factor = std::sqrt(-2 * std::log(square) / square);
        m_spare = x * factor;
        m_hasSpare = true;
        return y * factor * m_deviation;
    }

  private:
    T m_deviation;
    T m_spare = 0;
    bool m_hasSpare = false;
};

}  // namespace gantry::test
