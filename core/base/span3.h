#pragma once

#include <cassert>
#include <type_traits>

#include "core/base/types.h"

namespace gantry {

/// A borrowed, contiguous three-dimensional array, slowest index first. Projections are [s][v][u]
/// (views, rows, columns), volumes [z][y][x]; functions state which they take. Copying it copies
/// the pointer, never the data.
template <class T>
class Span3 {
  public:
    Span3() = default;
    Span3(T* data, Index n0, Index n1, Index n2) : m_data(data), m_n{n0, n1, n2} {}

    /// A writable array may be read.
    operator Span3<const T>() const requires(!std::is_const_v<T>) {
        return {m_data, m_n[0], m_n[1], m_n[2]};
    }

    [[nodiscard]] T* data() const { return m_data; }
    [[nodiscard]] Index size(int axis) const { return m_n[axis]; }
    [[nodiscard]] Index count() const { return m_n[0] * m_n[1] * m_n[2]; }

    [[nodiscard]] T& operator()(Index i0, Index i1, Index i2) const {
        assert(i0 >= 0 && i0 < m_n[0] && i1 >= 0 && i1 < m_n[1] && i2 >= 0 && i2 < m_n[2]);
        return m_data[(i0 * m_n[1] + i1) * m_n[2] + i2];
    }

    /// Pointer to the first element of row (i0, i1).
    [[nodiscard]] T* row(Index i0, Index i1) const { return m_data + (i0 * m_n[1] + i1) * m_n[2]; }

    /// The part with slowest indices [range.begin, range.end).
    [[nodiscard]] Span3 slices(IndexRange range) const {
        return {m_data + range.begin * m_n[1] * m_n[2], range.size(), m_n[1], m_n[2]};
    }

  private:
    T* m_data = nullptr;
    Index m_n[3] = {0, 0, 0};
};

}  // namespace gantry
