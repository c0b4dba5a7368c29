#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/base/file.h"
#include "core/describe/description_format.h"

namespace gantry::test {

/// A folder of real headers.
inline std::filesystem::path headers(const char* maker) {
    return std::filesystem::path(GANTRY_HEADERS) / maker;
}

/// The statement of a field; an empty one if there is none.
inline Statement statementOf(const ScanDescription& description, const std::string& field) {
    const auto found = std::ranges::find(description.statements, field, &Statement::field);
    return found == description.statements.end() ? Statement{} : *found;
}

inline bool hasQuestion(const ScanDescription& description, const std::string& name) {
    return std::ranges::find(description.questions, name, &OpenQuestion::name) !=
           description.questions.end();
}

/// How many keys are ignored without a known reason.
inline auto unknownKeys(const ScanDescription& description) {
    return std::ranges::count(description.ignored, "not known to Gantry", &IgnoredKey::why);
}

/// The messages of all problems of a severity, in one text.
inline std::string problemsOf(const ScanDescription& description, Problem::Severity severity) {
    std::string text;
    for (const Problem& problem : description.problems)
        if (problem.severity == severity) text += problem.field + ": " + problem.message + "\n";
    return text;
}

/// A file with a text in which one piece is replaced by another.
inline std::filesystem::path changed(const std::filesystem::path& from,
                                     const std::filesystem::path& to, const std::string& piece,
                                     const std::string& by) {
    std::string text = readTextFile(from);
    const std::size_t at = text.find(piece);
    if (at != std::string::npos) text.replace(at, piece.size(), by);
    writeFileAtomically(to, text);
    return to;
}

}  // namespace gantry::test
