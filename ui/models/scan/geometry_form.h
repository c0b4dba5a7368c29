#pragma once

#include <QString>
#include <string>
#include <vector>

#include "core/base/field_table.h"
#include "core/geometry/check/validate.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// Significant digits of a number in a form of a scan.
inline constexpr int kFormDigits = 8;

/// One field of a scan in a form: a row of a table, or one number of its pair.
struct ScanField {
    struct OtherUnit {
        QString unit;
        double (*toValue)(const ScanFile&, double) = nullptr;
    };

    QString name = {};   ///< in scan.json, and in Problem::field: "detector.pitchMm[0]"
    QString label = {};  ///< short, in front of the field: "Pitch u"
    QString what = {};   ///< within a sentence: "pixel pitch along u"
    QString toolTip = {};
    QString group = {};  ///< the heading that it is below
    const FileField<ScanFile>* row = nullptr;
    std::size_t part = 0;                    ///< of a pair
    std::vector<OtherUnit> otherUnits = {};  ///< that may be typed, the longer first
    QString sameAs = {};    ///< the field with the same value in other terms; empty: none
    QString linkedTo = {};  ///< the field that can be linked to this one; empty: none
    /// The value in other terms, shown below the field; null: none.
    QString (*note)(const ScanFile&) = nullptr;

    /// What is edited: number, whole, optionalNumber, choice, text (a file, folder or pattern,
    /// relative to the scan's folder), or numbers: the list of angles, or how to get one.
    [[nodiscard]] FieldKind kind() const;
    /// Whether the scan has this field at all: a list of angles has no arc.
    [[nodiscard]] bool applies(const ScanFile& scan) const;
    /// A number, whole or not, as a double; nothing where the scan lacks the field.
    [[nodiscard]] FieldValue value(const ScanFile& scan) const;
    /// The value of a number; 0 where there is none.
    [[nodiscard]] double number(const ScanFile& scan) const;
    /// A number as the form shows it, with the unit: "95.5 px".
    [[nodiscard]] QString text(double number) const;
    /// Sets what value() returns, if the scan has the field.
    void assign(ScanFile& scan, const FieldValue& value) const;
};

/// All fields, group by group in the order of a form: the rows of scan.json that have texts, and
/// scanFormFields().
/// Tests: tests/ui/models/geometry_form_test.cpp
[[nodiscard]] std::vector<ScanField> scanFields();

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

/// "720 listed angles, 0° to 359.5°"
[[nodiscard]] QString anglesText(const ScanGeometry& geometry);
/// The evenly stepped arc that comes closest to the listed angles.
[[nodiscard]] ScanGeometry withRegularAngles(ScanGeometry geometry);
/// The path as written in scan.json: relative if it lies in the scan's folder.
[[nodiscard]] std::string nameInScan(const ScanFile& scan, const QString& path);

}  // namespace gantry
