#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/text/dataset.h"

namespace kurve::text {

/// A run's folder holds copies of its tokenizers, so that its texts are read and written without the
/// project's corpora: "tokenizer", or "tokenizer/source" and "tokenizer/target" where the sides have one
/// each.
enum class Side : unsigned char { Source, Target };

/// Where that side's lies, relative to the run's folder.
[[nodiscard]] std::filesystem::path runTokenizerFolder(const std::filesystem::path& run, Side side);
/// Copies them into the run's folder, where they are not there yet. Errors: io.*.
Status storeRunTokenizers(const Tokenizers& tokenizers, const std::filesystem::path& run);
/// Errors: tokenizer.missing, tokenizer.damaged, io.link.
Result<Tokenizers> loadRunTokenizers(const std::filesystem::path& run);

}  // namespace kurve::text
