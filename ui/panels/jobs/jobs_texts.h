#pragma once

#include <QCoreApplication>
#include <QString>

/// All that the jobs panel and its windows say, to be read together.
namespace gantry::jobs_texts {

inline QString said(const char* text) {
    return QCoreApplication::translate("Jobs", text);
}

inline QString noJobs() {
    return said("No jobs yet: open a scan and press Reconstruct.");
}
inline QString cancel() {
    return said("Cancel");
}
inline QString resume() {
    return said("Resume");
}
inline QString resumeElsewhere() {
    return said("Resume elsewhere");
}
inline QString resumeElsewhereHelp() {
    return said(
        "Fetches what the job has finished, and has another host or this machine go on from it.");
}
inline QString isOfNoHost() {
    return said("The job is one of this machine; only hosts' jobs can go on elsewhere.");
}
inline QString onThisMachine() {
    return said("On this machine");
}
inline QString onHost(const QString& host) {
    return said("On %1").arg(host);
}
inline QString fetch() {
    return said("Fetch");
}
inline QString fetchHelp() {
    return said("Brings the volume from its host to this machine.");
}
inline QString nothingToFetch() {
    return said("There is something to fetch when the job is done and its volume is not here.");
}
inline QString isOfThisMachine() {
    return said("The job's volume is on this machine.");
}
inline QString openResult() {
    return said("Open result");
}
inline QString runAgain() {
    return said("Run again with changes");
}
inline QString timeline() {
    return said("Timeline");
}
inline QString log() {
    return said("Log");
}
inline QString request() {
    return said("Request");
}
inline QString openFolder() {
    return said("Open folder");
}
inline QString rename() {
    return said("Rename");
}
inline QString forget() {
    return said("Forget");
}
inline QString resumeJob() {
    return said("Resume %1");
}
inline QString selectFirst() {
    return said("Select a job first.");
}
inline QString cancelHelp() {
    return said("Ends the job; finished parts are kept for Resume.");
}
inline QString isCancelling() {
    return said("The job is being cancelled.");
}
inline QString hasEnded() {
    return said("The job has ended already.");
}
inline QString resumeFinishedHelp() {
    return said("Continues from the finished parts of the volume.");
}
inline QString resumeAnewHelp() {
    return said("Starts the job again from its beginning; it has no finished parts.");
}
inline QString isUnderWay() {
    return said("The job is under way.");
}
inline QString isDone() {
    return said("The job is done.");
}
inline QString openResultHelp() {
    return said("Shows the volume.");
}
inline QString noResultYet() {
    return said("There is a volume when the job is done.");
}
inline QString runAgainHelp() {
    return said("Opens the scan with this job's request, to be changed and started anew.");
}
inline QString timelineHelp() {
    return said("Shows where the job's time goes.");
}
inline QString logHelp() {
    return said("Shows what the job wrote about its run.");
}
inline QString requestHelp() {
    return said("Shows what the job was asked for.");
}
inline QString openFolderHelp() {
    return said("Shows the volume's folder in the file manager.");
}
inline QString renameHelp() {
    return said("Gives the job another name (F2). An empty one gives the usual name back.");
}
inline QString forgetHelp() {
    return said("Takes the job off this list. Its files stay.");
}
inline QString cancelFirst() {
    return said("The job is under way: cancel it first.");
}
inline QString logOf() {
    return said("Log of %1");
}
inline QString nothingLogged() {
    return said("Nothing was logged.");
}
inline QString copy() {
    return said("Copy");
}
inline QString requestOf() {
    return said("Request of %1");
}
inline QString field() {
    return said("Field");
}
inline QString value() {
    return said("Value");
}
inline QString copyAsJson() {
    return said("Copy as JSON");
}

}  // namespace gantry::jobs_texts
