#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"
#include "core/text/detail/token_model.h"
#include "core/text/lower_case.h"

namespace kurve::text::detail {
namespace {

const std::string kSpace = "▁";  ///< as in SentencePiece: a token that follows a space begins with it

bool isApostrophe(char32_t p) {
    return p == U'\'' || p == U'’';
}

/// "God’s." -> "God’s", ".": runs of letters (apostrophes inside them included), and each other character
/// alone.
void splitAtPunctuation(const std::string& word, std::vector<std::string>& out) {
    const std::vector<char32_t> points = codePoints(word);
    std::size_t from = 0;
    for (std::size_t at = 0; at < points.size(); ++at) {
        const bool inside =
            at > from && at + 1 < points.size() && isApostrophe(points[at]) && !isPunctuation(points[at + 1]);
        if (!isPunctuation(points[at]) || inside) continue;
        if (at > from) out.push_back(toUtf8(std::span(points).subspan(from, at - from)));
        out.push_back(toUtf8(std::span(points).subspan(at, 1)));
        from = at + 1;
    }
    if (from < points.size()) out.push_back(toUtf8(std::span(points).subspan(from)));
}

std::vector<std::string> splitTokens(std::string_view text, bool splitPunctuation) {
    std::vector<std::string> tokens;
    for (const std::string& word : splitWords(text)) {
        const std::size_t first = tokens.size();
        if (splitPunctuation)
            splitAtPunctuation(word, tokens);
        else
            tokens.push_back(word);
        tokens[first].insert(0, kSpace);
    }
    return tokens;
}

class WordModel : public TokenModel {
public:
    WordModel(std::vector<std::string> tokens, bool splitPunctuation)
        : tokens_(std::move(tokens)), splitPunctuation_(splitPunctuation) {
        for (std::size_t i = 0; i < tokens_.size(); ++i)
            ids_[tokens_[i]] = kFirstRegularToken + static_cast<std::int32_t>(i);
    }

    [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids;
        for (const std::string& token : splitTokens(text, splitPunctuation_)) {
            const auto at = ids_.find(token);
            ids.push_back(at == ids_.end() ? kUnk : at->second);
        }
        return ids;
    }
    [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override {
        std::string text;
        for (const std::int32_t id : ids) {
            const std::string token = id == kUnk ? kSpace + "⁇" : this->token(id);
            if (!token.starts_with(kSpace))
                text += token;
            else
                text += (text.empty() ? "" : " ") + token.substr(kSpace.size());
        }
        return text;
    }
    [[nodiscard]] std::string token(std::int32_t id) const override {
        return tokens_[static_cast<std::size_t>(id - kFirstRegularToken)];
    }
    [[nodiscard]] std::int32_t size() const override {
        return kFirstRegularToken + static_cast<std::int32_t>(tokens_.size());
    }

private:
    std::vector<std::string> tokens_;
    std::unordered_map<std::string, std::int32_t> ids_;
    bool splitPunctuation_;
};

}  // namespace

Result<std::string> trainWords(const TokenizerSpec& spec, std::span<const std::string> lines) {
    std::unordered_map<std::string, std::int64_t> counts;
    for (const std::string& line : lines)
        for (std::string& token : splitTokens(spec.lowerCase ? lowerCase(line) : line, spec.kind == "word"))
            ++counts[std::move(token)];
    std::vector<std::pair<std::int64_t, std::string>> order;
    for (const auto& [token, count] : counts) order.emplace_back(-count, token);
    std::sort(order.begin(), order.end());  // most frequent first, equals by their bytes
    order.resize(std::min(order.size(), static_cast<std::size_t>(spec.vocabularySize - kFirstRegularToken)));
    std::string model;
    for (const auto& [count, token] : order) model += token + "\n";
    return model;
}

Result<std::unique_ptr<TokenModel>> openWords(const std::string& bytes, bool splitPunctuation) {
    std::vector<std::string> tokens = split(bytes, '\n');
    if (tokens.size() < 2 || !tokens.back().empty())
        return workError("tokenizer.damaged", "the list of tokens is empty or truncated");
    tokens.pop_back();
    return std::make_unique<WordModel>(std::move(tokens), splitPunctuation);
}

}  // namespace kurve::text::detail
