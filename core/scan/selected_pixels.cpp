#include "core/scan/selected_pixels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "core/scan/open_scan.h"
#include "core/scan/view_stages.h"

namespace gantry {

namespace {

// Stored pixels that are read at once, where a file gives rows alone.
constexpr Index kBandPixels = 1 << 19;

Index bandRows(const SourceInfo& stored, const PixelBlock& block) {
    const Index all = block.count[1];
    if (!stored.readsRowsAlone) return all;  // a band would cost as much as the whole view
    return std::clamp<Index>(kBandPixels / (block.binning[1] * stored.columns), 1, all);
}

// detectorColumns: of the image
HostBuffer<float> averaged(const PixelBinner& binner, const HostBuffer<float>& image,
                           Index detectorColumns) {
    if (image.count() == 0) return {};
    const auto& [first, count, binning] = binner.block();
    const Index bin = binner.bin();
    HostBuffer<float> values((bin + 1) * binner.columns());
    HostBuffer<float> out(count[1] * count[0]);
    const auto outColumns = static_cast<std::size_t>(count[0]);
    for (Index v = 0; v < count[1]; ++v) {
        for (Index row = 0; row < bin; ++row)
            std::copy_n(image.data() + (first[1] + v * bin + row) * detectorColumns + first[0],
                        binner.columns(), values.data() + row * binner.columns());
        binner.average(v, values.span(),
                       out.span().subspan(static_cast<std::size_t>(v) * outColumns, outColumns));
    }
    return out;
}

DetectorCalibration selectedCalibration(const PixelBinner& binner,
                                        const DetectorCalibration& stored) {
    DetectorCalibration result;
    result.rows = binner.block().count[1];
    result.columns = binner.block().count[0];
    const auto mean = [&](const HostBuffer<float>& image) {
        return averaged(binner, image, stored.columns);
    };
    result.dark = mean(stored.dark);
    result.flat = mean(stored.flat);
    for (const LaterField& field : stored.laterDarks)
        result.laterDarks.push_back({field.view, mean(field.image)});
    for (const LaterField& field : stored.laterFlats)
        result.laterFlats.push_back({field.view, mean(field.image)});
    result.saturation = stored.saturation;
    result.darkView = stored.darkView;
    result.flatView = stored.flatView;
    result.beam = stored.beam;
    if (stored.bad.count() == 0) return result;
    HostBuffer<float> good(stored.bad.count());
    std::ranges::fill(good.span(), 1.0F);
    good = mean(good);
    result.bad = HostBuffer<unsigned char>(good.count());
    std::ranges::transform(good.span(), result.bad.data(),
                           [](float share) { return std::isnan(share) ? 1 : 0; });
    return result;
}

// The mean of finite values of a square, or NaN.
float meanOfFinite(std::span<const float> values, Index columns, Index first, Index bin) {
    double sum = 0;
    Index count = 0;
    for (Index v = 0; v < bin; ++v)
        for (Index u = first; u < first + bin; ++u) {
            const float value = values[static_cast<std::size_t>(v * columns + u)];
            if (!std::isfinite(value)) continue;
            sum += static_cast<double>(value);
            ++count;
        }
    return static_cast<float>(sum / static_cast<double>(count));
}

}  // namespace

PixelBinner::PixelBinner(const DetectorCalibration& calibration, const PixelBlock& block)
    : m_block(block), m_dead(block.count[1]) {
    if (calibration.bad.count() == 0) return;
    const Index values = bin() * columns();
    for (Index i = 0; i < std::ssize(m_dead) * values; ++i) {
        const Index row = block.first[1] + i / columns();
        const Index column = block.first[0] + i % columns();
        if (calibration.bad[row * calibration.columns + column] != 0)
            m_dead[static_cast<std::size_t>(i / values)].push_back(
                static_cast<std::size_t>(i % values));
    }
}

void PixelBinner::average(Index row, std::span<float> values, std::span<float> out) const {
    for (const std::size_t place : m_dead[static_cast<std::size_t>(row)])
        values[place] = std::numeric_limits<float>::quiet_NaN();
    Index first = 0;
    // Whole rows are added first, which SIMD does.
    const Index columns = this->columns();
    const Index bin = this->bin();
    float* sums = values.data() + bin * columns;
    std::copy_n(values.data(), columns, sums);
    for (Index v = 1; v < bin; ++v) {
        const float* pixels = values.data() + v * columns;
        for (Index u = 0; u < columns; ++u)
            sums[u] += pixels[u];
    }
    const float share = 1 / static_cast<float>(bin * bin);
    for (float& mean : out) {
        const float sum = std::accumulate(sums, sums + bin, 0.0F);
        mean = std::isfinite(sum) ? share * sum : meanOfFinite(values, columns, first, bin);
        sums += bin;
        first += bin;
    }
}

SelectedFields SelectedFieldsOfScan::of(const DetectorCalibration& stored,
                                        const PixelSelection& selection) {
    const PixelBlock block = blockOf(selection, {.columns = stored.columns, .rows = stored.rows});
    const std::scoped_lock lock(m_mutex);
    if (m_last.binner && m_last.selection == selection) return m_last;
    m_last.selection = selection;
    m_last.binner = std::make_shared<const PixelBinner>(stored, block);
    m_last.calibration =
        std::make_shared<const DetectorCalibration>(selectedCalibration(*m_last.binner, stored));
    m_last.repair = PixelRepair::of(*m_last.calibration);
    m_last.airBeams = std::make_shared<AirBeams>();
    m_last.moduleLevels = std::make_shared<ModuleLevels>();
    m_last.moduleLevels = std::make_shared<ModuleLevels>();
    return m_last;
}

struct SelectedPixels::Buffers {
    HostBuffer<std::byte> stored;
    HostBuffer<float> values;
    HostBuffer<float> averages;
};

SelectedPixels::SelectedPixels(std::shared_ptr<const OpenScan> stored, const SelectedFields& fields)
    : m_stored(std::move(stored)), m_binner(fields.binner), m_info(m_stored->source->info()) {
    m_info.rows = m_binner->block().count[1];
    m_info.columns = m_binner->block().count[0];
    m_info.pixelType = PixelType::float32;
    if (!fields.selection.crop.empty()) m_info.format += ", cropped";
    if (m_binner->bin() > 1)
        m_info.format += fmt::format(", {0} × {0} pixels averaged", m_binner->bin());
}

SelectedPixels::~SelectedPixels() = default;

std::string SelectedPixels::viewName(Index view) const {
    return m_stored->source->viewName(view);
}

std::unique_ptr<SelectedPixels::Buffers> SelectedPixels::takeBuffers() const {
    const std::scoped_lock lock(m_mutex);
    if (m_free.empty()) return std::make_unique<Buffers>();
    std::unique_ptr<Buffers> buffers = std::move(m_free.back());
    m_free.pop_back();
    return buffers;
}

void SelectedPixels::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    const SourceInfo& stored = m_stored->source->info();
    const PixelBlock& block = m_binner->block();
    const Index bin = m_binner->bin();
    const Index band = std::min(rows.size(), bandRows(stored, block));
    const Index rowBytes = m_stored->storedRowBytes();
    const Index pixelBytes = sizeBytes(stored.pixelType);
    std::unique_ptr<Buffers> buffers = takeBuffers();
    if (buffers->stored.count() < band * bin * rowBytes)
        buffers->stored = HostBuffer<std::byte>(band * bin * rowBytes);
    if (buffers->values.count() == 0) {
        buffers->values = HostBuffer<float>((bin + 1) * m_binner->columns());
        buffers->averages = HostBuffer<float>(m_info.columns);
    }
    auto* out = pixels.data();
    for (Index begin = rows.begin; begin < rows.end; begin += band) {
        const Index end = std::min(rows.end, begin + band);
        const std::span<std::byte> read =
            buffers->stored.span().first((end - begin) * bin * rowBytes);
        readStoredRows(*m_stored, view, {block.first[1] + begin * bin, block.first[1] + end * bin},
                       read);
        for (Index v = begin; v < end; ++v, out += buffers->averages.sizeBytes()) {
            for (Index row = 0; row < bin; ++row)
                toFloat(
                    stored.pixelType,
                    read.subspan(((v - begin) * bin + row) * rowBytes + block.first[0] * pixelBytes,
                                 m_binner->columns() * pixelBytes),
                    buffers->values.span().subspan(row * m_binner->columns(), m_binner->columns()));
            m_binner->average(v, buffers->values.span(), buffers->averages.span());
            std::memcpy(out, buffers->averages.data(), buffers->averages.sizeBytes());
        }
    }
    const std::scoped_lock lock(m_mutex);
    m_free.push_back(std::move(buffers));
}

}  // namespace gantry
