#include "core/simulate/simulate_scan.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/base/written_place.h"
#include "core/geometry/check/validate.h"
#include "core/io/tiff/tiff_file.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/photon_noise.h"
#include "core/simulate/check_simulation.h"
#include "core/simulate/faults.h"
#include "core/simulate/simulation_folder.h"
#include "core/simulate/synthetic_detector.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// The poses with their sources moved along their detectors' rows.
CalibratedPoses movedSources(const CalibratedPoses& poses, double mm) {
    std::vector<ViewPose> moved = poses.poses();
    for (ViewPose& pose : moved)
        pose.sourceMm = pose.sourceMm + (mm / length(pose.uStepMm)) * pose.uStepMm;
    return CalibratedPoses(std::move(moved));
}

// The true geometry of the scan, with its rotation axis slightly off.
ScanGeometry trueGeometry(const SimulationSpec& spec) {
    ScanGeometry geometry = spec.geometry;
    geometry.detector.offsetMm[0] -= spec.axisErrorMm;
    if (geometry.isCone())
        geometry.cone().sourceOffsetMm[0] -= spec.axisErrorMm;
    else if (geometry.poses() && spec.axisErrorMm != 0)
        geometry.trajectory = movedSources(*geometry.poses(), -spec.axisErrorMm);
    return geometry;
}

// One image of the scan: a view, or a frame of the flat or dark field.
struct Frame {
    enum class Kind { view, flat, dark, flatAfter };
    Kind kind = Kind::view;
    Index number = 0;  ///< within its kind
};

// Images of one kind and the file or folder for them.
struct Series {
    Frame::Kind kind;
    std::string name;  ///< of the folder, or of the multi-page file
    Index count;
};

class ScanMaker {
  public:
    ScanMaker(const SimulationSpec& spec, const SimulationContext& context, fs::path folder);

    void make();
    [[nodiscard]] Index bytes() const { return m_bytes; }
    [[nodiscard]] Index clipped() const { return m_clipped; }
    [[nodiscard]] bool hasTruth() const { return m_hasTruth; }

  private:
    void makeSeries(const Series& series);
    // What the pixels get of a frame, as line integrals.
    void signalOf(Frame frame, std::span<float> lineIntegrals) const;
    void store(Frame frame, const float* lineIntegrals, std::byte* stored);
    void writeMask();
    void writeDescription();
    [[nodiscard]] std::string pattern(const char* name) const;
    [[nodiscard]] TiffPage page() const;
    [[nodiscard]] ViewPose truePose(Index view) const;
    // [u] What the detector and a weaker beam add to the line integrals of a frame.
    [[nodiscard]] std::vector<float> darkerBy(Frame frame) const;
    void addOutliers(Frame frame, Index row, std::vector<std::uint16_t>& counts) const;

    [[nodiscard]] bool isCounts() const { return m_spec.kind == ProjectionKind::counts; }
    [[nodiscard]] Index pixels() const { return m_detector.columns * m_detector.rows; }
    [[nodiscard]] Index imageBytes() const {
        return pixels() * sizeBytes(isCounts() ? PixelType::uint16 : PixelType::float32);
    }

    const SimulationSpec& m_spec;
    const SimulationContext& m_context;
    fs::path m_folder;
    ScanGeometry m_geometry;
    const Detector& m_detector;
    Phantom m_phantom;
    SyntheticDetector m_panel;
    DrawnFaults m_faults;
    CountModel m_model;
    std::vector<Series> m_series;
    bool m_hasTruth = false;
    Index m_images = 0;
    std::atomic<Index> m_imagesDone = 0;
    std::atomic<Index> m_clipped = 0;
    Index m_bytes = 0;
};

