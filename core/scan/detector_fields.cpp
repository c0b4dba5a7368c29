#include "core/scan/detector_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/throw_error.h"
#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/scan/frame_levels.h"
#include "core/scan/open_scan.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Does the work and reports faults of its images as problems of that field of the scan.
template <class Work>
auto reportingField(const char* field, const Work& work) {
    try {
        return work();
    } catch (const InputError& error) {
        ErrorDetails details = error.details();
        details.field = field;
        throw InputError(error.message(), std::move(details));
    }
}

// Files of one field of the scan, opened and of the detector's size.
struct Opened {
    std::shared_ptr<const ProjectionSource> source;
    std::vector<fs::path> files;
};

Opened openPattern(const ScanFile& scan, const std::string& pattern, std::string_view field,
                   FrameKind frames) {
    Opened opened;
    opened.files = matchFiles(scan.folder, pattern);
    opened.source = openSource(opened.files, openOptionsOf(scan, frames, pattern));
    requireDetectorSize(scan, opened.source->info(), opened.files.front(), field);
    return opened;
}

// The mean of frames that were taken at one time of the scan.
struct MeanFrame {
    LaterField field;
    std::optional<double> monitor;  // mean of the beam monitor at these frames, if it is usable
};

// leftOut: sorted, counted from the first of the frames
std::optional<double> meanMonitor(const SourceInfo& info, IndexRange frames,
                                  const std::vector<Index>& leftOut) {
    if (std::ssize(info.monitor) != info.views) return std::nullopt;
    double sum = 0;
    for (Index i = frames.begin; i < frames.end; ++i)
        if (!std::ranges::binary_search(leftOut, i - frames.begin)) sum += info.monitor[i];
    const double mean = sum / static_cast<double>(frames.size() - std::ssize(leftOut));
    return std::isfinite(mean) && mean > 0 ? std::optional(mean) : std::nullopt;
}

// What the reading of frames found besides their means.
struct FrameNotes {
    FrameKind kind;
    std::vector<std::string>& sentences;
};

double meanValue(std::span<const float> frame) {
    double sum = 0;
    Index count = 0;
    for (const float value : frame) {
        const bool isFinite = std::isfinite(value);
        sum += isFinite ? static_cast<double>(value) : 0.0;
        count += isFinite ? 1 : 0;
    }
    return sum / static_cast<double>(count);
}

// leftOut: as above; levels: gets the mean value of each frame, if given
HostBuffer<float> meanImage(const ProjectionSource& source, IndexRange frames,
                            const std::vector<Index>& leftOut, std::vector<double>* levels,
                            const std::stop_token& stop) {
    const SourceInfo& info = source.info();
    FrameMean mean(info.rows * info.columns);
    HostBuffer<float> frame(info.rows * info.columns);
    for (Index i = frames.begin; i < frames.end; ++i) {
        if (stop.stop_requested()) throw Cancelled();
        if (std::ranges::binary_search(leftOut, i - frames.begin)) continue;
        readView(source, i, frame.span());
        mean.add(frame.span());
        if (levels) levels->push_back(meanValue(frame.span()));
    }
    return mean.image();
}

MeanFrame meanOfFrames(const ProjectionSource& source, IndexRange frames, double view,
                       const FrameNotes& notes, const std::stop_token& stop) {
    std::vector<double> levels;
    HostBuffer<float> image = meanImage(source, frames, {}, &levels, stop);
    const OddFrames odd = oddFrames(notes.kind, levels);
    if (!odd.far.empty()) image = meanImage(source, frames, odd.far, nullptr, stop);
    std::vector<std::string> names;
    for (Index i = frames.begin; i < frames.end; ++i)
        names.push_back(fs::path(source.viewName(i)).filename().string());
    for (std::string& note : oddFramesNotes(notes.kind, odd, levels, names))
        notes.sentences.push_back(std::move(note));
    return {{view, std::move(image)}, meanMonitor(source.info(), frames, odd.far)};
}

// The view number of frames that were taken after so many projections: halfway between the
// projections before and after them.
double viewBehind(Index projections, Index views) {
    const double last = static_cast<double>(views - 1);
    return std::clamp(static_cast<double>(projections) - (projections < views ? 0.5 : 1.0), 0.0,
                      last);
}

