#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/io/memory_source.h"
#include "core/io/volume/memory_sink.h"
#include "core/phantom/analytic_projector.h"
#include "core/plan/filter_rows.h"
#include "core/recon/reconstruct.h"
#include "core/scan/corrected_scan.h"
#include "core/scan/dead_rows.h"
#include "core/scan/inspect/find_extension.h"
#include "core/scan/inspect/picture_checks.h"
#include "tests/support/cpu_backends.h"

namespace gantry::test {

/// A body of 0.020 /mm with three balls in it, off the axis: of 0.040, 0.000 and 0.050 /mm.
inline Phantom bodyAndBalls() {
    return {"body and balls",
            {sphere({0, 0, 0}, 20, 0.02), sphere({8, 3, 2}, 4, 0.02), sphere({-6, 9, -3}, 3, -0.02),
             sphere({2, -11, 5}, 3, 0.03)}};
}

/// Means, 1/mm, inside the body and the balls.
struct BodyLevels {
    double body = 0;
    double ball = 0;
    double hole = 0;
    double bright = 0;
};

/// Dark frames of 100 counts and flat ones of 50,100, without bad pixels.
inline std::shared_ptr<DetectorCalibration> evenFlat(const ScanGeometry& geometry) {
    auto calibration = std::make_shared<DetectorCalibration>();
    const Index pixels = geometry.detector.rows * geometry.detector.columns;
    calibration->rows = geometry.detector.rows;
    calibration->columns = geometry.detector.columns;
    calibration->dark = HostBuffer<float>(pixels);
    calibration->flat = HostBuffer<float>(pixels);
    calibration->bad = HostBuffer<unsigned char>(pixels);
    std::ranges::fill(calibration->dark.span(), 100.0F);
    std::ranges::fill(calibration->flat.span(), 50100.0F);
    std::ranges::fill(calibration->bad.span(), static_cast<unsigned char>(0));
    return calibration;
}

/// Whether a problem has these words.
inline bool tells(const std::vector<std::string>& problems, const std::string& words) {
    return std::ranges::any_of(problems, [&](const std::string& problem) {
        return problem.find(words) != std::string::npos;
    });
}

inline std::string joined(const std::vector<std::string>& problems) {
    std::string all;
    for (const std::string& problem : problems)
        all += problem + "\n";
    return all;
}

/// A scan whose views are in memory: opened, reconstructed and measured as a user would.
class BodyScan {
  public:
    /// Line integrals of the object. fine: rays a pixel along u and v, whose transmissions are
    /// averaged as a detector does, or one that bins its pixels
    explicit BodyScan(const ScanGeometry& geometry, const Phantom& object = bodyAndBalls(),
                      Index fine = 1)
        : m_geometry(geometry),
          m_pixels(static_cast<std::size_t>(geometry.views() * geometry.detector.rows *
                                            geometry.detector.columns)) {
        Detector detector = geometry.detector;
        detector.columns *= fine;
        detector.rows *= fine;
        std::vector<float> rays(static_cast<std::size_t>(detector.columns * detector.rows));
        for (Index s = 0; s < geometry.views(); ++s) {
            ViewPose pose = viewPose(geometry, s);
            pose.uStepMm = (1.0 / static_cast<double>(fine)) * pose.uStepMm;
            pose.vStepMm = (1.0 / static_cast<double>(fine)) * pose.vStepMm;
            projectPhantom(object, pose, detector, {0, detector.rows}, rays);
            averageTo(s, rays, fine);
        }
    }

    [[nodiscard]] Span3<float> views() {
        return {m_pixels.data(), m_geometry.views(), m_geometry.detector.rows,
                m_geometry.detector.columns};
    }
    /// Makes counts of the line integrals, as `calibration` converts them back.
    void toCounts(std::shared_ptr<const DetectorCalibration> calibration) {
        m_calibration = std::move(calibration);
        m_kind = ProjectionKind::counts;
        const Index pixels = m_calibration->rows * m_calibration->columns;
        for (Index i = 0; i < std::ssize(m_pixels); ++i) {
            const float dark = m_calibration->dark[i % pixels];
            float& value = m_pixels[static_cast<std::size_t>(i)];
            value = dark + (m_calibration->flat[i % pixels] - dark) * std::exp(-value);
        }
    }
    /// Without the views of these numbers.
    void leaveOut(std::vector<Index> leftOut) { m_leftOut = std::move(leftOut); }

    /// With these corrections when it is reconstructed.
    void correct(Corrections corrections) { m_corrections = std::move(corrections); }

