#include "app/cli/guesses_text.h"

#include <fmt/format.h>

namespace gantry {

std::string guessesText(const std::vector<GuessedScan::Guess>& guesses) {
    std::string text;
    for (const bool isUnsure : {true, false})
        for (const GuessedScan::Guess& guess : guesses)
            if (guess.isUnsure == isUnsure)
                text += fmt::format("  {}{}: {}\n", isUnsure ? "not sure: " : "", guess.field,
                                    guess.reason);
    return text;
}

}  // namespace gantry
