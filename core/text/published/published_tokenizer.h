#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/text/tokenizer.h"

namespace kurve::text {

/// A tokenizer that others trained.
struct PublishedTokenizer {
    std::shared_ptr<const Tokenizer> tokenizer;
    std::string kind;                 ///< byte-bpe | wordpiece | tiktoken
    std::filesystem::path file = {};  ///< where it was read
};

/// Reads one of:
/// - tokenizer.json of Hugging Face: BPE over bytes (pre-tokenizers ByteLevel and Split, normalizer NFC), or
///   WordPiece (normalizer BertNormalizer, pre-tokenizer BertPreTokenizer). Its post-processor, truncation
///   and padding are not used: encode() adds no special token;
/// - gpt2, r50k_base, cl100k_base or o200k_base with the ending .tiktoken: the name says the pattern;
/// - vocab.txt of a WordPiece model, one token a line. Without a tokenizer_config.json beside it the text is
///   lower-cased unless the list has a token with a capital letter;
/// - a folder that holds one of these; vocab.txt beside a tokenizer.json is the same tokenizer again.
/// tokenizer_config.json beside the file says which tokens are special; without it the usual names do.
///
/// Text that spells an added or special token is ordinary text: encode() gives what `tokenizers` gives
/// without added tokens, and encode_ordinary() of tiktoken. Text must be valid UTF-8 (ContractError).
/// decode() shows bytes that are no UTF-8 as U+FFFD. token() spells byte tokens as GPT-2 does ("Ġthe"), also
/// for tiktoken. Unicode is version 14 in patterns and 15 in WordPiece.
///
/// Errors: tokenizer.missing; tokenizer.ambiguous (a folder with several); tokenizer.unsupported (names the
/// part and its type, and what is supported); tokenizer.damaged.
Result<PublishedTokenizer> readPublishedTokenizer(const std::filesystem::path& path);

/// The tokenizer with the special ids that models ask for. A text that has no token to begin with begins with
/// eos, one without an end ends with bos. What else is missing is appended behind the vocabulary, first the
/// mask (MDLM's code: its id is the vocabulary's size), then one token for both ends, then padding.
/// `vocabulary`: how many ids there are to be, 0 for as many as are needed; if it has no room for padding,
/// eos pads. Errors: tokenizer.vocabulary (it cannot have that many).
Result<std::shared_ptr<const Tokenizer>> completeTokenizer(std::shared_ptr<const Tokenizer> published,
                                                           std::int64_t vocabulary = 0);

/// Makes FOLDER, a tokenizer as trainTokenizer() makes them, from a published one: its files, tokenizer.json
/// of Kurve's own form and the table of tokens. loadTokenizer() gives what completeTokenizer() gives.
/// Errors: as above; tokenizer.exists (another one is there); io.write.
Result<std::shared_ptr<const Tokenizer>> storePublishedTokenizer(const PublishedTokenizer& published,
                                                                 std::int64_t vocabulary,
                                                                 const std::filesystem::path& folder);

}  // namespace kurve::text
