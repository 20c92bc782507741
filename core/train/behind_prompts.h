#pragma once

#include <string>

#include "core/train/decode.h"

// Scores of texts and documents count only what stands behind a prompt: the prompt was given, not written.

namespace kurve::train {

/// What stands behind samplePrompt() of a whole text or document, in one line, as text::referenceText();
/// without a prompt the whole.
[[nodiscard]] std::string behindPrompt(const text::Dataset& data, const std::string& whole);
/// Takes the prompts that addPrompt() added out of outputs and their ids. Of a text `sentences` become those
/// of the whole; of a document they stay. Changes nothing where the data has no prompts.
void leavePromptsOut(const text::Dataset& data, const DecodeRequest& request, DecodedSet& set);

}  // namespace kurve::train
