#include "core/text/published/byte_bpe.h"

#include <deque>

#include "core/text/published/byte_alphabet.h"
#include "core/text/published/unicode_text.h"
#include "core/text/published/word_cache.h"

namespace kurve::text::detail {
namespace {

/// The words of a text; those that a step changed are kept here.
class WordSplit {
public:
    WordSplit(std::string_view text, const std::vector<SplitStep>& steps) {
        if (!text.empty()) words_.push_back(text);
        for (const SplitStep& step : steps) apply(step);
    }
    [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }

private:
    void apply(const SplitStep& step) {
        std::vector<std::string_view> next;
        for (std::string_view word : words_) {
            if (step.addsSpace && !word.starts_with(' ')) word = changed_.emplace_back(" ").append(word);
            if (step.pattern)
                step.pattern->split(word, step.kept, next);
            else
                next.push_back(word);
        }
        words_ = std::move(next);
    }

    std::vector<std::string_view> words_;
    std::deque<std::string> changed_;  ///< a deque, for its strings stay where they are
};

class ByteBpeTokenizer : public VocabularyTokenizer {
public:
    explicit ByteBpeTokenizer(ByteBpeParts parts)
        : VocabularyTokenizer(std::move(parts.vocabulary)), parts_(std::move(parts)) {}

    [[nodiscard]] WordBoundary wordBoundary() const override { return WordBoundary::Byte; }

protected:
    [[nodiscard]] std::vector<std::int32_t> encodeValid(std::string_view text) const override {
        const std::string composed = parts_.composes ? compose(text) : std::string();
        const WordSplit split(parts_.composes ? std::string_view(composed) : text, parts_.steps);
        std::vector<std::int32_t> ids;
        for (const std::string_view word : split.words()) appendWord(word, ids);
        return ids;
    }
    [[nodiscard]] std::string join(std::span<const std::int32_t> ids) const override {
        std::string bytes;
        for (const std::int32_t id : ids)
            bytes += id == vocabulary().special.unk ? "⁇" : parts_.bytes[static_cast<std::size_t>(id)];
        return replaceInvalidUtf8(std::move(bytes));
    }

private:
    void appendWord(std::string_view word, std::vector<std::int32_t>& ids) const {
        if (cache_.find(word, ids)) return;
        const std::size_t first = ids.size();
        mergeWord(word, ids);
        cache_.keep(word, std::span(ids).subspan(first));
    }
    void mergeWord(std::string_view word, std::vector<std::int32_t>& ids) const {
        if (parts_.wholeWords) {
            const auto whole = parts_.wholeWords->find(word);
            if (whole != parts_.wholeWords->end()) return ids.push_back(whole->second);
        }
        mergeBytes(word, parts_.idsOfBytes, *parts_.merges, ids);
    }

    ByteBpeParts parts_;
    mutable WordCache cache_;
};

}  // namespace

std::shared_ptr<const Tokenizer> makeByteBpe(ByteBpeParts parts) {
    return std::make_shared<ByteBpeTokenizer>(std::move(parts));
}

}  // namespace kurve::text::detail