ScanMaker::ScanMaker(const SimulationSpec& spec, const SimulationContext& context, fs::path folder)
    : m_spec(spec),
      m_context(context),
      m_folder(std::move(folder)),
      m_geometry(trueGeometry(spec)),
      m_detector(m_geometry.detector),
      m_phantom(makePhantom(spec.phantom.phantom, spec.phantom.placement)) {
    m_series.push_back({Frame::Kind::view, "proj", m_geometry.views()});
    if (isCounts()) {
        m_series.push_back({Frame::Kind::dark, "dark", spec.fieldFrames});
        m_series.push_back({Frame::Kind::flat, "flat", spec.fieldFrames});
        if (spec.faults.flatDrift != 0)
            m_series.push_back({Frame::Kind::flatAfter, "flat-after", spec.fieldFrames});
    }
    for (const Series& series : m_series)
        m_images += series.count;
    m_model.seed = spec.seed;
    m_model.photonNoise = spec.photons > 0;
    m_model.readoutNoise = spec.readoutNoise;
    if (spec.photons > 0)
        m_model.photonsPerCount = spec.photons / (spec.flatCounts - spec.darkCounts);
    requireRoomForScan(m_folder, m_images * imageBytes());
}

// The detector is moved against the shift of the picture on it.
ViewPose ScanMaker::truePose(Index view) const {
    ViewPose pose = viewPose(m_geometry, view);
    if (m_faults.shiftsPx.empty()) return pose;
    const auto [u, v] = m_faults.shiftsPx[view];
    pose.detectorCenterMm = pose.detectorCenterMm - u * pose.uStepMm - v * pose.vStepMm;
    return pose;
}

std::vector<float> ScanMaker::darkerBy(Frame frame) const {
    const Index columns = m_detector.columns;
    if (frame.kind == Frame::Kind::flat || frame.kind == Frame::Kind::dark)
        return std::vector<float>(columns);
    const bool isView = frame.kind == Frame::Kind::view;
    const double beam = isView ? m_faults.flux[frame.number] : 1;
    std::vector<float> darker;
    for (const double gain :
         isView ? gainsOfView(m_faults, columns, frame.number) : gainsAfterScan(m_faults, columns))
        darker.push_back(static_cast<float>(-std::log(beam * gain)));
    return darker;
}

TiffPage ScanMaker::page() const {
    TiffPage page;
    page.columns = m_detector.columns;
    page.rows = m_detector.rows;
    page.type = isCounts() ? PixelType::uint16 : PixelType::float32;
    page.pitchMm = m_detector.pitchMm;
    page.deflate = m_spec.deflate;
    return page;
}

std::string ScanMaker::pattern(const char* name) const {
    const bool files = m_spec.layout == SimulationSpec::Layout::files;
    return std::string(name) + (files ? "/*.tif" : ".tif");
}

void ScanMaker::make() {
    if (isCounts())
        m_panel = makeSyntheticDetector(m_detector.rows, m_detector.columns, m_spec.darkCounts,
                                        m_spec.flatCounts, m_spec.deadPixels, m_spec.seed);
    m_faults = drawFaults(m_spec, m_panel);
    for (const Series& series : m_series)
        makeSeries(series);
    if (isCounts() && m_spec.deadPixels > 0) writeMask();
    if (const std::string truth = truthOf(m_spec, m_faults); !truth.empty()) {
        m_hasTruth = true;
        writeFileAtomically(m_folder / kTruthFileName, truth);
    }
    writeDescription();
}

