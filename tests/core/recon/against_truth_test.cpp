#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry/vec3.h"
#include "core/io/memory_source.h"
#include "core/io/volume/memory_sink.h"
#include "core/prep/mirrored_index.h"
#include "core/recon/reconstruct.h"
#include "core/scan/inspect/find_extension.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

// Each correction against the simulator's truth: weak, medium and strong faults, and the volume of
// the same scan without them.
namespace gantry {
namespace {

using Change = std::function<void(SimulationSpec&)>;

constexpr Vec3 kBodyMm = {6, -4, 0};

// A cylinder of 0.02 /mm with rods, beside the axis, which is two columns off the middle of a
// detector with odd sizes; more than ten columns on either side show air.
SimulationSpec smallScanner() {
    SimulationSpec spec = test::smallScan(151, 95, 31, 85.5);
    spec.geometry.cone().sourceToIsocenterMm = 300;
    spec.geometry.cone().sourceToDetectorMm = 450;
    spec.geometry.detector.offsetMm = {1.8, -0.9};
    spec.phantom = {"cylinders", {.scaleMm = 20, .centerMm = kBodyMm, .density = 0.02}};
    spec.layout = SimulationSpec::Layout::multiPage;
    spec.fieldFrames = 1;
    spec.flatCounts = 40000;
    return spec;
}

constexpr Corrections kNone = {.truncation = {TruncationMethod::none}};
constexpr double kEverywhere = std::numeric_limits<double>::infinity();

// 60 × 60 × 5 voxels.
class Slices {
  public:
    static constexpr Index kAcross = 60;
    static constexpr Index kHigh = 5;
    static constexpr double kVoxelMm = 0.75;

    explicit Slices(const OpenScan& opened, const Corrections& corrections = kNone)
        : m_voxels(kHigh * kAcross * kAcross) {
        ReconstructionRequest request;
        request.volume = {{kAcross, kAcross, kHigh}, {kVoxelMm, kVoxelMm, kVoxelMm}, {0, 0, 0}};
        request.threads = test::kThreads;
        const Backends all = test::backends();
        const OpenScan scan = extendedAndCorrected(opened, corrections, test::kThreads, {});
        MemorySink sink({m_voxels.data(), kHigh, kAcross, kAcross});
        (void)reconstruct(scan, request, test::planned(scan, request, all), all, sink, {}, {});
        sink.finish();
    }
    explicit Slices(const ScanFile& scan, const Corrections& corrections = kNone)
        : Slices(openScan(scan), corrections) {}

    // Root mean square of the difference, 1/mm, within a radius about the axis.
    [[nodiscard]] double differenceTo(const Slices& truth, double radiusMm = kEverywhere) const {
        return std::sqrt(mean({0, 0, 0}, radiusMm, [&](std::size_t i) {
            return std::pow(
                static_cast<double>(m_voxels[i]) - static_cast<double>(truth.m_voxels[i]), 2);
        }));
    }
    // By how much the mean differs over the whole body of the truth, as a part of it.
    [[nodiscard]] double bodyChangeFrom(const Slices& truth) const {
        double own = 0;
        double right = 0;
        for (std::size_t i = 0; i < m_voxels.size(); ++i)
            if (truth.m_voxels[i] > 0.01f) {
                own += static_cast<double>(m_voxels[i]);
                right += static_cast<double>(truth.m_voxels[i]);
            }
        return own / right - 1;
    }
    // The same for a part of the body between its rods.
    [[nodiscard]] double insideChangeFrom(const Slices& truth) const {
        const Vec3 between = kBodyMm + Vec3{4.4, -4, 0};
        const auto level = [&](const Slices& slices) {
            return slices.mean(between, 1.6, [&](std::size_t i) {
                return static_cast<double>(slices.m_voxels[i]);
            });
        };
        return level(*this) / level(truth) - 1;
    }

  private:
    // The mean of what `value` gives for the voxels in an upright cylinder.
    [[nodiscard]] double mean(Vec3 center, double radiusMm,
                              const std::function<double(std::size_t)>& value) const {
        const auto mm = [](Index i) {
            return (static_cast<double>(i) - (kAcross - 1) / 2.0) * kVoxelMm;
        };
        double sum = 0;
        double count = 0;
        for (Index i = 0; i < std::ssize(m_voxels); ++i) {
            if (std::hypot(mm(i % kAcross) - center.x, mm(i / kAcross % kAcross) - center.y) >
                radiusMm)
                continue;
            sum += value(static_cast<std::size_t>(i));
            ++count;
        }
        return sum / count;
    }

