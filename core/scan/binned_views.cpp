#include "core/scan/binned_views.h"

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

Index bandRows(const SourceInfo& stored, Index bin) {
    const Index all = stored.rows / bin;
    if (!stored.readsRowsAlone) return all;  // a band would cost as much as the whole view
    return std::clamp<Index>(kBandPixels / (bin * stored.columns), 1, all);
}

HostBuffer<float> averaged(const PixelBinner& binner, const HostBuffer<float>& image, Index rows,
                           Index columns, Index bin) {
    if (image.count() == 0) return {};
    HostBuffer<float> values((bin + 1) * columns);
    HostBuffer<float> out((rows / bin) * (columns / bin));
    const auto outColumns = static_cast<std::size_t>(columns / bin);
    for (Index v = 0; v < rows / bin; ++v) {
        std::copy_n(image.data() + v * bin * columns, bin * columns, values.data());
        binner.average(v, values.span(),
                       out.span().subspan(static_cast<std::size_t>(v) * outColumns, outColumns));
    }
    return out;
}

DetectorCalibration binnedCalibration(const PixelBinner& binner, const DetectorCalibration& stored,
                                      Index bin) {
    DetectorCalibration result;
    result.rows = stored.rows / bin;
    result.columns = stored.columns / bin;
    const auto mean = [&](const HostBuffer<float>& image) {
        return averaged(binner, image, stored.rows, stored.columns, bin);
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

PixelBinner::PixelBinner(const DetectorCalibration& calibration, Index bin)
    : m_bin(bin), m_columns(calibration.columns), m_dead(calibration.rows / bin) {
    if (calibration.bad.count() == 0) return;
    const Index values = bin * m_columns;
    for (Index i = 0; i < std::ssize(m_dead) * values; ++i)
        if (calibration.bad[i] != 0)
            m_dead[static_cast<std::size_t>(i / values)].push_back(
                static_cast<std::size_t>(i % values));
}

void PixelBinner::average(Index row, std::span<float> values, std::span<float> out) const {
    for (const std::size_t place : m_dead[static_cast<std::size_t>(row)])
        values[place] = std::numeric_limits<float>::quiet_NaN();
    Index first = 0;
    // Whole rows are added first, which SIMD does.
    float* sums = values.data() + m_bin * m_columns;
    std::copy_n(values.data(), m_columns, sums);
    for (Index v = 1; v < m_bin; ++v) {
        const float* pixels = values.data() + v * m_columns;
        for (Index u = 0; u < m_columns; ++u)
            sums[u] += pixels[u];
    }
    const float share = 1 / static_cast<float>(m_bin * m_bin);
    for (float& mean : out) {
        const float sum = std::accumulate(sums, sums + m_bin, 0.0F);
        mean = std::isfinite(sum) ? share * sum : meanOfFinite(values, m_columns, first, m_bin);
        sums += m_bin;
        first += m_bin;
    }
}

BinnedFields BinnedFieldsOfScan::of(const DetectorCalibration& stored, Index bin) {
    const std::scoped_lock lock(m_mutex);
    if (m_last.bin == bin) return m_last;
    m_last.bin = bin;
    m_last.binner = std::make_shared<const PixelBinner>(stored, bin);
    m_last.calibration =
        std::make_shared<const DetectorCalibration>(binnedCalibration(*m_last.binner, stored, bin));
    m_last.repair = PixelRepair::of(*m_last.calibration);
    m_last.airBeams = std::make_shared<AirBeams>();
    return m_last;
}

struct BinnedViews::Buffers {
    HostBuffer<std::byte> stored;
    HostBuffer<float> values;
    HostBuffer<float> averages;
};

BinnedViews::BinnedViews(std::shared_ptr<const OpenScan> stored, const BinnedFields& fields)
    : m_stored(std::move(stored)),
      m_bin(fields.bin),
      m_binner(fields.binner),
      m_info(m_stored->source->info()) {
    m_info.rows /= m_bin;
    m_info.columns /= m_bin;
    m_info.pixelType = PixelType::float32;
    m_info.format += fmt::format(", {0} × {0} pixels averaged", m_bin);
}

BinnedViews::~BinnedViews() = default;

std::string BinnedViews::viewName(Index view) const {
    return m_stored->source->viewName(view);
}

std::unique_ptr<BinnedViews::Buffers> BinnedViews::takeBuffers() const {
    const std::scoped_lock lock(m_mutex);
    if (m_free.empty()) return std::make_unique<Buffers>();
    std::unique_ptr<Buffers> buffers = std::move(m_free.back());
    m_free.pop_back();
    return buffers;
}

void BinnedViews::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    const SourceInfo& stored = m_stored->source->info();
    const Index band = std::min(rows.size(), bandRows(stored, m_bin));
    const Index rowBytes = m_bin * m_stored->storedRowBytes();
    std::unique_ptr<Buffers> buffers = takeBuffers();
    if (buffers->stored.count() < band * rowBytes)
        buffers->stored = HostBuffer<std::byte>(band * rowBytes);
    if (buffers->values.count() == 0) {
        buffers->values = HostBuffer<float>((m_bin + 1) * stored.columns);
        buffers->averages = HostBuffer<float>(m_info.columns);
    }
    auto* out = pixels.data();
    for (Index begin = rows.begin; begin < rows.end; begin += band) {
        const Index end = std::min(rows.end, begin + band);
        const std::span<std::byte> read = buffers->stored.span().first((end - begin) * rowBytes);
        readStoredRows(*m_stored, view, {begin * m_bin, end * m_bin}, read);
        for (Index v = begin; v < end; ++v, out += buffers->averages.sizeBytes()) {
            toFloat(stored.pixelType, read.subspan((v - begin) * rowBytes, rowBytes),
                    buffers->values.span().first(m_bin * stored.columns));
            m_binner->average(v, buffers->values.span(), buffers->averages.span());
            std::memcpy(out, buffers->averages.data(), buffers->averages.sizeBytes());
        }
    }
    const std::scoped_lock lock(m_mutex);
    m_free.push_back(std::move(buffers));
}

}  // namespace gantry
