#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/published/pattern_translation.h"

struct pcre2_real_code_8;

namespace kurve::text::detail {

/// Cuts text at the matches of a regular expression. Immutable; callable from any thread.
class SplitPattern {
public:
    /// Errors: tokenizer.unsupported (says where the expression cannot be read).
    static Result<SplitPattern> compile(const std::string& pattern, PatternDialect dialect);

    /// Which parts of a text stay: what the expression matches, and what lies between.
    struct Kept {
        bool matches = true, gaps = true;
    };
    /// Appends the parts of `text` (valid UTF-8) that stay, none of them empty. An expression that needs more
    /// than PCRE2's limits for this text is a ContractError.
    void split(std::string_view text, Kept kept, std::vector<std::string_view>& parts) const;

private:
    explicit SplitPattern(std::shared_ptr<const pcre2_real_code_8> code) : code_(std::move(code)) {}

    std::shared_ptr<const pcre2_real_code_8> code_;
};

}  // namespace kurve::text::detail
