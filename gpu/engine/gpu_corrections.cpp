#include "gpu/engine/gpu_corrections.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/fft_length.h"
#include "core/prep/steps/correction_step.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/cufft_library.h"
#include "gpu/engine/gpu_rings.h"
#include "gpu/engine/steps_layout.h"
#include "gpu/kernels/steps/lag.h"

namespace gantry {

namespace {

class GpuZingers final : public GpuCorrection {
  public:
    explicit GpuZingers(const ZingerSpec& spec)
        : m_threshold(static_cast<float>(std::log(spec.ratio))),
          m_half(static_cast<int>(spec.widthPx / 2)) {}

    float* apply(const gpu::ViewBlock& block, float* from, float* other,
                 const gpu::ViewCounters& counters, cudaStream_t stream) override {
        gpu::removeZingers(block, m_threshold, m_half, from, other, counters, stream);
        return other;
    }

  private:
    float m_threshold;
    int m_half;
};

// The images in which phases are retrieved.
struct PhaseLayout {
    gpu::PhaseImages size;
    Index images;  // that are transformed at a time
    Index points;  // of a real image
    Index spectrumPoints;

    // The whole mirror image of a view, as the CPU's cosine transforms have it. Less would not do
    // for a filter that forgets quickly: where it ends at the highest frequency it rings on for
    // long.
    PhaseLayout(const ViewStepsJob& job, Index maxViews) {
        const double factor = phaseFactorMm2(job.phase.spec);
        const SourceInfo& stored = job.stored->stored;
        const auto ofFrequency = [&](int n, double pitchMm) {
            return factor / std::pow(static_cast<double>(n) * pitchMm, 2);
        };
        size.rows = static_cast<int>(2 * fftLength(stored.rows));
        size.columns = static_cast<int>(2 * fftLength(stored.columns));
        size.factorU = ofFrequency(size.columns, job.phase.pitchMm[0]);
        size.factorV = ofFrequency(size.rows, job.phase.pitchMm[1]);
        points = Index{size.rows} * size.columns;
        spectrumPoints = Index{size.rows} * size.frequencies();
        images = std::clamp<Index>(kStepBytes / (2 * points * Index{sizeof(float)}), 1, maxViews);
    }

    [[nodiscard]] Index bytes() const {
        return images * (points + 2 * spectrumPoints + 1) * Index{sizeof(float)} +
               ImageTransforms::bytesNeeded(size.rows, size.columns, images);
    }
};

class GpuPhase final : public GpuCorrection {
  public:
    explicit GpuPhase(const PhaseLayout& layout)
        : m_layout(layout),
          m_transforms(layout.size.rows, layout.size.columns, layout.images),
          m_transmission(layout.images * layout.points),
          m_spectra(layout.images * layout.spectrumPoints),
          m_min(layout.images) {}

    float* apply(const gpu::ViewBlock& block, float* from, float*, const gpu::ViewCounters&,
                 cudaStream_t stream) override {
        const gpu::PhaseImages& size = m_layout.size;
        const Index viewPixels = Index{block.rows} * block.columns;
        for (Index first = 0; first < block.views; first += m_layout.images) {
            gpu::ViewBlock some = block;
            some.views = static_cast<int>(std::min(m_layout.images, block.views - first));
            float* views = from + first * viewPixels;
            gpu::toTransmission(some, size, views, m_transmission.data(), m_min.data(), stream);
            m_transforms.forward(m_transmission.data(), m_spectra.data(), stream);
            gpu::retrievePhase(some.views, size, m_spectra.data(), stream);
            m_transforms.inverse(m_spectra.data(), m_transmission.data(), stream);
            gpu::fromTransmission(some, size, m_transmission.data(), m_min.data(), views, stream);
        }
        return from;
    }

  private:
    PhaseLayout m_layout;
    ImageTransforms m_transforms;
    DeviceBuffer<float> m_transmission;
    DeviceBuffer<float2> m_spectra;
    DeviceBuffer<float> m_min;
};

class GpuLag final : public GpuAllViewsCorrection {
  public:
    explicit GpuLag(const LagModel& lag)
        : m_lag{lag.share, lag.decay, lag.gain, lag.added, LagModel::kMinPart} {}

    void apply(const gpu::Sinograms& sinograms, cudaStream_t stream) override {
        gpu::removeLag(sinograms, m_lag, stream);
        checkLaunch("taking lag off");
    }

