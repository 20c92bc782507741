#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <regex>
#include <unordered_map>

#include "core/base/check.h"
#include "core/text/detail/token_model.h"
#include "core/text/lower_case.h"

namespace kurve::text::detail {
namespace {

/// The trainer cuts the spelling of a special piece out of its text, so that characters which occur only
/// there would get no piece and a user's "<mask>" would become <unk>s: a space inside breaks the spelling,
/// for training only.
void breakSpelledSpecials(std::string& line) {
    for (const std::string special : kSpecialTokens)
        for (std::size_t at = 0; (at = line.find(special, at)) != std::string::npos; ++at)
            line.insert(at + 1, " ");
}

/// Lines as the trainer takes them, each when it is asked for.
class LineIterator : public sentencepiece::SentenceIterator {
public:
    LineIterator(std::span<const std::string> lines, bool lowers) : lines_(lines), lowers_(lowers) { read(); }
    [[nodiscard]] bool done() const override { return at_ >= lines_.size(); }
    void Next() override {
        ++at_;
        read();
    }
    [[nodiscard]] const std::string& value() const override { return line_; }
    [[nodiscard]] sentencepiece::util::Status status() const override { return {}; }

private:
    void read() {
        if (done()) return;
        line_ = lowers_ ? lowerCase(lines_[at_]) : lines_[at_];
        breakSpelledSpecials(line_);
    }
    std::span<const std::string> lines_;
    bool lowers_;
    std::string line_;
    std::size_t at_ = 0;
};

/// SentencePiece says the largest (or smallest) possible size only in its message.
Error vocabularyError(const TokenizerSpec& spec, const std::string& said) {
    static const std::regex largest("value <= ([0-9]+)"), smallest("required_chars[^0-9]*([0-9]+)");
    std::smatch found;
    Error error = requestError("tokenizer.vocabulary",
                               fmt::format("the training text cannot fill {} tokens", spec.vocabularySize))
                      .at("data.tokenizer.vocabulary");
    if (std::regex_search(said, found, largest)) {
        if (std::stoll(found[1].str()) >= kMinVocabularySize)
            return std::move(error).fix(fmt::format("use at most {}", found[1].str()));
        return requestError("tokenizer.little_text",
                            fmt::format("the training text fills {} tokens, and {} are the minimum",
                                        found[1].str(), kMinVocabularySize))
            .at("data.train")
            .fix("give it sentences with more different words, or set data.tokenizer.kind = \"word\"");
    }
    if (said.find("smaller than required_chars") != std::string::npos) {
        error.message =
            fmt::format("{} tokens are too few for the characters of the training text", spec.vocabularySize);
        return std::move(error).fix("use a larger vocabulary, or a coverage below 1");
    }
    return std::move(error).fix("SentencePiece says: " + said);
}

class SentencePieceModel : public TokenModel {
public:
    sentencepiece::util::Status load(const std::string& bytes) {
        return processor_.LoadFromSerializedProto(bytes);
    }

    [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<int> ids;
        const auto status = processor_.Encode({text.data(), text.size()}, &ids);
        KURVE_CHECK(status.ok(), "{}", status.ToString());
        return {ids.begin(), ids.end()};
    }
    [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override {
        std::string text;
        const auto status = processor_.Decode(std::vector<int>(ids.begin(), ids.end()), &text);
        KURVE_CHECK(status.ok(), "{}", status.ToString());
        return text;
    }
    [[nodiscard]] std::string token(std::int32_t id) const override { return processor_.IdToPiece(id); }
    [[nodiscard]] std::int32_t size() const override { return processor_.GetPieceSize(); }

    [[nodiscard]] bool hasOurSpecials() const {
        return processor_.bos_id() == kBos && processor_.pad_id() == kPad && processor_.eos_id() == kEos &&
               processor_.unk_id() == kUnk && size() > kFirstRegularToken && processor_.IsControl(kMask);
    }

private:
    sentencepiece::SentencePieceProcessor processor_;
};

}  // namespace

Result<std::string> trainSentencePiece(const TokenizerSpec& spec, std::span<const std::string> lines) {
    const std::unordered_map<std::string, std::string> settings = {
        {"model_type", spec.kind == "character" ? "char" : spec.kind},
        {"vocab_size", std::to_string(spec.vocabularySize)},
        {"character_coverage", fmt::format("{}", spec.characterCoverage)},
        {"bos_id", std::to_string(kBos)},
        {"pad_id", std::to_string(kPad)},
        {"eos_id", std::to_string(kEos)},
        {"unk_id", std::to_string(kUnk)},
        {"unk_surface", "⁇"},
        {"control_symbols", "<mask>"},  // takes the first free id, kMask
        {"normalization_rule_name", "identity"},
        {"max_sentence_length",
         "10000000"},          // longer lines were counted and left out when the corpus was read
        {"num_threads", "1"},  // the same pieces on every machine
        {"minloglevel", "3"},
    };
    LineIterator iterator(lines, spec.lowerCase);
    std::string model;
    const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &iterator, &model);
    if (!status.ok()) return vocabularyError(spec, status.ToString());
    return model;
}

Result<std::unique_ptr<TokenModel>> openSentencePiece(const std::string& bytes) {
    auto model = std::make_unique<SentencePieceModel>();
    const auto status = model->load(bytes);
    if (!status.ok())
        return workError("tokenizer.damaged", "SentencePiece cannot read the model: " + status.ToString());
    if (!model->hasOurSpecials())
        return workError("tokenizer.damaged",
                         "the model's special tokens are not <s> <pad> </s> <unk> <mask>");
    return model;
}

}  // namespace kurve::text::detail
