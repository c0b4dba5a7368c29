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
/// The scheduler that assigns machines to a job there.
enum class Scheduler { none, slurm, pbs };

/// A machine or cluster that jobs can run on: the content of a file in the user's folder `hosts`,
/// or of one that a site provides.
struct Host {
    std::string name;  ///< of the file, without .json
    std::string
        address;  ///< for ssh: a name in its configuration, or user@host; empty: this machine
    Scheduler scheduler = Scheduler::none;
    StartBy startBy = StartBy::path;
    std::string program = "gantry";  ///< the program's file there, or its name in the PATH
    std::string module;              ///< names of modules, separated by blanks
    std::string image;               ///< an Apptainer image
    std::vector<std::string> binds;  ///< folders there that the image gets: "/here" or "/here:/in"
    std::vector<std::string> setup;  ///< shell lines before gantry starts
    std::string scratch;             ///< a folder there for what is sent and produced
    std::vector<std::pair<std::string, std::string>> environment;  ///< variables and values
    std::vector<std::pair<std::string, std::string>> pathMap;  ///< folders here, and the same there
    std::string partition, account, qos;
    std::string reservation, licenses, constraint;
    int timeMinutes = 0;  ///< max time of a job; 0: not known
    int nodes = 1;        ///< of a job, if no model gives a number
    int maxNodes = 1;
    int gpusPerNode = 0;
    std::string gpuType;  ///< "a100"; empty: any
    int ranksPerNode = 1;
    int cpusPerRank = 0;        ///< 0: by the plan
    std::string memoryPerNode;  ///< "180G", "all", "none"; empty: by the plan
    bool isExclusive = false;
    std::vector<std::string> options;  ///< more options of a job for the scheduler
    std::string launcher;              ///< starts the ranks, as a shell reads it; empty: the usual
    std::string cluster;               ///< a description of the cluster for forecasts; empty: none

    [[nodiscard]] bool isHere() const { return address.empty(); }
    /// Whether a scheduler gives jobs their nodes.
    [[nodiscard]] bool hasQueue() const { return scheduler != Scheduler::none; }
    /// Whether a job may have several ranks.
    [[nodiscard]] bool hasRanks() const { return ranksPerNode > 1 || maxNodes > 1; }
};

/// The fields of a host's file, except environment and pathMap.
/// Tests: tests/core/remote/host_test.cpp
[[nodiscard]] std::span<const FileField<Host>> hostFields();

/// @throws InputError naming the file and field
[[nodiscard]] Host parseHost(std::string_view json, const std::filesystem::path& path);
[[nodiscard]] std::string toJson(const Host& host);

/// A folder of this user for Gantry's own files: $XDG_STATE_HOME/gantry, or else
/// ~/.local/state/gantry.
/// variable: "XDG_STATE_HOME"; belowHome: ".local/state"
[[nodiscard]] std::filesystem::path userFolder(const char* variable, const char* belowHome);
/// Where this user's hosts are: $XDG_CONFIG_HOME/gantry/hosts.
[[nodiscard]] std::filesystem::path hostsFolder();
/// The host of that name in hostsFolder(), or in that file; "local" is this machine unless a file
/// redefines it.
/// @throws InputError if there is none, or as parseHost()
[[nodiscard]] Host findHost(const std::string& nameOrFile);
/// Names in hostsFolder(), in order.
[[nodiscard]] std::vector<std::string> knownHosts();
/// Adds a host's file to hostsFolder(). @throws InputError if there is one of that name already
void addHost(const Host& host);

/// The host as it would be read from its file. @throws InputError naming the field that is wrong,
/// or stating why its name cannot be that of a file
[[nodiscard]] Host checkedHost(const Host& host);
/// Writes the host's file, replacing an older one. @throws as checkedHost(); ResourceError
void keepHost(const Host& host);
/// Removes the host's file. Its jobs stay where they are. @throws InputError
void removeHost(const std::string& name);

/// The path of that file or folder on the host; nothing if the map has no folder above it. If
/// several match, the deepest is used.
[[nodiscard]] std::optional<std::string> mappedPath(const Host& host,
                                                    const std::filesystem::path& path);

}  // namespace gantry