// Several threads make images, a few at a time: in a single file they are written in order, and a
// detector with lag reads one view after the other.
void ScanMaker::makeSeries(const Series& series) {
    const bool files = m_spec.layout == SimulationSpec::Layout::files;
    std::unique_ptr<TiffWriter> together;
    if (files) {
        makeFolder(m_folder / series.name);
    } else {
        constexpr Index kMaxClassicBytes = 4'000'000'000;
        const bool big = series.count * imageBytes() > kMaxClassicBytes;
        together =
            std::make_unique<TiffWriter>(m_folder / (series.name + ".tif"),
                                         big ? TiffWriter::Mode::big : TiffWriter::Mode::classic);
    }
    const Index atOnce = std::min<Index>(series.count, 2 * Index{m_context.threads});
    const auto size = static_cast<std::size_t>(imageBytes());
    HostBuffer<float> read(atOnce * pixels());
    HostBuffer<std::byte> stored(atOnce * imageBytes());
    const bool hasLag = series.kind == Frame::Kind::view && m_spec.faults.lag.share != 0;
    LaggedSignal lag(m_spec.faults.lag);
    for (Index first = 0; first < series.count; first += atOnce) {
        const Index count = std::min(atOnce, series.count - first);
        const auto inParallel = [&](const auto& makeImage) {
            parallelFor(
                m_context.threads, count, 1,
                [&](Index begin, Index end, int) {
                    for (Index i = begin; i < end; ++i)
                        makeImage(i);
                },
                m_context.stop);
        };
        inParallel([&](Index i) {
            signalOf({series.kind, first + i}, read.span().subspan(i * pixels(), pixels()));
        });
        if (hasLag)
            for (Index i = 0; i < count; ++i)
                lag.read(read.span().subspan(i * pixels(), pixels()), m_context.threads);
        inParallel([&](Index i) {
            std::byte* image = stored.data() + i * imageBytes();
            store({series.kind, first + i}, read.data() + i * pixels(), image);
            if (!files) return;
            TiffWriter writer(imageOfSeries(m_folder, series.name, first + i, series.count),
                              TiffWriter::Mode::classic);
            writer.write(page(), {image, size});
            writer.close();
        });
        if (together)
            for (Index i = 0; i < count; ++i)
                together->write(page(), {stored.data() + i * imageBytes(), size});
    }
    if (together) together->close();
}

