#include "core/io/hdf5/hdf5_tomography.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/file_error.h"
#include "core/io/hdf5/hdf5_volume_header.h"

namespace gantry {
namespace {

// More frames than any scan has.
constexpr Index kMaxFrames = 10'000'000;

[[noreturn]] void refuseUnit(const Hdf5File& file, const std::string& dataset,
                             const std::string& unit, const char* known) {
    throw FileError(file.path(), fmt::format("is not understood: {} is in \"{}\"; it must be in {}",
                                             dataset, unit, known));
}

double inMm(const Hdf5File& file, const std::string& dataset, const std::string& unit) {
    constexpr std::array<std::pair<std::string_view, double>, 16> kUnits = {{{"", 1e3},
                                                                             {"m", 1e3},
                                                                             {"meter", 1e3},
                                                                             {"metre", 1e3},
                                                                             {"meters", 1e3},
                                                                             {"cm", 10},
                                                                             {"mm", 1},
                                                                             {"millimeter", 1},
                                                                             {"um", 1e-3},
                                                                             {"µm", 1e-3},
                                                                             {"μm", 1e-3},
                                                                             {"micron", 1e-3},
                                                                             {"microns", 1e-3},
                                                                             {"micrometer", 1e-3},
                                                                             {"nm", 1e-6},
                                                                             {"nanometer", 1e-6}}};
    const std::string name = inLowerCase(trimmed(unit));
    for (const auto& [known, mm] : kUnits)
        if (name == known) return mm;
    refuseUnit(file, dataset, unit, "m, cm, mm, um or nm");
}

double inDegrees(const Hdf5File& file, const std::string& dataset, const std::string& unit) {
    const std::string name = inLowerCase(trimmed(unit));
    if (name.empty() || name == "°" || name.starts_with("deg")) return 1;
    if (name.starts_with("rad")) return 180 / std::numbers::pi;
    refuseUnit(file, dataset, unit, "deg or rad");
}

// A length in mm from the file; nothing if it is missing or not usable.
std::optional<double> lengthMm(const Hdf5File& file, const std::string& dataset) {
    const std::optional<Hdf5Numbers> found = file.numbers(dataset, kMaxFrames);
    if (!found) return std::nullopt;
    const double value = std::abs(found->values.front());
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    return value * inMm(file, dataset, found->units);
}

std::vector<double> anglesDeg(const Hdf5File& file, const std::string& dataset) {
    std::optional<Hdf5Numbers> found = file.numbers(dataset, kMaxFrames);
    if (!found) return {};
    const double factor = inDegrees(file, dataset, found->units);
    for (double& angle : found->values) {
        angle *= factor;
        if (!std::isfinite(angle))
            throw FileError(file.path(),
                            fmt::format("is damaged: {} holds what is no number", dataset));
    }
    return std::move(found->values);
}

// Counts the images of a dataset, which is open only meanwhile.
Index countImages(const Hdf5File& file, const Hdf5Frames& frames) {
    return Hdf5Images(file, frames.dataset, frames.order).images();
}

class NxTomoReader {
  public:
    NxTomoReader(const Hdf5File& file, std::string entry)
        : m_file(file), m_entry(std::move(entry)) {}

    [[nodiscard]] Hdf5Tomography read() const;

  private:
    // A group by its usual name, or by its class if there is none of that name.
    [[nodiscard]] std::string part(const std::string& group, const char* name,
                                   const char* nxClass) const {
        std::string usual = fmt::format("{}/{}", group, name);
        if (m_file.has(usual)) return usual;
        for (const std::string& child : m_file.groupsIn(group)) {
            std::string other = fmt::format("{}/{}", group, child);
            if (m_file.attribute(other, "NX_class") == nxClass) return other;
        }
        return usual;
    }
    void sortFrames(const std::string& detector, const std::vector<double>& allAnglesDeg,
                    Hdf5Tomography& scan) const;

