#include "core/recon/open_scan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/geometry/validate.h"
#include "core/io/open_source.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Files of one pattern of the scan, opened and of the detector's size.
struct Opened {
    std::shared_ptr<const ProjectionSource> source;
    std::vector<fs::path> files;
};

void checkSize(const ScanFile& scan, const SourceInfo& info, const fs::path& first,
               std::string_view field) {
    const Detector& detector = scan.geometry.detector;
    if (info.columns != detector.columns || info.rows != detector.rows)
        throw InputError(fmt::format(
            "{}: {}: the images have {} × {} pixels; detector.columns × detector.rows is {} × {}",
            first.string(), field, info.columns, info.rows, detector.columns, detector.rows));
}

Opened openPattern(const ScanFile& scan, const std::string& pattern, std::string_view field) {
    Opened opened;
    opened.files = matchFiles(scan.folder, pattern);
    OpenOptions options;
    options.firstRowIsTop = scan.projections.firstRowIsTop;
    opened.source = openSource(opened.files, options);
    checkSize(scan, opened.source->info(), opened.files.front(), field);
    return opened;
}

HostBuffer<float> meanField(const Opened& field, const std::stop_token& stop) {
    const SourceInfo& info = field.source->info();
    FrameMean mean(info.rows * info.columns);
    HostBuffer<float> frame(info.rows * info.columns);
    for (Index i = 0; i < info.views; ++i) {
        if (stop.stop_requested()) throw Cancelled();
        readView(*field.source, i, frame.span());
        mean.add(frame.span());
    }
    return mean.image();
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
    return mask;
}

void append(std::vector<fs::path>& all, const std::vector<fs::path>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

void checkViews(const ScanFile& scan, const SourceInfo& info) {
    const Index found = info.views;
    if (found != scan.geometry.views)
        throw InputError(fmt::format("{}: the geometry has {} views, but '{}' holds {} images",
                                     scan.path.string(), scan.geometry.views,
                                     scan.projections.files, found));
}

DetectorCalibration calibrate(const ScanFile& scan, PixelType type, std::vector<fs::path>& files,
                              const std::stop_token& stop) {
    const ProjectionFiles& projections = scan.projections;
    const auto open = [&](const std::string& pattern, const char* field) {
        Opened opened = openPattern(scan, pattern, field);
        append(files, opened.files);
        return opened;
    };
    DetectorCalibration calibration;
    calibration.rows = scan.geometry.detector.rows;
    calibration.columns = scan.geometry.detector.columns;
    const Index pixels = calibration.rows * calibration.columns;
    if (projections.kind == ProjectionKind::counts) {
        calibration.saturation =
            projections.saturationValue ? projections.saturationValue : defaultSaturation(type);
        calibration.dark = projections.dark.empty()
                               ? constantField(pixels, 0)
                               : meanField(open(projections.dark, "projections.dark"), stop);
        calibration.flat = projections.flat.empty()
                               ? constantField(pixels, *projections.flatValue)
                               : meanField(open(projections.flat, "projections.flat"), stop);
        if (markDeadPixels(calibration) == pixels)
            throw InputError(fmt::format(
                "{}: projections.flat: is nowhere brighter than the dark field; check whether the "
                "two are swapped",
                scan.path.string()));
    }
    if (!projections.badPixels.empty()) {
        const Opened mask = open(projections.badPixels, "projections.badPixels");
        (void)mergeBadPixels(calibration, maskOf(mask).span());
    }
    return calibration;
}

// What follows from the geometry, once the files are there.
OpenScan derive(ScanFile description, std::shared_ptr<const ProjectionSource> source,
                std::shared_ptr<const DetectorCalibration> calibration,
                std::vector<fs::path> files) {
    Rectifier rectifier(description.geometry);
    RedundancyPlan redundancy = planRedundancy(rectifier.alignedGeometry());
    ScanGeometry geometry = paddedGeometry(rectifier.alignedGeometry(), redundancy);
    return {std::move(description), std::move(source), std::move(calibration), std::move(rectifier),
            std::move(redundancy),  std::move(files),  std::move(geometry)};
}

}  // namespace

std::optional<double> defaultSaturation(PixelType type) {
    if (type == PixelType::uint8) return 255;
    if (type == PixelType::uint16) return 65535;
    return std::nullopt;
}

void readView(const ProjectionSource& source, Index view, std::span<float> pixels) {
    const SourceInfo& info = source.info();
    HostBuffer<std::byte> stored(info.rows * info.columns * sizeBytes(info.pixelType));
    source.readRows(view, {0, info.rows}, stored.span());
    toFloat(info.pixelType, stored.span(), pixels);
}

OpenScan openScan(const ScanFile& description, const std::stop_token& stop) {
    throwOnError(validate(description.geometry), description.path.string());
    const bool counts = description.projections.kind == ProjectionKind::counts;
    if (counts && description.projections.flat.empty() && !description.projections.flatValue)
        throw InputError(fmt::format(
            "{}: projections.flat: is missing; counts need flat-field images or a flatValue, or "
            "say \"kind\": \"attenuation\" if the files hold line integrals",
            description.path.string()));
    Opened projections =
        openPattern(description, description.projections.files, "projections.files");
    const SourceInfo& info = projections.source->info();
    checkViews(description, info);
    std::vector<fs::path> files = projections.files;
    auto calibration = std::make_shared<const DetectorCalibration>(
        calibrate(description, info.pixelType, files, stop));
    return derive(description, std::move(projections.source), std::move(calibration),
                  std::move(files));
}

OpenScan withGeometry(const OpenScan& opened, const ScanGeometry& geometry) {
    ScanFile description = opened.description;
    description.geometry = geometry;
    throwOnError(validate(geometry), description.path.string());
    const SourceInfo& info = opened.source->info();
    checkSize(description, info, opened.files.front(), "projections.files");
    checkViews(description, info);
    return derive(std::move(description), opened.source, opened.calibration, opened.files);
}

}  // namespace gantry
