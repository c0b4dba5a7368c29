#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/geometry/validate.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// One field of a scan as a form asks for it, as plain data.
struct ScanField {
    enum class Group { distances, detector, alignment, trajectory, images };

    struct Number {
        QString unit;
        double step = 1;
        bool whole = false;
        std::function<double(const ScanFile&)> get = {};
        std::function<void(ScanFile&, double)> set = {};
        /// Other units in which the number may be typed, the longer first.
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
        double start = 0;  ///< what it begins with when it is asked for
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
        QString absent;  ///< what there is without it; empty: it cannot be done without
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
    QString sameAs = {};    ///< the field that is the same in other terms; empty: none
    QString linkedTo = {};  ///< the field that may be kept equal to this one; empty: none
    /// Whether the scan has this field at all (a list of angles has no arc); null: always.
    bool (*applies)(const ScanFile&) = nullptr;
    /// The value in other terms, shown below the field; null: none.
    QString (*note)(const ScanFile&) = nullptr;
};

/// All fields, group by group in the order of a form.
/// Tests: tests/ui/models/geometry_form_test.cpp
[[nodiscard]] std::vector<ScanField> scanFields();
[[nodiscard]] QString groupTitle(ScanField::Group group);

/// The field that a name of a problem or guess means; "detector.pitchMm" is both "…[0]" and "…[1]",
/// "trajectory.anglesDeg[3]" is the list. A field is also named by the one that is the same in
/// other terms. A complaint about the whole trajectory is one about the arc.
[[nodiscard]] bool isNamed(const ScanField& field, const std::string& name);
/// A problem as a person reads it. Together its two parts make a sentence that stands alone.
struct ProblemText {
    QString subject;  ///< "Roll", where the sentence begins with the field; else empty
    QString rest;     ///< "is 70°; it must be between -60° and 60°."
};
[[nodiscard]] ProblemText problemText(const Problem& problem, const std::vector<ScanField>& fields);
[[nodiscard]] QString problemSentence(const Problem& problem, const std::vector<ScanField>& fields);

/// How the rays of a scan run that is declared by its angles.
enum class Beam { cone, parallel };
/// The scan with rays of that kind at the same angles; a cone begins with the distances of a bench
/// scanner. Calibrated poses stay as they are.
[[nodiscard]] ScanGeometry withBeam(const ScanGeometry& geometry, Beam beam);

/// "720 listed angles, 0° to 359.5°"
[[nodiscard]] QString anglesText(const ScanGeometry& geometry);
/// The evenly stepped arc that comes closest to the listed angles.
[[nodiscard]] ScanGeometry withRegularAngles(ScanGeometry geometry);
/// The path as a scan.json would name it: relative where it lies in the scan's folder.
[[nodiscard]] std::string nameInScan(const ScanFile& scan, const QString& path);

}  // namespace gantry
