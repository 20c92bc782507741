#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve {

/// An option, an argument, a command or an exit code.
struct ManualEntry {
    std::string term, value, text;  ///< value: what an option takes; may be empty
};

/// In this order; all but the title may be empty.
struct ManualSection {
    std::string title;
    std::string text;
    std::vector<ManualEntry> entries;
    std::vector<std::string> lines;  ///< shown as they are: commands
};

/// A page of section 1: a program or one of its commands.
struct ManualPage {
    std::string name;                   ///< "kurve-train"
    std::string summary;                ///< one line, without a full stop
    std::vector<std::string> synopsis;  ///< a line for each way to call it
    std::vector<ManualSection> sections;
    std::vector<std::string> seeAlso;  ///< names of pages of section 1
};

/// The page in man(7), UTF-8. Its date is SOURCE_DATE_EPOCH's where that is set (reproducible packages), else
/// today's, UTC.
[[nodiscard]] std::string manualSource(const ManualPage& page);
/// Writes folder/NAME.1; makes the folder. Errors: io.write.
Status writeManualPage(const std::filesystem::path& folder, const ManualPage& page);

}  // namespace kurve