    std::vector<float> m_voxels;
};

class AgainstTruth : public testing::Test {
  protected:
    [[nodiscard]] ScanFile scanWith(const Change& change = [](SimulationSpec&) {}) {
        SimulationSpec spec = m_clean;
        change(spec);
        return test::simulated(spec, m_folder / std::to_string(++m_scans));
    }

    // A correction leaves at most these parts of the errors that faults make; the body's level in
    // the scan without faults changes by at most `maxBodyChange`.
    void expectUndone(const std::array<Change, 3>& faults, const Corrections& corrections,
                      const std::array<double, 3>& maxLeft, double maxBodyChange = 0.001) {
        const ScanFile cleanScan = scanWith();
        const Slices truth(cleanScan);
        for (std::size_t i = 0; i < faults.size(); ++i) {
            const ScanFile scan = scanWith(faults[i]);
            expectLess(Slices(scan, corrections), Slices(scan), truth, maxLeft[i]);
        }
        const Slices needless(cleanScan, corrections);
        const double change = needless.bodyChangeFrom(truth);
        EXPECT_LE(std::abs(change), maxBodyChange);
        note("needless",
             fmt::format("{:+.4f} % of the body, {:+.4f} % inside, {:.2g} /mm", 100 * change,
                         100 * needless.insideChangeFrom(truth), needless.differenceTo(truth)));
    }
    void expectLess(const Slices& with, const Slices& without, const Slices& truth, double maxLeft,
                    double radiusMm = kEverywhere) {
        const double left = with.differenceTo(truth, radiusMm);
        const double all = without.differenceTo(truth, radiusMm);
        EXPECT_LE(left, maxLeft * all);
        note("left", fmt::format("{:.2g} of {:.2g} /mm, {:.4f}", left, all, left / all));
    }
    // The figures, which --gtest_output=xml writes.
    void note(const char* name, const std::string& figures) {
        RecordProperty(fmt::format("{}{}", name, ++m_notes), figures);
    }

    SimulationSpec m_clean = smallScanner();

