#pragma once

#include <QCoreApplication>
#include <QString>

/// All that the timeline panel says, to be read together; what stages and gaps are called is in
/// ui/models/timeline/timeline_tables.
namespace gantry::timeline_texts {

inline QString said(const char* text) {
    return QCoreApplication::translate("Timeline", text);
}

inline QString folderIsGone() {
    return said("The job's folder is gone: %1");
}
inline QString stages() {
    return said("Stages");
}
inline QString idleGaps() {
    return said("Idle gaps");
}
inline QString stagesName() {
    return said("Time of every stage");
}
inline QString idleGapsName() {
    return said("Longest idle gaps");
}
inline QString wall() {
    return said("Wall %1");
}
inline QString forecast() {
    return said("forecast %1");
}
inline QString resume() {
    return said("Resume");
}
inline QString wallHelp() {
    return said("The job's time at work, storing included and pauses not, beside the forecast");
}
inline QString overlapHelp() {
    return said(
        "Overlap: the times of all stages together over the wall time. 1 means one after the "
        "other; the more stages work at the same time, the larger it is.");
}
inline QString boundHelp() {
    return said("The stage that took longest: only a faster one makes the job faster.");
}
inline QString fit() {
    return said("Fit");
}
inline QString fitHelp() {
    return said("Show the whole run (double click, 0 or F)");
}
inline QString follow() {
    return said("Follow");
}
inline QString followHelp() {
    return said("Keep the newest in view while the job runs");
}
inline QString exportMenu() {
    return said("Export");
}
inline QString exportHelp() {
    return said("Save the spans or a picture of them");
}
inline QString chromeTrace() {
    return said("Chrome trace…");
}
inline QString saveTrace() {
    return said("Save the spans as a trace");
}
inline QString traceFilter() {
    return said("Chrome trace (*.json)");
}
inline QString png() {
    return said("PNG…");
}
inline QString savePicture() {
    return said("Save a picture of the timeline");
}
inline QString pictureFilter() {
    return said("PNG image (*.png)");
}
inline QString moment() {
    return said("t %1");
}
inline QString nothingYet() {
    return said("Start a reconstruction or select a job, and you see here where its time goes.");
}
inline QString reading() {
    return said("Reading the job's timeline…");
}
inline QString noLineReadable() {
    return said(
        "None of the %1 lines of the job's events.jsonl could be read. It may be damaged, or of a "
        "newer version of Gantry.");
}
inline QString endedEmpty() {
    return said("The job ended before a stage had finished a batch.");
}
inline QString noBatchYet() {
    return said("No stage has finished a batch yet.");
}
inline QString readingSpans() {
    return said("Reading… %1 spans");
}
inline QString unreadLines() {
    return said("%1 lines of events.jsonl could not be read");
}
inline QString selected() {
    return said("Selected %1");
}
inline QString overlap() {
    return said("Overlap %1");
}
inline QString boundBy() {
    return said("Bound by %1");
}
inline QString saved() {
    return said("Saved %1.");
}
inline QString showFolder() {
    return said("Show the folder");
}
inline QString viewName() {
    return said("Timeline of the job");
}

}  // namespace gantry::timeline_texts
