#pragma once

#include "app/cli/command_line.h"

namespace gantry {

void addCommands(Command program);

// One file each.
void addView(Command program);
void addSimulate(Command program);
void addInspect(Command program);
void addAlign(Command program);
void addCalibrate(Command program);
void addDoctor(Command program);
void addPlan(Command program);
void addMeasure(Command program);
void addLive(Command program);
void addMontage(Command program);
void addReconstruct(Command program);
void addWorker(Command program);
void addHosts(Command program);
void addJobs(Command program);  // jobs, fetch, cancel, resume
void addCompare(Command program);
void addPyramid(Command program);
void addProject(Command program);
void addDensity(Command program);
void addVerify(Command program);
void addTimeline(Command program);
void addGeometry(Command program);
void addDevices(Command program);
void addBench(Command program);
// Below `bench`.
void addBenchJobs(Command bench);
void addBenchKernels(Command bench);
void addBenchPreview(Command bench);
void addBenchProjector(Command bench);
void addBenchRanks(Command bench);

}  // namespace gantry
