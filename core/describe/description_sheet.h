#pragma once

#include <array>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/describe/key_values.h"
#include "core/describe/scan_description.h"

namespace gantry {

/// The name of a key. Letters' case, blanks and marks do not count, as versions differ in them.
struct KeyName {
    std::string_view section;  ///< empty: the first one that has the key
    std::string_view key;
};

/// Why a key that a maker's file may have is not used. A row without a key speaks of all keys of
/// the sections whose names begin so; of several rows that speak of a key the first counts.
struct KnownKey {
    KeyName name;
    std::string_view why;  ///< a clause
};

inline constexpr std::string_view kNoteOnly = "a note on the scan that bears on no value";
inline constexpr std::string_view kOfMachine = "a setting of the machine, not of the scan";
inline constexpr std::string_view kIsApplied = "was applied to the images as they were taken";

/// Builds a ScanDescription from a file of keys: values are asked for by their keys, and what is
/// stated of the scan names the keys that it is from. Keys that nobody asked for are listed as
/// ignored at the end. Not thread-safe.
/// Tests: tests/core/describe/nikon_test.cpp, tests/core/describe/description_format_test.cpp
class DescriptionSheet {
  public:
    /// answers: to open questions; a name among them that is never asked is an error at the end
    DescriptionSheet(const std::filesystem::path& file, std::vector<KeyValue> keys,
                     Answers answers);

    /// A value that must be there. @throws InputError naming the file, the key and the value
    [[nodiscard]] double number(KeyName name);
    [[nodiscard]] Index count(KeyName name, Index max);
    [[nodiscard]] std::string text(KeyName name);
    /// The same, or nothing where the key is missing or empty.
    [[nodiscard]] std::optional<double> findNumber(KeyName name);
    [[nodiscard]] std::optional<Index> findCount(KeyName name, Index max);
    [[nodiscard]] std::string findText(KeyName name);
    /// So many numbers, separated by blanks.
    [[nodiscard]] std::vector<double> numbers(KeyName name, std::size_t count);
    /// The numbers of all keys of that name, in the file's order.
    [[nodiscard]] std::vector<double> everyNumber(KeyName name);
    /// Whether the value is yes, true, on or 1, perhaps with more behind it: "ON (4)".
    [[nodiscard]] bool isOn(KeyName name);

    /// States a field of the scan, from the keys that are there.
    void state(std::string field, std::string value, std::string unit,
               std::initializer_list<KeyName> keys, StatedCertainty certainty,
               std::string note = {});
    /// The number of the choice that is taken of an open question, the first unless it is answered.
    /// @throws InputError for an answer that is none of the choices
    [[nodiscard]] std::size_t ask(const char* name, std::vector<std::string> choices,
                                  std::string what);
    /// A question for the sign of a value: 1 as stated, -1 where the answer is "negated".
    [[nodiscard]] double askSign(const char* name, std::string what);
    /// "rotation": 1 counter-clockwise, -1 clockwise; the likelier one first.
    [[nodiscard]] double askRotation(bool isClockwise, std::string what);

    /// Takes and states the columns and rows of the images.
    void readSize(KeyName columns, KeyName rows);
    /// Takes and states the distances from the source to the axis and to the detector.
    void takeDistances(double sodMm, std::initializer_list<KeyName> sod, double sddMm,
                       std::initializer_list<KeyName> sdd, std::string note = {});
    void takePitch(std::array<double, 2> pitchMm, std::initializer_list<KeyName> keys,
                   std::string note = {});
    /// Takes and states the number of views, which has to be there.
    [[nodiscard]] Index readViews(KeyName name);
    /// Asks for the order of rows, the top one first as a rule, and of columns, which no sharpness
    /// tells
    void askOrientation(bool isUsuallyMirrored, StatedCertainty rows, StatedCertainty columns,
                        bool isUsuallyTop = true);

    /// States a setting of the maker's reconstruction, where the key is there. option, optionValue:
    /// as in MakersSetting
    void setting(std::string name, KeyName key, const std::string& unit, std::string option = {},
                 std::string optionValue = {}, std::string note = {});

    /// What matters and is not used or contradicts itself, as a whole sentence.
    void warn(std::string field, std::string sentence);
    /// Why the scan cannot be reconstructed, as a whole sentence.
    void refuse(std::string field, std::string sentence);

    [[nodiscard]] ScanFile& scan() { return m_result.scan; }
    [[nodiscard]] const std::filesystem::path& file() const { return m_result.file; }

    /// The description, with what is wrong with its geometry among the problems.
    /// known: why keys are ignored; any other key is not known
    /// @throws InputError for answers to questions that were not asked
    [[nodiscard]] ScanDescription finish(std::string format, std::span<const KnownKey> known);

  private:
    [[nodiscard]] const KeyValue* find(KeyName name) const;
    [[nodiscard]] const KeyValue* use(KeyName name);
    [[nodiscard]] double numberOf(const KeyValue& key) const;
    [[nodiscard]] Index countOf(const KeyValue& key, Index max) const;
    [[nodiscard]] const KeyValue& needed(KeyName name);
    [[nodiscard]] std::string placeOf(const KeyValue& key) const;
    [[nodiscard]] std::string lineOf(const KeyValue& key) const;
    void listIgnored(std::span<const KnownKey> known);
    void listRepeated();

    std::vector<KeyValue> m_keys;
    std::vector<std::pair<std::string, std::string>> m_plain;  ///< plain sections and keys
    std::set<const KeyValue*> m_used;
    std::set<std::string> m_lists;  ///< plain keys that repeat on purpose
    Answers m_answers;
    ScanDescription m_result;
};

/// The number that a value begins with in the notation of any country: "33,97" is 33.97.
/// Nothing: it is no finite number.
[[nodiscard]] std::optional<double> numberOfAnyCountry(std::string_view text);

/// A value as statements show it: up to ten digits.
[[nodiscard]] std::string shownNumber(double value);
[[nodiscard]] std::string shownPair(double first, double second);

}  // namespace gantry
