#include "core/base/manual_page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/version.h"

namespace kurve {
namespace {

/// Text in which groff sees no request and no escape. Unescaped, it would set - ' ` ^ ~ as typographic
/// characters, which no shell takes.
std::string roff(std::string_view text) {
    std::string out = text.starts_with('.') ? "\\&" : "";
    for (const char c : text) switch (c) {
            case '\\':
                out += "\\e";
                break;
            case '-':
                out += "\\-";
                break;
            case '\'':
                out += "\\(aq";
                break;
            case '`':
                out += "\\(ga";
                break;
            case '^':
                out += "\\(ha";
                break;
            case '~':
                out += "\\(ti";
                break;
            case '"':
                out += "\\(dq";
                break;
            default:
                out += c;
        }
    return out;
}

std::string upperCase(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

std::string date() {
    const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
    return fmt::format("{:%Y-%m-%d}",
                       fmt::gmtime(epoch ? std::strtoll(epoch, nullptr, 10) : std::time(nullptr)));
}

std::string heading(const std::string& title) {
    return ".SH \"" + roff(upperCase(title)) + "\"\n";
}

std::string entrySource(const ManualEntry& entry) {
    const std::string value = entry.value.empty() ? "" : " \\fI" + roff(entry.value) + "\\fR";
    return ".TP\n\\fB" + roff(entry.term) + "\\fR" + value + "\n" + roff(entry.text) + "\n";
}

std::string linesSource(const std::vector<std::string>& lines) {
    std::string out = ".nf\n";
    for (const auto& line : lines) out += roff(line) + "\n";
    return out + ".fi\n";
}

std::string sectionSource(const ManualSection& section) {
    std::string out = heading(section.title);
    if (!section.text.empty()) out += roff(section.text) + "\n";
    for (const auto& entry : section.entries) out += entrySource(entry);
    if (section.lines.empty()) return out;
    const bool first = section.text.empty() && section.entries.empty();
    return out + (first ? "" : ".PP\n") + linesSource(section.lines);
}

std::string seeAlsoSource(const std::vector<std::string>& names) {
    std::string out = heading("See also");
    for (const auto& name : names)
        out += ".BR " + roff(name) + (&name == &names.back() ? " (1)\n" : " (1),\n");
    return out;
}

}  // namespace

std::string manualSource(const ManualPage& page) {
    std::string out = fmt::format(".TH \"{}\" \"1\" \"{}\" \"Kurve {}\" \"Kurve\"\n",
                                  roff(upperCase(page.name)), date(), versionText());
    out += heading("Name") + roff(page.name) + " \\- " + roff(page.summary) + "\n";
    out += heading("Synopsis") + linesSource(page.synopsis);
    for (const auto& section : page.sections) out += sectionSource(section);
    return page.seeAlso.empty() ? out : out + seeAlsoSource(page.seeAlso);
}

Status writeManualPage(const std::filesystem::path& folder, const ManualPage& page) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);  // what fails here fails below, with its cause
    return writeFileAtomically(folder / (page.name + ".1"), manualSource(page));
}

}  // namespace kurve
