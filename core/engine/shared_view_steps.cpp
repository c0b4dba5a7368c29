#include "core/engine/shared_view_steps.h"

#include <functional>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

class SharedViewSteps final : public ViewSteps {
  public:
    SharedViewSteps(std::vector<std::unique_ptr<ViewSteps>> devices, Index views)
        : m_devices(std::move(devices)), m_deviceOf(static_cast<std::size_t>(views)) {}

    void begin(std::span<const StepRows> blocks, const RowCounts& counts) override {
        for (const auto& device : m_devices)
            device->begin(blocks, counts);
    }

    void correct(IndexRange views, std::span<const std::span<const std::byte>> pixels,
                 const std::stop_token& stop) override {
        for (Index d = 0; d < std::ssize(m_devices); ++d)
            for (Index s = partOf(views, d).begin; s < partOf(views, d).end; ++s)
                m_deviceOf[static_cast<std::size_t>(s)] = static_cast<std::size_t>(d);
        forParts(views, [&](ViewSteps& device, IndexRange part) {
            std::vector<std::span<const std::byte>> own;
            for (const std::span<const std::byte> block : pixels) {
                const std::size_t viewBytes = block.size() / static_cast<std::size_t>(views.size());
                own.push_back(
                    block.subspan(static_cast<std::size_t>(part.begin - views.begin) * viewBytes,
                                  static_cast<std::size_t>(part.size()) * viewBytes));
            }
            device.correct(part, own, stop);
        });
    }

    void correctAllViews(const std::stop_token&) override {
        throw InternalError("no device holds all views of those that share them");
    }

    void correctAllViews(Span3<float> views, IndexRange rows,
                         const std::stop_token& stop) override {
        forDevices([&](Index d) {
            if (const IndexRange part = partOf(rows, d); !part.empty())
                m_devices[static_cast<std::size_t>(d)]->correctAllViews(views, part, stop);
        });
    }

    void read(IndexRange views, IndexRange rows, Span3<float> out) override {
        forParts(views, [&](ViewSteps& device, IndexRange part) {
            device.read(part, rows, out.slices({part.begin - views.begin, part.end - views.begin}));
        });
    }

    void resample(IndexRange views, std::size_t block, IndexRange rows, float* out,
                  Index viewStride) override {
        forParts(views, [&](ViewSteps& device, IndexRange part) {
            device.resample(part, block, rows, out + (part.begin - views.begin) * viewStride,
                            viewStride);
        });
    }

    InvalidPixels invalidIn(IndexRange views, Index count) override {
        InvalidPixels all;
        for (const auto& [device, part] : partsOf(views))
            all += m_devices[device]->invalidIn(part, count);
        return all;
    }

  private:
    struct Part {
        std::size_t device;
        IndexRange views;
    };

    // A device's part of views that come together, or of rows.
    [[nodiscard]] IndexRange partOf(IndexRange all, Index device) const {
        const auto count = std::ssize(m_devices);
        return {all.begin + device * all.size() / count,
                all.begin + (device + 1) * all.size() / count};
    }

    // Neighbouring views that the same device has.
    [[nodiscard]] std::vector<Part> partsOf(IndexRange views) const {
        std::vector<Part> parts;
        for (Index s = views.begin; s < views.end; ++s) {
            const std::size_t device = m_deviceOf[static_cast<std::size_t>(s)];
            if (parts.empty() || parts.back().device != device) parts.push_back({device, {s, s}});
            parts.back().views.end = s + 1;
        }
        return parts;
    }

    void forParts(IndexRange views,
                  const std::function<void(ViewSteps& device, IndexRange part)>& body) {
        std::vector<std::vector<IndexRange>> ofDevices(m_devices.size());
        for (const auto& [device, part] : partsOf(views))
            ofDevices[device].push_back(part);
        forDevices([&](Index d) {
            for (const IndexRange part : ofDevices[static_cast<std::size_t>(d)])
                body(*m_devices[static_cast<std::size_t>(d)], part);
        });
    }

    // Calls it for all devices, each in a thread, which do little but wait.
    void forDevices(const std::function<void(Index device)>& body) const {
        const auto count = std::ssize(m_devices);
        parallelFor(static_cast<int>(count), count, 1, [&](Index begin, Index end, int) {
            for (Index d = begin; d < end; ++d)
                body(d);
        });
    }

    std::vector<std::unique_ptr<ViewSteps>> m_devices;
    std::vector<std::size_t> m_deviceOf;  ///< [view] which device corrected it last
};

}  // namespace

std::unique_ptr<ViewSteps> sharedViewSteps(std::vector<std::unique_ptr<ViewSteps>> devices,
                                           Index views) {
    if (devices.size() == 1) return std::move(devices.front());
    return std::make_unique<SharedViewSteps>(std::move(devices), views);
}

}  // namespace gantry
