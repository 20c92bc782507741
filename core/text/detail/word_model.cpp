#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"
#include "core/text/detail/piece_model.h"
#include "core/text/lower_case.h"

namespace kurve::text::detail {
namespace {

const std::string kSpace = "▁";  ///< as in SentencePiece: a piece that follows a space begins with it

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

std::vector<std::string> cutWords(std::string_view text, bool splitPunctuation) {
    std::vector<std::string> pieces;
    for (const std::string& word : splitWords(text)) {
        const std::size_t first = pieces.size();
        if (splitPunctuation)
            splitAtPunctuation(word, pieces);
        else
            pieces.push_back(word);
        pieces[first].insert(0, kSpace);
    }
    return pieces;
}

class WordModel : public PieceModel {
public:
    WordModel(std::vector<std::string> pieces, bool splitPunctuation)
        : pieces_(std::move(pieces)), splitPunctuation_(splitPunctuation) {
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            ids_[pieces_[i]] = kFirstPiece + static_cast<std::int32_t>(i);
    }

    [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids;
        for (const std::string& piece : cutWords(text, splitPunctuation_)) {
            const auto at = ids_.find(piece);
            ids.push_back(at == ids_.end() ? kUnk : at->second);
        }
        return ids;
    }
    [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override {
        std::string text;
        for (const std::int32_t id : ids) {
            const std::string piece = id == kUnk ? kSpace + "⁇" : this->piece(id);
            if (!piece.starts_with(kSpace))
                text += piece;
            else
                text += (text.empty() ? "" : " ") + piece.substr(kSpace.size());
        }
        return text;
    }
    [[nodiscard]] std::string piece(std::int32_t id) const override {
        return pieces_[static_cast<std::size_t>(id - kFirstPiece)];
    }
    [[nodiscard]] std::int32_t size() const override {
        return kFirstPiece + static_cast<std::int32_t>(pieces_.size());
    }

private:
    std::vector<std::string> pieces_;
    std::unordered_map<std::string, std::int32_t> ids_;
    bool splitPunctuation_;
};

}  // namespace

Result<std::string> trainWords(const TokenizerSpec& spec, std::span<const std::string> lines) {
    std::unordered_map<std::string, std::int64_t> counts;
    for (const std::string& line : lines)
        for (std::string& piece : cutWords(line, spec.kind == "word")) ++counts[std::move(piece)];
    std::vector<std::pair<std::int64_t, std::string>> order;
    for (const auto& [piece, count] : counts) order.emplace_back(-count, piece);
    std::sort(order.begin(), order.end());  // most frequent first, equals by their bytes
    order.resize(std::min(order.size(), static_cast<std::size_t>(spec.vocabularySize - kFirstPiece)));
    std::string model;
    for (const auto& [count, piece] : order) model += piece + "\n";
    return model;
}

Result<std::unique_ptr<PieceModel>> openWords(const std::string& bytes, bool splitPunctuation) {
    std::vector<std::string> pieces = split(bytes, '\n');
    if (pieces.size() < 2 || !pieces.back().empty())
        return workError("tokenizer.damaged", "the list of words is empty or cut off");
    pieces.pop_back();
    return std::make_unique<WordModel>(std::move(pieces), splitPunctuation);
}

}  // namespace kurve::text::detail
