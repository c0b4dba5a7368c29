#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/open_source.h"
#include "core/io/scan_file/scan_file.h"
#include "tests/support/hdf5_writer.h"

namespace gantry::test {

/// The counts of frames as they are stored, one after the other.
inline std::vector<std::uint16_t> countsOf(const ProjectionSource& source) {
    const SourceInfo& info = source.info();
    std::vector<std::uint16_t> counts(
        static_cast<std::size_t>(info.views * info.rows * info.columns));
    const auto perView = static_cast<std::size_t>(info.rows * info.columns);
    for (Index view = 0; view < info.views; ++view)
        source.readRows(view, {0, info.rows},
                        std::as_writable_bytes(std::span(counts).subspan(
                            static_cast<std::size_t>(view) * perView, perView)));
    return counts;
}

/// The tooth among the samples as other programs store such scans; row 0 is the lowest, as
/// countsOf() has them.
class ToothFiles {
  public:
    /// samples: the folder with the tooth's
    explicit ToothFiles(const std::filesystem::path& samples)
        : m_projections(framesIn(samples / "tooth/proj")),
          m_dark(framesIn(samples / "tooth/dark")),
          m_flat(framesIn(samples / "tooth/flat")) {
        for (int i = 0; i < 181; ++i)
            m_anglesDeg.push_back(i * 180.0 / 181);
    }

    void writeNxTomo(const std::filesystem::path& path) const {
        std::vector<std::uint16_t> all = m_dark;
        std::vector<double> keys(m_dark.size() / 1280, 2);
        all.insert(all.end(), m_projections.begin(), m_projections.end());
        keys.resize(keys.size() + 181, 0);
        all.insert(all.end(), m_flat.begin(), m_flat.end());
        keys.resize(keys.size() + m_flat.size() / 1280, 1);
        std::vector<double> angles(keys.size(), 0.0);
        std::copy(m_anglesDeg.begin(), m_anglesDeg.end(),
                  angles.begin() + static_cast<std::ptrdiff_t>(m_dark.size() / 1280));
        Hdf5Writer file(path);
        file.text("/entry/definition", "NXtomo");
        writeFrames(file, "/entry/instrument/detector/data", all);
        file.numbers("/entry/instrument/detector/image_key", keys);
        file.numbers("/entry/instrument/detector/x_pixel_size", {10e-6}, "m");
        file.numbers("/entry/sample/rotation_angle", angles, "degree");
    }
    void writeExchange(const std::filesystem::path& path) const {
        Hdf5Writer file(path);
        writeFrames(file, "/exchange/data", m_projections);
        writeFrames(file, "/exchange/data_white", m_flat);
        writeFrames(file, "/exchange/data_dark", m_dark);
        file.numbers("/exchange/theta", m_anglesDeg, "deg");
        file.numbers("/measurement/instrument/detector/pixel_size_x", {10}, "um");
    }

    [[nodiscard]] const std::vector<std::uint16_t>& projections() const { return m_projections; }

  private:
    static std::vector<std::uint16_t> framesIn(const std::filesystem::path& folder) {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        return countsOf(*openSource(files, {}));
    }
    static void writeFrames(Hdf5Writer& file, const std::string& name,
                            const std::vector<std::uint16_t>& counts) {
        file.images(name, PixelType::uint16, {counts.size() / (2 * 640), 2, 640},
                    std::as_bytes(std::span(counts)), {.chunk = {8, 1, 640}, .gzip = 3});
    }

    std::vector<std::uint16_t> m_projections;
    std::vector<std::uint16_t> m_dark;
    std::vector<std::uint16_t> m_flat;
    std::vector<double> m_anglesDeg;
};

}  // namespace gantry::test
