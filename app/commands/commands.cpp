#include "app/commands/commands.h"

namespace gantry {

void addCommands(Command program) {
    addView(program);
    addSimulate(program);
    addInspect(program);
    addAlign(program);
    addCalibrate(program);
    addDoctor(program);
    addPlan(program);
    addMontage(program);
    addReconstruct(program);
    addWorker(program);
    addHosts(program);
    addJobs(program);
    addMeasure(program);
    addLive(program);
    addCompare(program);
    addPyramid(program);
    addProject(program);
    addDensity(program);
    addVerify(program);
    addTimeline(program);
    addGeometry(program);
    addDevices(program);
    addBench(program);
    program.examples(
        "  gantry                       # opens the desktop\n"
        "  gantry simulate --phantom shepp-logan --views 360 --detector 256x256 --out scan/\n"
        "  gantry inspect scan/scan.json\n"
        "  gantry reconstruct scan/scan.json --voxels 256 --out volume.mha\n"
        "  gantry compare volume.mha --phantom shepp-logan\n"
        "gantry COMMAND --help tells more of each.\n"
        "Exit codes: 0 done, 1 failed, 2 wrong usage or input, 130 cancelled.");
}

}  // namespace gantry
