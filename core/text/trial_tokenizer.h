#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/text/tokenizer.h"

namespace kurve::text {

/// The tokenizer that trainTokenizer() would write, kept in memory only. Errors as there.
Result<std::shared_ptr<const Tokenizer>> trialTokenizer(const TokenizerSpec& spec,
                                                        std::span<const std::string> lines);

}  // namespace kurve::text