    [[nodiscard]] OpenScan open() const {
        const Span3<const float> views(m_pixels.data(), m_geometry.views(),
                                       m_geometry.detector.rows, m_geometry.detector.columns);
        JobSpec job;
        job.scan.geometry = m_geometry;
        const FilterRows rows = filterRowsOf(job, machine());
        const OpenScan scan = openScan(m_geometry, std::make_shared<MemorySource>(views), m_kind,
                                       m_calibration, rows);
        return m_leftOut.empty() ? scan : withGeometry(scan, m_geometry, m_leftOut);
    }

    /// All that a user is told of the scan, one sentence each.
    [[nodiscard]] std::vector<std::string> problems() const {
        std::vector<std::string> sentences;
        for (const Problem& problem : validate(m_geometry))
            sentences.push_back(problem.field + ": " + problem.message);
        const OpenScan scan = corrected(extended(), m_corrections.measured(), kThreadsOfBody);
        for (const Problem& problem : checkPictures(scan, kThreadsOfBody, {}))
            sentences.push_back(problem.field + ": " + problem.message);
        for (const std::string& note : deadRowsNotes(scan, grid()))
            sentences.push_back(note);
        for (const std::string& note : deadColumnsNotes(scan))
            sentences.push_back(note);
        if (scan.redundancy.cover.missing()) sentences.push_back(scan.redundancy.reason);
        return sentences;
    }

    /// 64 × 64 × 24 voxels of 0.7 mm about all balls.
    [[nodiscard]] static VolumeGrid grid() { return {{64, 64, 24}, {0.7, 0.7, 0.7}, {0, 0, 1}}; }

    [[nodiscard]] std::vector<float> volume() const {
        ReconstructionRequest request;
        request.volume = grid();
        request.threads = kThreadsOfBody;
        const Backends all = backends();
        const OpenScan scan =
            extendedAndCorrected(open(), m_corrections, kThreadsOfBody, std::stop_token());
        std::vector<float> voxels(static_cast<std::size_t>(request.volume.count()));
        MemorySink sink({voxels.data(), 24, 64, 64});
        (void)reconstruct(scan, request, planned(scan, request, all), all, sink, {}, {});
        sink.finish();
        return voxels;
    }

    [[nodiscard]] BodyLevels levels() const {
        const std::vector<float> voxels = volume();
        return {meanWithin(voxels, {-9, -5, -1}, 3), meanWithin(voxels, {8, 3, 2}, 2.5),
                meanWithin(voxels, {-6, 9, -3}, 1.8), meanWithin(voxels, {2, -11, 5}, 1.8)};
    }

    /// The mean of the voxels with their centres in a ball.
    [[nodiscard]] static double meanWithin(const std::vector<float>& voxels, Vec3 center,
                                           double radiusMm) {
        const VolumeGrid voxelGrid = grid();
        double sum = 0;
        Index count = 0;
        for (Index z = 0; z < 24; ++z)
            for (Index y = 0; y < 64; ++y)
                for (Index x = 0; x < 64; ++x) {
                    const Vec3 at = voxelGrid.positionMm(
                        static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
                    if (length(at - center) >= radiusMm) continue;
                    sum += static_cast<double>(
                        voxels[static_cast<std::size_t>((z * 64 + y) * 64 + x)]);
                    ++count;
                }
        return sum / static_cast<double>(count);
    }

  private:
    static constexpr int kThreadsOfBody = 2;

    // With its rows continued where the object passes the detector's edges, as a job does.
    [[nodiscard]] OpenScan extended() const {
        const OpenScan stored = open();
        return withExtension(stored, findExtension(stored, m_corrections, kThreadsOfBody, {}));
    }

    void averageTo(Index view, const std::vector<float>& rays, Index fine) {
        const Index nU = m_geometry.detector.columns;
        const Index nV = m_geometry.detector.rows;
        float* pixels = views().row(view, 0);
        if (fine == 1) {
            std::copy(rays.begin(), rays.end(), pixels);
            return;
        }
        for (Index v = 0; v < nV; ++v)
            for (Index u = 0; u < nU; ++u) {
                double sum = 0;
                for (Index i = 0; i < fine * fine; ++i)
                    sum += std::exp(-static_cast<double>(rays[static_cast<std::size_t>(
                        (v * fine + i / fine) * nU * fine + u * fine + i % fine)]));
                pixels[v * nU + u] =
                    static_cast<float>(-std::log(sum / static_cast<double>(fine * fine)));
            }
    }

    ScanGeometry m_geometry;
    std::vector<float> m_pixels;  ///< [s][v][u]
    ProjectionKind m_kind = ProjectionKind::attenuation;
    std::shared_ptr<const DetectorCalibration> m_calibration;
    std::vector<Index> m_leftOut;
    Corrections m_corrections;
};

}  // namespace gantry::test