    const Hdf5File& m_file;
    std::string m_entry;
};

void NxTomoReader::sortFrames(const std::string& detector, const std::vector<double>& allAnglesDeg,
                              Hdf5Tomography& scan) const {
    const Index frames = countImages(m_file, scan.projections);
    const std::string keysName = detector + "/image_key";
    const std::optional<Hdf5Numbers> keys = m_file.numbers(keysName, kMaxFrames);
    const auto checkCount = [&](const std::string& name, std::size_t count) {
        if (static_cast<Index>(count) != frames)
            throw FileError(m_file.path(),
                            fmt::format("contradicts itself: {} has {} values, {} has {} images",
                                        name, count, scan.projections.dataset, frames));
    };
    if (keys) checkCount(keysName, keys->values.size());
    if (!allAnglesDeg.empty()) checkCount("sample/rotation_angle", allAnglesDeg.size());
    for (Index i = 0; i < frames; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double key = keys ? keys->values[at] : 0;
        if (key == 0) {
            scan.projections.numbers.push_back(i);
            if (!allAnglesDeg.empty()) scan.stated.anglesDeg.push_back(allAnglesDeg[at]);
        } else if (key == 1) {
            scan.flat.numbers.push_back(i);
        } else if (key == 2) {
            scan.dark.numbers.push_back(i);
        } else if (key != 3 && key != -1) {
            throw FileError(m_file.path(), fmt::format("is damaged: {} holds {} for image {}; keys "
                                                       "are 0, 1, 2, 3 and -1",
                                                       keysName, key, i + 1));
        }
    }
    if (scan.projections.numbers.empty())
        throw FileError(m_file.path(),
                        fmt::format("holds no projections: none of {} is 0", keysName));
    if (!scan.flat.numbers.empty()) scan.flat.dataset = scan.projections.dataset;
    if (!scan.dark.numbers.empty()) scan.dark.dataset = scan.projections.dataset;
}

Hdf5Tomography NxTomoReader::read() const {
    Hdf5Tomography scan;
    scan.layout = "NXtomo";
    scan.stated.where = fmt::format("the entry {}", m_entry);
    scan.stated.wouldTellSource = true;
    const std::string instrument = part(m_entry, "instrument", "NXinstrument");
    const std::string detector = part(instrument, "detector", "NXdetector");
    const std::string sample = part(m_entry, "sample", "NXsample");
    scan.projections.dataset = detector + "/data";
    sortFrames(detector, anglesDeg(m_file, sample + "/rotation_angle"), scan);
    const std::optional<double> across = lengthMm(m_file, detector + "/x_pixel_size");
    const std::optional<double> up = lengthMm(m_file, detector + "/y_pixel_size");
    if (across) scan.stated.pitchMm = {*across, up.value_or(*across)};
    scan.stated.objectToDetectorMm = lengthMm(m_file, detector + "/distance");
    scan.stated.sourceToObjectMm =
        lengthMm(m_file, part(instrument, "source", "NXsource") + "/distance");
    return scan;
}

// The entries of a file, and those nested in them, as some facilities write.
std::vector<std::string> entriesOf(const Hdf5File& file) {
    std::vector<std::string> entries;
    for (const std::string& name : file.groupsIn("/")) {
        entries.push_back("/" + name);
        for (const std::string& inner : file.groupsIn("/" + name))
            entries.push_back(fmt::format("/{}/{}", name, inner));
    }
    return entries;
}

std::optional<std::string> nxTomoEntry(const Hdf5File& file) {
    const auto isTomo = [&](const std::string& entry) {
        return file.text(entry + "/definition") == "NXtomo" ||
               file.has(entry + "/instrument/detector/image_key");
    };
    const std::string preferred = "/" + file.attribute("/", "default");
    if (preferred != "/" && file.has(preferred) && isTomo(preferred)) return preferred;
    for (const std::string& entry : entriesOf(file))
        if (isTomo(entry)) return entry;
    return std::nullopt;
}

Hdf5Frames exchangeFrames(const Hdf5File& file, const char* dataset) {
    if (!file.has(dataset)) return {};
    const std::string axes = inLowerCase(file.attribute(dataset, "axes"));
    const bool isSinograms = axes.starts_with("y:theta") || axes.starts_with("y:\"theta");
    return {dataset, {}, isSinograms ? Hdf5Images::Order::sinograms : Hdf5Images::Order::images};
}

// By dxfile.readthedocs.io, lengths are in m and angles in degrees if no unit is given.
Hdf5Tomography readExchange(const Hdf5File& file) {
    Hdf5Tomography scan;
    scan.layout = "Data Exchange";
    scan.stated.where = "the group /exchange";
    scan.stated.wouldTellSource = true;
    scan.projections = exchangeFrames(file, "/exchange/data");
    scan.dark = exchangeFrames(file, "/exchange/data_dark");
    scan.flat = exchangeFrames(file, "/exchange/data_white");
    const Index frames = countImages(file, scan.projections);
    scan.stated.anglesDeg = anglesDeg(file, "/exchange/theta");
    if (scan.stated.anglesDeg.empty())
        scan.stated.arcDeg = 180;
    else if (std::ssize(scan.stated.anglesDeg) != frames)
        throw FileError(file.path(),
                        fmt::format("contradicts itself: /exchange/theta has {} values, "
                                    "/exchange/data has {} images",
                                    scan.stated.anglesDeg.size(), frames));
    const std::string instrument = "/measurement/instrument/detector";
    const std::optional<double> across = lengthMm(file, instrument + "/pixel_size_x");
    const std::optional<double> up = lengthMm(file, instrument + "/pixel_size_y");
    if (across) scan.stated.pitchMm = {*across, up.value_or(*across)};
    scan.stated.objectToDetectorMm = lengthMm(file, instrument + "/distance");
    return scan;
}

}  // namespace

const Hdf5Frames& Hdf5Tomography::frames(FrameKind kind) const {
    switch (kind) {
        case FrameKind::projections:
            return projections;
        case FrameKind::dark:
            return dark;
        case FrameKind::flat:
            return flat;
    }
    throw InternalError("a kind of frames without a place");
}

bool holdsTomography(const Hdf5File& file) {
    if (nxTomoEntry(file)) return true;
    constexpr std::array kOfScans = {"/exchange/theta", "/exchange/data_white",
                                     "/exchange/data_dark"};
    return file.has("/exchange/data") &&
           std::ranges::any_of(kOfScans, [&](const char* name) { return file.has(name); });
}

Hdf5Tomography readTomography(const Hdf5File& file) {
    Hdf5Tomography scan;
    if (const std::optional<std::string> entry = nxTomoEntry(file))
        scan = NxTomoReader(file, *entry).read();
    else if (!file.attribute("/exchange/data", kHdf5Description).empty())
        throw FileError(file.path(), "holds a reconstructed volume, not the projections of a scan");
    else if (file.has("/exchange/data"))
        scan = readExchange(file);
    else
        throw FileError(file.path(),
                        "is an HDF5 file without a tomographic scan that Gantry knows: it has "
                        "neither an entry whose definition is NXtomo nor a dataset /exchange/data");
    scan.stated.hasDark = !scan.dark.dataset.empty();
    scan.stated.hasFlat = !scan.flat.dataset.empty();
    return scan;
}

}  // namespace gantry
