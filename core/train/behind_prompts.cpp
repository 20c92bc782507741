#include "core/train/behind_prompts.h"

#include <algorithm>
#include <span>

#include "core/base/text.h"
#include "core/text/reference_text.h"
#include "core/text/sentences.h"
#include "core/train/evaluation.h"

namespace kurve::train {
namespace {

void eraseFirst(std::size_t tokens, Decoded& row) {
    row.ids.erase(row.ids.begin(),
                  row.ids.begin() + static_cast<std::ptrdiff_t>(std::min(tokens, row.ids.size())));
}

void leavePromptOutOfText(const text::TextTemplate& prompt, const text::Tokenizer& tokenizer, Decoded& row) {
    row.sentences = text::sentencesOf(row.output);
    eraseFirst(prompt.ids.size() - 1, row);  // BOS
    row.output = tokenizer.decode(row.ids);
}

void leavePromptOutOfDocument(const text::TextTemplate& prompt, Decoded& row) {
    const std::span<const std::string> sentences(row.sentences);
    row.output = join(sentences.subspan(std::min(prompt.sentences.size(), sentences.size())), " ");
    std::size_t tokens = 0;
    for (const auto& sentence : prompt.sentences) tokens += sentence.size() - 2;  // BOS and EOS
    eraseFirst(tokens, row);
}

}  // namespace

std::string behindPrompt(const text::Dataset& data, const std::string& whole) {
    const std::string prompt = samplePrompt(data, whole).text;
    const std::string behind =
        prompt.empty() ? whole : join(split(trim(whole.substr(prompt.size())), '\n'), " ");
    return text::referenceText(*data.target, behind);
}

void leavePromptsOut(const text::Dataset& data, const DecodeRequest& request, DecodedSet& set) {
    if (!data.documents && data.promptEnd.empty()) return;
    for (std::size_t i = 0; i < std::min(set.rows.size(), request.templates.size()); ++i)
        if (data.documents)
            leavePromptOutOfDocument(request.templates[i], set.rows[i]);
        else
            leavePromptOutOfText(request.templates[i], *data.target, set.rows[i]);
}

}  // namespace kurve::train
