#include "core/io/zarr/pyramid_progress.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_text.h"

namespace gantry {

namespace {

using PyramidJson = nlohmann::json;

// Extends the last range by one, or begins another.
void append(std::vector<IndexRange>& ranges, Index i) {
    if (!ranges.empty() && ranges.back().end == i)
        ++ranges.back().end;
    else
        ranges.push_back({i, i + 1});
}

PyramidJson rangesJson(const std::vector<IndexRange>& ranges) {
    PyramidJson list = PyramidJson::array();
    for (const IndexRange& range : ranges)
        list.push_back({range.begin, range.end});
    return list;
}

std::vector<IndexRange> rangesOf(const PyramidJson& list) {
    std::vector<IndexRange> ranges;
    for (const PyramidJson& range : list)
        ranges.push_back({range.at(0).get<Index>(), range.at(1).get<Index>()});
    return ranges;
}

}  // namespace

PyramidProgress::PyramidProgress(const std::vector<Index>& slices, Index side)
    : m_side(side), m_slices(slices) {
    for (const Index count : slices) {
        std::vector<Layer> layers((count + side - 1) / side);
        for (std::size_t i = 0; i < layers.size(); ++i)
            layers[i].present.resize(std::min(side, count - static_cast<Index>(i) * side));
        m_layers.push_back(std::move(layers));
    }
}

const PyramidProgress::Layer& PyramidProgress::at(ChunkLayer which) const {
    return m_layers.at(static_cast<std::size_t>(which.level))
        .at(static_cast<std::size_t>(which.layer));
}

PyramidProgress::Layer& PyramidProgress::at(ChunkLayer which) {
    return const_cast<Layer&>(std::as_const(*this).at(which));
}

IndexRange PyramidProgress::slicesOf(ChunkLayer which) const {
    const Index begin = which.layer * m_side;
    return {begin, begin + static_cast<Index>(at(which).present.size())};
}

std::vector<IndexRange> PyramidProgress::missing(Index level, IndexRange slices) const {
    const std::lock_guard lock(m_mutex);
    const Layer& layer = at({level, slices.begin / m_side});
    std::vector<IndexRange> ranges;
    for (Index z = slices.begin; z < slices.end; ++z)
        if (!layer.present[z % m_side]) append(ranges, z);
    return ranges;
}

bool PyramidProgress::add(Index level, IndexRange slices) {
    const std::lock_guard lock(m_mutex);
    return addLocked(level, slices);
}

bool PyramidProgress::addLocked(Index level, IndexRange slices) {
    Layer& layer = at({level, slices.begin / m_side});
    const Index before = layer.count;
    for (Index z = slices.begin; z < slices.end; ++z) {
        const auto i = static_cast<std::size_t>(z % m_side);
        layer.count += layer.present[i] ? 0 : 1;
        layer.present[i] = true;
    }
    const auto all = std::ssize(layer.present);
    return before < all && layer.count == all;
}

PyramidProgress::Sealed PyramidProgress::seal(ChunkLayer which) {
    const std::lock_guard lock(m_mutex);
    const IndexRange slices = slicesOf(which);
    (void)addLocked(which.level, slices);
    Layer& layer = at(which);
    layer.isSealed = true;
    Sealed result;
    result.scratchMayGo = !layer.isRecorded;
    if (which.level + 1 < std::ssize(m_layers))
        result.completesNext = addLocked(which.level + 1, {slices.begin / 2, (slices.end + 1) / 2});
    return result;
}

std::vector<ChunkLayer> PyramidProgress::unsealed() const {
    const std::lock_guard lock(m_mutex);
    std::vector<ChunkLayer> list;
    for (std::size_t level = 0; level < m_layers.size(); ++level)
        for (std::size_t i = 0; i < m_layers[level].size(); ++i) {
            const Layer& layer = m_layers[level][i];
            if (!layer.isSealed && layer.count == std::ssize(layer.present))
                list.push_back({static_cast<Index>(level), static_cast<Index>(i)});
        }
    return list;
}

void PyramidProgress::sealAll() {
    const std::lock_guard lock(m_mutex);
    for (std::size_t level = 0; level < m_layers.size(); ++level) {
        (void)restoreLevel(static_cast<Index>(level), {{0, std::ssize(m_layers[level])}}, {});
    }
}

bool PyramidProgress::isComplete() const {
    const std::lock_guard lock(m_mutex);
    return std::ranges::all_of(m_layers, [](const std::vector<Layer>& level) {
        return std::ranges::all_of(level, [](const Layer& layer) { return layer.isSealed; });
    });
}

PyramidProgress::Record PyramidProgress::record() {
    const std::lock_guard lock(m_mutex);
    Record record;
    PyramidJson levels = PyramidJson::array();
    for (std::size_t level = 0; level < m_layers.size(); ++level) {
        std::vector<IndexRange> sealed;
        std::vector<IndexRange> slices;
        for (std::size_t i = 0; i < m_layers[level].size(); ++i) {
            Layer& layer = m_layers[level][i];
            const ChunkLayer which{static_cast<Index>(level), static_cast<Index>(i)};
            if (layer.isSealed) {
                append(sealed, which.layer);
                if (!layer.isSealRecorded) record.sealed.push_back(which);
                if (layer.isRecorded && !layer.isSealRecorded) record.released.push_back(which);
                layer.isSealRecorded = true;
                continue;
            }
            for (std::size_t z = 0; z < layer.present.size(); ++z)
                if (layer.present[z]) append(slices, which.layer * m_side + static_cast<Index>(z));
            if (layer.count == 0) continue;
            layer.isRecorded = true;
            record.scratch.push_back(which);
        }
        levels.push_back({{"sealed", rangesJson(sealed)}, {"slices", rangesJson(slices)}});
    }
    record.text = jsonText(levels, -1);
    return record;
}

bool PyramidProgress::restore(std::string_view text) {
    const PyramidJson levels = ownJson(text);
    if (!levels.is_array() || levels.size() != m_layers.size()) return false;
    try {
        const std::lock_guard lock(m_mutex);
        for (std::size_t level = 0; level < m_layers.size(); ++level)
            if (!restoreLevel(static_cast<Index>(level), rangesOf(levels[level].at("sealed")),
                              rangesOf(levels[level].at("slices"))))
                return false;
        return true;
    } catch (const PyramidJson::exception&) {
        return false;
    }
}

bool PyramidProgress::restoreLevel(Index level, const std::vector<IndexRange>& sealed,
                                   const std::vector<IndexRange>& slices) {
    const auto i = static_cast<std::size_t>(level);
    for (const IndexRange& range : sealed) {
        if (range.begin < 0 || range.end > std::ssize(m_layers[i])) return false;
        for (Index layer = range.begin; layer < range.end; ++layer) {
            Layer& one = at({level, layer});
            (void)addLocked(level, slicesOf({level, layer}));
            one.isSealed = one.isRecorded = one.isSealRecorded = true;
        }
    }
    for (const IndexRange& range : slices) {
        if (range.begin < 0 || range.end > m_slices[i]) return false;
        for (Index z = range.begin; z < range.end; ++z) {
            (void)addLocked(level, {z, z + 1});
            at({level, z / m_side}).isRecorded = true;
        }
    }
    return true;
}

}  // namespace gantry
