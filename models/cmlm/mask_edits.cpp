#include "models/cmlm/mask_edits.h"

#include <fmt/format.h>

namespace kurve::models::cmlm {

using trace::Edit;
using trace::EditKind;

Status MaskEdits::check(std::int32_t length) const {
    // BOS and EOS are given: an edit there would change nothing that is generated.
    for (const Edit& edit : edits_)
        if (edit.position < 1 || edit.position > length - 2)
            return requestError("branch.position", fmt::format("position {} cannot be edited", edit.position))
                .at("position")
                .fix(fmt::format("choose a position from 1 to {}", length - 2));
    return {};
}

void MaskEdits::beforePass(sampling::MaskedSentence& sentence, int pass) const {
    for (const Edit& edit : edits_)
        if (edit.kind == EditKind::Noise && edit.actsAt(pass)) sentence.mask(edit.position - 1);
}

void MaskEdits::afterPass(sampling::MaskedSentence& sentence, int pass) const {
    for (const Edit& edit : edits_) {
        if (edit.step != pass) continue;
        if (edit.kind == EditKind::Force) sentence.set(edit.position - 1, edit.token, 0);
        if (edit.kind == EditKind::Pin) sentence.fix(edit.position - 1, edit.token);
    }
}

bool MaskEdits::bans(int position, std::int32_t token, int pass) const {
    bool banned = false;
    eachBanned(position, pass, [&](std::int32_t one) { banned = banned || one == token; });
    return banned;
}

}  // namespace kurve::models::cmlm
