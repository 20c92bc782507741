#include <fmt/format.h>

#include "core/base/text.h"
#include "core/text/detail/token_model.h"

namespace kurve::text::detail {
namespace {

constexpr std::string_view kModel = "the 256 bytes\n";
constexpr std::int32_t kBytes = 256;

/// Valid UTF-8: each byte that is none as U+FFFD.
std::string repaired(std::string bytes) {
    constexpr std::string_view kReplacement = "\uFFFD";
    for (std::size_t from = 0; const auto bad = firstInvalidUtf8(std::string_view(bytes).substr(from));) {
        bytes.replace(from + *bad, 1, kReplacement);
        from += *bad + kReplacement.size();
    }
    return bytes;
}

/// A text begins with a space, as with SentencePiece: a word is spelled the same wherever it stands.
class ByteModel : public TokenModel {
public:
    [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const override {
        if (text.empty()) return {};
        std::vector<std::int32_t> ids{kFirstRegularToken + ' '};
        for (const char c : text) ids.push_back(kFirstRegularToken + static_cast<unsigned char>(c));
        return ids;
    }
    [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override {
        std::string bytes;
        for (const std::int32_t id : ids) {
            if (id == kUnk)
                bytes += "⁇";
            else
                bytes.push_back(static_cast<char>(id - kFirstRegularToken));
        }
        if (bytes.starts_with(' ')) bytes.erase(0, 1);
        return repaired(std::move(bytes));
    }
    [[nodiscard]] std::string token(std::int32_t id) const override {
        const std::int32_t byte = id - kFirstRegularToken;
        if (byte == ' ') return "▁";
        if (byte > ' ' && byte < 0x7F) return {static_cast<char>(byte)};
        return fmt::format("<0x{:02X}>", byte);  // as SentencePiece writes bytes
    }
    [[nodiscard]] std::int32_t size() const override { return kFirstRegularToken + kBytes; }
};

}  // namespace

std::string byteModel() {
    return std::string(kModel);
}

Result<std::unique_ptr<TokenModel>> openBytes(const std::string& bytes) {
    if (bytes != kModel) return workError("tokenizer.damaged", "is not the model of a byte tokenizer");
    return std::make_unique<ByteModel>();
}

}  // namespace kurve::text::detail
