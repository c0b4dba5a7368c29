#include "core/io/projection_formats.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/varian/hnd_header.h"
#include "core/io/varian/xim_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// A row depends on the one above, so a view is read from its top row on.
class XimSource : public ProjectionSource {
  public:
    XimSource(const std::vector<fs::path>& files, const OpenOptions& options,
              const ChooseParts& choose)
        : m_options(options) {
        std::vector<XimHeader> found(files.size());
        std::vector<SeriesPart> parts;
        parts.reserve(files.size());
        for (std::size_t i = 0; i < files.size(); ++i) {
            try {
                found[i] = isHndName(files[i]) ? readHndHeader(files[i]) : readXimHeader(files[i]);
                parts.push_back({i, SeriesPart::kWholeFile, 1, found[i].shape});
            } catch (const InputError&) {
                parts.push_back({i, SeriesPart::kWholeFile, 1, {}, std::current_exception()});
            }
        }
        const UsableParts usable = choose(files, parts);
        m_shape = usable.shape;
        for (const std::size_t part : usable.parts)
            m_images.push_back(std::move(found[part]));
        describeAll();
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }

    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        checkRequest(m_shape, m_info.views, view, rows, pixels);
        const IndexRange stored = imageRows(rows, m_shape.rows, m_options.firstRowIsTop);
        const std::vector<std::byte> read =
            readXimRows(m_images[static_cast<std::size_t>(view)], stored.end);
        std::memcpy(pixels.data(), read.data() + (read.size() - pixels.size()), pixels.size());
        putInOrder(pixels, rows.size(), m_shape, m_options);
    }

    [[nodiscard]] std::string viewName(Index view) const override {
        return m_images[static_cast<std::size_t>(view)].path.string();
    }

  private:
    void describeAll() {
        m_info.views = std::ssize(m_images);
        m_info.rows = m_shape.rows;
        m_info.columns = m_shape.columns;
        m_info.pixelType = m_shape.type;
        const bool isOlder = isHndName(m_images.front().path);
        m_info.format = (isOlder ? "Varian .hnd, " : "Varian .xim, ") + describe(m_shape.type);
        for (const XimHeader& image : m_images) {
            m_info.storedBytes += image.fileBytes;
            m_info.isCompressed = m_info.isCompressed || image.isCompressed;
            const auto dose = image.properties.find("KVNormChamber");
            if (dose != image.properties.end()) m_info.monitor.push_back(dose->second);
        }
        if (std::ssize(m_info.monitor) != m_info.views) m_info.monitor.clear();
        m_info.readsRowsAlone = !m_info.isCompressed;
    }

    std::vector<XimHeader> m_images;
    OpenOptions m_options;
    ImageShape m_shape;
    SourceInfo m_info;
};

}  // namespace

ProjectionFormat ximProjections() {
    return {"Varian .xim and .hnd",
            {".xim", ".hnd"},
            {},
            [](const fs::path& file, std::string_view begin) {
                return begin.starts_with("VMS.XI") || isHndName(file);
            },
            openAs<XimSource>};
}

}  // namespace gantry
