#include "core/io/turned_source.h"

#include <cstring>
#include <string>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/base/throw_error.h"
#include "core/io/scratch_pool.h"

namespace gantry {

namespace {

constexpr int kQuarterDeg = 90;
constexpr int kHalfDeg = 180;
constexpr int kThreeQuartersDeg = 270;

// Images turned by a quarter, clockwise or back.
class TurnedSource : public ProjectionSource {
  public:
    TurnedSource(std::unique_ptr<ProjectionSource> stored, bool isClockwise)
        : m_stored(std::move(stored)), m_isClockwise(isClockwise), m_info(m_stored->info()) {
        std::swap(m_info.rows, m_info.columns);
        m_info.readsRowsAlone = false;
        m_info.notes.emplace_back(isClockwise ? "The images are turned clockwise by 90°."
                                              : "The images are turned clockwise by 270°.");
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    [[nodiscard]] std::string viewName(Index view) const override {
        return m_stored->viewName(view);
    }

    // A row is a column of the stored image, so that all of its rows are read.
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        const Index pixelBytes = sizeBytes(m_info.pixelType);
        checkRequest({m_info.columns, m_info.rows, m_info.pixelType}, m_info.views, view, rows,
                     pixels);
        HostBuffer<std::byte> whole = m_whole.take();
        if (whole.count() == 0)
            whole = HostBuffer<std::byte>(m_info.rows * m_info.columns * pixelBytes);
        m_stored->readRows(view, {0, m_info.columns}, whole.span());
        std::byte* to = pixels.data();
        for (Index v = rows.begin; v < rows.end; ++v)
            for (Index u = 0; u < m_info.columns; ++u, to += pixelBytes) {
                const Index storedV = m_isClockwise ? u : m_info.columns - 1 - u;
                const Index storedU = m_isClockwise ? m_info.rows - 1 - v : v;
                std::memcpy(to, whole.data() + (storedV * m_info.rows + storedU) * pixelBytes,
                            static_cast<std::size_t>(pixelBytes));
            }
        m_whole.giveBack(std::move(whole));
    }

  private:
    std::unique_ptr<ProjectionSource> m_stored;
    bool m_isClockwise;
    SourceInfo m_info;
    mutable ScratchPool m_whole;
};

}  // namespace

std::unique_ptr<ProjectionSource> openTurned(const ProjectionFormat& format,
                                             const std::vector<std::filesystem::path>& files,
                                             const OpenOptions& options,
                                             const ChooseParts& choose) {
    OpenOptions stored = options;
    stored.turnDeg = 0;
    if (options.turnDeg == 0) return format.open(files, stored, choose);
    if (options.turnDeg == kHalfDeg) {
        stored.firstRowIsTop = !options.firstRowIsTop;
        stored.isMirrored = !options.isMirrored;
        return format.open(files, stored, choose);
    }
    require(options.turnDeg == kQuarterDeg || options.turnDeg == kThreeQuartersDeg,
            "images were to be turned by no quarter");
    // What becomes a row of the turned image is a column of the stored one.
    stored.firstRowIsTop = !options.isMirrored;
    stored.isMirrored = !options.firstRowIsTop;
    if (stored.bare) std::swap(stored.bare->columns, stored.bare->rows);
    return std::make_unique<TurnedSource>(format.open(files, stored, choose),
                                          options.turnDeg == kQuarterDeg);
}

ImagePlace placeBeforeTurn(ImagePlace turned, Index columns, Index rows, int turnDeg) {
    switch (turnDeg) {
        case kQuarterDeg:
            return {columns - 1 - turned.column, turned.row};
        case kHalfDeg:
            return {rows - 1 - turned.row, columns - 1 - turned.column};
        case kThreeQuartersDeg:
            return {turned.column, rows - 1 - turned.row};
        default:
            return turned;
    }
}

}  // namespace gantry