// Mean frames by the time at which they were taken, where the file says that; otherwise one mean.
std::vector<MeanFrame> meansOfFrames(const ProjectionSource& source, bool areInOrder, Index views,
                                     const FrameNotes& notes, const std::stop_token& stop) {
    const SourceInfo& info = source.info();
    std::vector<MeanFrame> means;
    const std::vector<Index>& before = info.projectionsBefore;
    const bool isKnown =
        areInOrder && std::ssize(before) == info.views && std::ranges::is_sorted(before);
    for (Index begin = 0; begin < info.views;) {
        Index end = isKnown ? begin + 1 : info.views;
        const auto timeOf = [&](Index frame) { return before[frame]; };
        while (isKnown && end < info.views && timeOf(end) == timeOf(begin))
            ++end;
        means.push_back(meanOfFrames(
            source, {begin, end}, isKnown ? viewBehind(timeOf(begin), views) : 0.0, notes, stop));
        begin = end;
    }
    return means;
}

HostBuffer<float> constantField(Index pixels, double value) {
    HostBuffer<float> field(pixels);
    std::fill_n(field.data(), pixels, static_cast<float>(value));
    return field;
}

HostBuffer<unsigned char> maskOf(const Opened& image) {
    const SourceInfo& info = image.source->info();
    HostBuffer<float> values(info.rows * info.columns);
    readView(*image.source, 0, values.span());
    HostBuffer<unsigned char> mask(values.count());
    for (Index i = 0; i < mask.count(); ++i)
        mask[i] = values[i] != 0 ? 1 : 0;
    const Index bad = std::ranges::count(mask.span(), 1);
    if (2 * bad > mask.count())
        throwError<InputError>(
            "{}: projections.badPixels: {} of its {} pixels are not 0, which means that they are "
            "bad, and at most half may be. If the bad ones are 0 in it, store it the other way "
            "round",
            image.files.front().string(), bad, mask.count());
    return mask;
}

// The largest value of an integer type.
double largestValue(PixelType type) {
    const bool isSigned =
        type == PixelType::int8 || type == PixelType::int16 || type == PixelType::int32;
    return std::exp2(8 * sizeBytes(type) - (isSigned ? 1 : 0)) - 1;
}

// Marks pixels whose flat field is saturated: at the level that the scan states, at the largest
// value of the images' type, or at the one at which the detector or a conversion cut them.
void markSaturated(const ScanFile& scan, PixelType ofFlat, PixelType ofViews,
                   DetectorCalibration& calibration) {
    std::optional<double> level = scan.projections.saturationValue;
    if (!level && isInteger(ofFlat)) level = largestValue(ofFlat);
    if (!level && isInteger(ofViews)) level = largestValue(ofViews);
    const std::optional<double> clipped = clippedLevel(calibration);
    if (clipped) level = level ? std::min(*level, *clipped) : *clipped;
    if (!level) return;
    const Index pixels = calibration.rows * calibration.columns;
    const Index saturated = markSaturatedPixels(calibration, *level);
    if (2 * saturated > pixels)
        throw InputError(
            fmt::format("{}: projections.flat: {:.0f} % of its pixels are saturated, at {} counts "
                        "or more, and tell nothing; take flat fields that are less bright, or "
                        "correct projections.saturationValue if they are not saturated",
                        scan.path.string(),
                        100.0 * static_cast<double>(saturated) / static_cast<double>(pixels),
                        *level),
            {.field = "projections.flat"});
}

// Whether the first images of two sources have the same pixels.
bool isSameImage(const ProjectionSource& a, const ProjectionSource& b) {
    const auto first = [](const ProjectionSource& source) {
        const SourceInfo& info = source.info();
        std::vector<std::byte> pixels(
            static_cast<std::size_t>(info.rows * info.columns * sizeBytes(info.pixelType)));
        source.readRows(0, {0, info.rows}, pixels);
        return pixels;
    };
    return first(a) == first(b);
}

// Reads the frames of a scan's fields, and keeps the names of their files.
class FieldReader {
  public:
    FieldReader(const ScanFile& scan, const std::stop_token& stop) : m_scan(scan), m_stop(stop) {}

