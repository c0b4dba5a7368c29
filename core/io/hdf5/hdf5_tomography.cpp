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
#include "core/io/hdf5/hdf5_entries.h"
#include "core/io/hdf5/hdf5_exchange.h"
#include "core/io/hdf5/hdf5_nxtomo.h"
#include "core/io/hdf5/hdf5_quantities.h"
#include "core/io/hdf5/hdf5_volume_header.h"
#include "core/io/length_unit.h"

namespace gantry {
namespace {

// The frames of a file of no known layout, if it has one stack of images alone.
std::optional<Hdf5Tomography> readOnlyStack(const Hdf5File& file) {
    const std::vector<std::string> stacks = imageStacks(file);
    if (stacks.size() != 1) return std::nullopt;
    Hdf5Tomography frames = framesOf(stacks.front());
    frames.isOfAnyKind = true;
    return frames;
}

Hdf5Tomography readUsual(const Hdf5File& file, FrameKind kind) {
    if (const std::optional<std::string> entry = nxTomoEntry(file)) return readNxTomo(file, *entry);
    if (!file.attribute("/exchange/data", kHdf5Description).empty())
        throw FileError(file.path(), "holds a reconstructed volume, not the projections of a scan");
    const bool isField = kind == FrameKind::dark || kind == FrameKind::flat;
    if (hasExchangeFrames(file) || (!isField && file.has("/exchange/data")))
        return readExchange(file);
    if (isField)
        if (std::optional<Hdf5Tomography> frames = readOnlyStack(file)) return std::move(*frames);
    const std::vector<std::string> entries = tomographyEntries(file);
    throwErrorOf<FileError>(
        file.path(),
        "is an HDF5 file without a tomographic scan that Gantry knows: it has neither an entry "
        "whose definition is NXtomo nor a dataset /exchange/data{}",
        entries.empty() ? "" : ". An entry can be named, which may be " + listedEntries(entries));
}

const char* wordOf(FrameKind kind) {
    switch (kind) {
        case FrameKind::projections:
            return "projections";
        case FrameKind::dark:
            return "dark frames";
        case FrameKind::flat:
            return "flat frames";
        case FrameKind::badPixels:
            return "mask of bad pixels";
    }
    throw InternalError("a kind of frames without a word");
}

std::string sizeText(const std::string& dataset, const Hdf5Images& images) {
    return fmt::format("{} has {} images of {} × {} pixels", dataset, images.images(),
                       images.shape().columns, images.shape().rows);
}

// Frames that have another size than the projections beside them cannot be theirs.
void requireSameSize(const Hdf5File& file, const Hdf5Tomography& scan, FrameKind kind) {
    const Hdf5Frames& views = scan.projections;
    const Hdf5Frames& frames = scan.frames(kind);
    if (views.dataset.empty()) return;
    const Hdf5Images projections(file, views.dataset, views.order);
    for (const std::string& dataset : {frames.dataset, frames.datasetAfter}) {
        if (dataset.empty() || dataset == views.dataset) continue;
        const Hdf5Images images(file, dataset, frames.order);
        if (images.shape().rows == projections.shape().rows &&
            images.shape().columns == projections.shape().columns)
            continue;
        throwErrorOf<FileError>(
            file.path(), "contradicts itself: of the {}, {}; of the projections, {}{}",
            wordOf(kind), sizeText(dataset, images), sizeText(views.dataset, projections),
            images.images() == projections.shape().rows
                ? ". The first two dimensions seem to be swapped: the number of the frame comes "
                  "first"
                : "");
    }
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
        case FrameKind::badPixels:
            return badPixels.dataset.empty() ? projections : badPixels;
    }
    throw InternalError("a kind of frames without a place");
}

bool holdsTomography(const Hdf5File& file) {
    if (nxTomoEntry(file)) return true;
    return hasExchangeFrames(file) || (file.has("/exchange/data") && file.has("/exchange/theta"));
}

Hdf5Tomography readTomography(const Hdf5File& file, FrameKind kind, const std::string& entry) {
    Hdf5Tomography scan = entry.empty() ? readUsual(file, kind) : readEntry(file, entry);
    if (entry.empty()) quoteOtherEntries(file, scan.stated);
    scan.stated.hasDark = !scan.dark.dataset.empty();
    scan.stated.hasFlat = !scan.flat.dataset.empty();
    if (!scan.frames(kind).dataset.empty()) {
        if (kind != FrameKind::projections) requireSameSize(file, scan, kind);
        return scan;
    }
    const bool tellsWhy = kind == FrameKind::projections && !scan.whyNoProjections.empty();
    throwErrorOf<FileError>(file.path(), "holds no {}{}{}", wordOf(kind), tellsWhy ? ": " : "",
                            tellsWhy ? scan.whyNoProjections : "");
}

void quoteScaling(const Hdf5File& file, Hdf5Tomography& scan) {
    const std::string& data = scan.projections.dataset;
    const std::string place = data.substr(0, data.rfind('/') + 1);
    const auto isOther = [](const std::vector<double>& numbers, double usual) {
        return numbers.size() == 1 && numbers.front() != usual;
    };
    std::string states;
    const auto add = [&](const std::string& name, const std::vector<double>& numbers,
                         double usual) {
        if (isOther(numbers, usual))
            states += fmt::format("{}{} = {:g}", states.empty() ? "" : ", ", name, numbers.front());
    };
    for (const auto& [name, usual] : {std::pair("scale_factor", 1.0), std::pair("add_offset", 0.0)})
        add(fmt::format("{} @{}", data, name), file.attributeNumbers(data, name), usual);
    for (const auto& [name, usual] :
         {std::pair("scaling_factor", 1.0), std::pair("offset", 0.0),
          std::pair("data_scaling_factor", 1.0), std::pair("data_offset", 0.0)}) {
        const std::optional<Hdf5Numbers> found = file.numbers(place + name, kMaxHdf5Frames);
        if (found) add(place + name, found->values, usual);
    }
    if (states.empty()) return;
    // A scale that dark and flat frames share has no effect.
    const bool isShared = scan.dark.dataset == data && scan.flat.dataset == data;
    scan.stated.remarks.push_back(
        {"projections.kind",
         fmt::format("The file states a scale of its pixels, {}. It is not used{}", states,
                     isShared ? ": dark and flat frames have the same one, which leaves no trace"
                              : ", and matters unless dark and flat frames have the same one"),
         !isShared});
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
