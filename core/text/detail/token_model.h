#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"
#include "core/text/trained_specials.h"

namespace kurve::text::detail {

/// A kind of tokenizer; checks, files and the lower-casing of what is encoded are the caller's.
class TokenModel {
public:
    virtual ~TokenModel() = default;
    [[nodiscard]] virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
    /// Ids from kFirstRegularToken and kUnk only.
    [[nodiscard]] virtual std::string decode(std::span<const std::int32_t> ids) const = 0;
    [[nodiscard]] virtual std::string token(std::int32_t id) const = 0;  ///< id >= kFirstRegularToken
    [[nodiscard]] virtual std::int32_t size() const = 0;
};

/// Bytes of a trained model; spec.lowerCase is of the lines too. Errors: tokenizer.vocabulary.
Result<std::string> trainSentencePiece(const TokenizerSpec& spec, std::span<const std::string> lines);
Result<std::string> trainWords(const TokenizerSpec& spec, std::span<const std::string> lines);
std::string byteModel();  ///< the same for every text

/// A model from such bytes. Errors: tokenizer.damaged.
Result<std::unique_ptr<TokenModel>> openSentencePiece(const std::string& bytes);
Result<std::unique_ptr<TokenModel>> openWords(const std::string& bytes, bool splitPunctuation);
Result<std::unique_ptr<TokenModel>> openBytes(const std::string& bytes);

}  // namespace kurve::text::detail
