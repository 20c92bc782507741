#pragma once

#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "core/sampling/masked_sentence.h"
#include "core/trace/edit.h"

namespace kurve::models::cmlm {

/// The edits of one recorded candidate, pass by pass. Their positions count BOS, those of a sentence do not.
class MaskEdits {
public:
    /// `edits` must live as long as this; `row`: the candidate's.
    MaskEdits(std::span<const trace::Edit> edits, std::size_t row) : edits_(edits), row_(row) {}
    [[nodiscard]] std::size_t row() const { return row_; }
    /// `length`: BOS and EOS included. Errors: branch.position.
    [[nodiscard]] Status check(std::int32_t length) const;
    /// Masks the positions of Noise edits.
    void beforePass(sampling::MaskedSentence& sentence, int pass) const;
    /// Sets forced and pinned tokens.
    void afterPass(sampling::MaskedSentence& sentence, int pass) const;
    /// Whether `token` is banned at that position of the sentence from this pass on.
    [[nodiscard]] bool bans(int position, std::int32_t token, int pass) const;
    /// Calls `ban(token)` for each banned token.
    template <class Ban>
    void eachBanned(int position, int pass, const Ban& ban) const {
        for (const trace::Edit& edit : edits_)
            if (edit.kind == trace::EditKind::Ban && edit.actsAt(pass) && edit.position == position + 1)
                ban(edit.token);
    }

private:
    std::span<const trace::Edit> edits_;
    std::size_t row_;
};

}  // namespace kurve::models::cmlm
