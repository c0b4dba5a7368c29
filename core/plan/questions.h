#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/job_plan.h"

namespace gantry {

/// What is to be known: enough to run a job well, or also to predict its seconds.
enum class Purpose { run, forecast };

/// What has to be measured next for a job's plan, beyond what is known: first which kernels its
/// devices take, then what depends on that. None left: planJob() and forecast() have all they need.
/// @throws as planJob()
/// Tests: tests/core/plan/questions_test.cpp
[[nodiscard]] std::vector<Question> questions(const PlanInputs& inputs, Purpose purpose,
                                              const std::optional<FinishedSlabs>& finished = {});

/// The kernel of a GPU, for a job whose GPUs may be `together`.
[[nodiscard]] Question gpuKernelQuestion(const PlanInputs& inputs, int device, Index together);
/// The kernel of the CPU, for a plan on it.
[[nodiscard]] Question cpuKernelQuestion(const JobPlan& plan);
/// What the plan's device number `index` copies and filters.
[[nodiscard]] Question deviceQuestion(const PlanInputs& inputs, const JobPlan& plan, Index index);
[[nodiscard]] Question hostQuestion(const PlanInputs& inputs, const JobPlan& plan);
[[nodiscard]] Question storageQuestion(const PlanInputs& inputs, const JobPlan& plan);
/// In words, of what a disk may store more or less a second than a short measurement tells.
[[nodiscard]] std::string storageKind(const PlanInputs& inputs, const JobPlan& plan);

/// The job on which a question about a device is measured.
[[nodiscard]] DeviceJob trialJobOf(const Acquisition& acquisition,
                                   const ReconstructionRequest& request, const Question& question);

}  // namespace gantry
