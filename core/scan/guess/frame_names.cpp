#include "core/scan/guess/frame_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/base/text.h"

namespace gantry {

namespace {

struct FrameWord {
    std::string_view text;
    bool isShort;  // says so only where it stands alone: "off" begins neither with ob nor with ff
    FrameRole role;
};

constexpr std::array kFrameWords = {
    FrameWord{"dark", false, FrameRole::dark},
    FrameWord{"black", false, FrameRole::dark},
    FrameWord{"offset", false, FrameRole::dark},
    FrameWord{"di", true, FrameRole::dark},
    FrameWord{"df", true, FrameRole::dark},
    FrameWord{"flat", false, FrameRole::flat},
    FrameWord{"white", false, FrameRole::flat},
    FrameWord{"gain", false, FrameRole::flat},
    FrameWord{"open", false, FrameRole::flat},
    FrameWord{"bright", false, FrameRole::flat},
    FrameWord{"blank", false, FrameRole::flat},
    FrameWord{"io", true, FrameRole::flat},
    FrameWord{"i0", true, FrameRole::flat},
    FrameWord{"ff", true, FrameRole::flat},
    FrameWord{"ob", true, FrameRole::flat},
    FrameWord{"air", true, FrameRole::flat},
    FrameWord{"background", false, FrameRole::darkOrFlat},
};

constexpr std::array<std::string_view, 9> kTimeWords = {"before", "after", "post",  "pre", "begin",
                                                        "start",  "end",   "first", "last"};

// They say nothing against frames.
constexpr std::array<std::string_view, 33> kOtherWords = {
    "frame",       "field",      "image",    "img",    "im",           "pic",  "picture",
    "beam",        "current",    "signal",   "level",  "map",          "cal",  "calib",
    "calibration", "corr",       "norm",     "avg",    "averaged",     "mean", "median",
    "average",     "med",        "sum",      "master", "series",       "seq",  "hst",
    "raw",         "correction", "exposure", "the",    "normalisation"};

bool isNumber(std::string_view part) {
    return part.front() >= '0' && part.front() <= '9';
}

bool isOneOf(std::string_view part, const auto& words) {
    return std::ranges::find(words, part) != words.end();
}

// This goes with frames of any kind ("dark_ref"), and alone says that they are flat ones.
bool isReference(std::string_view part) {
    return part == "ref" || part == "refs" || (part.starts_with("referenc") && part.size() <= 10);
}

const FrameWord* frameWord(std::string_view part) {
    const auto found = std::ranges::find(kFrameWords, part, &FrameWord::text);
    return found == kFrameWords.end() ? nullptr : &*found;
}

// Whether a word is made of known ones: "darkfields" of dark and field.
bool isMadeOfKnown(std::string_view part) {
    if (part.empty() || part == "s") return true;
    if (frameWord(part) || isReference(part) || isOneOf(part, kTimeWords) ||
        isOneOf(part, kOtherWords))
        return true;
    for (std::size_t end = part.size() - 1; end > 2; --end) {
        const std::string_view begin = part.substr(0, end);
        const FrameWord* word = frameWord(begin);
        const bool isKnown = (word && !word->isShort) || isReference(begin) ||
                             isOneOf(begin, kTimeWords) || isOneOf(begin, kOtherWords);
        if (isKnown && isMadeOfKnown(part.substr(end))) return true;
    }
    return false;
}

std::optional<FrameRole> roleOfPart(std::string_view part) {
    for (const FrameWord& word : kFrameWords)
        if (word.isShort || word.text == "black" ? part == word.text : part.starts_with(word.text))
            return word.role;
    return std::nullopt;
}

struct Part {
    std::string text;
    bool isJoined = false;  ///< to the one before it, without a gap
    bool isUnit = false;    ///< "kV" behind 80, "s" behind 2
};

std::vector<Part> takeApart(const std::string& name) {
    std::vector<Part> parts;
    char before = ' ';
    for (const char c : name) {
        const bool isDigit = c >= '0' && c <= '9';
        const bool isUpper = c >= 'A' && c <= 'Z';
        // Bytes of other alphabets are letters of unknown words.
        const bool isLetter = isUpper || (c >= 'a' && c <= 'z') || (c & '\x80') != 0;
        const bool wasDigit = before >= '0' && before <= '9';
        const bool wasLower = (before >= 'a' && before <= 'z') || (before & '\x80') != 0;
        const bool wasLetter = wasLower || (before >= 'A' && before <= 'Z');
        if ((isDigit && !wasDigit) || (isLetter && (!wasLetter || (isUpper && wasLower))))
            parts.push_back({{}, wasDigit || wasLetter, false});
        if (isDigit || isLetter)
            parts.back().text += isUpper ? static_cast<char>(c - 'A' + 'a') : c;
        before = c;
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
        Part& part = parts[i];
        const Part& last = parts[i - 1];
        part.isUnit = part.isJoined && part.text.size() <= 2 && !isNumber(part.text) &&
                      (isNumber(last.text) || last.isUnit);
        // I0 is one name.
        if (!part.isJoined || part.text != "0" || last.text != "i") continue;
        parts[i - 1].text = "i0";
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return parts;
}

std::vector<Part> without(std::vector<Part> parts, const std::vector<std::string>& name) {
    const auto found =
        std::search(parts.begin(), parts.end(), name.begin(), name.end(),
                    [](const Part& part, const std::string& text) { return part.text == text; });
    if (found != parts.end()) parts.erase(found, found + std::ssize(name));
    return parts;
}

bool sayFramesAlone(const std::vector<Part>& parts) {
    bool isFrames = false;
    bool isTimed = false;
    for (const Part& part : parts) {
        isTimed = isTimed || isOneOf(part.text, kTimeWords);
        isFrames = isFrames || roleOfPart(part.text) || isReference(part.text);
    }
    return isFrames && std::ranges::all_of(parts, [&](const Part& part) {
               return isNumber(part.text) || part.isUnit || isMadeOfKnown(part.text) ||
                      (isTimed && part.text == "scan");
           });
}

}  // namespace

std::vector<std::string> partsOfName(const std::string& name) {
    std::vector<std::string> texts;
    for (Part& part : takeApart(name))
        texts.push_back(std::move(part.text));
    return texts;
}

FrameRole roleOfName(const std::string& name) {
    const std::vector<std::string> parts = partsOfName(name);
    for (const std::string& part : parts)
        if (const std::optional<FrameRole> role = roleOfPart(part)) return *role;
    return sayFramesAlone(takeApart(name)) ? FrameRole::flat : FrameRole::projections;
}

bool saysFramesAlone(const std::string& name,
                     const std::vector<std::vector<std::string>>& scanNames) {
    const std::vector<Part> parts = takeApart(name);
    return sayFramesAlone(parts) ||
           std::ranges::any_of(scanNames, [&](const std::vector<std::string>& scan) {
               return !scan.empty() && sayFramesAlone(without(parts, scan));
           });
}

FrameTime timeOfName(const std::string& name) {
    for (const std::string& part : partsOfName(name)) {
        if (part.starts_with("after") || part == "post" || part == "end") return FrameTime::after;
        if (part.starts_with("before") || part == "pre" || part == "start" || part == "begin")
            return FrameTime::before;
    }
    return FrameTime::unknown;
}

bool isCalledProjections(const std::string& name) {
    return std::ranges::any_of(partsOfName(name), [](const std::string& part) {
        return part.starts_with("proj") || part.starts_with("radiogra");
    });
}

std::vector<std::string> ownParts(std::vector<std::string> parts) {
    std::erase_if(parts, [](const std::string& part) {
        return isCalledProjections(part) || part == "tomo" || part == "views" || part == "view";
    });
    return parts;
}

std::string familyOfName(const std::string& fileName) {
    const std::string lower = inLowerCase(fileName);
    std::string family;
    for (std::size_t i = 0; i < lower.size(); ++i) {
        const bool isBeforeDigit = i + 1 < lower.size() && isNumber(lower.substr(i + 1, 1));
        const bool isSign = lower[i] == '-' || lower[i] == '+' || lower[i] == '.';
        if (!isNumber(lower.substr(i, 1)) && !(isSign && isBeforeDigit)) family += lower[i];
    }
    return family.ends_with(".tiff") ? family.substr(0, family.size() - 1) : family;
}

}  // namespace gantry
