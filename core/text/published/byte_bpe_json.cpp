#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text/published/byte_alphabet.h"
#include "core/text/published/byte_bpe_table.h"
#include "core/text/published/json_vocabulary.h"

namespace kurve::text::detail {
namespace {

using nlohmann::json;

constexpr const char* kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kPreTokenizers =
    "ByteLevel, Split with the behaviour Isolated or Removed, a Sequence of Splits that ends with ByteLevel";

Status checkModel(const json& model) {
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (const json value = partOf(model, affix);
            value.is_string() && !value.get_ref<const std::string&>().empty())
            return unsupportedPart(fmt::format("model.{}", affix), value.get<std::string>(), "none");
    if (const json dropout = partOf(model, "dropout"); dropout.is_number() && dropout != 0.0)
        return unsupportedPart("model.dropout", dropout.dump(), "none");
    if (model.value("byte_fallback", false)) return unsupportedPart("model.byte_fallback", "true", "false");
    return {};
}

Result<bool> readComposes(const json& normalizer) {
    const std::string type = typeOf(normalizer);
    if (type == "null") return false;
    if (type == "NFC") return true;
    if (type != "Sequence") return unsupportedPart("normalizer", type, "NFC or none for BPE over bytes");
    bool composes = false;
    for (const json& part : normalizer.at("normalizers")) {
        KURVE_TRY(const bool one, readComposes(part));
        composes = composes || one;
    }
    return composes;
}

Result<SplitStep> readSplit(const json& part) {
    const json& pattern = part.at("pattern");
    const bool literal = pattern.contains("String");
    SplitStep step;
    KURVE_TRY(step.pattern,
              SplitPattern::compile(pattern.at(literal ? "String" : "Regex"),
                                    literal ? PatternDialect::Literal : PatternDialect::Oniguruma));
    const std::string behavior = part.at("behavior");
    if (behavior == "Isolated") return step;
    if (behavior != "Removed")
        return unsupportedPart("behavior of the pre_tokenizer Split", behavior, "Isolated, Removed");
    (part.value("invert", false) ? step.kept.gaps : step.kept.matches) = false;
    return step;
}

Result<SplitStep> readByteLevel(const json& part) {
    SplitStep step;
    step.addsSpace = part.at("add_prefix_space").get<bool>();
    if (!part.value("use_regex", true)) return step;
    KURVE_TRY(step.pattern, SplitPattern::compile(kGpt2Pattern, PatternDialect::Oniguruma));
    return step;
}

Result<std::vector<SplitStep>> readSteps(const json& preTokenizer) {
    const bool sequence = typeOf(preTokenizer) == "Sequence";
    const json parts = sequence ? preTokenizer.at("pretokenizers") : json::array({preTokenizer});
    std::vector<SplitStep> steps;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string type = typeOf(parts[i]);
        const bool last = i + 1 == parts.size();
        if (type != (last ? "ByteLevel" : "Split"))
            return unsupportedPart("pre_tokenizer", type, kPreTokenizers);
        KURVE_TRY(steps.emplace_back(), last ? readByteLevel(parts[i]) : readSplit(parts[i]));
    }
    if (steps.empty()) return unsupportedPart("pre_tokenizer", "empty Sequence", kPreTokenizers);
    return steps;
}

struct TokenPair {
    std::string left, right;
};

/// ["a", "b"], or "a b" in files of before 2024.
Result<TokenPair> readPair(const json& merge) {
    if (merge.is_array() && merge.size() == 2) return TokenPair{merge[0], merge[1]};
    const std::string text = merge.is_string() ? merge.get<std::string>() : std::string();
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
        return damagedTokenizer(fmt::format("the merge {} is no pair", merge.dump()));
    return TokenPair{text.substr(0, space), text.substr(space + 1)};
}

Result<std::unique_ptr<const MergeTable>> readMerges(const json& list, const JsonVocabulary& from) {
    auto merges = std::make_unique<PairMerges>();
    merges->reserve(list.size());
    std::int32_t rank = 0;
    for (const json& entry : list) {
        KURVE_TRY(const TokenPair pair, readPair(entry));
        const auto left = from.ids.find(pair.left), right = from.ids.find(pair.right),
                   both = from.ids.find(pair.left + pair.right);
        if (left == from.ids.end() || right == from.ids.end() || both == from.ids.end())
            return damagedTokenizer(fmt::format("the merge of \"{}\" and \"{}\" is not in the vocabulary",
                                                pair.left, pair.right));
        // Text that spells a special token stays text.
        if (!from.vocabulary.hidden[static_cast<std::size_t>(both->second)])
            merges->add(left->second, right->second, {rank, both->second});
        ++rank;
    }
    return merges;
}

Status checkDecoder(const json& decoder) {
    const std::string type = typeOf(decoder);
    if (type == "null" || type == "ByteLevel") return {};
    return unsupportedPart("decoder", type, "ByteLevel or none for BPE over bytes");
}

}  // namespace

Result<PublishedTokenizer> readByteBpe(const json& spec, const json& config, const std::string& bytes) {
    const json& model = spec.at("model");
    KURVE_CHECKED(checkModel(model));
    KURVE_CHECKED(checkDecoder(partOf(spec, "decoder")));
    ByteBpeParts parts;
    KURVE_TRY(parts.composes, readComposes(partOf(spec, "normalizer")));
    KURVE_TRY(parts.steps, readSteps(partOf(spec, "pre_tokenizer")));
    KURVE_TRY(JsonVocabulary read, readJsonVocabulary(spec, config, SpecialSource::AddedTokens));
    sealVocabulary(read.vocabulary, "byte-bpe", bytes);
    KURVE_TRY(parts.merges, readMerges(model.at("merges"), read));
    parts.vocabulary = std::move(read.vocabulary);
    for (const std::string& token : parts.vocabulary.tokens)
        parts.bytes.push_back(bytesOfSpelling(token).value_or(token));
    const auto ids = std::make_shared<const TokenIds>(idsByBytes(parts.vocabulary));
    KURVE_TRY(parts.idsOfBytes, findSingleBytes(*ids));
    if (model.value("ignore_merges", false)) parts.wholeWords = ids;
    return PublishedTokenizer{makeByteBpe(std::move(parts)), "byte-bpe"};
}

}  // namespace kurve::text::detail
