#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/field_table.h"

namespace gantry {

/// How gantry is started on a host.
enum class StartBy { path, module, image };
/// What gives a job its machines there.
enum class Scheduler { none, slurm };

/// A machine or cluster that jobs can run on: the content of a file in the user's folder `hosts`,
/// or of one that a site hands out.
struct Host {
    std::string name;  ///< of the file, without .json
    std::string
        address;  ///< for ssh: a name of its configuration, or user@host; empty: this machine
    Scheduler scheduler = Scheduler::none;
    StartBy startBy = StartBy::path;
    std::string program = "gantry";  ///< the program's file there, or its name in the PATH
    std::string module;              ///< names of modules, with blanks between
    std::string image;               ///< an Apptainer image
    std::string scratch;             ///< a folder there for what is sent and made
    std::vector<std::pair<std::string, std::string>> environment;  ///< variables and values
    std::vector<std::pair<std::string, std::string>> pathMap;  ///< folders here, and the same there
    std::string partition, account, qos;
    int timeMinutes = 0;  ///< the longest that a job may take; 0: not known
    int nodes = 1;        ///< of a job, where no model says how many
    int mostNodes = 1;
    int gpusPerNode = 0;
    int ranksPerNode = 1;
    std::string launcher = "srun";  ///< what starts the ranks, with its options
    std::string cluster;            ///< a description of the cluster for forecasts; empty: none

    [[nodiscard]] bool isHere() const { return address.empty(); }
};

/// The fields of a host's file but environment and pathMap.
/// Tests: tests/core/remote/host_test.cpp
[[nodiscard]] std::span<const FileField<Host>> hostFields();

/// @throws InputError naming the file and field
[[nodiscard]] Host parseHost(std::string_view json, const std::filesystem::path& path);
[[nodiscard]] std::string toJson(const Host& host);

/// A folder of this user's for Gantry's own files: $XDG_STATE_HOME/gantry, or else
/// ~/.local/state/gantry.
/// variable: "XDG_STATE_HOME"; belowHome: ".local/state"
[[nodiscard]] std::filesystem::path userFolder(const char* variable, const char* belowHome);
/// Where this user's hosts are: $XDG_CONFIG_HOME/gantry/hosts.
[[nodiscard]] std::filesystem::path hostsFolder();
/// The host of that name in hostsFolder(), or of that file; "local" is this machine, where no file
/// says otherwise. @throws InputError where there is none, or as parseHost()
[[nodiscard]] Host findHost(const std::string& nameOrFile);
/// Names in hostsFolder(), in order.
[[nodiscard]] std::vector<std::string> knownHosts();
/// Takes a host's file into hostsFolder(). @throws InputError where there is one of the name
/// already
void addHost(const Host& host);

/// The host as its file would have it. @throws InputError naming the field that is wrong
[[nodiscard]] Host checkedHost(const Host& host);
/// Writes the host's file, whatever it was. @throws as checkedHost(); ResourceError
void keepHost(const Host& host);
/// Forgets the host: its file goes. Its jobs stay where they are. @throws InputError
void removeHost(const std::string& name);
/// Whether a host can have the name: it is a file's. @throws InputError saying why not
void checkHostName(const std::string& name);

/// Where that file or folder of this machine is on the host; nothing where the map has no folder
/// above it. Of several that fit, the deepest counts.
[[nodiscard]] std::optional<std::string> mappedPath(const Host& host,
                                                    const std::filesystem::path& path);

}  // namespace gantry
