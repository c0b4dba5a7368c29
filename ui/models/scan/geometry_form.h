#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// One field of a scan in a form, as plain data.
struct ScanField {
    enum class Group { distances, detector, alignment, trajectory, images };

    struct Number {
        QString unit;
        double step = 1;
        bool whole = false;
        std::function<double(const ScanFile&)> get = {};
        std::function<void(ScanFile&, double)> set = {};
        /// Other units that may be typed with the number, the longer first.
        struct OtherUnit {
            QString unit;
            double (*toValue)(const ScanFile&, double) = nullptr;
        };
        std::vector<OtherUnit> otherUnits = {};
    };
    /// A number that may be left to the program.
    struct OptionalNumber {
        QString unit;
        double step = 1;
        QString absent;    ///< what happens without it
        double start = 0;  ///< initial value when it is set
        std::function<std::optional<double>(const ScanFile&)> get = {};
        std::function<void(ScanFile&, std::optional<double>)> set = {};
    };
    struct Choice {
        QStringList options;
        std::function<int(const ScanFile&)> get = {};
        std::function<void(ScanFile&, int option)> set = {};
    };
    /// A file, folder or pattern, relative to the scan's folder.
    struct Files {
        QString absent;  ///< what applies without it; empty: it is required
        std::function<std::string(const ScanFile&)> get = {};
        std::function<void(ScanFile&, std::string)> set = {};
    };
    /// The list of angles, or how to get one.
    struct Angles {};

    QString name;   ///< in scan.json, and in Problem::field: "detector.pitchMm[0]"
    QString label;  ///< short, in front of the field: "Pitch u"
    QString what;   ///< within a sentence: "pixel pitch along u"
    QString toolTip;
    Group group = Group::distances;
    std::variant<Number, OptionalNumber, Choice, Files, Angles> kind;
    QString sameAs = {};    ///< the field with the same value in other terms; empty: none
    QString linkedTo = {};  ///< the field that can be linked to this one; empty: none
    /// Whether the scan has this field at all (a list of angles has no arc); null: always.
    bool (*applies)(const ScanFile&) = nullptr;
    /// The value in other terms, shown below the field; null: none.
    QString (*note)(const ScanFile&) = nullptr;
};

/// All fields, group by group in the order of a form.
/// Tests: tests/ui/models/geometry_form_test.cpp
[[nodiscard]] std::vector<ScanField> scanFields();
[[nodiscard]] QString groupTitle(ScanField::Group group);

/// Whether a name in a problem or guess means the field; "detector.pitchMm" is both "…[0]" and
/// "…[1]", "trajectory.anglesDeg[3]" is the list. The name of a field with the same value in other
/// terms counts too. A problem of the whole trajectory belongs to the arc.
[[nodiscard]] bool isNamed(const ScanField& field, const std::string& name);
/// A problem for display. Together its two parts form a complete sentence.
struct ProblemText {
    QString subject;  ///< "Roll", if the sentence begins with the field; else empty
    QString rest;     ///< "is 70°; it must be between -60° and 60°."
};
[[nodiscard]] ProblemText problemText(const Problem& problem, const std::vector<ScanField>& fields);
[[nodiscard]] QString problemSentence(const Problem& problem, const std::vector<ScanField>& fields);

/// The kind of rays in a scan that is declared by its angles.
enum class Beam { cone, parallel };
/// The scan with rays of that kind at the same angles; a cone begins with the distances of a bench
/// scanner. Calibrated poses stay unchanged.
[[nodiscard]] ScanGeometry withBeam(const ScanGeometry& geometry, Beam beam);

/// "720 listed angles, 0° to 359.5°"
[[nodiscard]] QString anglesText(const ScanGeometry& geometry);
/// The evenly stepped arc that comes closest to the listed angles.
[[nodiscard]] ScanGeometry withRegularAngles(ScanGeometry geometry);
/// The path as written in scan.json: relative if it lies in the scan's folder.
[[nodiscard]] std::string nameInScan(const ScanFile& scan, const QString& path);

}  // namespace gantry
