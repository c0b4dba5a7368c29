#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/field_table.h"
#include "core/plan/job_spec.h"

namespace gantry {

// Groups of the options of a job: FDK and what it may use; iterative methods; the views'
// corrections and the volume's file; how ranks share the work; how the job is run.
inline constexpr std::string_view kMethodOptions = "method";
inline constexpr std::string_view kIterativeOptions = "iterative";
inline constexpr std::string_view kOutputOptions = "output";
inline constexpr std::string_view kSharingOptions = "sharing";
inline constexpr std::string_view kRunOptions = "run";

/// The engines as files and commands name them, in the order of Engine.
inline constexpr FieldWord kEngineWords[] = {
    {"auto", "Automatic",
     "The graphics cards (GPU) where there are any, else the processor (CPU)."},
    {"cpu", "CPU"},
    {"gpu", "GPU"}};
/// Those of EngineKind and of an answered FilterOn.
inline constexpr std::string_view kCpuWord = kEngineWords[1].word;
inline constexpr std::string_view kGpuWord = kEngineWords[2].word;

/// The fields of a job.json but its scan and its volume, as they are written.
/// Tests: tests/core/job/job_directory_test.cpp
[[nodiscard]] std::span<const FileField<JobSpec>> jobFields();

/// The words of the command line that ask for a job's method and limits, as far as they are not the
/// usual ones: {"--window", "hann"}.
/// Tests: tests/app/field_options_test.cpp
[[nodiscard]] std::vector<std::string> methodWords(const JobSpec& spec);

}  // namespace gantry
