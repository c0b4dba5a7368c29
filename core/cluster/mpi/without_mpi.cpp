#include "core/base/error.h"
#include "core/cluster/mpi/mpi_communicator.h"

namespace gantry {

bool isStartedByMpi() {
    return false;
}

std::unique_ptr<Communicator> startMpi(const StartLimit& /*limit*/) {
    throw ResourceError(whyNoMpi());
}

const char* whyNoMpi() {
    return "This build of Gantry has no MPI, so it runs as one process. Install Open MPI's "
           "development files (libopenmpi-dev) and build it again.";
}

std::vector<const char*> variablesForRoot() {
    return {};
}

}  // namespace gantry
