#include "core/simulate/project_volume.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"
#include "core/base/written_place.h"
#include "core/geometry/check/validate.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/tiff/tiff_file.h"
#include "core/io/volume/attenuation_slices.h"
#include "core/project/projection_plan.h"
#include "core/simulate/simulation_folder.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kViewsAtOnce = 8;  // between which it can stop
const char* const kSeries = "proj";

class VolumeScanMaker {
  public:
    VolumeScanMaker(const VolumeProjectionSpec& spec, const SimulationContext& context)
        : m_spec(spec),
          m_context(context),
          m_detector(spec.geometry.detector),
          m_volume(openStoredVolume(spec.volume)),
          m_projector(spec.makeProjector(projectedViews(spec.geometry), context.threads)),
          m_plan(planProjection(*m_projector, projectedViews(spec.geometry), m_volume.grid,
                                3 * Index{context.threads}, spec.memoryBytes,
                                spec.deviceMemoryBytes)) {}

    [[nodiscard]] const ProjectionPlan& plan() const { return m_plan; }

    void make(const fs::path& folder) {
        const Index nP = m_spec.geometry.views();
        requireRoomForScan(folder, nP * viewPixels() * Index{sizeof(float)});
        makeFolder(folder / kSeries);
        HostBuffer<float> integrals(m_plan.batchViews * viewPixels());
        for (Index first = 0; first < nP; first += m_plan.batchViews) {
            const IndexRange views = {first, std::min(first + m_plan.batchViews, nP)};
            const Span3<float> batch(integrals.data(), views.size(), m_detector.rows,
                                     m_detector.columns);
            std::fill_n(batch.data(), batch.count(), 0.0F);
            projectBatch(views, batch);
            if (m_spec.change) m_spec.change(views, batch);
            write(folder, views, batch);
        }
        writeDescription(folder);
    }

  private:
    [[nodiscard]] Index viewPixels() const { return m_detector.rows * m_detector.columns; }

    void projectBatch(IndexRange views, Span3<float> batch) {
        const Index slices = m_volume.grid.voxels[2];
        for (Index z = 0; z < slices; z += m_plan.slabSlices) {
            const IndexRange slab = {z, std::min(z + m_plan.slabSlices, slices)};
            if (slab != m_loaded) load(slab);
            for (Index s = 0; s < views.size(); s += kViewsAtOnce) {
                const IndexRange some = {s, std::min(s + kViewsAtOnce, views.size())};
                m_projector->project({views.begin + some.begin, views.begin + some.end},
                                     batch.slices(some), m_context.stop);
                m_done += some.size() * slab.size();
                if (m_context.onProgress)
                    m_context.onProgress(static_cast<double>(m_done) /
                                         static_cast<double>(m_spec.geometry.views() * slices));
            }
        }
    }

    void load(IndexRange slab) {
        m_projector->begin(m_volume.grid, slab);
        readAttenuation(
            m_volume, slab, kReadSlices, m_context.stop,
            [&](IndexRange some, Span3<const float> voxels) { m_projector->set(some, voxels); });
        m_loaded = slab;
    }

    // Files have the top row first.
    void write(const fs::path& folder, IndexRange views, Span3<const float> batch) const {
        TiffPage page;
        page.columns = m_detector.columns;
        page.rows = m_detector.rows;
        page.type = PixelType::float32;
        page.pitchMm = m_detector.pitchMm;
        page.deflate = m_spec.deflate;
        parallelFor(
            m_context.threads, views.size(), 1,
            [&](Index begin, Index end, int) {
                std::vector<float> flipped(static_cast<std::size_t>(viewPixels()));
                for (Index s = begin; s < end; ++s) {
                    for (Index v = 0; v < page.rows; ++v)
                        std::copy_n(batch.row(s, page.rows - 1 - v), page.columns,
                                    flipped.data() + v * page.columns);
                    TiffWriter writer(
                        imageOfSeries(folder, kSeries, views.begin + s, m_spec.geometry.views()),
                        TiffWriter::Mode::classic);
                    writer.write(page, std::as_bytes(std::span(flipped)));
                    writer.close();
                }
            },
            m_context.stop);
    }

    void writeDescription(const fs::path& folder) const {
        ScanFile scan;
        scan.folder = folder;
        scan.path = folder / "scan.json";
        scan.name = m_spec.name;
        scan.geometry = m_spec.geometry;
        scan.projections.kind = ProjectionKind::attenuation;
        scan.projections.files = std::string(kSeries) + "/*.tif";
        scan.projections.skipViews = m_spec.skipViews;
        writeFileAtomically(scan.path, toJson(scan));
        const nlohmann::ordered_json record = {
            {"gantryProjection", 1},
            {"volume", fs::absolute(m_spec.volume).string()},
            {"scan", fs::absolute(m_spec.scan).string()},
            {"views", m_spec.changedInto.empty() ? "line integrals" : m_spec.changedInto}};
        writeFileAtomically(folder / kProjectionFileName, shownJson(record) + "\n");
    }

    const VolumeProjectionSpec& m_spec;
    const SimulationContext& m_context;
    const Detector& m_detector;
    StoredVolume m_volume;
    std::unique_ptr<Projector> m_projector;
    ProjectionPlan m_plan;
    IndexRange m_loaded;
    Index m_done = 0;  // views · slices
};

}  // namespace

VolumeProjectionResult projectVolume(const VolumeProjectionSpec& spec, const fs::path& folder,
                                     bool replace, const SimulationContext& context) {
    throwOnError(validate(spec.geometry), "project");
    VolumeScanMaker maker(spec, context);
    VolumeProjectionResult result;
    makeScanFolder(folder, replace, [&](const fs::path& part) {
        maker.make(part);
        result = {folder / "scan.json", bytesInFolder(part), maker.plan().slabSlices,
                  maker.plan().bytes};
    });
    return result;
}

}  // namespace gantry
