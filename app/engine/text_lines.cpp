#include "app/engine/text_lines.h"

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/text.h"

namespace kurve::engine {

Result<std::vector<std::string>> readLines(const std::string& file) {
    KURVE_TRY(std::string text, readFile(file, kCorpusBytes));
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    if (text.ends_with('\n')) text.pop_back();
    std::vector<std::string> lines;
    if (!text.empty()) lines = split(text, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].ends_with('\r')) lines[i].pop_back();
        if (const auto bad = firstInvalidUtf8(lines[i]))
            return requestError("data.utf8", fmt::format("byte {} is not UTF-8", *bad + 1))
                .in(file, static_cast<int>(i) + 1)
                .fix("convert the file, for example with iconv -f latin1 -t utf-8");
    }
    return lines;
}

}  // namespace kurve::engine
