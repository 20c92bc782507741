#include "core/interop/detail/page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/version.h"
#include "core/interop/detail/markup.h"
#include "core/interop/detail/page_texts.h"

namespace kurve::interop::detail {
namespace {

/// JSON in which no text can end the element that holds it.
std::string embedded(const nlohmann::json& data) {
    const std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
    return out;
}

}  // namespace

std::string htmlPage(const std::string& title, nlohmann::json data, std::string_view script) {
    data["title"] = title;
    data["written"] = utcText(wallSeconds());
    data["version"] = fmt::format("{} ({})", versionText(), commitText());
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n<title>";
    page += markupText(title);
    page += "</title>\n<style>\n";
    page += kPageStyle;
    page +=
        "</style>\n</head>\n<body>\n<main><noscript>This page draws itself with "
        "JavaScript.</noscript></main>\n";
    page += "<script type=\"application/json\" id=\"data\">";
    page += embedded(data);
    page += "</script>\n<script>\n";
    page += kPageScript;
    page += script;
    page += "</script>\n</body>\n</html>\n";
    return page;
}

}  // namespace kurve::interop::detail
