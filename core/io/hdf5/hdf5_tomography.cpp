#include "core/io/hdf5/hdf5_tomography.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/hdf5/hdf5_nxtomo.h"
#include "core/io/hdf5/hdf5_quantities.h"
#include "core/io/hdf5/hdf5_volume_header.h"
#include "core/io/length_unit.h"

namespace gantry {
namespace {

// Counts the images of a dataset, which is open only meanwhile.
Index countImages(const Hdf5File& file, const Hdf5Frames& frames) {
    return Hdf5Images(file, frames.dataset, frames.order).images();
}

Hdf5Frames exchangeFrames(const Hdf5File& file, const char* dataset) {
    if (!file.has(dataset)) return {};
    const std::string axes = inLowerCase(file.attribute(dataset, "axes"));
    const bool isSinograms = axes.starts_with("y:theta") || axes.starts_with("y:\"theta");
    return {dataset, {}, isSinograms ? Hdf5Images::Order::sinograms : Hdf5Images::Order::images};
}

// When dark or flat frames were taken, by the angles that are stated for them as for projections,
// or by what tomoScan says: before the scan, behind it, or half of them each.
void placeExchangeFrames(const Hdf5File& file, const std::string& kind,
                         const std::string& angleName, const std::vector<double>& ofProjectionsDeg,
                         Hdf5Frames& frames) {
    if (frames.dataset.empty() || ofProjectionsDeg.size() < 2) return;
    const Index count = countImages(file, frames);
    const std::string mode =
        inLowerCase(file.text(fmt::format("/process/acquisition/{0}_fields/{0}_field_mode", kind)));
    const std::vector<double> angles = storedAngles(file, angleName).deg;
    if (std::ssize(angles) != count) {
        if (mode == "both" && count % 2 == 0)
            for (Index i = 0; i < count; ++i)
                frames.projectionsBefore.push_back(2 * i < count ? 0
                                                                 : std::ssize(ofProjectionsDeg));
        return;
    }
    const double sign = ofProjectionsDeg.back() < ofProjectionsDeg.front() ? -1 : 1;
    const double middle = (ofProjectionsDeg.front() + ofProjectionsDeg.back()) / 2;
    for (const double angle : angles) {
        // Frames at the angle of a view were taken before the view in the first half of the scan,
        // and behind it in the second one.
        const bool isLate = sign * (angle - middle) > 0;
        frames.projectionsBefore.push_back(
            std::ranges::count_if(ofProjectionsDeg, [&](double projection) {
                const double beyond = sign * (angle - projection);
                return isLate ? beyond >= 0 : beyond > 0;
            }));
    }
}

void readExchangeAngles(const Hdf5File& file, Hdf5Tomography& scan) {
    constexpr const char* kAngles = "/exchange/theta";
    StatedGeometry& stated = scan.stated;
    StoredAngles angles = storedAngles(file, kAngles);
    const Index frames = countImages(file, scan.projections);
    if (!angles.deg.empty() && std::ssize(angles.deg) != frames)
        throwErrorOf<FileError>(
            file.path(),
            "contradicts itself: /exchange/theta has {} values, /exchange/data has {} images",
            angles.deg.size(), frames);
    ProjectionAngles usable = projectionAngles(file, kAngles, std::move(angles));
    stated.anglesDeg = std::move(usable.deg);
    stated.angleDoubt = std::move(usable.doubt);
    if (stated.anglesDeg.empty() && stated.angleDoubt.empty()) stated.arcDeg = 180;
    placeExchangeFrames(file, "dark", "/exchange/theta_dark", stated.anglesDeg, scan.dark);
    placeExchangeFrames(file, "flat", "/exchange/theta_white", stated.anglesDeg, scan.flat);
}

// Shifts of the images, one number a projection in each dataset, or two in one.
void readExchangeShifts(const Hdf5File& file, Index frames, StatedGeometry& stated) {
    for (const auto& [name, axis] : {std::pair("/exchange/data_shift", std::size_t{0}),
                                     std::pair("/exchange/data_shift_x", std::size_t{0}),
                                     std::pair("/exchange/data_shift_y", std::size_t{1})}) {
        const std::optional<Hdf5Numbers> found = file.numbers(name, kMaxHdf5Frames);
        if (found && std::ssize(found->values) % frames == 0)
            addTranslation(file, name, found->values, axis, stated);
    }
}

// By dxfile.readthedocs.io, lengths are in m and angles in degrees if no unit is given.
Hdf5Tomography readExchange(const Hdf5File& file) {
    Hdf5Tomography scan;
    scan.layout = "Data Exchange";
    StatedGeometry& stated = scan.stated;
    stated.where = "the group /exchange";
    stated.wouldTellSource = true;
    scan.projections = exchangeFrames(file, "/exchange/data");
    scan.dark = exchangeFrames(file, "/exchange/data_dark");
    scan.flat = exchangeFrames(file, "/exchange/data_white");
    scan.whyNoProjections = "it has no dataset /exchange/data";
    if (!scan.projections.dataset.empty()) {
        readExchangeAngles(file, scan);
        readExchangeShifts(file, countImages(file, scan.projections), stated);
    }
    const std::string instrument = "/measurement/instrument/detector";
    takePixelSize(file, instrument + "/pixel_size_x", instrument + "/pixel_size_y", stated);
    stated.objectToDetectorMm = lengthMm(file, instrument + "/distance");
    return scan;
}

constexpr std::array kExchangeFields = {"/exchange/data_white", "/exchange/data_dark"};

bool hasExchangeFields(const Hdf5File& file) {
    return std::ranges::any_of(kExchangeFields, [&](const char* name) { return file.has(name); });
}

// Stacks of images in a group and in those in it, at most two. A file with many groups is something
// else.
void findStacks(const Hdf5File& file, const std::string& group, int depth, int& groupsLeft,
                std::vector<std::string>& found) {
    constexpr std::size_t kEnough = 2;
    if (--groupsLeft < 0) return;
    const std::string above = group == "/" ? "" : group;
    for (const std::string& name : file.stacksIn(group))
        if (found.size() < kEnough) found.push_back(fmt::format("{}/{}", above, name));
    if (depth == 0) return;
    for (const std::string& name : file.groupsIn(group))
        if (found.size() < kEnough)
            findStacks(file, fmt::format("{}/{}", above, name), depth - 1, groupsLeft, found);
}

// The frames of a file of no known layout, if it has one stack of images alone.
std::optional<Hdf5Tomography> readOnlyStack(const Hdf5File& file) {
    constexpr int kMaxDepth = 4;
    int groupsLeft = 200;
    std::vector<std::string> stacks;
    findStacks(file, "/", kMaxDepth, groupsLeft, stacks);
    if (stacks.size() != 1 || groupsLeft < 0) return std::nullopt;
    Hdf5Tomography frames;
    frames.layout = "no known layout";
    frames.projections.dataset = stacks.front();
    frames.isOfAnyKind = true;
    return frames;
}

Hdf5Tomography readAny(const Hdf5File& file, FrameKind kind) {
    if (const std::optional<std::string> entry = nxTomoEntry(file)) return readNxTomo(file, *entry);
    if (!file.attribute("/exchange/data", kHdf5Description).empty())
        throw FileError(file.path(), "holds a reconstructed volume, not the projections of a scan");
    if (kind == FrameKind::projections ? file.has("/exchange/data") || hasExchangeFields(file)
                                       : hasExchangeFields(file))
        return readExchange(file);
    if (kind != FrameKind::projections)
        if (std::optional<Hdf5Tomography> frames = readOnlyStack(file)) return std::move(*frames);
    throw FileError(file.path(),
                    "is an HDF5 file without a tomographic scan that Gantry knows: it has neither "
                    "an entry whose definition is NXtomo nor a dataset /exchange/data");
}

const char* wordOf(FrameKind kind) {
    switch (kind) {
        case FrameKind::projections:
            return "projections";
        case FrameKind::dark:
            return "dark frames";
        case FrameKind::flat:
            return "flat frames";
    }
    throw InternalError("a kind of frames without a word");
}

}  // namespace

const Hdf5Frames& Hdf5Tomography::frames(FrameKind kind) const {
    switch (kind) {
        case FrameKind::projections:
            return projections;
        case FrameKind::dark:
            return isOfAnyKind ? projections : dark;
        case FrameKind::flat:
            return isOfAnyKind ? projections : flat;
    }
    throw InternalError("a kind of frames without a place");
}

bool holdsTomography(const Hdf5File& file) {
    if (nxTomoEntry(file)) return true;
    return hasExchangeFields(file) || (file.has("/exchange/data") && file.has("/exchange/theta"));
}

Hdf5Tomography readTomography(const Hdf5File& file, FrameKind kind) {
    Hdf5Tomography scan = readAny(file, kind);
    scan.stated.hasDark = !scan.dark.dataset.empty();
    scan.stated.hasFlat = !scan.flat.dataset.empty();
    if (!scan.frames(kind).dataset.empty()) return scan;
    const bool tellsWhy = kind == FrameKind::projections && !scan.whyNoProjections.empty();
    throwErrorOf<FileError>(file.path(), "holds no {}{}{}", wordOf(kind), tellsWhy ? ": " : "",
                            tellsWhy ? scan.whyNoProjections : "");
}

void addTranslation(const Hdf5File& file, const std::string& dataset,
                    const std::vector<double>& values, std::size_t axis, StatedGeometry& stated) {
    constexpr double kMinPixels = 0.05;
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    if (values.size() < 2 || !(*max - *min > 0)) return;
    const std::string unit(trimmed(file.attribute(dataset, "units")));
    const std::optional<double> mm = unit.empty() ? std::nullopt : mmOf(unit);
    std::string size = fmt::format("{:.4g}{}{}", *max - *min, unit.empty() ? "" : " ", unit);
    if (mm && stated.pitchMm) {
        const double pixels = (*max - *min) * *mm / (*stated.pitchMm)[axis];
        if (pixels < kMinPixels) return;
        size += fmt::format(", which are {:.3g} pixels", pixels);
    }
    stated.remarks.push_back(
        {axis == 0 ? "detector.offsetMm[0]" : "detector.offsetMm[1]",
         fmt::format("{} states that views are shifted against each other, by up to {}. This is "
                     "not used: the object is taken to turn about an axis that stands still",
                     dataset, size),
         true});
}

void addMonitor(const std::string& dataset, Hdf5Tomography& scan) {
    const auto isUsable = [](double value) { return std::isfinite(value) && value > 0; };
    const std::vector<double>& values = scan.projections.monitor;
    if (values.empty()) return;
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    if (std::ranges::all_of(values, isUsable) && std::ranges::all_of(scan.flat.monitor, isUsable)) {
        if (*max == *min && scan.flat.monitor == std::vector(scan.flat.monitor.size(), *min))
            return;
        scan.stated.remarks.push_back(
            {"projections.flat",
             fmt::format("A beam monitor, {}, goes from {:.4g} to {:.4g} over the views; where the "
                         "flat frames have it too, views are divided by it "
                         "(projections.ignoreMonitor: true leaves it unused)",
                         dataset, values.front(), values.back()),
             false});
        return;
    }
    scan.projections.monitor.clear();
    scan.flat.monitor.clear();
    if (*max > 0 && *max != *min)
        scan.stated.remarks.push_back(
            {"projections.flat",
             fmt::format("A beam monitor, {}, is not used: some of its values are no numbers above "
                         "0",
                         dataset),
             true});
}

}  // namespace gantry
