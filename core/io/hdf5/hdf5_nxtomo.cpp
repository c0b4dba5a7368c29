#include "core/io/hdf5/hdf5_nxtomo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/median.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/hdf5/hdf5_frame_keys.h"
#include "core/io/hdf5/hdf5_quantities.h"
#include "core/io/length_unit.h"

namespace gantry {

namespace {

// The entries of a file, and those nested in them, as some facilities write.
std::vector<std::string> entriesOf(const Hdf5File& file) {
    constexpr std::size_t kMax = 20'000;
    std::vector<std::string> entries;
    for (const std::string& name : file.groupsIn("/")) {
        if (entries.size() >= kMax) break;
        entries.push_back("/" + name);
        for (const std::string& inner : file.groupsIn("/" + name))
            entries.push_back(fmt::format("/{}/{}", name, inner));
    }
    return entries;
}

class NxTomoReader {
  public:
    NxTomoReader(const Hdf5File& file, std::string entry)
        : m_file(file), m_entry(std::move(entry)) {}

    [[nodiscard]] Hdf5Tomography read();

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
    void sortFrames();
    void readAngles();
    void readPixels();
    void readPlacement();
    bool readAxis(const std::string& dataset);
    void quoteTransformations();
    void readTranslations();
    void readMonitor();
    void readBadPixels();
    [[nodiscard]] std::string anglesDataset() const;
    [[nodiscard]] std::optional<std::vector<double>> ofProjections(
        const std::string& dataset) const;
    [[nodiscard]] std::optional<bool> flag(const char* name) const;