    Opened open(const std::string& pattern, std::string_view field, FrameKind frames) {
        Opened opened = openPattern(m_scan, pattern, field, frames);
        if (frames != FrameKind::projections) requireOtherThanViews(opened, field);
        m_files.insert(m_files.end(), opened.files.begin(), opened.files.end());
        if (frames == FrameKind::flat) m_flatType = opened.source->info().pixelType;
        return opened;
    }
    // Frames from before the scan, or from all times, and those from after it.
    std::vector<MeanFrame> means(const std::string& first, const char* firstField,
                                 const std::string& after, const char* afterField,
                                 FrameKind frames) {
        const Index views = m_scan.geometry.views();
        const bool areInOrder = first == m_scan.projections.files;
        const auto meansOf = [&](const std::string& pattern, const char* field, bool inOrder) {
            return reportingField(field, [&] {
                return meansOfFrames(*open(pattern, field, frames).source, inOrder, views,
                                     {frames, m_notes}, m_stop);
            });
        };
        std::vector<MeanFrame> found = meansOf(first, firstField, areInOrder);
        if (after.empty()) return found;
        MeanFrame last = std::move(meansOf(after, afterField, false).front());
        last.field.view = static_cast<double>(std::max<Index>(1, views - 1));
        found.push_back(std::move(last));
        return found;
    }
    void note(std::string sentence) { m_notes.push_back(std::move(sentence)); }
    [[nodiscard]] PixelType flatType() const { return m_flatType; }
    [[nodiscard]] std::vector<fs::path> takeFiles() { return std::move(m_files); }
    [[nodiscard]] std::vector<std::string> takeNotes() { return std::move(m_notes); }

  private:
    // A file may hold frames of all kinds; the same images cannot be two.
    void requireOtherThanViews(const Opened& opened, std::string_view field) const {
        const std::vector<fs::path> views = matchViews(m_scan.folder, m_scan.projections.files);
        if (views.empty() || opened.files.front() != views.front()) return;
        const auto projections = openSource({views.front()}, openOptionsOf(m_scan));
        if (projections->viewName(0) == opened.source->viewName(0) &&
            isSameImage(*projections, *opened.source))
            throwError<InputError>("{}: {}: {} is also the first projection; name other images",
                                   m_scan.path.string(), field, opened.source->viewName(0));
    }

    const ScanFile& m_scan;
    const std::stop_token& m_stop;
    std::vector<fs::path> m_files;
    std::vector<std::string> m_notes;
    PixelType m_flatType = PixelType::float32;
};

// Puts means of several times into their places in a calibration.
void take(std::vector<MeanFrame> means, HostBuffer<float>& image, double& view,
          std::vector<LaterField>& later) {
    image = std::move(means.front().field.image);
    view = means.front().field.view;
    for (std::size_t i = 1; i < means.size(); ++i)
        later.push_back(std::move(means[i].field));
}

// What a beam monitor states of the views, where it can be used: for all views and flat frames.
std::vector<float> beamOf(const ScanFile& scan, const SourceInfo& projections,
                          std::span<const Index> numbers, double atFlat) {
    if (std::ssize(projections.monitor) != projections.views ||
        std::ssize(numbers) != projections.views)
        return {};
    std::vector<float> beam(scan.geometry.views(), 1.0F);
    constexpr double kSame = 1e-6;
    bool changes = false;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double share = projections.monitor[i] / atFlat;
        if (!std::isfinite(share) || !(share > 0)) return {};
        changes = changes || std::abs(share - 1) > kSame;
        beam[numbers[i]] = static_cast<float>(share);
    }
    return changes ? beam : std::vector<float>();
}

// What a beam monitor states of the views, and who lacks it, so that it is of no use.
void noteUnusedMonitor(const ProjectionFiles& files, const SourceInfo& projections,
                       const char* lack, FieldReader& reader) {
    const std::vector<double>& values = projections.monitor;
    if (files.ignoresMonitor || values.empty() || std::ssize(values) != projections.views) return;
    const auto [min, max] = std::ranges::minmax(values);
    reader.note(
        fmt::format("The beam monitor of the projections, which goes from {:.4g} to {:.4g} over "
                    "the views, is not used, as {}. Normalise the views by the air beside the "
                    "object instead (--flux air, or Beam flux in the desktop), or state "
                    "\"ignoreMonitor\": true in projections of the scan.json.",
                    min, max, lack));
}

