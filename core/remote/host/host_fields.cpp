#include "core/remote/host/host.h"

namespace gantry {

namespace {

using enum FieldPresence;

constexpr FieldWord kSchedulers[] = {
    {"none", "The machine itself, in turn"}, {"slurm", "Slurm"}, {"pbs", "PBS"}};
constexpr FieldWord kStarts[] = {
    {"path", "A program"}, {"module", "In a module"}, {"image", "In an Apptainer image"}};

constexpr FieldChoice<Host> kScheduler = {
    kSchedulers, [](const Host& h) { return static_cast<std::size_t>(h.scheduler); },
    [](Host& h, std::size_t word) { h.scheduler = static_cast<Scheduler>(word); }};
constexpr FieldChoice<Host> kStartBy = {
    kStarts, [](const Host& h) { return static_cast<std::size_t>(h.startBy); },
    [](Host& h, std::size_t word) { h.startBy = static_cast<StartBy>(word); }};

bool hasQueue(const Host& h) {
    return h.hasQueue();
}
bool hasSlurm(const Host& h) {
    return h.scheduler == Scheduler::slurm;
}
bool needsModule(const Host& h) {
    return h.startBy == StartBy::module;
}
bool needsImage(const Host& h) {
    return h.startBy == StartBy::image;
}
bool asksForGpus(const Host& h) {
    return hasSlurm(h) && h.gpusPerNode > 0;
}

constexpr FileField<Host> kHostFields[] = {
    {{"", "address", defaulted, "",
      "what `ssh` is given: a name of its configuration, or user@host; empty: this machine"},
     [](Host& h) -> std::string& { return h.address; },
     {.flag = "--address", .form = "HOST", .label = "Address"}},
    {{"", "scheduler", defaulted, "", "what gives jobs their machines"},
     kScheduler,
     {.flag = "--scheduler", .label = "Jobs are started by"}},
    {{"", "scratch", needed, "",
      "a folder there for what is sent and made; it begins with `/`, `~/` or `$NAME/`"},
     [](Host& h) -> std::string& { return h.scratch; },
     {.flag = "--scratch", .form = "FOLDER", .label = "Scratch folder"}},
    {{"", "cluster", defaulted, "",
      "its description for forecasts: `abci`, `h200` or a file; empty: none"},
     [](Host& h) -> std::string& { return h.cluster; },
     {.flag = "--cluster", .form = "NAME", .label = "Forecasts as for"}},
    {{"start", "by", defaulted, "",
      "how gantry is started: its program, after loading a module, or in an Apptainer image"},
     kStartBy,
     {.flag = "--start", .label = "Gantry there is"}},
    {{"start", "program", defaulted, "", "the program's file there, or its name in the PATH"},
     [](Host& h) -> std::string& { return h.program; },
     {.flag = "--program", .form = "FILE", .label = "Program"}},
    {{"start", "module", defaulted, "", "modules to load first, with blanks between"},
     [](Host& h) -> std::string& { return h.module; },
     {.flag = "--module", .form = "NAMES", .label = "Modules"},
     needsModule},
    {{"start", "image", defaulted, "", "the Apptainer image that has gantry"},
     [](Host& h) -> std::string& { return h.image; },
     {.flag = "--image", .form = "FILE", .label = "Image"},
     needsImage},
    {{"start", "binds", defaulted, "",
      "more folders there that the image gets, each `/folder` or `/folder:/in/image`; the scratch "
      "folder and those of `pathMap` it has"},
     [](Host& h) -> std::vector<std::string>& { return h.binds; },
     {.flag = "--bind", .form = "FOLDER", .label = "Folders in the image"},
     needsImage},
    {{"start", "setup", defaulted, "", "shell lines to run first, behind the modules"},
     [](Host& h) -> std::vector<std::string>& { return h.setup; },
     {.flag = "--setup", .form = "LINE", .label = "Lines before it"}},
    {{"batch", "partition", defaulted, "",
      "partition of Slurm, queue of PBS; empty: the default one"},
     [](Host& h) -> std::string& { return h.partition; },
     {.flag = "--partition", .form = "NAME", .label = "Partition or queue"},
     hasQueue},
    {{"batch", "account", defaulted, "", "whose budget is charged; empty: the default one"},
     [](Host& h) -> std::string& { return h.account; },
     {.flag = "--account", .form = "NAME", .label = "Account"},
     hasQueue},
    {{"batch", "qos", defaulted, "", "quality of service; empty: the default one"},
     [](Host& h) -> std::string& { return h.qos; },
     {.flag = "--qos", .form = "NAME", .label = "Quality of service"},
     hasSlurm},
    {{"batch", "reservation", defaulted, "", "a reservation of nodes; empty: none"},
     [](Host& h) -> std::string& { return h.reservation; },
     {.flag = "--reservation", .form = "NAME", .label = "Reservation"},
     hasSlurm},
    {{"batch", "licenses", defaulted, "", "licences that a job takes, as `name:1`; empty: none"},
     [](Host& h) -> std::string& { return h.licenses; },
     {.flag = "--licenses", .form = "NAMES", .label = "Licences"},
     hasSlurm},
    {{"batch", "constraint", defaulted, "",
      "what nodes must have: features of Slurm, `a100&nvlink`, or resources of PBS, "
      "`gpu_model=a100`; empty: nothing"},
     [](Host& h) -> std::string& { return h.constraint; },
     {.flag = "--constraint", .form = "TEXT", .label = "Nodes must have"},
     hasQueue},
    {{"batch", "timeMinutes", defaulted, "min", "the longest that a job may take; 0: not known", 0,
      1'000'000},
     [](Host& h) -> int& { return h.timeMinutes; },
     {.flag = "--max-minutes", .form = "N", .label = "Longest time"},
     hasQueue},
    {{"batch", "nodes", defaulted, "", "of a job, where no forecast says how many", 1, 100'000},
     [](Host& h) -> int& { return h.nodes; },
     {.flag = "--nodes", .form = "N", .label = "Usual nodes"},
     hasQueue},
    {{"batch", "maxNodes", defaulted, "", "that a job may ask for", 1, 100'000, "mostNodes"},
     [](Host& h) -> int& { return h.maxNodes; },
     {.flag = "--max-nodes", .form = "N", .label = "Max nodes"},
     hasQueue},
    {{"batch", "exclusive", defaulted, "", "whether a job has its nodes for itself"},
     [](Host& h) -> bool& { return h.isExclusive; },
     {.flag = "--exclusive", .label = "Nodes for the job alone"},
     hasQueue},
    {{"batch", "gpusPerNode", defaulted, "", "that a job asks for; 0: none", 0, 64},
     [](Host& h) -> int& { return h.gpusPerNode; },
     {.flag = "--gpus-per-node", .form = "N", .label = "GPUs a node"},
     hasQueue},
    {{"batch", "gpuType", defaulted, "", "their type for Slurm, as `a100`; empty: any"},
     [](Host& h) -> std::string& { return h.gpuType; },
     {.flag = "--gpu-type", .form = "NAME", .label = "Type of GPU"},
     asksForGpus},
    {{"batch", "ranksPerNode", defaulted, "", "processes (ranks) on a node, one a GPU", 1, 1024},
     [](Host& h) -> int& { return h.ranksPerNode; },
     {.flag = "--ranks-per-node", .form = "N", .label = "Processes a node"},
     hasQueue},
    {{"batch", "cpusPerRank", defaulted, "",
      "processors that a rank asks for; 0: as the description in `cluster` has them, or equal "
      "parts of exclusive nodes",
      0, 4096},
     [](Host& h) -> int& { return h.cpusPerRank; },
     {.flag = "--cpus-per-rank", .form = "N", .label = "Processors a process"},
     hasQueue},
    {{"batch", "memoryPerNode", defaulted, "",
      "memory that a job asks for, as `180G`; `all`: all of a node; `none`: nothing is asked; "
      "empty: by the plan"},
     [](Host& h) -> std::string& { return h.memoryPerNode; },
     {.flag = "--memory-per-node", .form = "SIZE", .label = "Memory a node"},
     hasQueue},
    {{"batch", "options", defaulted, "",
      "more options of a job, as lines for `#SBATCH` or `#PBS`: `--mail-type=END`"},
     [](Host& h) -> std::vector<std::string>& { return h.options; },
     {.flag = "--option", .form = "TEXT", .label = "More options"},
     hasQueue},
    {{"batch", "launcher", defaulted, "",
      "what starts the ranks, with its options, as a shell reads them; `{ranks}`, `{ranksPerNode}` "
      "and `{nodes}` stand for numbers; empty: `srun` with Slurm, `mpirun -n {ranks} -machinefile "
      "$PBS_NODEFILE` with PBS"},
     [](Host& h) -> std::string& { return h.launcher; },
     {.flag = "--launcher", .form = "WORDS", .label = "Launcher"},
     hasQueue},
};

}  // namespace

std::span<const FileField<Host>> hostFields() {
    return kHostFields;
}

}  // namespace gantry
