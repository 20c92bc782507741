#include "views/autoencoder/validation_texts.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/config/run_config.h"

namespace kurve::views {

std::vector<std::string> validationTexts(const std::filesystem::path& project, const RunConfig& config) {
    constexpr std::size_t kMostTexts = 16;  // some hundred chunks
    // A token has at least a byte; a word mark, <s> and </s> come on top.
    const auto longest = static_cast<std::size_t>(config.integer("data.max_length")) - 3;
    std::vector<std::string> texts;
    auto file = InputFile::open(project / config.text("data.valid"));
    std::string head(std::size_t{1} << 16, '\0');
    const Result<std::size_t> bytes = file ? file->read(head) : Result<std::size_t>(0);
    head.resize(bytes ? *bytes : 0);
    head.resize(head.rfind('\n') + 1);  // the last line may be cut
    for (const std::string& line : split(head, '\n'))
        if (texts.size() < kMostTexts && !trim(line).empty() && line.size() <= longest &&
            !firstInvalidUtf8(line))
            texts.push_back(line);
    return texts;
}

}  // namespace kurve::views