    const Hdf5File& m_file;
    std::string m_entry;
    std::string m_instrument;
    std::string m_detector;
    std::string m_sample;
    ImageShape m_shape;
    Index m_frames = 0;
    bool m_hasKeys = false;
    std::vector<Index> m_projections;  // their numbers among all frames
    Hdf5Tomography m_scan;
};

void NxTomoReader::sortFrames() {
    const std::string data = m_detector + "/data";
    const Hdf5Images images(m_file, data);
    m_shape = images.shape();
    m_frames = images.images();
    std::string keysName = m_detector + "/image_key";
    if (!m_file.has(keysName)) keysName += "_control";
    const std::optional<std::vector<FrameKey>> keys = frameKeys(m_file, keysName, data, m_frames);
    m_hasKeys = keys.has_value();
    const auto add = [](Hdf5Frames& frames, Index frame, Index before) {
        frames.numbers.push_back(frame);
        frames.projectionsBefore.push_back(before);
    };
    for (Index i = 0; i < m_frames; ++i) {
        const FrameKey key = keys ? (*keys)[i] : FrameKey::projection;
        if (key == FrameKey::projection)
            m_projections.push_back(i);
        else if (key == FrameKey::flat)
            add(m_scan.flat, i, std::ssize(m_projections));
        else if (key == FrameKey::dark)
            add(m_scan.dark, i, std::ssize(m_projections));
    }
    m_scan.projections.numbers = m_projections;
    for (Hdf5Frames* frames : {&m_scan.projections, &m_scan.dark, &m_scan.flat})
        if (!frames->numbers.empty()) frames->dataset = data;
    m_scan.whyNoProjections = fmt::format("none of {} is 0", keysName);
}

// The projections' values of a dataset that has one value for each frame or each projection;
// nothing if it is missing or has another length.
std::optional<std::vector<double>> NxTomoReader::ofProjections(const std::string& dataset) const {
    std::optional<Hdf5Numbers> found = m_file.numbers(dataset, kMaxHdf5Frames);
    if (!found) return std::nullopt;
    std::vector<double>& all = found->values;
    if (all.size() == m_projections.size()) return std::move(all);
    if (std::ssize(all) != m_frames) return std::nullopt;
    std::vector<double> selected;
    for (const Index frame : m_projections)
        selected.push_back(all[frame]);
    return selected;
}

// Angles have one place in NXtomo. In others they are taken where their number fits.
std::string NxTomoReader::anglesDataset() const {
    std::string usual = m_sample + "/rotation_angle";
    if (m_file.has(usual)) return usual;
    for (std::string other : {m_entry + "/data/rotation_angle", m_detector + "/rotation_angle",
                              m_sample + "/theta", m_entry + "/rotation_angle", m_entry + "/theta"})
        if (ofProjections(other)) return other;
    return usual;
}

void NxTomoReader::readAngles() {
    const std::string dataset = anglesDataset();
    StoredAngles angles = storedAngles(m_file, dataset);
    if (angles.deg.empty()) return;
    const auto count = std::ssize(angles.deg);
    if (count != m_frames && count != std::ssize(m_projections))
        throwErrorOf<FileError>(
            m_file.path(),
            "contradicts itself: {} has {} values, {} has {} images, of which {} are projections",
            dataset.substr(m_entry.size() + 1), count, m_scan.projections.dataset, m_frames,
            m_projections.size());
    if (count != std::ssize(m_projections)) {
        std::vector<double> selected;
        for (const Index frame : m_projections)
            selected.push_back(angles.deg[frame]);
        angles.deg = std::move(selected);
    }
    ProjectionAngles usable = projectionAngles(m_file, dataset, std::move(angles));
    m_scan.stated.anglesDeg = std::move(usable.deg);
    m_scan.stated.angleDoubt = std::move(usable.doubt);
}

void NxTomoReader::readPixels() {
    StatedGeometry& stated = m_scan.stated;
    takePixelSize(m_file, m_detector + "/x_pixel_size", m_detector + "/y_pixel_size", stated);
    stated.objectToDetectorMm = lengthMm(m_file, m_detector + "/distance");
    stated.sourceToObjectMm =
        lengthMm(m_file, part(m_instrument, "source", "NXsource") + "/distance");
}

std::optional<bool> NxTomoReader::flag(const char* name) const {
    const std::string dataset = fmt::format("{}/{}", m_detector, name);
    if (const std::optional<Hdf5Numbers> found = m_file.numbers(dataset, kMaxHdf5Frames))
        return found->values.front() != 0;
    const std::string text = inLowerCase(trimmed(m_file.text(dataset)));
    if (text == "true" || text == "yes" || text == "1") return true;
    if (text == "false" || text == "no" || text == "0") return false;
    return std::nullopt;
}

// Where the axis is, and how images are turned: fields of NXtomo as the ESRF writes it.
void NxTomoReader::readPlacement() {
    StatedGeometry& stated = m_scan.stated;
    for (const char* name : {"x_rotation_axis_pixel_position", "estimated_cor_from_motor"})
        if (readAxis(fmt::format("{}/{}", m_detector, name))) break;
    const std::string height = m_detector + "/y_rotation_axis_pixel_position";
    if (const auto found = m_file.numbers(height, kMaxHdf5Frames);
        found && found->values.front() != 0)
        stated.remarks.push_back(
            {"detector.offsetMm[1]",
             fmt::format("{} states {:g}; it only moves the volume along the axis of a parallel "
                         "beam, and is not used",
                         height, found->values.front()),
             false});
    stated.isHalfField = inLowerCase(trimmed(m_file.text(m_detector + "/field_of_view"))) == "half";
    stated.isMirrored = flag("x_flipped");
    if (const std::optional<bool> isUpsideDown = flag("y_flipped"))
        stated.firstRowIsTop = !*isUpsideDown;
    if (!stated.isMirrored && !stated.firstRowIsTop) quoteTransformations();
}

// Later versions of NXtomo state flips as half turns of the detector about one of its axes, which
// have changed their meaning.
void NxTomoReader::quoteTransformations() {
    constexpr double kNone = 1e-4;
    const std::string group = m_detector + "/transformations";
    for (const std::string& name : m_file.datasetsIn(group)) {
        const std::string dataset = fmt::format("{}/{}", group, name);
        if (inLowerCase(m_file.attribute(dataset, "transformation_type")) != "rotation") continue;
        const std::optional<Hdf5Numbers> found = m_file.numbers(dataset, kMaxHdf5Frames);
        if (!found) continue;
        const bool isRadian = inLowerCase(trimmed(found->units)).starts_with("rad");
        const double turn = isRadian ? 2 * std::numbers::pi : 360;
        const auto turned = std::ranges::find_if(found->values, [&](double angle) {
            return std::abs(std::remainder(angle, turn)) > kNone * turn;
        });
        if (turned == found->values.end()) continue;
        m_scan.stated.remarks.push_back(
            {"detector.mirrored",
             fmt::format("{} states that the detector is turned by {:g}° about ({:g}), which is "
                         "not used: half a turn flips the images. Check detector.mirrored and "
                         "detector.firstRow",
                         dataset, *turned / turn * 360,
                         fmt::join(m_file.attributeNumbers(dataset, "vector"), ", ")),
             true});
    }
}

// One number, or one a frame or a projection, of which most should be the same.
// @returns whether the axis is stated there
bool NxTomoReader::readAxis(const std::string& dataset) {
    constexpr double kSameColumn = 0.5;
    const std::optional<Hdf5Numbers> found = m_file.numbers(dataset, kMaxHdf5Frames);
    if (!found) return false;
    std::vector<double> values = ofProjections(dataset).value_or(found->values);
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty()) return false;
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    const std::optional<double> unitMm = mmOf(found->units);
    const double apart = *max - *min;
    const double columns = !found->units.empty() && unitMm && m_scan.stated.pitchMm
                               ? apart * *unitMm / (*m_scan.stated.pitchMm)[0]
                               : apart;
    if (columns > kSameColumn)
        m_scan.stated.remarks.push_back(
            {"detector.offsetMm[0]",
             fmt::format("{} has {} values, from {:g} to {:g}: the axis moves on the detector, and "
                         "their median is taken for all views",
                         dataset, values.size(), *min, *max),
             true});
    m_scan.stated.axis = StatedAxis{medianOf(std::move(values)), found->units, dataset};
    return true;
}

void NxTomoReader::readTranslations() {
    for (const char* name : {"x_translation", "y_translation", "z_translation"}) {
        const std::string dataset = fmt::format("{}/{}", m_sample, name);
        const std::optional<std::vector<double>> found = ofProjections(dataset);
        if (!found) continue;
        const bool isAcross = name[0] == 'x';
        addTranslation(m_file, dataset, *found, isAcross ? 0 : 1, m_scan.stated);
    }
}

void NxTomoReader::readMonitor() {
    const std::string dataset = part(m_entry, "control", "NXmonitor") + "/data";
    if (dataset.starts_with(m_detector) || !m_file.has(dataset)) return;
    const std::optional<Hdf5Numbers> found = m_file.numbers(dataset, kMaxHdf5Frames);
    if (!found || found->values.size() < 2) return;
    if (std::ssize(found->values) != m_frames) {
        m_scan.stated.remarks.push_back(
            {"projections.flat",
             fmt::format("A beam monitor, {}, is not used: it has {} values, where there are {} "
                         "frames with the dark and flat ones",
                         dataset, found->values.size(), m_frames),
             true});
        return;
    }
    for (Hdf5Frames* frames : {&m_scan.projections, &m_scan.flat})
        for (const Index frame : frames->numbers)
            frames->monitor.push_back(found->values[frame]);
    addMonitor(dataset, m_scan);
}

// By NeXus, a pixel of which any bit is set is not usable.
void NxTomoReader::readBadPixels() {
    const std::string dataset = m_detector + "/pixel_mask";
    if (!m_file.has(dataset)) return;
    std::string whyNot;
    try {
        const Hdf5Images mask(m_file, dataset);
        const ImageShape& shape = mask.shape();
        if (mask.images() == 1 && shape.rows == m_shape.rows && shape.columns == m_shape.columns) {
            m_scan.badPixels.dataset = dataset;
            return;
        }
        whyNot = fmt::format("it has {} × {} pixels{}, and the detector has {} × {}", shape.columns,
                             shape.rows,
                             mask.images() == 1 ? "" : fmt::format(" {} times", mask.images()),
                             m_shape.columns, m_shape.rows);
    } catch (const FileError& error) {
        whyNot = "the file " + error.fault();
    }
    m_scan.stated.remarks.push_back(
        {"projections.badPixels",
         fmt::format("A mask of bad pixels, {}, is not used: {}", dataset, whyNot), true});
}

Hdf5Tomography NxTomoReader::read() {
    m_scan.layout = "NXtomo";
    StatedGeometry& stated = m_scan.stated;
    stated.where = fmt::format("the entry {}", m_entry);
    stated.wouldTellSource = true;
    m_instrument = part(m_entry, "instrument", "NXinstrument");
    m_detector = part(m_instrument, "detector", "NXdetector");
    m_sample = part(m_entry, "sample", "NXsample");
    sortFrames();
    readAngles();
    readPixels();
    readPlacement();
    readTranslations();
    readMonitor();
    readBadPixels();
    quoteScaling(m_file, m_scan);
    // Nothing says what the frames are.
    m_scan.isOfAnyKind = !m_hasKeys && stated.anglesDeg.empty() && stated.angleDoubt.empty();
    return std::move(m_scan);
}

}  // namespace

