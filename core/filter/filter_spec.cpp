#include "core/filter/filter_spec.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/base/error.h"

namespace gantry {

namespace {

constexpr std::array<std::pair<FilterWindow, std::string_view>, 5> kWindows = {
    {{FilterWindow::ramLak, "ram-lak"},
     {FilterWindow::sheppLogan, "shepp-logan"},
     {FilterWindow::cosine, "cosine"},
     {FilterWindow::hamming, "hamming"},
     {FilterWindow::hann, "hann"}}};

}  // namespace

std::string_view name(FilterWindow window) {
    for (const auto& [value, text] : kWindows)
        if (value == window) return text;
    throw InternalError("a filter window without a name");
}

FilterWindow parseFilterWindow(std::string_view text) {
    std::string known;
    for (const auto& [value, windowName] : kWindows) {
        if (windowName == text) return value;
        known += known.empty() ? "" : ", ";
        known += windowName;
    }
    throw InputError(fmt::format("The filter window is '{}'; it must be one of {}.", text, known),
                     {.field = "window"});
}

}  // namespace gantry
