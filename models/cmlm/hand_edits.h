#pragma once

#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "core/sampling/masked_sentence.h"
#include "core/trace/edit.h"

namespace kurve::models::cmlm {

/// What a hand changes in one candidate of a recording, pass by pass. Its slots count BOS, a sentence's do
/// not.
class HandEdits {
public:
    /// `edits` must live as long as this; `row`: the candidate's.
    HandEdits(std::span<const trace::Edit> edits, std::size_t row) : edits_(edits), row_(row) {}
    [[nodiscard]] std::size_t row() const { return row_; }
    /// `length`: BOS and EOS included. Errors: branch.slot.
    [[nodiscard]] Status check(std::int32_t length) const;
    /// Masks what is to be drawn again.
    void beforePass(sampling::MaskedSentence& sentence, int pass) const;
    /// What was forced or pinned stands.
    void afterPass(sampling::MaskedSentence& sentence, int pass) const;
    /// Whether `token` may not stand in that slot of the sentence from this pass on.
    [[nodiscard]] bool bans(int slot, std::int32_t token, int pass) const;
    /// Calls `ban(token)` for each that may not.
    template <class Ban>
    void eachBanned(int slot, int pass, const Ban& ban) const {
        for (const trace::Edit& edit : edits_)
            if (edit.kind == trace::EditKind::Ban && edit.actsAt(pass) && edit.slot == slot + 1)
                ban(edit.token);
    }

private:
    std::span<const trace::Edit> edits_;
    std::size_t row_;
};

}  // namespace kurve::models::cmlm
