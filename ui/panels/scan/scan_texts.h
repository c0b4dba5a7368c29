#pragma once

#include <QString>

#include "core/base/types.h"
#include "ui/panels/shared/scan_form_texts.h"

/// What the scan panel says, beside its form: in one place, to be read together.
namespace gantry::texts {

// The scan
inline QString noScan() {
    return ofScan("No scan is open. Drop a scan.json or a folder of projections here.");
}
inline QString openingScan() {
    return ofScan("Opening…");
}
inline QString openingScanImages() {
    return ofScan("Opening the images…");
}
inline QString scanOnHost(const QString& host, const QString& place) {
    return ofScan("On %1: %2").arg(host, place);
}
inline QString editedScan(const QString& folder) {
    return ofScan("%1 · edited").arg(folder);
}
inline QString problems() {
    return ofScan("Problems");
}
inline QString suspectViews() {
    return ofScan("Suspect views");
}
inline QString moreSuspects(qulonglong count) {
    return ofScan("… and %1 more.").arg(count);
}
inline QString volumeProblem() {
    return ofScan("Volume");
}

// Views that cannot be used
/// view: counted from 1
inline QString viewOfNote(qlonglong view) {
    return ofScan("View %1:").arg(view);
}
inline QString moreBadViews(qulonglong count) {
    return count == 1 ? ofScan("… and one more view.") : ofScan("… and %1 more views.").arg(count);
}
inline QString askToLeaveOut(const QString& sentence) {
    return ofScan("%1 Leave this view out?").arg(sentence);
}
inline QString leaveViewOut() {
    return ofScan("Leave this view out");
}
inline QString leaveViewsOut(qulonglong count) {
    return ofScan("Leave these %1 views out").arg(count);
}
inline QString leaveOutHelp() {
    return ofScan(
        "Reconstructs without what is left out: the neighbouring views take over its part of the "
        "arc. The job's record and report name it. This can be undone.");
}
inline QString firstViewMissing() {
    return ofScan("The first view is missing: leave it out");
}
inline QString lastViewMissing() {
    return ofScan("The last view is missing: leave it out");
}

// Images without a scan.json
inline QString checkGuesses() {
    return ofScan("No scan.json: check what is marked 'guess'.");
}
inline QString useValues() {
    return ofScan("Use these values");
}
inline QString useValuesHelp() {
    return ofScan("Takes the form as it is; every field can be changed later, too.");
}
inline QString fixMarkedFields() {
    return ofScan("Fix the fields that are marked first.");
}

// What is known of the scan, a line each
inline QString projections() {
    return ofScan("Projections");
}
inline QString projectionsOf(Index views, Index columns, Index rows) {
    return ofScan("%1 of %2 × %3 px").arg(views).arg(columns).arg(rows);
}
inline QString leftOutViews() {
    return ofScan("Left out");
}
inline QString leftOutView(Index number, const QString& why) {
    return ofScan("view %1: %2").arg(number).arg(why);
}
inline QString andMore(std::size_t count) {
    return ofScan("and %1 more").arg(count);
}
inline QString imageFormat() {
    return ofScan("Format");
}
inline QString onDisk() {
    return ofScan("On disk");
}
inline QString values() {
    return ofScan("Values");
}
inline QString counts(const QString& least, const QString& most, const QString& mean) {
    return ofScan("counts %1 to %2, mean %3").arg(least, most, mean);
}
inline QString lineIntegrals(const QString& least, const QString& most, const QString& mean) {
    return ofScan("line integrals %1 to %2, mean %3").arg(least, most, mean);
}
inline QString ofSomeViews(Index views) {
    return ofScan(" (of %1 views, spread evenly)").arg(views);
}
inline QString notLookedAtYet() {
    return ofScan("not looked at yet");
}
inline QString darkField() {
    return ofScan("Dark field");
}
inline QString flatField() {
    return ofScan("Flat field");
}
inline QString noField() {
    return ofScan("none");
}
inline QString fieldImages(Index images, const QString& mean) {
    return (images == 1 ? ofScan("%1 image, mean %2") : ofScan("%1 images, mean %2"))
        .arg(images)
        .arg(mean);
}
inline QString openBeam(const QString& counts) {
    return ofScan("open beam of %1 counts").arg(counts);
}
inline QString badPixels() {
    return ofScan("Bad pixels");
}
inline QString weights() {
    return ofScan("Weights");
}
inline QString noWeights() {
    return ofScan("none: the arc does not suffice");
}

// Signs beside notes, as a screen reader says them
inline QString errorSign() {
    return ofScan("Error");
}
inline QString warningSign() {
    return ofScan("Warning");
}

}  // namespace gantry::texts