  private:
    test::TemporaryFolder m_folder;
    int m_scans = 0;
    int m_notes = 0;
};

Change zingers(Index number, double counts) {
    return [=](SimulationSpec& spec) {
        spec.faults.zingers = number;
        spec.faults.zingerCounts = counts;
    };
}

Change stripes(Index number, double share) {
    return [=](SimulationSpec& spec) {
        spec.faults.stripes = number;
        spec.faults.stripeShare = share;
    };
}

Change modules(std::array<Index, 2> number, double share) {
    return [=](SimulationSpec& spec) {
        spec.faults.modules = number;
        spec.faults.moduleShare = share;
    };
}

Change beam(double first, double last) {
    return [=](SimulationSpec& spec) { spec.flux = {first, last}; };
}

Change cut(Index left, Index right) {
    return [=](SimulationSpec& spec) {
        Detector& detector = spec.geometry.detector;
        detector.columns -= left + right;
        detector.offsetMm[0] += 0.5 * static_cast<double>(left - right) * detector.pitchMm[0];
    };
}

// What stays: the median around a zinger is not the value that it hides.
TEST_F(AgainstTruth, Zingers) {
    Corrections corrections = kNone;
    corrections.zingers.ratio = 1.2;
    expectUndone({zingers(150, 15000), zingers(1500, 30000), zingers(6000, 60000)}, corrections,
                 {0.02, 0.02, 0.02});
}

// A detector of 95 columns shows the object's own edges as narrow as stripes, and either method
// takes some of these: 3e-4 /mm, root mean square, in a scan without stripes. That is half of what
// the weak stripes make, so that only the others go for the larger part.
constexpr std::array<double, 3> kMaxOfStripes = {0.8, 0.5, 0.25};

TEST_F(AgainstTruth, RingsBySorting) {
    Corrections corrections = kNone;
    corrections.rings = {.method = RingMethod::sorting, .widthPx = 5};
    expectUndone({stripes(5, 0.03), stripes(9, 0.06), stripes(15, 0.15)}, corrections,
                 kMaxOfStripes);
}

// With the scales and the slowness of stripes that are one column wide and never change. With more
// of both, a body as small as this one loses its level: 1.5 % by three scales and two cycles.
TEST_F(AgainstTruth, RingsByWavelets) {
    Corrections corrections = kNone;
    corrections.rings = {.method = RingMethod::wavelets, .levels = 2, .dampCycles = 0.3};
    expectUndone({stripes(5, 0.03), stripes(9, 0.06), stripes(15, 0.15)}, corrections,
                 kMaxOfStripes);
}

// What stays is the rounding of counts.
TEST_F(AgainstTruth, BeamByTheAirBesideTheObject) {
    Corrections corrections = kNone;
    corrections.flux.method = FluxMethod::air;
    expectUndone({beam(1, 0.98), beam(0.9, 0.8), beam(0.6, 0.3)}, corrections, {0.03, 0.01, 0.01});
}

// Steps say nothing of what all modules are off by together, which the air does. What stays is how
// well steps are known beside upright rods, which look alike in all rows.
TEST_F(AgainstTruth, ModulesThatStep) {
    Corrections corrections = kNone;
    corrections.modules.method = ModuleMethod::fit;
    corrections.flux.method = FluxMethod::air;
    Detector& detector = m_clean.geometry.detector;
    detector.columns = 189;
    detector.rows = 61;
    detector.pitchMm = {0.45, 0.45};
    for (const std::array<Index, 2> number : {std::array<Index, 2>{2, 2}, {4, 1}})
        expectUndone({modules(number, 0.02), modules(number, 0.05), modules(number, 0.1)},
                     corrections, {0.3, 0.15, 0.1});
}

// Each strength is taken off by its own numbers, which are also given to the scan without lag: the
// more they say, the more they take from it. What stays is the rounding of counts.
TEST_F(AgainstTruth, LagOfTheDetector) {
    const ScanFile cleanScan = scanWith();
    const Slices truth(cleanScan);
    struct Case {
        LagSpec lag;
        double maxLeft;
        double maxBodyChange;
    };
    for (const auto& [lag, maxLeft, maxBodyChange] :
         {Case{{0.005, 1}, 0.15, 0.001}, {{0.02, 3}, 0.03, 0.001}, {{0.08, 10}, 0.01, 0.02}}) {
        Corrections corrections = kNone;
        corrections.lag = lag;
        const LagFault fault = {lag.share, lag.views};
        const ScanFile scan = scanWith([&](SimulationSpec& spec) { spec.faults.lag = fault; });
        expectLess(Slices(scan, corrections), Slices(scan), truth, maxLeft);
        const Slices needless(cleanScan, corrections);
        EXPECT_LE(std::abs(needless.bodyChangeFrom(truth)), maxBodyChange);
        EXPECT_LE(std::abs(needless.insideChangeFrom(truth)), maxBodyChange);
    }
}

// Flat frames from after the scan, too, against those from before it alone; drift leaves the
// rounding of counts.
TEST_F(AgainstTruth, FlatFieldsThatChange) {
    const Slices truth(scanWith());
    for (const double drift : {0.02, 0.1, -0.4}) {
        ScanFile scan = scanWith([&](SimulationSpec& spec) { spec.faults.flatDrift = drift; });
        const Slices with(scan);
        scan.projections.flatAfter.clear();
        expectLess(with, Slices(scan), truth, 0.05);
    }
}

// The same beam, of which only the flat frames before the scan are known. A plane in the logarithm
// is not quite one in the beam: by 0.4 % in the middle where it tilts by 10 %.
TEST_F(AgainstTruth, ABeamThatTiltsByAPlane) {
    const Slices truth(scanWith());
    Corrections corrections = kNone;
    corrections.flux.method = FluxMethod::plane;
    for (const double drift : {0.02, -0.05, 0.1}) {
        ScanFile scan = scanWith([&](SimulationSpec& spec) { spec.faults.flatDrift = drift; });
        scan.projections.flatAfter.clear();
        expectLess(Slices(scan, corrections), Slices(scan), truth, 0.15);
    }
    const Slices plane(scanWith(), corrections);
    EXPECT_LT(std::abs(plane.bodyChangeFrom(truth)), 1e-3);
}

// Within 0.93 of the field of view that is left, beyond which a rim of some percent begins. The
// object passes either edge in some views or in all, and is continued as of one material, while its
// rods have others.
TEST_F(AgainstTruth, RowsOfACutDetector) {
    m_clean.phantom.placement = {.scaleMm = 27, .centerMm = {3, -2, 0}, .density = 0.02};
    const ScanFile whole = scanWith();
    const Slices truth(whole);
    struct Case {
        Index left;
        Index right;
        double maxLeft;
    };
    for (const auto& [left, right, maxLeft] :
         {Case{14, 18, 0.2}, Case{22, 26, 0.4}, Case{31, 35, 0.15}}) {
        const ScanFile scan = scanWith(cut(left, right));
        // Columns of 0.6 mm at the axis, which is two off the middle.
        const double fieldMm =
            0.6 * std::min(45.5 - static_cast<double>(left), 49.5 - static_cast<double>(right));
        expectLess(Slices(scan, Corrections()), Slices(scan), truth, maxLeft, 0.93 * fieldMm);
    }
    // A whole detector's rows stay as they are, to the bit.
    EXPECT_EQ(Slices(whole, Corrections()).differenceTo(truth), 0);
}

// Views whose transmissions are a weighted sum of those of the pixels around, mirrored at the ends.
HostBuffer<float> weighted(const HostBuffer<float>& from, const Detector& detector,
                           const std::vector<std::vector<double>>& weights) {
    HostBuffer<float> to(from.count());
    const Index half = std::ssize(weights) / 2;
    for (Index i = 0; i < from.count(); ++i) {
        const Index u = i % detector.columns;
        const Index v = i / detector.columns % detector.rows;
        const float* const view = from.data() + (i - v * detector.columns - u);
        double sum = 0;
        for (Index y = -half; y <= half; ++y)
            for (Index x = -half; x <= half; ++x)
                if (const double weight = weights[y + half][x + half]; weight != 0) {
                    const Index pixel = mirroredIndex(v + y, detector.rows) * detector.columns +
                                        mirroredIndex(u + x, detector.columns);
                    sum += weight * std::exp(-static_cast<double>(view[pixel]));
                }
        to[i] = static_cast<float>(-std::log(sum));
    }
    return to;
}

// A binomial of nine pixels, of a standard deviation of 1.4 pixels, as a focal spot blurs.
std::vector<std::vector<double>> blur() {
    constexpr double kRow[] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
    std::vector<std::vector<double>> square;
    for (const double y : kRow) {
        square.emplace_back();
        for (const double x : kRow)
            square.back().push_back(x * y / 65536);
    }
    return square;
}

// Fringes by the transport of intensity, I = T - reach^2 * Laplacian of T (Paganin et al. 2002,
// equation 8), with differences of neighbours for the derivatives, which are some percent less than
// those. Phase retrieval of a scan without fringes blurs it, and the logarithm of a blurred
// transmission is another level: 0.1, 0.6 and 2.8 % inside the body, so that it cannot keep 0.1 %.
TEST_F(AgainstTruth, PhaseOfABlurredObject) {
    m_clean.kind = ProjectionKind::attenuation;
    const ScanFile file = scanWith();
    const Detector& detector = file.geometry.detector;
    const auto slicesOf = [&](const HostBuffer<float>& views, const Corrections& corrections) {
        const Span3<const float> all(views.data(), file.geometry.views(), detector.rows,
                                     detector.columns);
        return Slices(openScan(file.geometry, std::make_shared<MemorySource>(all)), corrections);
    };
    const HostBuffer<float> blurred =
        weighted(test::readAll(*openScan(file).source), detector, blur());
    const Slices truth = slicesOf(blurred, kNone);
    for (const auto& [reachPx, maxInside] :
         {std::pair{0.5, 0.002}, std::pair{1.0, 0.01}, std::pair{2.0, 0.04}}) {
        // reach^2 = distance * (delta / beta) * wavelength / (4 pi), at 5 keV, magnified 1.5 times,
        // of pixels of 0.6 mm.
        const double square = reachPx * reachPx;
        Corrections corrections = kNone;
        corrections.phase = {
            .energyKeV = 5,
            .distanceMm = 1000,
            .deltaOverBeta = square * 0.36 * 4 * kPi / (1000 / 1.5 * 1.239841984e-6 / 5)};
        const HostBuffer<float> fringed =
            weighted(blurred, detector,
                     {{0, -square, 0}, {-square, 1 + 4 * square, -square}, {0, -square, 0}});
        expectLess(slicesOf(fringed, corrections), slicesOf(fringed, kNone), truth, 0.1);
        const Slices needless = slicesOf(blurred, corrections);
        EXPECT_NEAR(needless.insideChangeFrom(truth), 0, maxInside);
        note("needless", fmt::format("{:+.4f} % of the body, {:+.4f} % inside",
                                     100 * needless.bodyChangeFrom(truth),
                                     100 * needless.insideChangeFrom(truth)));
    }
}

}  // namespace
}  // namespace gantry
