#include "core/text/published/pattern_translation.h"

#include <fmt/format.h>

#include <vector>

namespace kurve::text::detail {
namespace {

class PatternTranslator {
public:
    PatternTranslator(std::string_view pattern, PatternDialect dialect)
        : in_(pattern), oniguruma_(dialect == PatternDialect::Oniguruma) {}

    Result<std::string> translate() {
        while (at_ < in_.size()) KURVE_CHECKED(part());
        return std::move(out_);
    }

private:
    Status part() {
        switch (in_[at_]) {
            case '\\':
                atom_ = out_.size();
                return escape();
            case '[':
                atom_ = out_.size();
                return characterSet();
            case '(':
                groups_.push_back(out_.size());
                break;
            case ')':
                closeGroup();
                break;
            case '{':
                return bounds();
            default:
                // Bytes after the first of a character belong to the atom that began there.
                if ((static_cast<unsigned char>(in_[at_]) & 0xC0U) != 0x80U) atom_ = out_.size();
        }
        copy(1);
        return {};
    }

    void closeGroup() {
        if (groups_.empty()) return;
        atom_ = groups_.back();
        groups_.pop_back();
    }

    /// \s of PCRE2 holds U+180E, which is no white space since Unicode 6.3.
    Status escape() {
        const char kind = at_ + 1 < in_.size() ? in_[at_ + 1] : '\0';
        if (kind == 's' || kind == 'S') {
            out_ += kind == 's' ? "\\p{White_Space}" : "\\P{White_Space}";
            at_ += 2;
            return {};
        }
        if (kind == 'h' || kind == 'H') return unsupported("\\h");
        const bool named = std::string_view("pPxkgo").find(kind) != std::string_view::npos && kind != '\0' &&
                           in_.substr(at_ + 2).starts_with('{');
        const std::size_t end = named ? in_.find('}', at_) : std::string_view::npos;
        copy(end == std::string_view::npos ? 2 : end + 1 - at_);
        return {};
    }

    Status characterSet() {
        copy(1);
        if (in_.substr(at_).starts_with('^')) copy(1);
        if (in_.substr(at_).starts_with(']')) copy(1);
        while (at_ < in_.size() && in_[at_] != ']') {
            const std::string_view rest = in_.substr(at_);
            if (rest.starts_with("&&") || rest.starts_with('[')) return unsupported("sets within sets");
            if (rest.starts_with('\\')) {
                KURVE_CHECKED(escape());
            } else {
                copy(1);
            }
        }
        copy(1);
        return {};
    }

    Status bounds() {
        const std::size_t end = in_.find_first_not_of("0123456789,", at_ + 1);
        const bool isBound = end != std::string_view::npos && in_[end] == '}' && end > at_ + 1;
        if (!isBound) atom_ = out_.size();
        const bool repeats = isBound && oniguruma_ && in_.substr(end + 1).starts_with('+');
        if (repeats) out_.insert(atom_, "(?:");
        copy(isBound ? end + 1 - at_ : 1);
        if (repeats) out_ += ')';
        return {};
    }

    void copy(std::size_t bytes) {
        out_ += in_.substr(at_, bytes);
        at_ += bytes;
    }

    static Error unsupported(const char* what) {
        return requestError("tokenizer.unsupported",
                            fmt::format("the tokenizer's pattern uses {}, which is not supported", what));
    }

    std::string_view in_;
    bool oniguruma_;
    std::string out_;
    std::size_t at_ = 0, atom_ = 0;    ///< in in_; in out_, the beginning of what a quantifier repeats
    std::vector<std::size_t> groups_;  ///< in out_, the open ones
};

}  // namespace

Result<std::string> translatePattern(std::string_view pattern, PatternDialect dialect) {
    if (dialect == PatternDialect::Literal) return std::string(pattern);
    return PatternTranslator(pattern, dialect).translate();
}

}  // namespace kurve::text::detail
