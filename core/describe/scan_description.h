#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// How far a value can be believed.
enum class StatedCertainty {
    certain,  ///< the file states it, in a unit and sense that samples confirm
    likely,   ///< stated or derived, but its sense rests on few samples or on other programs
    unknown,  ///< nothing public says what it means, or the file does not have it
};
/// "certain"
[[nodiscard]] std::string_view name(StatedCertainty certainty) noexcept;

/// A field of the scan as a description states it.
struct Statement {
    std::string field;  ///< as in a scan.json: "trajectory.sourceToIsocenterMm"
    std::string value;
    std::string unit;                 ///< of the value; empty: none
    std::vector<std::string> places;  ///< "a.xtekct:17 [XTekCT] SrcToObject"; empty: not in the
                                      ///< file
    StatedCertainty certainty = StatedCertainty::certain;
    std::string note;  ///< how it follows from the places, a sentence; may be empty
};

/// A key of the file that the scan is not made from.
struct IgnoredKey {
    std::string place;  ///< "a.xtekct:23 [XTekCT] Scale"
    std::string value;
    std::string why;  ///< a clause
};

/// What the maker's own program reconstructed with.
struct MakersSetting {
    std::string name;   ///< "filter", "beam hardening"
    std::string value;  ///< as the file has it, with its unit
    std::string place;  ///< "a.xtekct:23 [XTekCT] FilterType"
    /// The field of a job.json that does the same, and its value there: "filter.cutoff", "0.8".
    /// Empty: Gantry has no equal of it, or it is not known what the value means.
    std::string option;
    std::string optionValue;
    std::string note;  ///< why there is none, a clause; may be empty
};

/// A question that public knowledge of the format leaves open. Reading with another answer gives
/// the scan in another convention, which code may try on the views.
struct OpenQuestion {
    std::string name;                  ///< "rotation"
    std::string what;                  ///< a sentence
    std::vector<std::string> choices;  ///< the likeliest first
    std::string taken;
    /// How that is known, a clause: "as usual", "as told", or what the views showed.
    std::string how = "as usual";
};
/// Whether a person has answered it.
[[nodiscard]] bool isTold(const OpenQuestion& question);
/// Whether a person has answered it, or the views have beyond doubt.
[[nodiscard]] bool isSettled(const OpenQuestion& question);

/// Answers to open questions by their names; a question without one takes its first choice.
using Answers = std::map<std::string, std::string>;

/// An answer as ScanOrigin::answers has it: "rotation=clockwise; as told".
[[nodiscard]] std::string writtenAnswer(const OpenQuestion& question);
/// The answers in such texts, without how they are known.
/// Tests: tests/core/describe/description_format_test.cpp
[[nodiscard]] Answers answersIn(const std::vector<std::string>& written);
/// The questions with such answers, and how they are known.
[[nodiscard]] std::vector<OpenQuestion> answeredAs(std::vector<OpenQuestion> questions,
                                                   const std::vector<std::string>& written);

/// A scan as another program describes it: the values of a scan.json, and where each is from.
struct ScanDescription {
    ScanFile scan;  ///< its path is that of the scan.json that may be saved beside the description
    std::string format;          ///< "Nikon X-Tek"
    std::filesystem::path file;  ///< the description itself
    std::vector<Statement> statements;
    std::vector<IgnoredKey> ignored;
    std::vector<OpenQuestion> questions;
    std::vector<MakersSetting> settings;  ///< of the maker's reconstruction, in the file's order
    /// Warnings: what in the file contradicts itself, or matters and is not used. Errors: why the
    /// scan cannot be reconstructed as it is.
    std::vector<Problem> problems;
};

}  // namespace gantry
