#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/text/special_ids.h"
#include "core/text/tokenizer.h"

namespace kurve::text {

/// A tokenizer that others trained, with the ids that its models know.
struct PublishedTokenizer {
    std::shared_ptr<const Tokenizer> tokenizer;
    SpecialIds special;
    std::string kind;  ///< byte-bpe | wordpiece | tiktoken
};

/// Reads one of:
/// - tokenizer.json of Hugging Face: BPE over bytes (pre-tokenizers ByteLevel and Split, normalizer NFC), or
///   WordPiece (normalizer BertNormalizer, pre-tokenizer BertPreTokenizer). Its post-processor, truncation
///   and padding are not used: encode() adds no special token;
/// - gpt2, r50k_base, cl100k_base or o200k_base with the ending .tiktoken: the name says the pattern;
/// - vocab.txt of a WordPiece model, one token a line. Without a tokenizer_config.json beside it the text is
///   lower-cased unless the list has a token with a capital letter;
/// - a folder that holds one of these, looked for in this order.
/// tokenizer_config.json beside the file says which tokens are special; without it the usual names do.
///
/// Text that spells an added or special token is ordinary text: encode() gives what `tokenizers` gives
/// without added tokens, and encode_ordinary() of tiktoken. Text must be valid UTF-8 (ContractError).
/// decode() shows bytes that are no UTF-8 as U+FFFD. token() spells byte tokens as GPT-2 does ("Ġthe"), also
/// for tiktoken. Unicode is version 14 in patterns and 15 in WordPiece.
///
/// Errors: tokenizer.missing; tokenizer.unsupported (names the part and its type, and what is supported);
/// tokenizer.damaged.
Result<PublishedTokenizer> readPublishedTokenizer(const std::filesystem::path& path);

}  // namespace kurve::text
