#pragma once

#include <QCoreApplication>
#include <QString>
#include <string_view>

/// What the window of hosts and the browser of their folders say, to be read together.
namespace gantry::host_texts {

inline QString said(const char* text) {
    return QCoreApplication::translate("Hosts", text);
}

// Browser
inline QString foldersOf(const QString& host) {
    return said("Folders of %1").arg(host);
}
inline QString folderAbove() {
    return said("The folder above");
}
inline QString asking(const QString& host) {
    return said("Asking %1…").arg(host);
}
inline QString isEmpty() {
    return said("There are no folders and no scans here.");
}

inline QString choose() {
    return said("Choose");
}
inline QString hostToBrowse() {
    return said("The host whose folders are shown");
}
inline QString howToChoose() {
    return said(
        "Choose a scan's file, or the folder that has a scan.json. A double click opens a folder.");
}
inline QString isCut(int count) {
    return said(
               "This folder has more than the %1 entries shown. Type the place of the one that you "
               "want above.")
        .arg(count);
}
inline QString isNoText(const QString& scan) {
    return said(
               "The name of %1 is not in UTF-8, so it cannot be taken from here. Rename it on the "
               "host, or make a link to it.")
        .arg(scan);
}

// Window
inline QString title() {
    return said("Hosts");
}
inline QString none() {
    return said(
        "No host is known yet. Open the file that your site hands out, or add one and fill in how "
        "it "
        "is reached.");
}
inline QString add() {
    return said("Add");
}
inline QString addHelp() {
    return said("A new host, to be filled in.");
}
inline QString open() {
    return said("From file…");
}
inline QString openHelp() {
    return said("Takes a host's file, as a site hands it out.");
}
inline QString openTitle() {
    return said("Open a host's file");
}
inline QString openFilter() {
    return said("Hosts (*.json);;All files (*)");
}
inline QString remove() {
    return said("Remove");
}
inline QString removeHelp() {
    return said("Forgets the host. What is on it stays there.");
}
inline QString removeQuestion(const QString& host) {
    return said("Remove the host %1?").arg(host);
}
inline QString removeNote() {
    return said(
        "Its file is deleted here. Nothing on the host changes, but jobs that it runs cannot be "
        "watched or fetched until it is added again.");
}
inline QString newName() {
    return said("new-host");
}
inline QString save() {
    return said("Save this host");
}
inline QString saveHelp() {
    return said("Keeps the new host. Later edits are kept at once.");
}
inline QString saved() {
    return said("Saved.");
}
inline QString notSaved(const QString& why) {
    return said("Not saved: %1").arg(why);
}

// Check
inline QString check() {
    return said("Check");
}
inline QString checkHelp() {
    return said("Reaches the host and looks whether everything is there that jobs need.");
}
inline QString cancel() {
    return said("Cancel");
}
inline QString checking(const QString& host) {
    return said("Asking %1…").arg(host);
}
inline QString cancelled() {
    return said("The check was cancelled.");
}
inline QString allGood() {
    return said("Everything is there: jobs can run.");
}
inline QString notAllGood() {
    return said("Jobs cannot run there yet.");
}
inline QString finding(bool isGood, const QString& what, const QString& found) {
    return (isGood ? said("Yes – %1: %2") : said("No – %1: %2")).arg(what, found);
}

// Form
inline QString name() {
    return said("Name");
}
inline QString nameHelp() {
    return said("What the host is called here. It stays, as jobs go by it.");
}
inline QString environment() {
    return said("Variables");
}
inline QString environmentHelp() {
    return said("Set before Gantry starts there: NAME=value, one a line.");
}
inline QString pathMap() {
    return said("Same folders");
}
inline QString pathMapHelp() {
    return said(
        "Folders of this machine that the host sees, too: /here = /there, one pair a line. Scans "
        "in "
        "them are not sent.");
}
/// By the field's name in the file.
inline QString label(std::string_view field) {
    struct Label {
        std::string_view field;
        const char* text;
    };
    constexpr Label kLabels[] = {
        {"address", "Address"},
        {"scheduler", "Jobs are started by"},
        {"scratch", "Scratch folder"},
        {"cluster", "Forecasts as for"},
        {"start.by", "Gantry there is"},
        {"start.program", "Program"},
        {"start.module", "Modules"},
        {"start.image", "Image"},
        {"slurm.partition", "Partition"},
        {"slurm.account", "Account"},
        {"slurm.qos", "Quality of service"},
        {"slurm.timeMinutes", "Longest time"},
        {"slurm.nodes", "Usual nodes"},
        {"slurm.mostNodes", "Most nodes"},
        {"slurm.gpusPerNode", "GPUs a node"},
        {"slurm.ranksPerNode", "Processes a node"},
        {"slurm.launcher", "Launcher"},
    };
    for (const Label& each : kLabels)
        if (each.field == field) return said(each.text);
    return QString::fromUtf8(field.data(), static_cast<qsizetype>(field.size()));
}
/// Of a choice, by its word in the file.
inline QString word(std::string_view field, std::string_view word) {
    struct Word {
        std::string_view field, word;
        const char* text;
    };
    constexpr Word kWords[] = {
        {"scheduler", "none", "The machine itself, in turn"},
        {"scheduler", "slurm", "Slurm"},
        {"start.by", "path", "A program"},
        {"start.by", "module", "In a module"},
        {"start.by", "image", "In an Apptainer image"},
    };
    for (const Word& each : kWords)
        if (each.field == field && each.word == word) return said(each.text);
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}
/// What the manual says of a field, as a sentence.
inline QString help(std::string_view meaning) {
    QString text = QString::fromUtf8(meaning.data(), static_cast<qsizetype>(meaning.size()));
    text.remove('`');
    return text.isEmpty() ? text : text.left(1).toUpper() + text.mid(1) + '.';
}

}  // namespace gantry::host_texts
