#include "core/io/hdf5/hdf5_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/hdf5/hdf5_images.h"
#include "core/io/hdf5/hdf5_quantities.h"

namespace gantry {
namespace {

// Counts the images of a dataset, which is open only meanwhile.
Index countImages(const Hdf5File& file, const std::string& dataset, Hdf5Images::Order order) {
    return dataset.empty() ? 0 : Hdf5Images(file, dataset, order).images();
}
Index countImages(const Hdf5File& file, const Hdf5Frames& frames) {
    return countImages(file, frames.dataset, frames.order) +
           countImages(file, frames.datasetAfter, frames.order);
}

Hdf5Frames exchangeFrames(const Hdf5File& file, const std::string& dataset) {
    if (!file.has(dataset)) return {};
    const std::string axes = inLowerCase(file.attribute(dataset, "axes"));
    const bool isSinograms = axes.starts_with("y:theta") || axes.starts_with("y:\"theta");
    return {dataset, {}, isSinograms ? Hdf5Images::Order::sinograms : Hdf5Images::Order::images};
}

// Dark or flat frames: in one dataset, or as beamlines of the APS write them, in one from before
// the scan and one from after it.
Hdf5Frames exchangeFields(const Hdf5File& file, const std::string& dataset, Index projections) {
    if (file.has(dataset)) return exchangeFrames(file, dataset);
    const std::string later = dataset + "_post";
    Hdf5Frames frames = exchangeFrames(file, dataset + "_pre");
    const Index before = countImages(file, frames);
    if (frames.dataset.empty())
        frames = exchangeFrames(file, later);
    else if (file.has(later))
        frames.datasetAfter = later;
    if (frames.dataset.empty() || projections == 0) return frames;
    frames.projectionsBefore.assign(before, 0);
    frames.projectionsBefore.resize(countImages(file, frames), projections);
    return frames;
}

// Adds which stacks seem to be dark or flat frames and are not used.
void quoteOtherFields(const Hdf5File& file, const std::string& group, Hdf5Tomography& scan) {
    for (const std::string& name : file.stacksIn(group)) {
        std::string dataset = group;
        dataset.append("/").append(name);
        const bool isUsed = std::ranges::any_of(
            std::array{&scan.projections, &scan.dark, &scan.flat}, [&](const Hdf5Frames* frames) {
                return dataset == frames->dataset || dataset == frames->datasetAfter;
            });
        const std::string words = inLowerCase(name);
        const auto has = [&](const char* word) { return words.find(word) != std::string::npos; };
        const bool isDark = has("dark");
        if (isUsed || !(isDark || has("white") || has("flat") || has("bright"))) continue;
        scan.stated.remarks.push_back(
            {isDark ? "projections.dark" : "projections.flat",
             fmt::format("{} is not used: in Data Exchange {} frames are in {}/data_{}, or in two "
                         "datasets whose names end in _pre and _post",
                         dataset, isDark ? "dark" : "flat", group, isDark ? "dark" : "white"),
             true});
    }
}

// When dark or flat frames were taken, by the angles that are stated for them as for projections,
// or by what tomoScan says: before the scan, behind it, or half of them each.
void placeExchangeFrames(const Hdf5File& file, const std::string& kind,
                         const std::string& angleName, const std::vector<double>& ofProjectionsDeg,
                         Hdf5Frames& frames) {
    if (frames.dataset.empty() || ofProjectionsDeg.size() < 2) return;
    if (!frames.projectionsBefore.empty()) return;
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

void readExchangeAngles(const Hdf5File& file, const std::string& group, Hdf5Tomography& scan) {
    const std::array<std::string, 4> names = {group + "/theta", group + "/angles", group + "/angle",
                                              group + "/rotation_angle"};
    const std::string name = firstOf(file, names);
    StatedGeometry& stated = scan.stated;
    StoredAngles angles = storedAngles(file, name);
    const Index frames = countImages(file, scan.projections);
    if (!angles.deg.empty() && std::ssize(angles.deg) != frames)
        throwErrorOf<FileError>(file.path(),
                                "contradicts itself: {} has {} values, {}/data has {} images", name,
                                angles.deg.size(), group, frames);
    ProjectionAngles usable = projectionAngles(file, name, std::move(angles));
    stated.anglesDeg = std::move(usable.deg);
    stated.angleDoubt = std::move(usable.doubt);
    if (stated.anglesDeg.empty() && stated.angleDoubt.empty()) stated.arcDeg = 180;
    placeExchangeFrames(file, "dark", group + "/theta_dark", stated.anglesDeg, scan.dark);
    placeExchangeFrames(file, "flat", group + "/theta_white", stated.anglesDeg, scan.flat);
}

// Shifts of the images, one number a projection in each dataset, or two in one.
void readExchangeShifts(const Hdf5File& file, const std::string& group, Index frames,
                        StatedGeometry& stated) {
    for (const auto& [ending, axis] :
         {std::pair("", std::size_t{0}), std::pair("_x", std::size_t{0}),
          std::pair("_y", std::size_t{1})}) {
        const std::string name = fmt::format("{}/data_shift{}", group, ending);
        const std::optional<Hdf5Numbers> found = file.numbers(name, kMaxHdf5Frames);
        if (found && std::ssize(found->values) % frames == 0)
            addTranslation(file, name, found->values, axis, stated);
    }
}

// The sensor's pixels, and those that they make behind a lens.
void readExchangePixels(const Hdf5File& file, StatedGeometry& stated) {
    constexpr double kSame = 1e-3;
    const std::string detector = "/measurement/instrument/detector";
    const std::string behindLens = "/measurement/instrument/detection_system/objective/resolution";
    takePixelSize(file, detector + "/pixel_size_x", detector + "/pixel_size_y", stated);
    StatedGeometry seen;
    takePixelSize(file, behindLens, behindLens, seen);
    if (!seen.pitchMm) return;
    if (!stated.pitchMm) {
        stated.pitchMm = seen.pitchMm;
        stated.pitchDoubt = seen.pitchDoubt;
        return;
    }
    const double mm = (*seen.pitchMm)[0];
    if (std::abs(mm / (*stated.pitchMm)[0] - 1) < kSame) return;
    stated.remarks.push_back(
        {"detector.pitchMm",
         fmt::format("{} states {:.4g} mm, as the size of a pixel behind the lens, which is the "
                     "one that scales the volume of a parallel beam; it is not used, and the "
                     "sensor's is taken",
                     behindLens, mm),
         true});
}

// Scans that stand beside each other are numbered: "/exchange", "/exchange_2".
bool isCalledExchange(const std::string& name) {
    return inLowerCase(name).starts_with("exchange");
}

constexpr std::array kExchangeFields = {"/exchange/data_white",     "/exchange/data_dark",
                                        "/exchange/data_white_pre", "/exchange/data_white_post",
                                        "/exchange/data_dark_pre",  "/exchange/data_dark_post"};

}  // namespace

Hdf5Tomography readExchange(const Hdf5File& file, const std::string& group) {
    Hdf5Tomography scan;
    scan.layout = "Data Exchange";
    StatedGeometry& stated = scan.stated;
    stated.where = "the group " + group;
    stated.wouldTellSource = true;
    scan.projections = exchangeFrames(file, group + "/data");
    const Index projections = countImages(file, scan.projections);
    scan.dark = exchangeFields(file, group + "/data_dark", projections);
    scan.flat = exchangeFields(file, group + "/data_white", projections);
    quoteOtherFields(file, group, scan);
    scan.whyNoProjections = fmt::format("it has no dataset {}/data", group);
    if (!scan.projections.dataset.empty()) {
        readExchangeAngles(file, group, scan);
        readExchangeShifts(file, group, projections, stated);
        quoteScaling(file, scan);
    }
    readExchangePixels(file, stated);
    stated.objectToDetectorMm = lengthMm(file, "/measurement/instrument/detector/distance");
    return scan;
}

std::vector<std::string> exchangeGroups(const Hdf5File& file) {
    std::vector<std::string> groups;
    for (const std::string& name : file.groupsIn("/"))
        if (isCalledExchange(name) && isExchangeGroup(file, "/" + name))
            groups.push_back("/" + name);
    // The usual one is taken where none is asked for.
    std::stable_partition(groups.begin(), groups.end(),
                          [](const std::string& group) { return group == kExchangeGroup; });
    return groups;
}

bool isExchangeGroup(const Hdf5File& file, const std::string& group) {
    return std::ranges::count(file.stacksIn(group), "data") > 0;
}

bool hasExchangeFrames(const Hdf5File& file) {
    return std::ranges::any_of(kExchangeFields, [&](const char* name) { return file.has(name); });
}

}  // namespace gantry
