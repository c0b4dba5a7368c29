#pragma once

#include <QCoreApplication>
#include <QString>

/// What the reconstruction panel says of a job that a host is to run, to be read together.
namespace gantry::texts {

inline QString ofHost(const char* text) {
    return QCoreApplication::translate("ReconstructionHost", text);
}

// Engine
inline QString cluster(const QString& name) {
    return ofHost("Cluster %1").arg(name);
}
inline QString hostEngineHelp(const QString& address) {
    return ofHost("Another machine or cluster does the job: %1. The volume comes back here.")
        .arg(address);
}
inline QString hosts() {
    return ofHost("Hosts…");
}
inline QString hostsHelp() {
    return ofHost("Adds, edits and checks machines and clusters that jobs can run on.");
}

// Resources
inline QString nodes() {
    return ofHost("Nodes");
}
inline QString nodesHelp() {
    return ofHost(
        "Machines of the cluster that share the volume. Automatic: as many as are predicted to be "
        "worth it, or as the host says.");
}
inline QString timeLimit() {
    return ofHost("Time limit");
}
inline QString timeLimitHelp() {
    return ofHost(
        "The cluster ends the job after that time; finished slabs are kept, and Resume goes on "
        "from "
        "them. Automatic: three times the prediction.");
}
inline QString automatic() {
    return ofHost("Automatic");
}
inline QString limit(int minutes) {
    return minutes % 60 == 0 ? ofHost("%1 h").arg(minutes / 60) : ofHost("%1 min").arg(minutes);
}

// Data
inline QString data() {
    return ofHost("Scan's files");
}
inline QString dataHelp() {
    return ofHost(
        "How the scan comes to the host. What was sent once is not sent again, and an interrupted "
        "transfer goes on where it stopped.");
}
inline QString automaticData(bool isMapped) {
    return isMapped ? ofHost("Automatic: host sees them") : ofHost("Automatic: send");
}
inline QString mappedData() {
    return ofHost("Host sees the same files");
}
inline QString sentData() {
    return ofHost("Send them once");
}
inline QString dataThere() {
    return ofHost("Are there already");
}
inline QString placeThere() {
    return ofHost("Scan on the host");
}
inline QString placeThereHelp() {
    return ofHost(
        "The scan's scan.json on the host, or where it would be: its images lie beside it.");
}
inline QString browse() {
    return ofHost("Browse the host's folders");
}

// Volume
inline QString bring() {
    return ofHost("Bring back");
}
inline QString bringHelp() {
    return ofHost(
        "What comes back when the job is done. The rest stays on the host, until Fetch in the list "
        "of jobs.");
}
inline QString bringVolume() {
    return ofHost("Preview, then the volume");
}
inline QString bringPreview() {
    return ofHost("The preview alone");
}
inline QString bringNothing() {
    return ofHost("The records alone");
}

// Script
inline QString showScript() {
    return ofHost("Show the script…");
}
inline QString showScriptHelp() {
    return ofHost("The batch script that the host will run, to be read and edited.");
}
inline QString scriptTitle(const QString& host) {
    return ofHost("Script for %1").arg(host);
}
inline QString scriptNote() {
    return ofHost("ID stands for the job's number. What is edited here is sent as it is.");
}
inline QString scriptIsEdited() {
    return ofHost("The script was edited by hand: its nodes and time count, not the fields above.");
}
inline QString useMadeScript() {
    return ofHost("Back to the made one");
}

// Forecast
inline QString planningForHost(const QString& host) {
    return ofHost("Planning for %1…").arg(host);
}
inline QString askedOf(const QString& host, int nodes, int ranks, int minutes) {
    const QString machines = nodes == 1 ? ofHost("one node") : ofHost("%1 nodes").arg(nodes);
    const QString processes =
        ranks == 1 ? ofHost("one process") : ofHost("%1 processes (ranks)").arg(ranks);
    const QString words = ofHost("%1: %2, %3").arg(host, machines, processes);
    return minutes > 0 ? ofHost("%1, at most %2").arg(words, limit(minutes)) : words;
}
inline QString hostReason(const QString& reason) {
    if (reason.isEmpty()) return {};
    return reason.left(1).toUpper() + reason.mid(1) + '.';
}

}  // namespace gantry::texts