  private:
    gpu::Lag m_lag;
};

// The form of a step of single views.
struct GpuForm {
    const CorrectionStep* step;
    std::unique_ptr<GpuCorrection> (*make)(const ViewStepsJob& job, Index maxViews);
    Index (*bytes)(const ViewStepsJob& job, Index maxViews) = [](const ViewStepsJob&, Index) {
        return Index{0};
    };
};
constexpr std::array kForms = {
    GpuForm{.step = &kZingerStep,
            .make = [](const ViewStepsJob& job, Index) -> std::unique_ptr<GpuCorrection> {
                return std::make_unique<GpuZingers>(job.corrections.zingers);
            }},
    GpuForm{.step = &kPhaseStep,
            .make = [](const ViewStepsJob& job, Index maxViews) -> std::unique_ptr<GpuCorrection> {
                return std::make_unique<GpuPhase>(PhaseLayout(job, maxViews));
            },
            .bytes = [](const ViewStepsJob& job,
                        Index maxViews) { return PhaseLayout(job, maxViews).bytes(); }},
};

// The form of a step that sees all views.
struct GpuAllViewsForm {
    const CorrectionStep* step;
    std::unique_ptr<GpuAllViewsCorrection> (*make)(const ViewStepsJob& job, Index maxRows);
    Index (*bytesOfRow)(const ViewStepsJob& job) = [](const ViewStepsJob&) { return Index{0}; };
    bool (*takes)(const ViewStepsJob& job) = [](const ViewStepsJob&) { return true; };
};
constexpr std::array kAllViewsForms = {
    GpuAllViewsForm{
        .step = &kLagStep,
        .make = [](const ViewStepsJob& job, Index) -> std::unique_ptr<GpuAllViewsCorrection> {
            return std::make_unique<GpuLag>(LagModel(job.corrections.lag));
        }},
    GpuAllViewsForm{
        .step = &kRingStep,
        .make = [](const ViewStepsJob& job,
                   Index maxRows) -> std::unique_ptr<GpuAllViewsCorrection> {
            return std::make_unique<GpuRings>(ringsOnPixels(job.corrections),
                                              job.stored->stored.views, job.stored->stored.columns,
                                              maxRows);
        },
        .bytesOfRow =
            [](const ViewStepsJob& job) {
                return GpuRings::bytesOfRow(ringsOnPixels(job.corrections),
                                            job.stored->stored.views, job.stored->stored.columns);
            },
        .takes =
            [](const ViewStepsJob& job) {
                return GpuRings::takes(ringsOnPixels(job.corrections), job.stored->stored.views);
            }},
};

// The rows of a list whose steps the job has, in the order of the steps.
template <class Forms>
auto formsOf(const Forms& list, const ViewStepsJob& job) {
    std::vector<const typename Forms::value_type*> forms;
    for (const CorrectionStep* step : stepsOf(job.corrections))
        for (const auto& form : list)
            if (form.step == step) forms.push_back(&form);
    return forms;
}

}  // namespace

bool haveGpuForms(const ViewStepsJob& job) {
    const auto ofAllViews = formsOf(kAllViewsForms, job);
    const auto needed =
        std::ranges::count_if(stepsOf(job.corrections), [](const CorrectionStep* step) {
            return step->ofAllViews || (step->ofView && step->scope != StepScope::pixel);
        });
    return needed == std::ssize(formsOf(kForms, job)) + std::ssize(ofAllViews) &&
           std::ranges::all_of(ofAllViews, [&](const auto* form) { return form->takes(job); });
}

std::vector<std::unique_ptr<GpuCorrection>> gpuCorrections(const ViewStepsJob& job,
                                                           Index maxViews) {
    std::vector<std::unique_ptr<GpuCorrection>> made;
    for (const GpuForm* form : formsOf(kForms, job))
        made.push_back(form->make(job, maxViews));
    return made;
}

Index gpuCorrectionBytes(const ViewStepsJob& job, Index maxViews) {
    Index bytes = 0;
    for (const GpuForm* form : formsOf(kForms, job))
        bytes += form->bytes(job, maxViews);
    return bytes;
}

std::vector<std::unique_ptr<GpuAllViewsCorrection>> gpuAllViewsCorrections(const ViewStepsJob& job,
                                                                           Index maxRows) {
    std::vector<std::unique_ptr<GpuAllViewsCorrection>> made;
    for (const GpuAllViewsForm* form : formsOf(kAllViewsForms, job))
        made.push_back(form->make(job, maxRows));
    return made;
}

Index gpuAllViewsBytesOfRow(const ViewStepsJob& job) {
    Index bytes = 0;
    for (const GpuAllViewsForm* form : formsOf(kAllViewsForms, job))
        bytes += form->bytesOfRow(job);
    return bytes;
}

}  // namespace gantry