// Refers later flat fields to the intensity of the beam at the first ones.
void referToFirst(DetectorCalibration& calibration,
                  const std::vector<std::optional<double>>& monitors) {
    for (std::size_t i = 0; i < calibration.laterFlats.size(); ++i) {
        LaterField& later = calibration.laterFlats[i];
        HostBuffer<float> dark(later.image.count());
        HostBuffer<float> unused(later.image.count());
        fieldsAt(calibration, later.view, 0, dark.span(), unused.span());
        const auto gain = static_cast<float>(*monitors.front() / *monitors[i + 1]);
        for (Index p = 0; p < dark.count(); ++p)
            later.image[p] = dark[p] + gain * (later.image[p] - dark[p]);
    }
}

void takeFlats(const ScanFile& scan, const SourceInfo& projections, std::span<const Index> numbers,
               FieldReader& reader, DetectorCalibration& calibration) {
    const ProjectionFiles& files = scan.projections;
    std::vector<MeanFrame> means = reader.means(files.flat, "projections.flat", files.flatAfter,
                                                "projections.flatAfter", FrameKind::flat);
    std::vector<std::optional<double>> monitors;
    monitors.reserve(means.size());
    for (const MeanFrame& mean : means)
        monitors.push_back(mean.monitor);
    take(std::move(means), calibration.flat, calibration.flatView, calibration.laterFlats);
    markSaturated(scan, reader.flatType(), projections.pixelType, calibration);
    if (files.ignoresMonitor) return;
    if (std::ranges::any_of(monitors, [](const auto& monitor) { return !monitor; }))
        return noteUnusedMonitor(files, projections, "not all flat frames have one", reader);
    calibration.beam = beamOf(scan, projections, numbers, *monitors.front());
    if (!calibration.beam.empty()) referToFirst(calibration, monitors);
}

void takeCounts(const ScanFile& scan, const SourceInfo& projections, std::span<const Index> numbers,
                FieldReader& reader, DetectorCalibration& calibration) {
    const ProjectionFiles& files = scan.projections;
    const Index pixels = calibration.rows * calibration.columns;
    calibration.saturation =
        files.saturationValue ? files.saturationValue : defaultSaturation(projections.pixelType);
    if (files.dark.empty())
        calibration.dark = constantField(pixels, 0);
    else
        take(reader.means(files.dark, "projections.dark", files.darkAfter, "projections.darkAfter",
                          FrameKind::dark),
             calibration.dark, calibration.darkView, calibration.laterDarks);
    if (files.flat.empty()) {
        calibration.flat = constantField(pixels, *files.flatValue);
        noteUnusedMonitor(files, projections, "a flatValue has none", reader);
    } else {
        takeFlats(scan, projections, numbers, reader, calibration);
    }
    if (markDeadPixels(calibration) == pixels)
        throw InputError(
            fmt::format("{}: projections.flat: is nowhere brighter than the dark field; check "
                        "whether the two are swapped",
                        scan.path.string()),
            {.field = "projections.flat"});
}

}  // namespace

void requireDetectorSize(const ScanFile& scan, const SourceInfo& info, const fs::path& first,
                         std::string_view field) {
    const Detector& detector = scan.geometry.detector;
    if (info.columns != detector.columns || info.rows != detector.rows)
        throwError<InputError>("{}: {}: the images have {} × {} pixels; the detector has {} × {}",
                               first.string(), field, info.columns, info.rows, detector.columns,
                               detector.rows);
}

DetectorFields openDetectorFields(const ScanFile& scan, const SourceInfo& projections,
                                  std::span<const Index> numbers, const std::stop_token& stop) {
    DetectorFields fields;
    DetectorCalibration& calibration = fields.calibration;
    calibration.rows = scan.geometry.detector.rows;
    calibration.columns = scan.geometry.detector.columns;
    FieldReader reader(scan, stop);
    if (scan.projections.kind == ProjectionKind::counts)
        takeCounts(scan, projections, numbers, reader, calibration);
    constexpr const char* kMask = "projections.badPixels";
    if (!scan.projections.badPixels.empty())
        reportingField(kMask, [&] {
            const Opened mask =
                reader.open(scan.projections.badPixels, kMask, FrameKind::badPixels);
            (void)mergeBadPixels(calibration, maskOf(mask).span());
        });
    fields.files = reader.takeFiles();
    fields.notes = reader.takeNotes();
    for (std::string& note : laterFlatsNotes(calibration))
        fields.notes.push_back(std::move(note));
    for (std::string& note : darkLinesNotes(calibration))
        fields.notes.push_back(std::move(note));
    return fields;
}

}  // namespace gantry
