#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/text/published/split_pattern.h"

#include <pcre2.h>

#include <array>

#include "core/base/check.h"

namespace kurve::text::detail {
namespace {

template <auto kFree>
struct Pcre2Free {
    template <class T>
    void operator()(T* object) const {
        kFree(object);
    }
};
using MatchData = std::unique_ptr<pcre2_match_data, Pcre2Free<pcre2_match_data_free>>;
using CompileContext = std::unique_ptr<pcre2_compile_context, Pcre2Free<pcre2_compile_context_free>>;

std::uint32_t options(PatternDialect dialect) {
    switch (dialect) {
        case PatternDialect::Oniguruma:
            return PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE;
        case PatternDialect::Rust:
            return PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY;
        case PatternDialect::Literal:
            return PCRE2_UTF | PCRE2_LITERAL;
    }
    return 0;
}

std::string errorText(int error) {
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(error, text.data(), text.size());
    return reinterpret_cast<const char*>(text.data());
}

struct Span {
    std::size_t begin, end;
};

/// The first match from `from` on; an empty span at npos where there is none.
Span find(const pcre2_code* code, pcre2_match_data* data, std::string_view text, std::size_t from) {
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    int found = pcre2_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK, data, nullptr);
    // The compiled form has a fixed stack; the interpreter takes what it needs.
    if (found == PCRE2_ERROR_JIT_STACKLIMIT)
        found =
            pcre2_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data, nullptr);
    if (found == PCRE2_ERROR_NOMATCH) return {std::string_view::npos, std::string_view::npos};
    KURVE_CHECK(found >= 0, "the tokenizer's pattern fails at byte {} of {}: {}", from, text.size(),
                errorText(found));
    const auto* at = pcre2_get_ovector_pointer(data);
    return {at[0], at[1]};
}

std::size_t nextCharacter(std::string_view text, std::size_t at) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
    return at;
}

}  // namespace

Result<SplitPattern> SplitPattern::compile(const std::string& pattern, PatternDialect dialect) {
    KURVE_TRY(const std::string translated, translatePattern(pattern, dialect));
    const CompileContext context(pcre2_compile_context_create(nullptr));
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    int error = 0;
    std::size_t offset = 0;
    auto* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                               options(dialect), &error, &offset, context.get());
    if (code == nullptr)
        return requestError("tokenizer.unsupported",
                            fmt::format("the tokenizer's pattern cannot be read at byte {} of \"{}\": {}",
                                        offset, translated, errorText(error)));
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // where it is not available, matching is only slower
    return SplitPattern(std::shared_ptr<const pcre2_code>(
        code, [](const pcre2_code* last) { pcre2_code_free(const_cast<pcre2_code*>(last)); }));
}

void SplitPattern::split(std::string_view text, Kept kept, std::vector<std::string_view>& parts) const {
    const MatchData data(pcre2_match_data_create(1, nullptr));
    const auto add = [&](bool wanted, std::size_t begin, std::size_t end) {
        if (wanted && end > begin) parts.push_back(text.substr(begin, end - begin));
    };
    std::size_t last = 0;
    for (std::size_t from = 0; from < text.size();) {
        const Span match = find(code_.get(), data.get(), text, from);
        if (match.begin == std::string_view::npos) break;
        add(kept.gaps, last, match.begin);
        add(kept.matches, match.begin, match.end);
        last = match.end;
        from = match.end > match.begin ? match.end : nextCharacter(text, match.end);
    }
    add(kept.gaps, last, text.size());
}

}  // namespace kurve::text::detail
