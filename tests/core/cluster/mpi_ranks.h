#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "core/cluster/mpi/mpi_communicator.h"

namespace gantry::test {

/// MPI starts and ends once a process, so all tests share it. They run with any number of ranks: as
/// one alone, and by mpirun.
class MpiRanks : public testing::Environment {
  public:
    void SetUp() override {
        if (*whyNoMpi() == '\0') communicator = startMpi();
    }
    void TearDown() override {
        const bool haveAllLeft = !communicator || communicator->leave(20);
        EXPECT_TRUE(haveAllLeft);
        communicator.reset();
    }
    static inline std::unique_ptr<Communicator> communicator;
};

class OnMpiRanks : public testing::Test {
  protected:
    void SetUp() override {
        if (!MpiRanks::communicator) GTEST_SKIP() << whyNoMpi();
    }
    Communicator& m_ranks = *MpiRanks::communicator;
};

}  // namespace gantry::test
