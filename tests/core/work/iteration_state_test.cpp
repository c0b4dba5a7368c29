#include "core/work/iteration_state.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "core/recon/iterative_run.h"
#include "core/scan/corrected_scan.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

class IterationStateTest : public testing::Test {
  protected:
    IterationStateTest()
        : m_spec(test::jobOf(test::simulated(test::smallScan(13, 33, 21, 300), m_folder / "scan"),
                             15, m_folder / "v.mha")) {
        m_spec.method.method = Method::cgls;
        settleMethod(m_spec);
        m_job.emplace(JobDirectory::create(jobFolderFor(m_spec.output.path), m_spec));
        m_scan = openScan(m_spec.scan);
        m_plan = test::planned(*m_scan, m_spec, m_backends);
    }
    [[nodiscard]] IterativeRun newRun() const {
        return {*m_scan, m_spec, m_plan, m_backends, m_observer};
    }
    [[nodiscard]] std::vector<float> volumeOf(IterativeRun& run) const {
        std::vector<float> volume(static_cast<std::size_t>(m_spec.volume.count()));
        const auto [nX, nY, nZ] = m_spec.volume.voxels;
        run.read(0, {volume.data(), nZ, nY, nX});
        return volume;
    }

    test::TemporaryFolder m_folder;
    JobSpec m_spec;
    Backends m_backends = test::backends();
    std::optional<JobDirectory> m_job;
    std::optional<OpenScan> m_scan;
    JobPlan m_plan;
    RunObserver m_observer;
};

TEST_F(IterationStateTest, ARunResumesToTheBitAndDamageIsTold) {
    EXPECT_FALSE(readIterationState(*m_job));
    IterativeRun run = newRun();
    (void)run.start({});
    for (int i = 0; i < 3; ++i)
        run.step({});
    EXPECT_EQ(writeIterationState(*m_job,
                                  {.iteration = 3, .slabSlices = 2, .inputs = "as they are"}, run),
              "");
    for (int i = 0; i < 2; ++i)
        run.step({});

    const std::optional<IterationState> state = readIterationState(*m_job);
    ASSERT_TRUE(state);
    EXPECT_EQ(state->iteration, 3);
    EXPECT_EQ(state->slabSlices, 2);
    EXPECT_EQ(state->inputs, "as they are");
    IterativeRun again = newRun();
    again.resume({state->file, state->vectorsAt, state->numbers, state->iteration}, {});
    EXPECT_EQ(again.report().iteration, 3);
    for (int i = 0; i < 2; ++i)
        again.step({});
    EXPECT_EQ(volumeOf(again), volumeOf(run));

    const std::filesystem::path file = m_job->file(kIterationState);
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    EXPECT_ERROR((void)readIterationState(*m_job), InputError, "iterations.bin is damaged");
    std::ofstream(file) << "no line";
    EXPECT_ERROR((void)readIterationState(*m_job), InputError, "iterations.bin is damaged");
}

}  // namespace
}  // namespace gantry
