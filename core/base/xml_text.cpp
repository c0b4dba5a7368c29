#include "core/base/xml_text.h"

namespace gantry {

std::string xmlEscaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '"')
            result += "&quot;";
        else if (c < 0 || c >= 32 || c == '\t' || c == '\n' || c == '\r')
            result += c;
    }
    return result;
}

}  // namespace gantry
