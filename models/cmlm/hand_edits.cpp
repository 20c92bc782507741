#include "models/cmlm/hand_edits.h"

#include <fmt/format.h>

namespace kurve::models::cmlm {

using trace::Edit;
using trace::EditKind;

Status HandEdits::check(std::int32_t length) const {
    // BOS and EOS are given: an edit there would change nothing that is generated.
    for (const Edit& edit : edits_)
        if (edit.slot < 1 || edit.slot > length - 2)
            return requestError("branch.slot", fmt::format("slot {} is no word of this text", edit.slot))
                .at("slot")
                .fix(fmt::format("words have the slots 1 to {}", length - 2));
    return {};
}

void HandEdits::beforePass(sampling::MaskedSentence& sentence, int pass) const {
    for (const Edit& edit : edits_)
        if (edit.kind == EditKind::Noise && edit.actsAt(pass)) sentence.mask(edit.slot - 1);
}

void HandEdits::afterPass(sampling::MaskedSentence& sentence, int pass) const {
    for (const Edit& edit : edits_) {
        if (edit.step != pass) continue;
        if (edit.kind == EditKind::Force) sentence.set(edit.slot - 1, edit.token, 0);
        if (edit.kind == EditKind::Pin) sentence.fix(edit.slot - 1, edit.token);
    }
}

bool HandEdits::bans(int slot, std::int32_t token, int pass) const {
    bool banned = false;
    eachBanned(slot, pass, [&](std::int32_t one) { banned = banned || one == token; });
    return banned;
}

}  // namespace kurve::models::cmlm