bool isNxTomo(const Hdf5File& file, const std::string& entry) {
    return file.text(entry + "/definition") == "NXtomo" ||
           file.has(entry + "/instrument/detector/image_key");
}

std::optional<std::string> nxTomoEntry(const Hdf5File& file) {
    const std::string preferred = "/" + file.attribute("/", "default");
    if (preferred != "/" && file.has(preferred) && isNxTomo(file, preferred)) return preferred;
    for (const std::string& entry : entriesOf(file))
        if (isNxTomo(file, entry)) return entry;
    return std::nullopt;
}

std::vector<std::string> nxTomoEntries(const Hdf5File& file) {
    constexpr std::size_t kMaxLookedAt = 2000;
    const std::optional<std::string> first = nxTomoEntry(file);
    if (!first) return {};
    std::vector<std::string> all = entriesOf(file);
    all.resize(std::min(all.size(), kMaxLookedAt));
    std::vector<std::string> entries = {*first};
    for (const std::string& entry : all) {
        const std::string data = "/instrument/detector/data";
        if (entry != *first && isNxTomo(file, entry) && !file.areSame(entry + data, *first + data))
            entries.push_back(entry);
    }
    return entries;
}

Hdf5Tomography readNxTomo(const Hdf5File& file, const std::string& entry) {
    return NxTomoReader(file, entry).read();
}

}  // namespace gantry
