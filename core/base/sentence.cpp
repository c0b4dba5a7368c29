#include "core/base/sentence.h"

namespace gantry {

std::string withFullStop(std::string text) {
    if (!text.empty() && !text.ends_with('.') && !text.ends_with('?') && !text.ends_with('!'))
        text += '.';
    return text;
}

}  // namespace gantry