void ScanMaker::signalOf(Frame frame, std::span<float> lineIntegrals) const {
    if (frame.kind == Frame::Kind::view) {
        // A large image is made in pieces, so that it does not delay a request to stop.
        const Index piece = std::max<Index>(1, 200'000 / m_detector.columns);
        const ViewPose pose = truePose(frame.number);
        for (Index v = 0; v < m_detector.rows; v += piece) {
            if (m_context.stop.stop_requested()) throw Cancelled();
            const IndexRange rows = {v, std::min(v + piece, m_detector.rows)};
            projectPhantom(
                m_phantom, pose, m_detector, rows,
                lineIntegrals.subspan(v * m_detector.columns, rows.size() * m_detector.columns));
        }
    } else {
        // The open beam has line integral 0; a closed shutter absorbs everything.
        std::ranges::fill(lineIntegrals, frame.kind == Frame::Kind::dark
                                             ? std::numeric_limits<float>::infinity()
                                             : 0.0F);
    }
    const std::vector<float> darker = darkerBy(frame);
    for (Index i = 0; i < pixels(); ++i)
        lineIntegrals[i] += darker[i % m_detector.columns];
    if (frame.kind == Frame::Kind::view && !m_faults.moduleGains.empty())
        for (Index i = 0; i < pixels(); ++i)
            lineIntegrals[i] -= static_cast<float>(
                std::log(moduleGainAt(m_faults, i / m_detector.columns, i % m_detector.columns)));
}

// Files have the top row first.
void ScanMaker::store(Frame frame, const float* lineIntegrals, std::byte* stored) {
    const Index columns = m_detector.columns;
    const Index rowBytes = imageBytes() / m_detector.rows;
    const auto width = static_cast<std::size_t>(columns);
    std::vector<std::uint16_t> counts(width);
    // Numbers of noise streams: views first, then flat frames, then dark ones.
    Index stream = frame.number;
    if (frame.kind != Frame::Kind::view) stream += m_geometry.views();
    if (frame.kind == Frame::Kind::dark) stream += m_spec.fieldFrames;
    if (frame.kind == Frame::Kind::flatAfter) stream += 2 * m_spec.fieldFrames;
    for (Index v = 0; v < m_detector.rows; ++v) {
        std::byte* row = stored + (m_detector.rows - 1 - v) * rowBytes;
        const float* values = lineIntegrals + v * columns;
        if (!isCounts()) {
            std::copy_n(reinterpret_cast<const std::byte*>(values), rowBytes, row);
            continue;
        }
        const float* dark = m_panel.dark.data() + v * columns;
        const float* flat = m_panel.flat.data() + v * columns;
        m_clipped += toCounts(m_model, stream, v, columns, {values, width}, {dark, width},
                              {flat, width}, counts);
        for (Index u = 0; u < columns; ++u)
            if (m_panel.bad[v * columns + u]) counts[u] = 0;
        addOutliers(frame, v, counts);
        std::copy_n(reinterpret_cast<const std::byte*>(counts.data()), rowBytes, row);
    }
    const Index done = ++m_imagesDone;
    if (m_context.onProgress)
        m_context.onProgress(static_cast<double>(done) / static_cast<double>(m_images));
}

void ScanMaker::addOutliers(Frame frame, Index row, std::vector<std::uint16_t>& counts) const {
    const std::vector<DrawnFaults::StuckPixel>& stuck = m_faults.stuckPixels;
    for (auto pixel = std::ranges::lower_bound(stuck, row, {}, &DrawnFaults::StuckPixel::row);
         pixel != stuck.end() && pixel->row == row; ++pixel)
        counts[pixel->column] = static_cast<std::uint16_t>(pixel->counts);
    if (frame.kind != Frame::Kind::view) return;
    const std::vector<DrawnFaults::Zinger>& all = m_faults.zingers;
    auto zinger =
        std::lower_bound(all.begin(), all.end(), DrawnFaults::Zinger{frame.number, row, 0});
    for (; zinger != all.end() && zinger->view == frame.number && zinger->row == row; ++zinger)
        counts[zinger->column] = static_cast<std::uint16_t>(
            std::min<Index>(65535, counts[zinger->column] + m_faults.zingerCounts));
}

void ScanMaker::writeMask() {
    TiffPage mask = page();
    mask.type = PixelType::uint8;
    std::vector<std::byte> flipped;
    for (Index v = m_detector.rows; v-- > 0;)
        for (Index u = 0; u < m_detector.columns; ++u)
            flipped.push_back(std::byte{m_panel.bad[v * m_detector.columns + u] ? std::uint8_t{255}
                                                                                : std::uint8_t{}});
    TiffWriter writer(m_folder / "bad-pixels.tif", TiffWriter::Mode::classic);
    writer.write(mask, flipped);
    writer.close();
}

void ScanMaker::writeDescription() {
    ScanFile scan;
    scan.folder = m_folder;
    scan.path = m_folder / "scan.json";
    scan.name = m_spec.name;
    scan.geometry = m_spec.geometry;
    scan.projections.kind = m_spec.kind;
    scan.projections.files = pattern("proj");
    if (isCounts()) {
        scan.projections.dark = pattern("dark");
        scan.projections.flat = pattern("flat");
        if (m_spec.faults.flatDrift != 0) scan.projections.flatAfter = pattern("flat-after");
        if (m_spec.deadPixels > 0) scan.projections.badPixels = "bad-pixels.tif";
    }
    writeFileAtomically(scan.path, toJson(scan));
    m_bytes = bytesInFolder(m_folder);
}

}  // namespace

SimulationResult simulateScan(const SimulationSpec& spec, const fs::path& folder, bool replace,
                              const SimulationContext& context) {
    throwOnError(validate(spec.geometry), "simulate");
    throwOnError(validate(trueGeometry(spec)), "simulate");
    checkSimulation(spec);
    SimulationResult result;
    makeScanFolder(folder, replace, [&](const fs::path& part) {
        writeFileAtomically(part / kPhantomFileName, toJson(spec.phantom));
        ScanMaker maker(spec, context, part);
        maker.make();
        result = {folder / "scan.json", maker.bytes(), maker.clipped(),
                  maker.hasTruth() ? folder / kTruthFileName : fs::path()};
    });
    return result;
}

}  // namespace gantry
