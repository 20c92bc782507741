#include "models/mdlm/masked_text.h"

namespace kurve::models::mdlm {
namespace {

using trace::TokenState;

std::uint8_t code(TokenState state) {
    return static_cast<std::uint8_t>(state);
}

}  // namespace

bool MaskedText::masked(int position) const {
    return ids[static_cast<std::size_t>(position)] == maskId;
}

std::vector<int> MaskedText::maskedPositions(int begin, int end) const {
    std::vector<int> positions;
    for (int i = begin; i < end; ++i)
        if (masked(i)) positions.push_back(i);
    return positions;
}

std::vector<int> MaskedText::written() const {
    std::vector<int> positions;
    for (int i = first; i < static_cast<int>(ids.size()); ++i)
        if (!masked(i) && given[static_cast<std::size_t>(i)] == 0) positions.push_back(i);
    return positions;
}

void MaskedText::unmask(int position, std::int32_t token, float tokenProbability) {
    const auto at = static_cast<std::size_t>(position);
    const bool was = masked(position);
    changes[at] = code(was ? TokenState::New : ids[at] == token ? TokenState::Kept : TokenState::Flip);
    ids[at] = token;
    probability[at] = tokenProbability;
}

void MaskedText::mask(int position) {
    const auto at = static_cast<std::size_t>(position);
    if (given[at] != 0) return;
    if (!masked(position)) changes[at] = code(TokenState::Remask);
    ids[at] = maskId;
}

void MaskedText::fix(int position, std::int32_t token) {
    const auto at = static_cast<std::size_t>(position);
    ids[at] = token;
    given[at] = 1;
    probability[at] = 1;
    changes[at] = code(TokenState::Given);
}

void MaskedText::beginStep() {
    for (std::size_t i = 0; i < ids.size(); ++i)
        changes[i] = code(given[i] != 0      ? TokenState::Given
                          : ids[i] == maskId ? TokenState::Masked
                                             : TokenState::Kept);
}

}  // namespace kurve::models::mdlm
