#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/job_plan.h"

namespace gantry {

/// The purpose of measuring: to run a job well, or also to predict its duration.
enum class Purpose { run, forecast };

/// What has to be measured next for a job's plan, beyond what is known: first the kernels of its
/// devices, then what depends on them. Empty: planJob() and forecast() have all they need.
/// @throws as planJob()
/// Tests: tests/core/plan/questions_test.cpp
[[nodiscard]] std::vector<Question> questions(const PlanInputs& inputs, Purpose purpose,
                                              const std::optional<FinishedSlabs>& finished = {});

/// Asks for the kernel of a GPU, for a job that may use `together` GPUs.
[[nodiscard]] Question gpuKernelQuestion(const PlanInputs& inputs, int device, Index together);
/// Asks for the kernel of the CPU, for a plan on it.
[[nodiscard]] Question cpuKernelQuestion(const JobPlan& plan);
/// Asks for the rates of copying and filtering of the plan's device `index`.
[[nodiscard]] Question deviceQuestion(const PlanInputs& inputs, const JobPlan& plan, Index index);
[[nodiscard]] Question hostQuestion(const PlanInputs& inputs, const JobPlan& plan);
[[nodiscard]] Question storageQuestion(const PlanInputs& inputs, const JobPlan& plan);
/// The properties of a volume, in words, by which a disk's sustained rate differs from a short
/// measurement.
[[nodiscard]] std::string storageKind(const PlanInputs& inputs, const JobPlan& plan);

/// The job on which a question about a device is measured.
[[nodiscard]] DeviceJob trialJobOf(const Acquisition& acquisition,
                                   const ReconstructionRequest& request, const Question& question);

}  // namespace gantry
